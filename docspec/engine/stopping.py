"""Rules that end a sequence before the target does; they see its tokens one by one in every way of decoding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Loop:
    """A detected repetition. The output's first ``keep`` tokens end with the first turn of a cycle of ``cycle`` tokens,
    whose text is ``text``; the ``dropped`` tokens after them only repeat it."""

    keep: int
    cycle: int
    dropped: int
    text: str


class StopRule(Protocol):
    """Watches one row's output."""

    def observe(self, token: int) -> Loop | None:
        """Takes the next token; returns the loop that ends the sequence, or ``None``."""
        ...


class NeverStop:
    """Never ends a sequence."""

    def observe(self, token: int) -> Loop | None:
        return None
