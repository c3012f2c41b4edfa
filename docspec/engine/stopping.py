"""What may end a sequence before the target does: a rule that sees its tokens one by one, in every way of decoding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Loop:
    """A repetition that was found. The output's first ``keep`` tokens end with the first turn of a cycle of ``cycle``
    tokens, which spell ``text``; the ``dropped`` tokens after them only repeat it."""

    keep: int
    cycle: int
    dropped: int
    text: str


class StopRule(Protocol):
    """Watches one row's output."""

    def observe(self, token: int) -> Loop | None:
        """Takes in the next token; returns the loop that ends the sequence, ``None`` where it goes on."""
        ...


class NeverStop:
    """Lets everything pass."""

    def observe(self, token: int) -> Loop | None:
        return None
