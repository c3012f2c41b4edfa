"""How large recognised lines are set. A detector's boxes are higher than the print by a margin that changes with its
size, and reach into the lines above and below; the ink in them, and which letters it makes, tell the size of type and
the baseline.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from PIL import Image

from docspec.core import BBox
from docspec.drafting.lines import TextLine

ASCENT, DESCENT = 0.74, 0.22
"""Of the size of type: what letters rise above the baseline at most, and reach below it."""

X_HEIGHT, CAPITALS = 0.48, 0.7
"""Of the size of type: the height of small letters that do not rise, and of capitals and figures."""

FAINTEST = 25
"""Of 255: the least contrast of print."""

DENSE = 0.42
"""Rows with more than this share of the ink of the fullest one are within the height of most of a line's letters."""

_LOW = re.compile(r"[acemnorsuvwxz.:,;…\-–—\s]*")
_DEEP = re.compile(r"[gjpqyQ,;()\[\]{}|/§µ]")
_LATIN = re.compile(r"[\x20-\u024f\u2010-\u2044]*")


def measured(image: Image.Image, lines: Sequence[TextLine]) -> list[TextLine]:
    """``lines`` of an upright page ``image``, in its pixels, with their true sizes of type, and boxes from ascent to
    descent; as they are where the ink does not tell."""
    grey = np.asarray(image.convert("L"), dtype=np.int16)
    return [_measured(grey, line) for line in lines]


def _measured(grey: Any, line: TextLine) -> TextLine:
    box = line.bbox.clamped(grey.shape[1], grey.shape[0])
    left, top, right, bottom = box.rounded()
    if right - left < 4 or bottom - top < 6 or not _LATIN.fullmatch(line.text):
        return line
    inked = _inked(grey[top:bottom, left:right])
    found = _by_extent(inked, right - left, line.text) or _by_density(inked, line.text)
    if found is None:
        return line
    size, baseline = found[0], top + found[1]
    if not 0.4 * box.height <= size <= 1.1 * box.height:
        return line
    return replace(
        line, size=size, bbox=BBox(box.x0, baseline - ASCENT * size, box.x1, baseline + DESCENT * size)
    )


def _inked(grey: Any) -> Any:
    """How many pixels of each row of ``grey`` (rows, columns) are print; (rows,)."""
    paper = int(np.bincount((grey >> 2).ravel(), minlength=64).argmax()) * 4 + 2
    contrast = np.abs(grey - paper)
    return (contrast > max(FAINTEST, 0.4 * float(np.percentile(contrast, 98)))).sum(axis=1)


def _by_extent(inked: Any, width: int, text: str) -> tuple[float, float] | None:
    """Size of type and baseline of a line that white rows part from its neighbours: ``text`` says which letters make
    its height."""
    core, bare, gap = _core(inked), inked <= 0.003 * width, max(1, round(0.05 * len(inked)))
    rise, fall = _until_bare(bare[core::-1], gap), _until_bare(bare[core:], gap)
    if rise is None or fall is None:
        return None
    above = X_HEIGHT if _LOW.fullmatch(text) else ASCENT
    below = DESCENT if _DEEP.search(text) else 0.0
    size = (rise + fall - 1) / (above + below)
    return size, core + fall - below * size


def _until_bare(bare: Any, gap: int) -> int | None:
    """How many rows stand before the first ``gap`` bare ones, or before bare ones at the end; ``None`` where there are
    none."""
    run = 0
    for index, empty in enumerate(bare.tolist()):
        run = run + 1 if empty else 0
        if run == gap:
            return index - gap + 1
    return len(bare) - run if run else None


def _by_density(inked: Any, text: str) -> tuple[float, float] | None:
    """Size of type and baseline of a line that its neighbours touch, by the rows that are full of ink."""
    core = _core(inked)
    least = DENSE * int(inked[core])
    rise, fall = _until_sparse(inked[core::-1], least), _until_sparse(inked[core:], least)
    if rise is None or fall is None:
        return None
    small = sum(map(str.islower, text)) > 0.5 * sum(map(str.isalnum, text))
    return (rise + fall) / (X_HEIGHT if small else CAPITALS), core + 0.5 + fall


def _until_sparse(inked: Any, least: float) -> float | None:
    """Rows from the middle of the first one to where the ink falls to ``least``."""
    counts = inked.tolist()
    for index, (here, there) in enumerate(pairwise(counts)):
        if there < least:
            return index + (here - least) / (here - there)
    return None


def _core(inked: Any) -> int:
    """The row with the most ink, in the middle half."""
    quarter = len(inked) // 4
    return quarter + int(inked[quarter : len(inked) - quarter].argmax())
