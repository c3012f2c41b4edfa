"""The planner: what pays on this page, on this machine, with this target. Every decision has a reason in numbers.

It promises that a page never takes notably longer than plain decoding: a draft is made only where it is expected
to save more than it costs, crops are verified only where that saves steps of the page, and a tree grows only as
long as its next node pays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from docspec.core import PageDraft, StageStats
from docspec.drafting.policy import Decision, DraftKind, Prices, compared
from docspec.hierarchy.costs import Costs
from docspec.hierarchy.pacing import Pacing

PRIOR_ERRORS = 0.15
"""Share of output tokens that a draft of an unknown kind is expected to get wrong."""

LAYOUT_GAIN = 0.05
"""Share of a page's plain decoding time that better regions and reading order are expected to save."""

RECOGNITION_GAIN = 0.6
"""Share of a page's plain decoding time that a recognised draft is expected to save."""

LOOKUP_SECONDS = 4e-4
"""Host time a step that proposing without drafts takes."""

LOOKUP_GAIN = 0.03
"""Share of a step that proposing from the output alone is expected to save."""


class Planner:
    """Decides with the figures of one :class:`Costs`, which it also keeps up to date.

    ``longest`` is how many tokens the longest page has: what its plain decoding takes bounds what a draft may take.
    ``None``: nothing bounds it, as where a drafter was asked for by name.
    """

    def __init__(self, costs: Costs, longest: int | None = None) -> None:
        self.costs = costs
        self._longest = longest
        self._expected_crops = 0.0

    def node_price(self) -> float:
        """What one more tree node costs, as a share of a one-token step; 0 where nothing was measured."""
        return self.costs.node_price()

    def pacing(self) -> Pacing | None:
        """Decides step by step whether trees pay; ``None`` where nothing was measured."""
        plain = self.costs.step_seconds(1)
        return Pacing(plain) if plain > 0 else None

    def prices(self) -> Prices:
        """What is known at present of what drafting takes and saves."""
        step, costs = self.costs.step_seconds(1), self.costs
        return Prices(
            costs.draft["layout"].value,
            LAYOUT_GAIN * step / costs.characters.value,
            costs.draft["recognition"].value,
            RECOGNITION_GAIN * step * costs.tokens.value,
            step * self._longest if step and self._longest else math.inf,
        )

    def layout_pays(self, characters: int) -> Decision:
        return self.prices().layout_pays(characters)

    def recognition_pays(self) -> Decision:
        return self.prices().recognition_pays()

    def lookup_pays(self) -> Decision:
        """Whether a page without any draft is decoded with trees of what it has written so far."""
        saved = LOOKUP_GAIN * self.costs.step_seconds(1)
        yes = saved > LOOKUP_SECONDS
        return Decision(yes, f"looking up costs {1e3 * LOOKUP_SECONDS:.1f} ms a step and saves {1e3 * saved:.2f} ms")

    def drafted(self, kind: DraftKind, seconds: float) -> None:
        self.costs.draft[kind].add(seconds)

    def recognised(self, lines: Sequence[str]) -> None:
        """Nothing is learnt from single lines."""

    def crops_pay(self, draft: PageDraft, pixels: int) -> Decision:
        """Whether Stage 1 is run over the regions of ``draft`` that have text, for a target that sees ``pixels`` of a
        crop as one token.

        Verified alone, the page pays a step for every wrong token. Verified as parallel rows, the crops pay for the
        worst region only, each step dearer by its rows, and for their prompts.
        """
        regions = [region for region in draft.regions if region.texts]
        lengths = [len(region.texts[0]) for region in regions]
        prompts = [int(region.bbox.area / pixels) for region in regions]
        if not lengths:
            return Decision(False, "no region has text")
        errors = self.costs.errors.get(draft.drafter)
        share = errors.value if errors is not None else PRIOR_ERRORS
        wrong = [max(1.0, share * length / self.costs.characters.value) for length in lengths]
        step = self.costs.step_seconds(16)
        rows = 1 + self.costs.row.value * (len(wrong) - 1)
        saved = (sum(wrong) - len(wrong)) * step
        cost = max(wrong) * step * rows + sum(prompts) * self.costs.prefill.value
        self._expected_crops = cost
        return compared("crops", cost * self.costs.surprise.value, saved)

    def observe_crops(self, seconds: float) -> None:
        """Stage 1 took ``seconds`` after it was planned: the next plan knows how far off this one was."""
        if self._expected_crops > 0:
            self.costs.surprise.add(seconds / self._expected_crops)

    def observe(self, source: str, text: str, stats: StageStats) -> None:
        """Learns from a page that was decoded with drafts of ``source``."""
        self.costs.note_page(source, text, stats.tokens, stats.steps)
        if stats.prompt_tokens:
            self.costs.prefill.add(stats.prefill_seconds / stats.prompt_tokens)
