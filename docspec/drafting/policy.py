"""What a draft may cost: asked by the automatic drafter before it does anything slow.

The planner answers with measured figures; without one everything pays, which is right for large models. Where pages
are drafted in another process, its figures of the moment travel there as :class:`Prices` and a :class:`PricedPolicy`
brings back what drafting took.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

DraftKind = Literal["cut", "layout", "recognition"]


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether something is done, and why."""

    yes: bool
    why: str


class DraftingPolicy(Protocol):
    """Decides by cost and hears what drafting took."""

    def layout_pays(self, characters: int) -> Decision:
        """Whether the layout model is run over a text layer of so many characters."""
        ...

    def recognition_pays(self) -> Decision:
        """Whether a page without a sound text layer is recognised."""
        ...

    def drafted(self, kind: DraftKind, seconds: float) -> None:
        """A draft of that kind was made in ``seconds``."""
        ...

    def recognised(self, lines: Sequence[str]) -> None:
        """``lines`` of the page were recognised; with none of them, recognition begins."""
        ...


class AlwaysDraft:
    """Everything pays."""

    def layout_pays(self, characters: int) -> Decision:
        return Decision(True, "")

    def recognition_pays(self) -> Decision:
        return Decision(True, "")

    def drafted(self, kind: DraftKind, seconds: float) -> None:
        return

    def recognised(self, lines: Sequence[str]) -> None:
        return


@dataclass(frozen=True, slots=True)
class Prices:
    """Seconds that the layout model and recognition take a page, and what they are expected to save: a character of the
    text layer, and a page. ``most`` are those after which a draft cannot pay any more, whatever the page."""

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


class PricedPolicy:
    """Decides by the ``prices`` that it was last given, and writes down in ``spent`` what drafting took; ``tell`` hears
    of lines as they are recognised."""

    def __init__(self) -> None:
        self.prices: DraftingPolicy | Prices = AlwaysDraft()
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
    """Something is done where it saves more than it costs, both in seconds."""
    return Decision(saved > cost, f"{what} would cost {cost:.2f} s and save {saved:.2f} s")
