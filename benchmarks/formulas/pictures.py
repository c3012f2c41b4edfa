"""Whether two drawings of formulas are the same picture: their signs are matched by what they are and where they stand.

After CDM (Character Detection Matching, Wang et al. 2024): signs of both drawings are paired so that the pairs are
nearest, pairs that do not go with the others' shift are dropped, and the harmonic mean of the shares of both sides that
are paired is the score. Here signs come from the PDF rather than from coloured pixels, and height and size are strict
while the shift to the side may drift along the formula: spaces of another width are the same picture.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pymupdf
from scipy.optimize import linear_sum_assignment

HIGH, WIDE, SIZE = 0.22, 0.6, 0.12
"""Most by which the heights of a pair differ, and its shift from that of its neighbours, in sizes of type; most by
which the sizes of its type differ, as a share."""

_NEIGHBOURS, _FAR = 4, 1e6
_TWINS = str.maketrans("∗⋅−′ϵφ", "*·-'εϕ")


class Sign(NamedTuple):
    """A sign, or a drawn line (``—``), of a drawing: its middle and size in points."""

    sign: str
    x: float
    y: float
    size: float


def signs_of(page: Any) -> list[Sign]:
    """The signs and lines of a ``pymupdf.Page``."""
    signs = []
    for block in page.get_text("rawdict")["blocks"]:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                for char in span["chars"]:
                    text = char["c"].translate(_TWINS)
                    if text.strip() and text not in "\u200b\u2061":
                        y = char["origin"][1]
                        signs.append(Sign(text, (char["bbox"][0] + char["bbox"][2]) / 2, y, span["size"]))
    for drawing in page.get_drawings():
        box = drawing["rect"]
        if box.width > 0.5 or box.height > 0.5:
            signs.append(Sign("—" if box.height < 2 else "▯", (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2, 10.0))
    return signs


def agreement(ones: list[Sign], others: list[Sign]) -> float:
    """The share of signs of both drawings that are the same in the same place, from 0 to 1."""
    if not ones or not others:
        return float(not ones and not others)
    shift = 0.0, 0.0
    pairs: list[tuple[int, int]] = []
    for _ in range(3):
        pairs = _paired(ones, others, shift)
        if not pairs:
            return 0.0
        moves = np.array([(others[b].x - ones[a].x, others[b].y - ones[a].y) for a, b in pairs])
        shift = float(np.median(moves[:, 0])), float(np.median(moves[:, 1]))
    pairs.sort(key=lambda pair: ones[pair[0]].x)
    moves = np.array([others[b].x - ones[a].x for a, b in pairs])
    kept = 0
    for at, (a, b) in enumerate(pairs):
        near = moves[max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS + 1]
        size = max(ones[a].size, others[b].size)
        level = abs(others[b].y - ones[a].y - shift[1]) < HIGH * size
        kept += level and abs(moves[at] - float(np.median(near))) < WIDE * size
    return 2 * kept / (len(ones) + len(others))


def _paired(ones: list[Sign], others: list[Sign], shift: tuple[float, float]) -> list[tuple[int, int]]:
    """The nearest pairs of equal signs of one size."""
    xs, ys, sizes = (np.array([getattr(one, name) for one in ones]) for name in ("x", "y", "size"))
    xo, yo, so = (np.array([getattr(one, name) for one in others]) for name in ("x", "y", "size"))
    costs = np.abs(xs[:, None] + shift[0] - xo) + 4 * np.abs(ys[:, None] + shift[1] - yo)
    same = np.array([[one.sign == other.sign for other in others] for one in ones])
    same &= np.abs(sizes[:, None] / so - 1) < SIZE
    costs = np.where(same, costs, _FAR)
    rows, columns = linear_sum_assignment(costs)
    return [(int(a), int(b)) for a, b in zip(rows, columns, strict=True) if costs[a, b] < _FAR]


def agreements(truth: Path, read: Path) -> list[float]:
    """The agreement of each page of two PDFs of drawings."""
    with pymupdf.open(truth) as one, pymupdf.open(read) as other:
        return [agreement(signs_of(a), signs_of(b)) for a, b in zip(one, other, strict=False)]
