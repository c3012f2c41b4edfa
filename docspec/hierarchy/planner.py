"""The planner: decides what pays on this page, on this machine, with this target. Every decision has a reason in
numbers.

A page should never take notably longer than plain decoding: a draft is made only if it is expected to save more than it
costs, crops are verified only if that saves steps of the page, and a tree grows only while its next node pays.
"""

from __future__ import annotations

import math

from docspec.core import PageDraft, StageStats
from docspec.drafting.policy import Decision, DraftingPolicy, DraftKind, Prices, compared
from docspec.hierarchy.costs import Costs
from docspec.hierarchy.pacing import Pacing

PRIOR_ERRORS = 0.15
"""Expected share of wrong tokens in a draft of an unknown source."""

LAYOUT_GAIN = 0.05
"""Expected saving of better regions and reading order, as a share of a page's plain decoding time."""

RECOGNITION_GAIN = 0.6
"""Expected saving of a recognised draft, as a share of a page's plain decoding time."""

LOOKUP_SECONDS = 4e-4
"""Host time per step for proposing without drafts."""

LOOKUP_GAIN = 0.03
"""Expected saving per step of proposing from the output alone, as a share of a step."""


class Planner(DraftingPolicy):
    """Decides with the measured ``costs``, which it also updates.

    ``longest`` is the token limit of a page: its plain decoding time bounds the time of a draft. ``None``: no bound, as
    where a drafter was chosen by name.
    """

    def __init__(self, costs: Costs, longest: int | None = None) -> None:
        self.costs = costs
        self._longest = longest
        self._expected_crops = 0.0

    def node_price(self) -> float:
        """The cost of one more tree node as a share of a one-token step; 0 if nothing was measured."""
        return self.costs.node_price()

    def pacing(self) -> Pacing | None:
        """Decides step by step whether trees pay; ``None`` if nothing was measured."""
        plain = self.costs.step_seconds(1)
        return Pacing(plain) if plain > 0 else None

    def prices(self) -> Prices:
        """The present costs and savings of drafting."""
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
        """Whether a page without a draft is decoded with trees from its own output."""
        saved = LOOKUP_GAIN * self.costs.step_seconds(1)
        yes = saved > LOOKUP_SECONDS
        return Decision(yes, f"looking up costs {1e3 * LOOKUP_SECONDS:.1f} ms a step and saves {1e3 * saved:.2f} ms")

    def drafted(self, kind: DraftKind, seconds: float) -> None:
        self.costs.draft[kind].add(seconds)

    def crops_pay(self, draft: PageDraft, pixels: int) -> Decision:
        """Whether Stage 1 pays for the regions of ``draft`` that have text; the target makes one token of ``pixels`` of
        a crop.

        Verified alone, the page pays one step for every wrong token. Verified as rows of a batch, the crops pay for the
        worst region only, but each step costs more with its rows, and the crops have prompts.
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
        """Records that Stage 1 took ``seconds``: the next plan is corrected by the ratio to the expected time."""
        if self._expected_crops > 0:
            self.costs.surprise.add(seconds / self._expected_crops)

    def observe(self, source: str, text: str, stats: StageStats) -> None:
        """Records a page that was decoded with drafts of ``source``."""
        self.costs.note_page(source, text, stats.tokens, stats.steps)
        if stats.prompt_tokens:
            self.costs.prefill.add(stats.prefill_seconds / stats.prompt_tokens)
