"""Decides whether a draft pays; the automatic drafter asks before each slow step.

Without figures everything pays, which is right for large models; the planner answers with measured ones. Where pages
are drafted in another process, its present figures travel there as :class:`Prices`, and a :class:`PricedPolicy`
returns the times of drafting.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

DraftKind = Literal["cut", "layout", "recognition"]


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether something is done, and why."""

    yes: bool
    why: str


class DraftingPolicy:
    """Everything pays; others decide by cost and use the times of drafting."""

    def layout_pays(self, characters: int) -> Decision:
        """Whether the layout model is run over a text layer of so many characters."""
        return Decision(True, "")

    def recognition_pays(self) -> Decision:
        """Whether a page without a sound text layer is recognised."""
        return Decision(True, "")

    def drafted(self, kind: DraftKind, seconds: float) -> None:
        """Takes the ``seconds`` in which a draft of that kind was made."""

    def recognised(self, lines: Sequence[str]) -> None:
        """Takes ``lines`` of the page when they are recognised; none when recognition begins."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Seconds that the layout model and recognition take per page, and expected savings, per character of the text
    layer and per page. After ``most`` seconds no draft can pay, whatever the page."""

    layout: float
    layout_saves: float
    recognition: float
    recognition_saves: float
    most: float = math.inf

    def layout_pays(self, characters: int) -> Decision:
        return compared("layout", self.layout, characters * self.layout_saves)

    def recognition_pays(self) -> Decision:
        return compared("recognition", self.recognition, self.recognition_saves)


FREE = Prices(0.0, 1.0, 0.0, 1.0)
"""Drafting always pays."""


class PricedPolicy(DraftingPolicy):
    """Decides by the latest ``prices`` and collects the times of drafting in ``spent``; ``tell`` is called with lines
    as they are recognised."""

    def __init__(self) -> None:
        self.prices: DraftingPolicy | Prices = DraftingPolicy()
        self.spent: list[tuple[DraftKind, float]] = []
        self.tell: Callable[[Sequence[str]], None] | None = None

    def layout_pays(self, characters: int) -> Decision:
        return self.prices.layout_pays(characters)

    def recognition_pays(self) -> Decision:
        return self.prices.recognition_pays()

    def drafted(self, kind: DraftKind, seconds: float) -> None:
        self.spent.append((kind, seconds))

    def recognised(self, lines: Sequence[str]) -> None:
        if self.tell is not None:
            self.tell(lines)


def compared(what: str, cost: float, saved: float) -> Decision:
    """Decides for ``what`` if it saves more than it costs, both in seconds."""
    return Decision(saved > cost, f"{what} would cost {cost:.2f} s and save {saved:.2f} s")
