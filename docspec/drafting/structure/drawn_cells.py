"""Rules between cells that are drawn one by one: as filled areas side by side, or by a piece of rule above and one
below each, with a narrow gap between them and those of the next cell. Nothing upright is drawn there."""

from __future__ import annotations

import numpy as np

from docspec.drafting.structure.tokens import Floats, PageTokens

SIDE = 3.0
"""Most points between two cells beside each other, and between ends that are level."""
LEAST_HEIGHT = 5.0
"""Least points from the upper to the lower side of a cell: less is a double rule."""
MOST = 600
"""Most pieces of rules, or areas, beyond which a page is a drawing."""


def with_drawn_cells(page: PageTokens) -> tuple[Floats, Floats]:
    """The level and the upright rules of ``page``, with those around cells beside each other that are drawn one by
    one."""
    cells = np.concatenate([part for part in (page.fills, _between_rules(page.level)) if len(part) <= MOST])
    if len(cells) < 2:
        return page.level, page.upright
    x0, y0, x1, y1 = (cells[:, at] for at in range(4))
    level = (np.abs(y0[:, None] - y0) <= SIDE) & (np.abs(y1[:, None] - y1) <= SIDE)
    white = x0 - x1[:, None]
    left, right = np.nonzero(level & (np.abs(white) <= SIDE))
    if not len(left):
        return page.level, page.upright
    of = np.union1d(left, right)
    upright = np.stack([np.maximum(y0[left], y0[right]), np.minimum(y1[left], y1[right]), (x1[left] + x0[right]) / 2], 1)
    sides = [np.stack([x0[of], x1[of], edge[of]], axis=1) for edge in (y0, y1)]
    return np.concatenate([page.level, *sides]), np.concatenate([page.upright, upright])


def _between_rules(level: Floats) -> Floats:
    """The areas (x0, y0, x1, y1) between each ``level`` rule and the next one below it that begins and ends there."""
    if not 2 <= len(level) <= MOST:
        return np.zeros((0, 4), np.float32)
    ends, place = level[:, :2], level[:, 2]
    drop = place - place[:, None]
    same = (np.abs(ends[:, None] - ends) <= SIDE).all(axis=2) & (drop > LEAST_HEIGHT)
    below = np.where(same, drop, np.inf).argmin(axis=1)
    upper = np.nonzero(same.any(axis=1))[0]
    lower = below[upper]
    return np.stack([ends[upper, 0], place[upper], ends[upper, 1], place[lower]], axis=1)
