"""Parts of made pages put beside or below each other: columns of text with tables of their own, tables that touch."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from docspec.drafting.structure.tokens import LAYOUT, Floats, PageTokens

MOST = 170
"""Most tokens of a part."""

MISTAKEN = 0.3
"""Share of neighbouring tables that are shown in one box, as a layout model sometimes takes two for one."""

NEAR = 6.0
"""Most white between two such tables, in sizes of the type."""

Sample = tuple[PageTokens, NDArray[np.int32]]
"""A page with the truth of its tokens (:func:`training.structure.dataset.examples`)."""


def composed(a: Sample, b: Sample, chance: random.Random) -> Sample | None:
    """A part of ``a`` and one of ``b`` on one page, beside each other or one below the other; None if no part fits."""
    parts = [_part(page, cells, chance) for page, cells in (a, b)]
    if any(part is None for part in parts):
        return None
    (first, one), (second, other) = (part for part in parts if part is not None)
    factor = _size(first) / _size(second) * chance.uniform(0.92, 1.08)
    second = _moved(second, 0, 0, factor)
    x0, y0, x1, y1 = _around(first)
    u0, v0, _, _ = _around(second)
    size = _size(first)
    if chance.random() < 0.7:
        across, down = x1 - u0 + chance.uniform(1.0, 4.5) * size, y0 - v0 + chance.gauss(0, 0.3) * (y1 - y0)
    else:
        across, down = x0 - u0 + chance.choice([0.0, 0.0, chance.uniform(-2, 6) * size]), y1 - v0
        down += chance.uniform(0.4, 3.0) * size
    second = _moved(second, across, down, 1.0)
    page = _joined(first, second)
    if chance.random() < MISTAKEN:
        page = replace(page, layout=_taken_for_one(page.layout, len(first.layout), size))
    return page, _numbered(one, other)


def _taken_for_one(layout: Floats, first: int, size: float) -> Floats:
    """The boxes ``layout`` with one box in place of the nearest tables of two parts, of which the first has the
    ``first`` boxes."""
    tables = [at for at, box in enumerate(layout) if LAYOUT[int(box[4])] == "table"]
    gaps = [
        (max(0.0, *(layout[b][:2] - layout[a][2:4]), *(layout[a][:2] - layout[b][2:4])), a, b)
        for a in tables
        for b in tables
        if a < first <= b
    ]
    gap, a, b = min(gaps, default=(np.inf, 0, 0))
    if gap > NEAR * size:
        return layout
    around = [*np.minimum(layout[a][:2], layout[b][:2]), *np.maximum(layout[a][2:4], layout[b][2:4]), layout[a][4]]
    rest = np.delete(layout, [a, b], axis=0)
    return np.concatenate([rest, np.array([around], np.float32)])


def _part(page: PageTokens, cells: NDArray[np.int32], chance: random.Random) -> Sample | None:
    """A level strip of ``page`` in which tables are whole."""
    boxes = np.array([token.box for token in page.tokens])
    middle = (boxes[:, 1] + boxes[:, 3]) / 2
    near = np.nonzero(cells[:, 0] >= 0)[0] if chance.random() < 0.7 else np.arange(len(middle))
    start = middle[chance.choice(near.tolist())] if len(near) else middle.min()
    top, bottom = start - 1, start + chance.uniform(0.1, 0.5) * (middle.max() - middle.min()) + 1
    tables = [cells[:, 0] == number for number in set(cells[:, 0].tolist()) - {-1}]
    for _ in range(len(tables) + 1):
        for own in tables:
            low, high = boxes[own, 1].min(), boxes[own, 3].max()
            if low < bottom and high > top:
                top, bottom = min(top, low - 1), max(bottom, high + 1)
    kept = np.nonzero((middle > top) & (middle < bottom))[0]
    if not 4 <= len(kept) <= MOST:
        return None
    level = page.level[(page.level[:, 2] > top - 3) & (page.level[:, 2] < bottom + 3)]
    upright = page.upright[(page.upright[:, 0] < bottom) & (page.upright[:, 1] > top)].copy()
    upright[:, 0], upright[:, 1] = np.maximum(upright[:, 0], top - 3), np.minimum(upright[:, 1], bottom + 3)
    fills = page.fills[(page.fills[:, 1] < bottom) & (page.fills[:, 3] > top)].copy()
    fills[:, 1], fills[:, 3] = np.maximum(fills[:, 1], top - 3), np.minimum(fills[:, 3], bottom + 3)
    layout = page.layout[(page.layout[:, 1] + page.layout[:, 3] > 2 * top) & (page.layout[:, 1] < bottom)]
    tokens = tuple(page.tokens[at] for at in kept)
    return replace(page, tokens=tokens, level=level, upright=upright, fills=fills, layout=layout), cells[kept]


def _size(page: PageTokens) -> float:
    return float(np.median([token.size for token in page.tokens])) or 1.0


def _around(page: PageTokens) -> Floats:
    boxes = np.array([token.box for token in page.tokens], np.float32)
    return np.concatenate([boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)])


def _moved(page: PageTokens, x: float, y: float, factor: float) -> PageTokens:
    """``page``, made larger and then moved to the right and down."""

    def box(x0: float, y0: float, x1: float, y1: float) -> tuple[float, float, float, float]:
        return x0 * factor + x, y0 * factor + y, x1 * factor + x, y1 * factor + y

    tokens = tuple(
        replace(token, box=box(*token.box), size=token.size * factor, baseline=token.baseline * factor + y)
        for token in page.tokens
    )
    level = page.level * np.float32(factor) + np.array([x, x, y], np.float32)
    upright = page.upright * np.float32(factor) + np.array([y, y, x], np.float32)
    fills = page.fills * np.float32(factor) + np.array([x, y, x, y], np.float32)
    layout = page.layout.copy()
    layout[:, :4] = layout[:, :4] * np.float32(factor) + np.array([x, y, x, y], np.float32)
    return replace(page, tokens=tokens, level=level, upright=upright, fills=fills, layout=layout)


def _joined(a: PageTokens, b: PageTokens) -> PageTokens:
    """Both on a page that has margins around them."""
    lines = 1 + max(token.line for token in a.tokens)
    tokens = a.tokens + tuple(replace(token, line=token.line + lines) for token in b.tokens)
    rules = {
        name: np.concatenate([getattr(a, name), getattr(b, name)]) for name in ("level", "upright", "fills", "layout")
    }
    page = replace(a, tokens=tokens, **rules)
    x0, y0, x1, y1 = _around(page)
    margin = 5 * _size(page)
    page = _moved(page, margin - float(x0), margin - float(y0), 1.0)
    return replace(page, width=float(x1 - x0) + 2 * margin, height=float(y1 - y0) + 2 * margin)


def _numbered(a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.int32]:
    """The truths of both, with numbers of tables and blocks of their own."""
    b = b.copy()
    for column in (0, 6):
        b[:, column] += np.where(b[:, column] >= 0, 1 + a[:, column].max(), 0)
    return np.concatenate([a, b])
