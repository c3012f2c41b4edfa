"""Aligns the words of a text's blocks with the words of another text: equal ones, replaced ones, missing ones.

The alignment keeps the order of both (Levenshtein over words). A block that does not fit its place in the other text,
because the two have different orders, is searched among the unused words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

SAME_BLOCK = 50.0
"""The least similarity (0..100) of a block with the words in its place; below it, the place is another block's."""

SAME_WORDS = 40.0
"""The same for a run of more than ``FEW`` words that differ, below which they are not readings of the same print."""

FEW = 3

MOST_PAIRS = 100_000_000
"""Words of one text times words of the other beyond which they are not compared (10,000 of each take 0.1 s)."""

MOST_LOOKED_FOR = 200
"""The most blocks of a page that are searched elsewhere."""


class Place(NamedTuple):
    """The words ``first`` to ``last`` (exclusive) of the blocks stand where the other text has ``low`` to ``high``;
    ``equal``: they are the same."""

    first: int
    last: int
    low: int
    high: int
    equal: bool


class Alignment:
    """``places[i]`` is where word ``i`` of all blocks stands in the other text (``None``: nowhere); neighbours
    that were replaced together share one. ``used[j]``: word ``j`` of the other text is in a place."""

    def __init__(self, blocks: Sequence[Sequence[str]], other: Sequence[str]) -> None:
        self.words = [word for block in blocks for word in block]
        self.other = other
        self.places: list[Place | None] = [None] * len(self.words)
        self.used = [False] * len(other)
        ends = [0]
        for block in blocks:
            ends.append(ends[-1] + len(block))
        self.blocks = list(pairwise(ends))
        self._borders = set(ends)
        self._align(0, len(self.words), 0, len(other))
        lost = [block for block in self.blocks if block[0] < block[1] and not self._says_the_same(*block)]
        for first, last in lost:
            self.places[first:last] = [None] * (last - first)
        self._note_used()
        for first, last in lost[:MOST_LOOKED_FOR]:
            self._look_elsewhere(first, last)

    def between(self, place: int) -> tuple[int, int] | None:
        """The unused words of the other text right between the words ``place - 1`` and ``place``, if there are any."""
        before, after = self.places[place - 1], self.places[place]
        if before is None or after is None or before.high >= after.low or any(self.used[before.high : after.low]):
            return None
        return before.high, after.low

    def _align(self, first: int, last: int, low: int, high: int) -> None:
        opcodes = Levenshtein.opcodes(self.words[first:last], self.other[low:high])
        for equal, group in groupby(opcodes, key=lambda code: code.tag == "equal"):
            codes = list(group)
            a, b = first + codes[0].src_start, first + codes[-1].src_end
            c, d = low + codes[0].dest_start, low + codes[-1].dest_end
            if equal:
                self._put(Place(a + n, a + n + 1, c + n, c + n + 1, True) for n in range(b - a))
            elif a < b and c < d:
                self._replace(a, b, c, d)

    def _replace(self, a: int, b: int, c: int, d: int) -> None:
        """The words ``a`` to ``b`` stand where the other text has ``c`` to ``d``: one by one where they pair."""
        ours, theirs = self.words[a:b], self.other[c:d]
        if max(len(ours), len(theirs)) > FEW and _similarity(ours, theirs) < SAME_WORDS:
            return
        cut = next((at for at in range(a + 1, b) if at in self._borders), None)
        if len(ours) == len(theirs):
            self._put(Place(a + n, a + n + 1, c + n, c + n + 1, False) for n in range(b - a))
        elif cut is None:
            self._put([Place(a, b, c, d, False)])
        else:  # the run crosses the border of two blocks: the first takes the words that are most like its own
            best = max(range(c, d + 1), key=lambda at: _similarity(self.words[a:cut], self.other[c:at]))
            if best > c:
                self._replace(a, cut, c, best)
            if best < d:
                self._replace(cut, b, best, d)

    def _put(self, places: Iterable[Place]) -> None:
        for place in places:
            self.places[place.first : place.last] = [place] * (place.last - place.first)

    def _says_the_same(self, first: int, last: int) -> bool:
        """Whether the words in the block's place are similar to the block."""
        known = [place for place in self.places[first:last] if place is not None]
        if not known:
            return False
        low, high = min(place.low for place in known), max(place.high for place in known)
        return _similarity(self.words[first:last], self.other[low:high]) >= SAME_BLOCK

    def _look_elsewhere(self, first: int, last: int) -> None:
        """Aligns a block with the run of unused words that has most of its words, if the two are similar."""
        wanted = Counter(self.words[first:last])
        runs = [list(run) for used, run in groupby(range(len(self.used)), key=self.used.__getitem__) if not used]
        shared = [(wanted & Counter(self.other[run[0] : run[-1] + 1])).total() for run in runs]
        if not shared or 2 * max(shared) < last - first:
            return
        run = runs[shared.index(max(shared))]
        low, high = run[0], run[-1] + 1
        equal = [
            code for code in Levenshtein.opcodes(self.words[first:last], self.other[low:high]) if code.tag == "equal"
        ]
        if equal:  # of a long run only what may be the block
            begin = low + equal[0].dest_start - equal[0].src_start
            end = low + equal[-1].dest_end + (last - first) - equal[-1].src_end
            self._align(first, last, max(low, begin), min(high, end))
        if self._says_the_same(first, last):
            self._note_used()
        else:
            self.places[first:last] = [None] * (last - first)

    def _note_used(self) -> None:
        for place in self.places:
            if place is not None:
                self.used[place.low : place.high] = [True] * (place.high - place.low)


def _similarity(ours: Sequence[str], theirs: Sequence[str]) -> float:
    return fuzz.ratio(" ".join(ours), " ".join(theirs)) if ours and theirs else 0.0
