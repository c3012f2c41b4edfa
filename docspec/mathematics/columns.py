"""The columns of a page, cut where a strip of white runs from top to bottom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from docspec.mathematics.glyphs import Bar, Glyph

GUTTER = 7.0
"""Least width of the white between columns, in points."""

CROSSED = 0.04
"""Share of a page's lines that may cross a gutter: headings and figures."""


def columns_of_page(glyphs: Sequence[Glyph], bars: Sequence[Bar]) -> Iterator[tuple[list[Glyph], list[Bar]]]:
    """The glyphs and bars of each column."""
    edges = _gutters(glyphs)
    bounds = [float("-inf"), *edges, float("inf")]
    for left, right in pairwise(bounds):
        own = [one for one in glyphs if left < (one.x0 + one.x1) / 2 <= right]
        if own:
            yield own, [bar for bar in bars if left < (bar.x0 + bar.x1) / 2 <= right]


def _gutters(glyphs: Sequence[Glyph]) -> list[float]:
    """The middles of the white strips."""
    boxes = np.array([(one.x0, one.x1, one.y) for one in glyphs])
    left, right = float(boxes[:, 0].min()), float(boxes[:, 1].max())
    width = int(right - left) + 2
    lines, of_line = np.unique(np.rint(boxes[:, 2] / 4), return_inverse=True)
    spans = np.clip((boxes[:, :2] - left).astype(int) + np.array([0, 1]), 0, width)
    steps = np.zeros((len(lines), width + 1), np.int32)
    np.add.at(steps, (of_line, spans[:, 0]), 1)
    np.add.at(steps, (of_line, spans.max(axis=1)), -1)
    counts = (steps[:, :-1].cumsum(axis=1) > 0).sum(axis=0)
    most = counts.max()
    empty = counts <= CROSSED * most
    gutters, start = [], None
    for at in range(width):
        if empty[at] and start is None:
            start = at
        elif not empty[at] and start is not None:
            inner = left + 0.2 * (right - left) < left + (start + at) / 2 < left + 0.8 * (right - left)
            if at - start >= GUTTER and inner:
                gutters.append(left + (start + at) / 2)
            start = None
    return gutters
