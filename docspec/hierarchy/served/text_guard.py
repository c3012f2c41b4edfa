"""Loops in answers that come as text: the guard of tokens, over pieces of text about as long as tokens are."""

from __future__ import annotations

import re

from docspec.engine.stopping import Loop
from docspec.hierarchy.loop_guard import LoopGuard

_PIECE = re.compile(r"\s?\w{1,4}|\s?[^\w\s]|\s+")
"""Every text is a row of these. Only the last one may change when more text comes."""


class TextGuard:
    """Watches one answer as it grows. It counts pieces of up to four letters where the engine's own guard counts
    tokens, and cuts a loop where that one would, give or take a few."""

    def __init__(self) -> None:
        self._guard = LoopGuard(lambda numbers: "".join(map(self._known.__getitem__, numbers)))
        self._numbers: dict[str, int] = {}
        self._known: list[str] = []
        self._written: list[str] = []
        self._rest = ""
        self.loop: Loop | None = None

    def take(self, text: str, last: bool = False) -> Loop | None:
        """The answer goes on with ``text``, and ends with it where that is the ``last`` one; what was found by now."""
        pieces = _PIECE.findall(self._rest + text)
        self._rest = "" if last or not pieces else pieces.pop()
        for piece in pieces:
            if self.loop is None:
                self._observe(piece)
        return self.loop

    @property
    def kept(self) -> str:
        """The answer up to the end of the first turn of the loop that was found; all of it where none was."""
        return "".join(self._written if self.loop is None else self._written[: self.loop.keep]) + self._rest

    def _observe(self, piece: str) -> None:
        number = self._numbers.setdefault(piece, len(self._known))
        if number == len(self._known):
            self._known.append(piece)
        self._written.append(piece)
        self.loop = self._guard.observe(number)


def guarded(text: str) -> tuple[str, Loop | None]:
    """A whole answer as far as it is kept, and the loop that it was cut at."""
    guard = TextGuard()
    if guard.take(text, last=True) is None:
        return text, None
    return guard.kept, guard.loop
