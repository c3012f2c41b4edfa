"""Measures the size of type of recognised lines. A detector's boxes are higher than the print by a margin that changes
with its size, and reach into the lines above and below; the ink in them, and the recognised letters, give the size of
type and the baseline.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from PIL import Image

from docspec.core import BBox
from docspec.drafting.ink import contrast_of
from docspec.drafting.lines import TextLine

ASCENT, DESCENT = 0.74, 0.22
"""The most that letters rise above the baseline and reach below it, of the size of type."""

COMMA = 0.13
"""The depth of commas below the baseline, of the size of type."""

X_HEIGHT, CAPITALS = 0.48, 0.7
"""The height of small letters that do not rise, and of capitals and figures, of the size of type."""

FAINTEST = 25
"""The least contrast of print, of 255."""

DENSE = 0.42
"""Rows with more than this share of the ink of the fullest one are within the height of most of a line's letters."""

MOST_LOW, LEAST_TALL = 0.45, 0.75
"""Shares of a line's letters that rise: up to the first one the full rows are as high as low letters, from the second
one on as high as capitals."""

NEAR = 3.0
"""Heights of a line within which its neighbours may be set in the same type."""

_TALL = re.compile(r"[A-Z0-9bdfhklt]")
_LOW = re.compile(r"[acemnorsuvwxz.:,;…\-–—\s]*")
_DEEP = re.compile(r"[gjpqy()\[\]{}|/§µ]")
_SHALLOW = re.compile(r"[Q,;]")
_LATIN = re.compile(r"[\x20-\u024f\u2010-\u2044]*")


@dataclass(frozen=True, slots=True)
class _Measure:
    """The measures of one line: ``marks`` are the pixels of print in its box, which begins at ``left`` and ``top``,
    ``baseline`` is a row of them; ``size`` is ``None`` if its letters do not give it."""

    left: int
    top: int
    marks: Any
    baseline: float
    size: float | None


def measured(image: Image.Image, lines: Sequence[TextLine]) -> list[TextLine]:
    """``lines`` of an upright page ``image``, in its pixels, with their true sizes of type, and boxes around their
    print from ascent to descent. If the ink of a line is not enough, its neighbours decide, or it stays as it is."""
    grey = np.asarray(image.convert("L"), dtype=np.int16)
    measures = [_measure(grey, line) for line in lines]
    sizes = np.array(
        [(*astuple(line.bbox), one.size) for line, one in zip(lines, measures, strict=True) if one and one.size],
        dtype=float,
    ).reshape(-1, 5)
    return [
        line if one is None else _reset(line, one, one.size or _of_neighbours(line.bbox, sizes))
        for line, one in zip(lines, measures, strict=True)
    ]


def _measure(grey: Any, line: TextLine) -> _Measure | None:
    box = line.bbox.clamped(grey.shape[1], grey.shape[0])
    left, top, right, bottom = box.rounded()
    if right - left < 4 or bottom - top < 6 or not _LATIN.fullmatch(line.text):
        return None
    marks = _print(grey[top:bottom, left:right])
    inked = marks.sum(axis=1)
    estimate = _by_extent(inked, right - left, line.text) or _by_density(inked, line.text)
    if estimate is None:
        return None
    size, baseline = estimate
    if size is not None and not _fits(size, box.height):
        return None
    return _Measure(left, top, marks, baseline, size)


def _fits(size: Any, height: float) -> Any:
    return (0.4 * height <= size) & (size <= 1.1 * height)


def _of_neighbours(box: BBox, sizes: Any) -> float | None:
    """The median size of the two nearest lines of known size above, below or beside ``box``: ``sizes`` are boxes and
    sizes (lines, 5)."""
    far = np.abs((sizes[:, 1] + sizes[:, 3]) / 2 - box.center_y)
    stacked = np.minimum(sizes[:, 2], box.x1) > np.maximum(sizes[:, 0], box.x0)
    near = np.flatnonzero(stacked & (far <= NEAR * box.height) & _fits(sizes[:, 4], box.height))
    return float(np.median(sizes[near[far[near].argsort()[:2]], 4])) if len(near) else None


def _reset(line: TextLine, measure: _Measure, size: float | None) -> TextLine:
    """``line`` in a box of ``size`` around its print."""
    if size is None:
        return line
    rise, fall = measure.baseline - ASCENT * size, measure.baseline + DESCENT * size
    across = np.flatnonzero(measure.marks[max(0, round(rise)) : max(1, round(fall))].any(axis=0))
    if not len(across):
        return line
    x0, x1 = measure.left + int(across[0]), measure.left + int(across[-1]) + 1
    return replace(line, size=size, bbox=BBox(x0, measure.top + rise, x1, measure.top + fall))


def _print(grey: Any) -> Any:
    """Which pixels of ``grey`` (rows, columns) are print."""
    contrast = contrast_of(grey)
    return contrast > max(FAINTEST, 0.4 * float(np.percentile(contrast, 98)))


def _by_extent(inked: Any, width: int, text: str) -> tuple[float, float] | None:
    """Size of type and baseline of a line that white rows part from its neighbours: the letters of ``text`` make its
    height."""
    core, bare, gap = _core(inked), inked <= 0.001 * width, max(1, round(0.05 * len(inked)))
    rise, fall = _until_bare(bare[core::-1], gap), _until_bare(bare[core:], gap)
    if rise is None or fall is None:
        return None
    above = X_HEIGHT if _LOW.fullmatch(text) else ASCENT
    below = DESCENT if _DEEP.search(text) else COMMA if _SHALLOW.search(text) else 0.0
    size = (rise + fall - 1) / (above + below)
    return size, core + fall - below * size


def _until_bare(bare: Any, gap: int) -> int | None:
    """The number of rows before the first ``gap`` bare ones, or before bare ones at the end; ``None`` without bare
    rows."""
    run = 0
    for index, empty in enumerate(bare.tolist()):
        run = run + 1 if empty else 0
        if run == gap:
            return index - gap + 1
    return len(bare) - run if run else None


def _by_density(inked: Any, text: str) -> tuple[float | None, float] | None:
    """Size of type and baseline of a line that touches its neighbours, by the rows full of ink; no size if low and
    high letters are about equally many."""
    core = _core(inked)
    least = DENSE * int(inked[core])
    rise, fall = _until_sparse(inked[core::-1], least), _until_sparse(inked[core:], least)
    if rise is None or fall is None:
        return None
    tall = len(_TALL.findall(text)) / max(1, sum(map(str.isalnum, text)))
    size = (rise + fall) / (X_HEIGHT if tall <= MOST_LOW else CAPITALS)
    return None if MOST_LOW < tall < LEAST_TALL else size, core + 0.5 + fall


def _until_sparse(inked: Any, least: float) -> float | None:
    """Rows from the middle of the first one to the place where the ink falls to ``least``."""
    counts = inked.tolist()
    for index, (here, there) in enumerate(pairwise(counts)):
        if there < least:
            return index + (here - least) / (here - there)
    return None


def _core(inked: Any) -> int:
    """The row with the most ink, in the middle half."""
    quarter = len(inked) // 4
    return quarter + int(inked[quarter : len(inked) - quarter].argmax())
