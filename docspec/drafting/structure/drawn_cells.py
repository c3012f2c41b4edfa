"""Rules between cells that are drawn one by one: a piece of rule above and one below each, with a narrow gap between
them and those of the next cell, and nothing upright."""

from __future__ import annotations

import numpy as np

from docspec.drafting.structure.tokens import Floats, PageTokens

SIDE = 3.0
"""Most points between two cells beside each other, and between ends that are level."""
LEAST_HEIGHT, LEAST_WIDTH = 5.0, 8.0
"""Least points from the upper to the lower side of a cell (less is a double rule), and between its ends (less is a dot
of a leader)."""
MOST = 600
"""Most pieces of rules beyond which a page is a drawing."""


def with_sides(page: PageTokens) -> Floats:
    """The upright rules of ``page``, with those between cells beside each other that are drawn one by one."""
    x0, y0, x1, y1 = _cells(page.level).T
    level = (np.abs(y0[:, None] - y0) <= SIDE) & (np.abs(y1[:, None] - y1) <= SIDE)
    left, right = np.nonzero(level & (np.abs(x0 - x1[:, None]) <= SIDE))
    sides = [np.maximum(y0[left], y0[right]), np.minimum(y1[left], y1[right]), (x1[left] + x0[right]) / 2]
    return np.concatenate([page.upright, np.stack(sides, axis=1)])


def _cells(level: Floats) -> Floats:
    """The areas (x0, y0, x1, y1) between each ``level`` rule and the next one below it that begins and ends there."""
    level = level[level[:, 1] - level[:, 0] > LEAST_WIDTH]
    if not 2 <= len(level) <= MOST:
        return np.zeros((0, 4), np.float32)
    ends, place = level[:, :2], level[:, 2]
    drop = place - place[:, None]
    same = (np.abs(ends[:, None] - ends) <= SIDE).all(axis=2) & (drop > LEAST_HEIGHT)
    below = np.where(same, drop, np.inf).argmin(axis=1)
    upper = np.nonzero(same.any(axis=1))[0]
    return np.stack([ends[upper, 0], place[upper], ends[upper, 1], place[below[upper]]], axis=1)
