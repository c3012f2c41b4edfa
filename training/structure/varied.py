"""Made pages set anew: other white between lines and columns, other alignment, fewer rules, plainer type.

A typesetter keeps its habits. What a table looks like is varied once more when a page is shown, so that no habit of
those few typesetters that make the pages is learned as what a table is.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from docspec.drafting.structure.tokens import Floats, PageTokens
from training.structure.compose import Sample

WHITE = 0.05, 0.35
"""Least white that is left between two lines, and between two columns, in sizes of the type."""

TABLE, ROW, COLUMN, ROWS, COLUMNS = range(5)
"""Columns of the truth of a page's tokens."""


def varied(page: PageTokens, cells: NDArray[np.int32], chance: random.Random) -> Sample:
    """``page`` with its true ``cells``, which stay, set anew."""
    boxes = np.array([token.box for token in page.tokens], np.float32)
    size = float(np.median([token.size for token in page.tokens])) or 1.0
    moved = boxes.copy()
    rules = {"level": page.level.copy(), "upright": page.upright.copy(), "fills": page.fills, "layout": page.layout}
    for table in sorted(set(cells[:, TABLE].tolist()) - {-1}):
        own = np.nonzero(cells[:, TABLE] == table)[0]
        if chance.random() < 0.4:
            _aligned(moved, own, cells, chance)
        if chance.random() < 0.3:
            _levelled(moved, own, cells, chance)
        if chance.random() < 0.4:
            rules |= _squeezed(moved, own, cells, rules, size, chance)
    if chance.random() < 0.5:
        to = _pitched(moved, cells, size, chance)
        height = moved[:, 3] - moved[:, 1]
        moved[:, 3] = to(moved[:, 3])
        moved[:, 1] = moved[:, 3] - height
        rules |= {
            "level": np.column_stack([rules["level"][:, :2], to(rules["level"][:, 2])]),
            "upright": np.column_stack([to(rules["upright"][:, :2]), rules["upright"][:, 2]]),
        }
        for name in ("fills", "layout"):
            rules[name] = rules[name].copy()
            rules[name][:, [1, 3]] = to(rules[name][:, [1, 3]])
    rules |= _fewer(rules, chance)
    plain = chance.random() < 0.2
    shift = moved[:, 3] - boxes[:, 3]
    tokens = tuple(
        replace(
            token,
            box=tuple(map(float, box)),
            baseline=token.baseline + float(down),
            bold=token.bold and not plain,
            italic=token.italic and not plain,
        )
        for token, box, down in zip(page.tokens, moved, shift, strict=True)
    )
    return replace(page, tokens=tokens, **{name: value.astype(np.float32) for name, value in rules.items()}), cells


def _lines(own: NDArray[np.int64], boxes: Floats) -> list[NDArray[np.int64]]:
    """The tokens ``own`` of a cell, line by line."""
    order = own[np.argsort(boxes[own, 3], kind="stable")]
    height = float(np.median(boxes[own, 3] - boxes[own, 1])) or 1.0
    return np.split(order, np.nonzero(np.diff(boxes[order, 3]) > 0.5 * height)[0] + 1)


def _columns(own: NDArray[np.int64], cells: NDArray[np.int32]) -> dict[int, NDArray[np.int64]]:
    """The tokens of each column that are in no cell over several."""
    single = own[cells[own, COLUMNS] == 1]
    return {column: single[cells[single, COLUMN] == column] for column in sorted(set(cells[single, COLUMN].tolist()))}


def _aligned(boxes: Floats, own: NDArray[np.int64], cells: NDArray[np.int32], chance: random.Random) -> None:
    """Sets some columns flush left, flush right or centred."""
    for column in _columns(own, cells).values():
        if chance.random() < 0.5:
            continue
        x0, x1, part = boxes[column, 0].min(), boxes[column, 2].max(), chance.choice([0.0, 0.5, 1.0])
        for row in set(cells[column, ROW].tolist()):
            for line in _lines(column[cells[column, ROW] == row], boxes):
                left, right = boxes[line, 0].min(), boxes[line, 2].max()
                boxes[np.ix_(line, [0, 2])] += x0 + part * (x1 - x0 - right + left) - left


def _levelled(boxes: Floats, own: NDArray[np.int64], cells: NDArray[np.int32], chance: random.Random) -> None:
    """Sets cells at the top, in the middle or at the foot of their rows, each column its own way."""
    part = {column: chance.choice([0.0, 0.0, 0.5, 1.0]) for column in set(cells[own, COLUMN].tolist())}
    for row in set(cells[own, ROW].tolist()):
        inside = own[(cells[own, ROW] == row) & (cells[own, ROWS] == 1)]
        if not len(inside):
            continue
        top, foot = boxes[inside, 1].min(), boxes[inside, 3].max()
        for column in set(cells[inside, COLUMN].tolist()):
            cell = inside[cells[inside, COLUMN] == column]
            high, low = boxes[cell, 1].min(), boxes[cell, 3].max()
            boxes[np.ix_(cell, [1, 3])] += top + part[column] * (foot - top - low + high) - high


def _squeezed(
    boxes: Floats,
    own: NDArray[np.int64],
    cells: NDArray[np.int32],
    rules: dict[str, Floats],
    size: float,
    chance: random.Random,
) -> dict[str, Floats]:
    """Takes white from between the columns of a table that nothing stands beside, and from its ``rules``."""
    columns = list(_columns(own, cells).values())
    y0, y1 = boxes[own, 1].min(), boxes[own, 3].max()
    others = np.setdiff1d(np.arange(len(boxes)), own)
    beside = (boxes[others, 1] < y1) & (boxes[others, 3] > y0)
    gaps = [(boxes[a, 2].max(), boxes[b, 0].min()) for a, b in pairwise(columns)]
    if beside.any() or not gaps or min(b - a for a, b in gaps) <= 0 or (cells[own, COLUMNS] > 1).any():
        return {}
    factor = chance.uniform(0.1, 0.9)
    froms, tos, taken = [-1e4], [-1e4], 0.0
    for a, b in gaps:
        left = min(b - a, max(WHITE[1] * size, (b - a) * factor * chance.uniform(0.7, 1.3)))
        froms += [a, b]
        tos += [a - taken, a - taken + left]
        taken += b - a - left
    to = _mapping(froms, tos)
    boxes[np.ix_(own, [0, 2])] = to(boxes[np.ix_(own, [0, 2])])

    def near(low: Floats, high: Floats) -> NDArray[np.bool_]:
        return (low < y1 + 2 * size) & (high > y0 - 2 * size)

    level, upright = rules["level"].copy(), rules["upright"].copy()
    of = near(level[:, 2], level[:, 2])
    level[of, :2] = to(level[of, :2])
    of = near(upright[:, 0], upright[:, 1])
    upright[of, 2] = to(upright[of, 2])
    result = {"level": level, "upright": upright}
    for name in ("fills", "layout"):
        areas = rules[name].copy()
        of = near(areas[:, 1], areas[:, 3]) & (areas[:, 3] - areas[:, 1] < 1.5 * (y1 - y0) + 4 * size)
        areas[np.ix_(of, [0, 2])] = to(areas[np.ix_(of, [0, 2])])
        result[name] = areas
    return result


def _pitched(boxes: Floats, cells: NDArray[np.int32], size: float, chance: random.Random) -> Callable[[Floats], Floats]:
    """What moves everything up or down for other white between the lines of the page: within cells and between them."""
    within, between = chance.uniform(0.3, 1.2), chance.uniform(0.2, 2.0)
    order = np.argsort(boxes[:, 3], kind="stable")
    reach = np.maximum.accumulate(boxes[order, 3])
    cell: dict[tuple[int, ...], list[float]] = {}
    for box, key in zip(boxes, cells[:, [TABLE, ROW, COLUMN]].tolist(), strict=True):
        if key[0] >= 0:
            cell.setdefault(tuple(key), []).extend((float(box[1]), float(box[3])))
    spans = np.array([(min(one), max(one)) for one in cell.values()]).reshape(-1, 2)
    froms, tos, grown = [-1e4], [-1e4], 0.0
    starts = np.minimum.accumulate(boxes[order[::-1], 1])[::-1]
    for a, b in zip(reach[:-1], starts[1:], strict=True):
        white = float(b - a)
        if white <= 0:
            continue
        crossed = ((spans[:, 0] < a) & (spans[:, 1] > b)).any()
        new = max(WHITE[0] * size, white * (within if crossed else between) * chance.uniform(0.9, 1.1))
        if white > 3 * size:
            new = max(new, 3 * size)
        froms += [float(a), float(b)]
        tos += [float(a) + grown, float(a) + grown + new]
        grown += new - white
    return _mapping(froms, tos)


def _mapping(froms: list[float], tos: list[float]) -> Callable[[Floats], Floats]:
    """Linear between the points ``froms`` and ``tos``, moved as the last one behind them."""
    froms, tos = [*froms, froms[-1] + 1e4], [*tos, tos[-1] + 1e4]
    return lambda values: np.interp(values, froms, tos).astype(np.float32)


def _fewer(rules: dict[str, Floats], chance: random.Random) -> dict[str, Floats]:
    """Some of the ``rules``."""
    result: dict[str, Floats] = {}
    if chance.random() < 0.25:
        result["upright"] = rules["upright"][:0]
    draw = chance.random()
    if draw < 0.1:
        result["level"] = rules["level"][:0]
    elif draw < 0.25:
        kept = chance.random()
        result["level"] = rules["level"][[chance.random() < kept for _ in rules["level"]]]
    if chance.random() < 0.3:
        result["fills"] = rules["fills"][:0]
    return result
