"""The drawn rules of a page, level and upright ones, merged, without underlines; and the sides of cells that are drawn
one by one, a piece of rule above and one below each, with a narrow gap between them and those of the next cell, and
nothing upright."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

THIN = 3.0
"""Most points that a drawn rule is wide."""
JOINT = 1.5
"""Most points between two pieces of one rule."""
UNDER, FLUSH = 0.26, 0.2
"""How far below its baseline an underline of a word is at most, and how exactly it begins and ends with one, in sizes
of the type."""
SIDE = 3.0
"""Most points between two cells beside each other, and between ends that are level."""
LEAST_HEIGHT, LEAST_WIDTH = 5.0, 8.0
"""Least points from the upper to the lower side of a cell (less is a double rule), and between its ends (less is a dot
of a leader)."""
MOST = 600
"""Most pieces of rules beyond which a page is a drawing."""

Floats = NDArray[np.float32]


def rules_of(
    drawings: Iterable[Mapping[str, Any]], typed: Iterable[tuple[float, float, float]] = ()
) -> tuple[Floats, Floats, Floats]:
    """The level rules, upright rules and filled areas among the ``drawings`` of a page and the ``typed`` rules: pieces
    that touch are one rule."""
    level: list[tuple[float, float, float]] = list(typed)
    upright: list[tuple[float, float, float]] = []
    fills = []
    for drawing in drawings:
        for item in drawing["items"]:
            if item[0] == "l":
                (x0, y0), (x1, y1) = item[1], item[2]
                if abs(y1 - y0) < 0.5 and abs(x1 - x0) > 1:
                    level.append((min(x0, x1), max(x0, x1), (y0 + y1) / 2))
                elif abs(x1 - x0) < 0.5 and abs(y1 - y0) > 1:
                    upright.append((min(y0, y1), max(y0, y1), (x0 + x1) / 2))
            elif item[0] == "re":
                x0, y0, x1, y1 = item[1]
                if y1 - y0 <= THIN < x1 - x0:
                    level.append((x0, x1, (y0 + y1) / 2))
                elif x1 - x0 <= THIN < y1 - y0:
                    upright.append((y0, y1, (x0 + x1) / 2))
                elif x1 - x0 > THIN and y1 - y0 > THIN:
                    if drawing.get("fill") and min(drawing["fill"]) < 0.99:
                        fills.append((x0, y0, x1, y1))
                    if drawing.get("color") and min(drawing["color"]) < 0.9:
                        level += [(x0, x1, y0), (x0, x1, y1)]
                        upright += [(y0, y1, x0), (y0, y1, x1)]
    return _merged(level), _merged(upright), np.array(fills, np.float32).reshape(-1, 4)


def without_underlines(level: Floats, words: Sequence[tuple[float, float, float, float]]) -> Floats:
    """``level`` rules but for those that underline ``words`` (left and right end, size of type, baseline): close below
    their baseline, from where one of them begins to where one ends. Rules of tables are further away, or longer."""
    if not (len(level) and words):
        return level
    x0, x1, size, base = np.array(sorted(words, key=itemgetter(3)), np.float32).T
    reach = UNDER * size.max() + 1
    kept = []
    for (start, end, y), first, last in zip(
        level, *np.searchsorted(base, (level[:, 2] - reach, level[:, 2] + reach)), strict=True
    ):
        if first == last:  # as most lines of drawings
            kept.append(True)
            continue
        own = slice(first, last)
        level_with = (base[own] - 0.02 * size[own] < y) & (y < base[own] + UNDER * size[own])
        near = first + np.flatnonzero(level_with & (x0[own] < end) & (start < x1[own]))
        slack = FLUSH * size[near]
        within = (x0[near] > start - slack) & (x1[near] < end + slack)
        fits = len(near) and within.all() and (x0[near] - slack).min() < start and end < (x1[near] + 2 * slack).max()
        kept.append(not fits)
    return level[np.array(kept)]


def _merged(rules: list[tuple[float, float, float]]) -> Floats:
    """``rules`` (start, end, place) with pieces that touch put together."""
    rules.sort(key=lambda rule: (round(rule[2]), rule[0]))
    result: list[list[float]] = []
    for start, end, place in rules:
        last = result[-1] if result else [np.inf, -np.inf, np.inf]
        if abs(place - last[2]) < 1 and start - last[1] <= JOINT and last[0] - end <= JOINT:
            last[:2] = min(last[0], start), max(last[1], end)
        else:
            result.append([start, end, place])
    return np.array(result, np.float32).reshape(-1, 3)


def with_sides(level: Floats, upright: Floats) -> Floats:
    """The ``upright`` rules of a page, with those between cells beside each other that ``level`` ones draw one by
    one."""
    x0, y0, x1, y1 = _cells(level).T
    even = (np.abs(y0[:, None] - y0) <= SIDE) & (np.abs(y1[:, None] - y1) <= SIDE)
    left, right = np.nonzero(even & (np.abs(x0 - x1[:, None]) <= SIDE))
    sides = [np.maximum(y0[left], y0[right]), np.minimum(y1[left], y1[right]), (x1[left] + x0[right]) / 2]
    return np.concatenate([upright, np.stack(sides, axis=1)])


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
