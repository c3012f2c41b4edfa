"""Lookup in the output itself: what followed the last tokens when they were written before.

Pages repeat themselves (table rows, symbols in formulas, names in references), and where no draft helps the output
so far is the best draft there is. The longest repetition wins; one that reaches the end goes round.
"""

from __future__ import annotations

from collections.abc import Sequence

from docspec.speculation.draft_index import END
from docspec.speculation.odds import Source
from docspec.speculation.trail import Trail

RECENT = 64
"""Places of one n-gram that are looked at."""

CHAIN = 48
"""Tokens copied from one place."""


class OutputLookup:
    """The output so far with the places of its n-grams."""

    def __init__(self) -> None:
        self._output: list[int] = []
        self._ones: dict[int, list[int]] = {}
        self._pairs: dict[tuple[int, int], list[int]] = {}

    def extend(self, written: Sequence[int]) -> None:
        """Takes in the tokens ``written`` since the last call."""
        output = self._output
        for token in written:
            size = len(output)
            if size >= 1:
                self._ones.setdefault(output[-1], []).append(size)
            if size >= 2:
                self._pairs.setdefault((output[-2], output[-1]), []).append(size)
            output.append(token)

    def holds(self, piece: Sequence[int]) -> bool:
        """Whether ``piece`` (two tokens or more) was written somewhere, and something after its first two."""
        rest = list(piece[2:])
        places = self._pairs.get((piece[0], piece[1]), [])
        return any(self._output[place : place + len(rest)] == rest for place in places[-RECENT:])

    def trails(self) -> list[Trail]:
        """Continuations of the last tokens, the longest repetition first, two at most."""
        output = self._output
        if not output:
            return []
        places = self._pairs.get((output[-2], output[-1])) if len(output) > 1 else None
        if not places:
            places = self._ones.get(output[-1], [])[-1:]
        ranked = sorted(((self._matched(place), place) for place in places[-8:]), reverse=True)
        found: list[Trail] = []
        firsts: set[int] = set()
        for matched, place in ranked:
            if output[place] in firsts:
                continue
            firsts.add(output[place])
            chain = output[place : place + CHAIN]
            while len(chain) < CHAIN:
                chain = (chain + output[place:])[:CHAIN]
            kind = min(matched, 3) - 1 if matched < 4 else 3 if matched < 8 else 4
            found.append(Trail([*chain, END], 0, Source(Source.REPEAT_1 + kind), matched))
            if len(found) == 3:
                break
        return found

    def _matched(self, place: int) -> int:
        output, size = self._output, 0
        most = min(place, 32)
        while size < most and output[place - 1 - size] == output[-1 - size]:
            size += 1
        return size
