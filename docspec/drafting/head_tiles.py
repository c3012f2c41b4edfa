"""Heads that together stand over the middles of groups of neighbouring columns: the groups tell where each one begins
and ends, where no line does. Everything is in points.
"""

from __future__ import annotations

from collections.abc import Sequence

from docspec.core import BBox

OFF = 0.6
"""Heights of a word by which a head may stand beside the middle of its columns."""

APART = 0.4
"""White from which on two words below each other are of two heads, in heights of a word."""

Span = tuple[int, int]
"""The first and the last column of a head."""


def tiles(heads: Sequence[BBox], columns: Sequence[BBox], height: float) -> list[Span]:
    """The two or more neighbouring ``columns``, the first one of all aside, over whose middle each of ``heads`` stands,
    from left to right; empty if they do not. Columns between and beside such groups may be left out, as few as
    possible. ``height`` is that of a word."""
    best: dict[int, tuple[int, list[Span]]] = {1: (0, [])}  # by the next column: how many are left out, and the groups
    for head in heads:
        ways: dict[int, tuple[int, list[Span]]] = {}
        for start, (left_out, spans) in best.items():
            for first in range(start, len(columns) - 1):
                for last in range(first + 1, len(columns)):
                    middle = (columns[first].x0 + columns[last].x1) / 2
                    if abs(middle - head.center_x) > OFF * height:
                        continue
                    way = left_out + first - start, [*spans, (first, last)]
                    if last + 1 not in ways or way[0] < ways[last + 1][0]:
                        ways[last + 1] = way
        best = ways
    ends = [(left_out + len(columns) - end, spans) for end, (left_out, spans) in best.items() if spans]
    return min(ends, key=lambda one: one[0])[1] if ends else []


def shares(heads: Sequence[BBox], columns: Sequence[BBox]) -> list[Span]:
    """All of ``columns`` shared out among ``heads``, both from left to right, so that the heads stand as near to the
    middles of their columns as they can; empty with fewer columns than heads."""
    ways: dict[int, tuple[float, list[Span]]] = {
        0: (0.0, [])
    }  # by the next column: how far heads are off, and the groups
    for head in heads:
        longer: dict[int, tuple[float, list[Span]]] = {}
        for first, (off, spans) in ways.items():
            for end in range(first + 1, len(columns) + 1):
                way = (
                    off + abs((columns[first].x0 + columns[end - 1].x1) / 2 - head.center_x),
                    [*spans, (first, end - 1)],
                )
                longer[end] = min(way, longer.get(end, way))
        ways = longer
    return ways.get(len(columns), (0.0, []))[1]


def are_over_groups(
    heads: Sequence[BBox], lines: Sequence[BBox], columns: Sequence[BBox], below: Sequence[BBox]
) -> bool:
    """Whether ``heads``, made of ``lines``, are those of groups of ``columns`` rather than the first lines of the heads
    whose lines are ``below``: all stand over middles of groups, what is below over single columns, and one of them over
    no edge or middle of a column, or apart from the lines below it."""
    height = min(line.height for line in below)
    reach = OFF * height
    spans = tiles(heads, columns, height)
    middles = [(columns[first].x0 + columns[last].x1) / 2 for first, last in spans]
    centred = all(min(abs(line.center_x - middle) for middle in middles) <= reach for line in lines) if spans else False
    if not centred or any(_is_between(line, columns, reach) for line in below):
        return False
    return any(
        _is_between(head, columns[first : last + 1], reach) or _is_apart(head, below)
        for head, (first, last) in zip(heads, spans, strict=True)
    )


def _is_between(head: BBox, columns: Sequence[BBox], reach: float) -> bool:
    """Whether ``head`` begins, ends and has its middle more than ``reach`` beside those of ``columns``."""
    return all(
        min(abs(head.x0 - one.x0), abs(head.x1 - one.x1), abs(head.center_x - one.center_x)) > reach for one in columns
    )


def _is_apart(head: BBox, below: Sequence[BBox]) -> bool:
    """Whether the nearest of the lines ``below`` a head stands well apart from it."""
    under = [line for line in below if line.shared_width(head) > 0]
    nearest = min(under, key=lambda line: line.y0, default=None)
    return nearest is not None and nearest.y0 - head.y1 > APART * nearest.height
