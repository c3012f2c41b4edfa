"""The measured costs on this machine: from the first page on, updated by everything that runs.

All figures are seconds. The priors of unmeasured costs are deliberately pessimistic for drafting, so that an expensive
draft has to prove itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
    """Running means of all quantities that the planner uses.

    ``step[width]`` is one forward pass of one row over ``width`` tokens; ``row`` is the cost of each further row as a
    share of a one-row step (1 on a CPU, nearly 0 on an accelerator). ``prefill`` is per prompt token.
    ``errors[source]`` is the share of output tokens that drafts of that source got wrong. ``tokens`` is the number of
    tokens of a page, ``characters`` that of characters in a token; ``surprise`` is the ratio of Stage 1's actual
    seconds to the expected ones.
    """

    step: dict[int, Mean] = field(default_factory=dict)
    row: Mean = field(default_factory=lambda: Mean(1.0))
    prefill: Mean = field(default_factory=lambda: Mean(1e-3))
    draft: dict[str, Mean] = field(default_factory=lambda: {k: Mean(v) for k, v in DRAFT_PRIORS.items()})
    errors: dict[str, Mean] = field(default_factory=dict)
    tokens: Mean = field(default_factory=lambda: Mean(TOKENS_PRIOR))
    surprise: Mean = field(default_factory=lambda: Mean(SURPRISE_PRIOR))
    characters: Mean = field(default_factory=lambda: Mean(CHARACTERS_PRIOR))

    def step_seconds(self, width: int = 1) -> float:
        """Seconds of a forward pass of one row over ``width`` tokens, interpolated between the measured widths."""
        if not self.step:
            return 0.0
        known = sorted((w, mean.value) for w, mean in self.step.items())
        below = [pair for pair in known if pair[0] <= width] or known[:1]
        above = [pair for pair in known if pair[0] >= width] or known[-1:]
        (w0, t0), (w1, t1) = below[-1], above[0]
        return t0 if w0 == w1 else t0 + (t1 - t0) * (width - w0) / (w1 - w0)

    def node_price(self) -> float:
        """The cost of one more tree node as a share of a one-token step."""
        single = self.step_seconds(1)
        if single <= 0:
            return 0.0
        return max(0.0, (self.step_seconds(64) - single) / 63 / single)

    def note_step(self, width: int, seconds: float) -> None:
        """Records a forward pass of one row over ``width`` tokens."""
        self.step.setdefault(width, Mean(seconds)).add(seconds)

    def note_page(self, source: str, text: str, tokens: int, steps: int) -> None:
        """Records a page of ``tokens`` tokens that took ``steps`` verification steps with drafts of ``source``."""
        if tokens:
            self.errors.setdefault(source, Mean(1.0)).add(min(1.0, steps / tokens))
            self.tokens.add(float(tokens))
            self.characters.add(max(1.0, len(text) / tokens))
