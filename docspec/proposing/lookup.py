"""Lookup in the output itself: what followed the last tokens when they were written before.

Pages repeat themselves (table rows, symbols in formulas, names in references), and where no draft helps the output
so far is the best draft there is. The longest repetition wins; one that reaches the end goes round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation, Copy, Key
from docspec.proposing.source import Source, source

PLACES = 8
"""Places of one n-gram that are looked at, the last ones."""

MOST = 3
"""Places that are offered: those with the longest repetition, each with another next token."""

AHEAD = 48
"""Tokens copied from one place."""

KEYS = (
    Key("repetition of 1", 0.08),
    Key("repetition of 2", 0.2),
    Key("repetition of 3", 0.35),
    Key("repetition of 4", 0.5),
    Key("repetition of 8", 0.7),
)
"""For 1, 2, 3, 4 to 7, 8 and more equal tokens."""


@source("lookup")
class OutputLookup(Source):
    """The places of the output's n-grams."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._ones: dict[int, int] = {}
        self._pairs: dict[tuple[int, int], list[int]] = {}
        self._known = 0

    def observe(self, written: Sequence[int]) -> None:
        output = self.context.output
        for at in range(max(self._known, 1), len(output)):
            self._ones[output[at - 1]] = at
            if at > 1:
                self._pairs.setdefault((output[at - 2], output[at - 1]), []).append(at)
        self._known = len(output)

    def suggest(self) -> Iterable[Continuation]:
        output = self.context.output
        places = self._pairs.get((output[-2], output[-1])) if len(output) > 1 else None
        if places is None:
            places = [self._ones[output[-1]]] if output[-1] in self._ones else []
        ranked = sorted(((self._matched(place), place) for place in places[-PLACES:]), reverse=True)
        firsts: set[int] = set()
        for matched, place in ranked:
            if output[place] in firsts or len(firsts) == MOST:
                continue
            firsts.add(output[place])
            ahead = output[place : place + AHEAD]
            while len(ahead) < AHEAD:
                ahead = (ahead + output[place:])[:AHEAD]
            kind = min(matched, 3) - 1 if matched < 4 else 3 if matched < 8 else 4
            yield Continuation(Copy(ahead), 0, KEYS[kind], matched)

    def _matched(self, place: int) -> int:
        output, size = self.context.output, 0
        most = min(place, 32)
        while size < most and output[place - 1 - size] == output[-1 - size]:
            size += 1
        return size
