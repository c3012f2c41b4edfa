"""Heads of columns whose words follow each other as closely as those of a line of text: the columns below tell where
one head ends and the next one begins. Everything is in points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from docspec.core import BBox

CLEARLY = 1.25
"""How much wider the white between heads is than that between the words of one."""

PLACED = 3
"""Least columns whose places tell their heads: words of a title stand over two columns by chance."""

OUT = 0.15
"""Most distance of the edge of a head from that of its column, in heights of a word."""

Parts = list[tuple[int, int]]
"""The first and the last (exclusive) word of each head."""

_PLACES: tuple[Callable[[float, float], float], ...] = (
    lambda x0, x1: x0,
    lambda x0, x1: x1,
    lambda x0, x1: (x0 + x1) / 2,
)


def parts_over(
    words: Sequence[BBox], columns: Sequence[tuple[float, float]], entries: Sequence[tuple[float, float]] = ()
) -> Parts:
    """The heads of ``columns`` among ``words`` of a line, both from left to right, one over each column: divided at the
    widest white between the words, or else where they stand as their ``entries`` do (else the columns); empty where
    neither holds."""
    widest = widest_parts(words, len(columns))
    if widest and all(_shared(words, part, column) > 0 for part, column in zip(widest, columns, strict=True)):
        return widest
    return placed_parts(words, entries or columns)


def placed_parts(words: Sequence[BBox], columns: Sequence[tuple[float, float]]) -> Parts:
    """The heads of three ``columns`` or more among ``words`` of a line, which begin, end or have their middle where
    their columns do, all alike but the first one; empty where not all do."""
    if len(columns) < PLACED or len(words) < len(columns):
        return []
    out = OUT * max(word.height for word in words)
    return next((parts for place in _PLACES if (parts := _placed(words, columns, place, out))), [])


def _placed(
    words: Sequence[BBox], columns: Sequence[tuple[float, float]], place: Callable[[float, float], float], out: float
) -> Parts:
    """The way to divide ``words`` with the most white between the heads that puts the ``place`` of each head over that
    of its column; empty without."""
    best: dict[int, tuple[float, Parts]] = {0: (0.0, [])}
    for number, (x0, x1) in enumerate(columns):
        places = _PLACES if number == 0 else (place,)
        ways: dict[int, tuple[float, Parts]] = {}
        for first, (white, parts) in best.items():
            for last in range(first + 1, len(words) + 1):
                left, right = words[first].x0, words[last - 1].x1
                if left > x1 or all(abs(of(left, right) - of(x0, x1)) > out for of in places):
                    continue
                gained = white + (left - words[first - 1].x1 if first else 0.0)
                if last not in ways or gained > ways[last][0]:
                    ways[last] = gained, [*parts, (first, last)]
        best = ways
    return best.get(len(words), (0.0, []))[1]


def widest_parts(words: Sequence[BBox], count: int) -> Parts:
    """``words`` in ``count`` parts, if the white between these is clearly wider than that in them."""
    gaps = [right.x0 - left.x1 for left, right in pairwise(words)]
    widest = sorted(gaps, reverse=True)
    if count < 2 or len(gaps) < count - 1 or widest[count - 2] <= 0:
        return []
    if len(gaps) >= count and widest[count - 2] < CLEARLY * widest[count - 1]:
        return []
    edges = [0, *(number for number, gap in enumerate(gaps, start=1) if gap >= widest[count - 2]), len(words)]
    return list(pairwise(edges))


def _shared(words: Sequence[BBox], part: tuple[int, int], column: tuple[float, float]) -> float:
    """How much of ``column`` the head stands over."""
    return min(words[part[1] - 1].x1, column[1]) - max(words[part[0]].x0, column[0])
