"""The planner: decides what pays on this page, on this machine, with this target. Every decision has a reason in
numbers.

A page should never take notably longer than plain decoding: a draft is made only if it is expected to save more than it
costs, crops are verified only if that saves steps of the page, and a tree grows only while its next node pays.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from docspec.core import PageDraft, StageStats
from docspec.drafting.policy import Decision, DraftingPolicy, DraftKind, Prices, compared
from docspec.engine.row import Row

PROBE = 8
"""Steps with trees before a comparison."""

RETRY = 5
"""Steps with trees before a comparison after a plain stretch."""

STRETCHES = (16, 32, 64, 128, 256)
"""Tokens decoded plainly after the first, second, third and later failed probes in a row."""

FADE = 0.8
"""Factor on the weight of older steps at every comparison."""

PLAIN_BLEND = 0.1
"""Weight of the newest plain step in the running mean."""


class Pacing:
    """Allows trees while they write tokens faster than plain steps do, for one row at a time.

    ``plain_seconds`` is the measured time of a one-token step; plain steps update it. ``clock`` returns seconds.
    """

    def __init__(self, plain_seconds: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self.plain_seconds = plain_seconds
        self._clock = clock
        self._row: Row | None = None
        self._began: float | None = None
        self._written = 0
        self.drafts_changed()

    def limit(self, row: Row, most: int) -> int:
        """The tree size for the next step of ``row``: ``most``, or 1 in a plain stretch. Call it before each step."""
        now, written = self._clock(), len(row.output)
        if row is not self._row:
            self._row = row
            self.drafts_changed()
        elif self._began is not None:
            self._note(row, now - self._began, written - self._written)
        self._began, self._written = now, written
        return 1 if self._left > 0 else most

    def shared(self) -> None:
        """Has the time until the next call of :meth:`limit` not count: it is that of steps of several rows."""
        self._began = None

    def drafts_changed(self) -> None:
        """Ends a plain stretch and starts a new probe."""
        self._failures = self._left = self._steps = 0
        self._seconds = self._tokens = 0.0

    def _note(self, row: Row, seconds: float, tokens: int) -> None:
        """Records that the last step of ``row`` took ``seconds`` and wrote ``tokens``."""
        if self._left > 0:
            self.plain_seconds += PLAIN_BLEND * (seconds - self.plain_seconds)
            row.counts.plain_tokens += tokens
            self._left -= tokens
            return
        self._steps += 1
        self._seconds += seconds
        self._tokens += tokens
        if self._steps < (RETRY if self._failures else PROBE):
            return
        self._steps = 0
        if self._seconds <= self._tokens * self.plain_seconds:
            self._failures = 0
            self._seconds *= FADE
            self._tokens *= FADE
            return
        self._left = STRETCHES[min(self._failures, len(STRETCHES) - 1)]
        self._failures += 1
        self._seconds = self._tokens = 0.0


BLEND = 0.3
"""Weight of the newest measurement in a running mean."""

DRAFT_PRIORS = {"cut": 0.03, "layout": 0.7, "recognition": 8.0}
"""Seconds per page before anything was measured: regions cut along white space, the layout model, OCR."""

TOKENS_PRIOR = 600.0
"""Tokens of a page before any was read."""

CHARACTERS_PRIOR = 3.0
"""Characters of a token before any page was read."""

SURPRISE_PRIOR = 1.5
"""Ratio of Stage 1's actual seconds to the expected ones, before it ever ran."""

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


@dataclass(slots=True)
class Mean:
    """An exponential running mean; the first measurement replaces the prior."""

    value: float
    measured: bool = False

    def add(self, value: float) -> None:
        self.value = value if not self.measured else (1 - BLEND) * self.value + BLEND * value
        self.measured = True


@dataclass(slots=True)
class Costs:
    """The measured costs on this machine in seconds, from the first page on: running means that everything that runs
    updates. The priors are deliberately pessimistic for drafting, so that an expensive draft has to prove itself.

    ``step[prefix][width]`` is one forward pass of one row over ``width`` tokens behind ``prefix`` others; ``row`` is
    the cost of each further row as a share of a one-row step (1 on a CPU, nearly 0 on an accelerator). ``prefill`` is
    per prompt token. ``errors[source]`` is the share of output tokens that drafts of that source got wrong. ``tokens``
    is the number of tokens of a page, ``characters`` that of characters in a token; ``surprise`` is the ratio of
    Stage 1's actual seconds to the expected ones.
    """

    step: dict[int, dict[int, float]] = field(default_factory=dict)
    row: Mean = field(default_factory=lambda: Mean(1.0))
    prefill: Mean = field(default_factory=lambda: Mean(1e-3))
    draft: dict[str, Mean] = field(default_factory=lambda: {k: Mean(v) for k, v in DRAFT_PRIORS.items()})
    errors: dict[str, Mean] = field(default_factory=dict)
    tokens: Mean = field(default_factory=lambda: Mean(TOKENS_PRIOR))
    surprise: Mean = field(default_factory=lambda: Mean(SURPRISE_PRIOR))
    characters: Mean = field(default_factory=lambda: Mean(CHARACTERS_PRIOR))

    def step_seconds(self, width: int = 1, prefix: int | None = None) -> float:
        """Seconds of a forward pass of one row over ``width`` tokens behind ``prefix`` others (``None``: the most that
        were measured, about a page's prompt), 0 if nothing was measured.

        Between the measured widths it is interpolated, and between the measured lengths; behind longer prefixes it goes
        on growing as it does between those, since attention is linear in them.
        """
        found = {length: _between(widths, width) for length, widths in sorted(self.step.items())}
        if not found:
            return 0.0
        (shortest, least), (longest, most) = min(found.items()), max(found.items())
        if prefix is None or prefix <= longest:
            return _between(found, longest if prefix is None else prefix)
        slope = (most - least) / (longest - shortest) if longest > shortest else 0.0
        return most + max(0.0, slope) * (prefix - longest)

    def node_price(self, prefix: int | None = None) -> float:
        """The cost of one more tree node as a share of a one-token step, both behind ``prefix`` tokens (as in
        :meth:`step_seconds`); 0 if nothing was measured."""
        single = self.step_seconds(1, prefix)
        if single <= 0:
            return 0.0
        return max(0.0, (self.step_seconds(64, prefix) - single) / 63 / single)

    def note_step(self, width: int, seconds: float, prefix: int = 0) -> None:
        """Records a forward pass of one row over ``width`` tokens behind ``prefix`` others."""
        self.step.setdefault(prefix, {})[width] = seconds


def _between(points: Mapping[int, float], at: int) -> float:
    """The value of ``points`` at ``at``, linear between them and constant beyond."""
    below = [point for point in sorted(points.items()) if point[0] <= at] or [min(points.items())]
    above = [point for point in sorted(points.items()) if point[0] >= at] or [max(points.items())]
    (x0, y0), (x1, y1) = below[-1], above[0]
    return y0 if x0 == x1 else y0 + (y1 - y0) * (at - x0) / (x1 - x0)


class Planner(DraftingPolicy):
    """Decides with the measured ``costs``, which it also updates.

    ``longest`` is the token limit of a page: its plain decoding time bounds the time of a draft. ``None``: no bound, as
    where a drafter was chosen by name.
    """

    def __init__(self, costs: Costs, longest: int | None = None) -> None:
        self.costs = costs
        self._longest = longest
        self._expected_crops = 0.0

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

    def crops_pay(self, draft: PageDraft, pixels: int, prompt: int | None = None) -> Decision:
        """Whether Stage 1 pays for the regions of ``draft`` that have text; the target makes one token of ``pixels`` of
        a crop, and ``prompt`` tokens of the page (``None``: as many as were measured).

        Verified alone, the page pays one step for every wrong token. Verified as rows of a batch, the crops pay for the
        worst region only, but each step costs more with its rows, and the crops have prompts; these are short, so that
        their steps have less to attend to.
        """
        regions = [region for region in draft.regions if region.texts]
        lengths = [len(region.texts[0]) for region in regions]
        prompts = [int(region.bbox.area / pixels) for region in regions]
        if not lengths:
            return Decision(False, "no region has text")
        errors = self.costs.errors.get(draft.drafter)
        share = errors.value if errors is not None else PRIOR_ERRORS
        wrong = [max(1.0, share * length / self.costs.characters.value) for length in lengths]
        rows = 1 + self.costs.row.value * (len(wrong) - 1)
        saved = (sum(wrong) - len(wrong)) * self.costs.step_seconds(16, prompt)
        each = self.costs.step_seconds(16, max(prompts)) * rows
        cost = max(wrong) * each + sum(prompts) * self.costs.prefill.value
        self._expected_crops = cost
        return compared("crops", cost * self.costs.surprise.value, saved)

    def observe_crops(self, seconds: float) -> None:
        """Records that Stage 1 took ``seconds``: the next plan is corrected by the ratio to the expected time."""
        if self._expected_crops > 0:
            self.costs.surprise.add(seconds / self._expected_crops)

    def observe(self, source: str, text: str, stats: StageStats) -> None:
        """Records a page that was decoded with drafts of ``source`` and came out as ``text``."""
        costs, tokens = self.costs, stats.tokens
        if tokens:
            costs.errors.setdefault(source, Mean(1.0)).add(min(1.0, stats.steps / tokens))
            costs.tokens.add(float(tokens))
            costs.characters.add(max(1.0, len(text) / tokens))
        if stats.prompt_tokens:
            costs.prefill.add(stats.prefill_seconds / stats.prompt_tokens)
