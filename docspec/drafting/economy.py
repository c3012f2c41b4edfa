"""What a draft may cost: asked by the automatic drafter before it does anything slow.

The planner answers with measured figures; without one everything pays, which is right for large models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

Kind = Literal["cut", "layout", "recognition"]


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether something is done, and why."""

    yes: bool
    why: str


class Economy(Protocol):
    """Decides by cost and hears what drafting took."""

    def layout_pays(self, characters: int) -> Decision:
        """Whether the layout model is run over a text layer of so many characters."""
        ...

    def recognition_pays(self) -> Decision:
        """Whether a page without a sound text layer is recognised."""
        ...

    def drafted(self, kind: Kind, seconds: float) -> None:
        """A draft of that kind was made in ``seconds``."""
        ...


class Abundance:
    """Everything pays."""

    def layout_pays(self, characters: int) -> Decision:
        return Decision(True, "")

    def recognition_pays(self) -> Decision:
        return Decision(True, "")

    def drafted(self, kind: Kind, seconds: float) -> None:
        return
