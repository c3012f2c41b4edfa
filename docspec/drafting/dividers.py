"""What is read together because of what is drawn: what one frame holds, what stands on one side of an upright rule, and
what stands above or below a level rule that runs over the white between columns; and a heading with what stands right
below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from docspec.core import BBox
from docspec.drafting.frames import Bounds

WITHIN = 0.8
"""Least share of a box that lies within a frame that holds it."""

CROSSED = 0.1
"""Least share of a box, or of a smaller frame, that lies within a frame, but not all of it, for the frame to be none of
text."""

COLUMN = 0.2
"""Least width of a column under a rule, as a share of the rule's."""

NEAR = 3.0
"""Most white between a heading and what stands right below it, in heights of the heading."""

TALLEST = 2.0
"""Points by which text may reach over a rule that parts it."""

Floats = NDArray[np.float32]


def kept_together(sides: Floats, bounds: Bounds, headings: NDArray[np.bool_]) -> list[list[int]]:
    """The groups of the boxes (n, 4) of a page that are each read without others between them: of two groups none holds
    a part of the other. ``headings`` (n, n) says which box would be the heading of which."""
    found: list[list[int]] = []

    def add(groups: Iterable[list[int]]) -> None:
        for own in groups:
            crosses = any(set(own) & set(one) and not (set(own) >= set(one) or set(own) <= set(one)) for one in found)
            if 2 <= len(own) < len(sides) and own not in found and not crosses:
                found.append(own)

    add(framed(sides, bounds.frames))
    for rule in sorted(bounds.uprights, key=lambda rule: -rule.height):
        around = [one for one in found if _holds(sides[one], rule)]
        own = np.array(min(around, key=len, default=list(range(len(sides)))))
        add(own[group].tolist() for group in beside(sides[own], rule))
    add(divided(sides, bounds.rules))
    add(headed(sides, headings))
    return found


def _holds(sides: Floats, rule: BBox) -> bool:
    """Whether boxes with these ``sides`` stand on both sides of an upright ``rule``, along most of it."""
    low, high = max(float(sides[:, 1].min()), rule.y0), min(float(sides[:, 3].max()), rule.y1)
    return bool(sides[:, 0].min() < rule.x0 < sides[:, 2].max()) and high - low >= WITHIN * rule.height


def framed(sides: Floats, frames: Sequence[BBox]) -> Iterator[list[int]]:
    """What each of some ``frames`` holds, small ones first: none of these has a box on its edge, or crosses another
    frame, as the boxes around slanted ones do."""
    edges = sides_of(frames)
    covered = shares(edges, edges)
    crossed = np.maximum(covered, covered.T)
    share = shares(edges[~((crossed > CROSSED) & (crossed < WITHIN)).any(axis=1)], sides)
    inside = share >= WITHIN
    for at in np.argsort(inside.sum(axis=1), kind="stable"):
        if not ((share[at] > CROSSED) & ~inside[at]).any():
            yield np.nonzero(inside[at])[0].tolist()


def divided(sides: Floats, rules: Sequence[BBox]) -> Iterator[list[int]]:
    """What stands above and what stands below each of the level ``rules`` that runs over the white between two columns,
    through no box, and over a part of each column of the page."""
    for rule in rules:
        crossed = (sides[:, 1] < rule.y0 - TALLEST) & (sides[:, 3] > rule.y0 + TALLEST)
        wide = sides[:, 2] - sides[:, 0] > COLUMN * rule.width  # and no number or bullet
        along = (sides[:, 0] < rule.x1) & (sides[:, 2] > rule.x0)
        above = (sides[:, 1] + sides[:, 3]) / 2 < rule.y0
        if crossed.any() or (wide & ~along).any():
            continue
        if any(_are_columns(sides[wide & one]) for one in (above, ~above)):
            yield np.nonzero(above)[0].tolist()
            yield np.nonzero(~above)[0].tolist()


def headed(sides: Floats, headings: NDArray[np.bool_]) -> Iterator[list[int]]:
    """Each heading and what stands right below it, if ``headings`` (n, n) has the two, it is the only box there, begins
    where the heading does, and has no other text above it, nor beside the heading."""
    gap = sides[None, :, 1] - sides[:, None, 3]
    shared = np.minimum(sides[:, None, 2], sides[None, :, 2]) > np.maximum(sides[:, None, 0], sides[None, :, 0])
    gap = np.where(shared & (gap > -TALLEST), gap, np.inf)
    for at in np.nonzero(headings.any(axis=1))[0].tolist():
        height = float(sides[at, 3] - sides[at, 1])
        below = np.nonzero(gap[at] < min(NEAR * height, gap[at].min() + height))[0]
        if len(below) != 1 or not headings[at, below[0]] or abs(sides[below[0], 0] - sides[at, 0]) > height:
            continue
        level = np.minimum(sides[:, 3], sides[at, 3]) - np.maximum(sides[:, 1], sides[at, 1]) > height / 2
        level[[at, below[0]]] = False  # a label with its value, or the heads of columns
        others = np.isfinite(gap[:, below[0]]) & (level | (gap[:, below[0]] < NEAR * height) & ~headings[:, below[0]])
        if not others.any() and sides[at, 2] <= sides[below[0], 2] + height:
            yield sorted((at, int(below[0])))


def _are_columns(sides: Floats) -> bool:
    """Whether two of the boxes ``sides`` stand beside each other."""
    apart = sides[:, None, 2] < sides[None, :, 0]
    level = np.minimum(sides[:, None, 3], sides[None, :, 3]) - np.maximum(sides[:, None, 1], sides[None, :, 1]) > 0
    return bool((apart & level).any())


def beside(sides: Floats, rule: BBox) -> list[NDArray[np.int64]]:
    """What stands on both sides of an upright ``rule`` that runs through no box, on its left, and on its right."""
    middles = (sides[:, 1] + sides[:, 3]) / 2
    along = (middles > rule.y0) & (middles < rule.y1)
    crossed = along & (sides[:, 0] < rule.x0 - TALLEST) & (sides[:, 2] > rule.x0 + TALLEST)
    left, right = along & (sides[:, 2] <= rule.x0 + TALLEST), along & (sides[:, 0] >= rule.x0 - TALLEST)
    if not left.any() or not right.any() or crossed.any():
        return []
    return [np.nonzero(own)[0] for own in (along, left, right)]


def sides_of(boxes: Sequence[BBox]) -> Floats:
    """The sides of ``boxes`` (n, 4)."""
    return np.array([(one.x0, one.y0, one.x1, one.y1) for one in boxes], np.float32).reshape(-1, 4)


def shares(around: Floats, boxes: Floats) -> Floats:
    """The share of each of ``boxes`` (m, 4) that each of those ``around`` (n, 4) covers (n, m)."""
    shared = np.minimum(boxes[:, 2:], around[:, None, 2:]) - np.maximum(boxes[:, :2], around[:, None, :2])
    areas = np.maximum((boxes[:, 2:] - boxes[:, :2]).prod(axis=-1), 1e-3)
    result: Floats = np.maximum(shared, 0).prod(axis=-1) / areas
    return result
