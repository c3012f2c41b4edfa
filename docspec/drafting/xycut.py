"""The recursive X-Y cut: divides things on a page along the white between them, columns before rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from docspec.core import BBox

T = TypeVar("T")

MAX_DEPTH = 60
TIE = 1e-6  # gaps that differ by less are one width: the cut goes through the middle one, so that depth stays small


def xy_cut(
    items: Sequence[T],
    box: Callable[[T], BBox],
    gutter: float = 0.0,
    band: float = 0.0,
    has_columns: Callable[[Sequence[T]], bool] = lambda items: True,
    leftwards: bool = False,
) -> list[list[T]]:
    """Groups of ``items`` in reading order that no white stretch divides any more.

    A vertical stretch wider than ``gutter`` parts a group that ``has_columns``, its left part before its right one
    (``leftwards`` after it); else a horizontal one higher than ``band`` does, upper before lower; always at the widest.
    O(n log n) per level, at most :data:`MAX_DEPTH` levels.
    """
    return _cut(list(items), box, gutter, band, has_columns, leftwards, 0)


def _cut(
    items: list[T],
    box: Callable[[T], BBox],
    gutter: float,
    band: float,
    has_columns: Callable[[Sequence[T]], bool],
    leftwards: bool,
    depth: int,
) -> list[list[T]]:
    if len(items) < 2 or depth >= MAX_DEPTH:
        return [items] if items else []
    width, x = _widest_gap([(box(item).x0, box(item).x1) for item in items])
    if width > gutter and has_columns(items):
        parts = [item for item in items if box(item).x1 <= x], [item for item in items if box(item).x1 > x]
        parts = parts[::-1] if leftwards else parts
    else:
        height, y = _widest_gap([(box(item).y0, box(item).y1) for item in items])
        if height <= band:
            return [items]
        parts = [item for item in items if box(item).y1 <= y], [item for item in items if box(item).y1 > y]
    return [group for part in parts for group in _cut(part, box, gutter, band, has_columns, leftwards, depth + 1)]


def _widest_gap(spans: list[tuple[float, float]]) -> tuple[float, float]:
    """Width of the widest stretch that no span covers, and its middle; of several, the one in the middle."""
    spans.sort()
    gaps: list[tuple[float, float, int]] = []
    reach = spans[0][1]
    for index, (start, end) in enumerate(spans):
        if start > reach:
            gaps.append((start - reach, (start + reach) / 2, index))
        reach = max(reach, end)
    if not gaps:
        return 0.0, 0.0
    widest = max(gap for gap, _, _ in gaps)
    ties = [found for found in gaps if found[0] >= widest - TIE]
    width, middle, _ = min(ties, key=lambda found: abs(2 * found[2] - len(spans)))
    return width, middle
