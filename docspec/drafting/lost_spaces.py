"""Spaces that MuPDF does not tell: it takes white from 0.15 of the type's size on for one, but programs that justify
lines set narrower ones. In a line whose letters all but touch, white that is plainly wider is a space.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from docspec.core import BBox
from docspec.core.marks import carried
from docspec.drafting.lines import TextLine

LEAST = 0.09
"""Least white of such a space over that between the letters of its line, in sizes of the type."""

EVEN = 0.035
"""Most that nine tenths of the other gaps between its letters differ from the usual one."""

LETTERS = 12
"""Least pairs of letters in a line that tell."""

_ENDS = frozenset(".,;:!?)”’")


def with_lost_spaces(lines: Sequence[TextLine], blocks: Sequence[dict[str, Any]]) -> list[TextLine]:
    """``lines`` of a page, whose raw dictionary of characters has the ``blocks``, with the spaces that are lost."""
    lost = [one for block in blocks for line in block.get("lines", ()) for one in _lost(line)]
    if not lost:
        return list(lines)
    lost.sort(key=lambda one: one[0].center_y)
    heights = [place.center_y for place, _, _ in lost]
    result = []
    for line in lines:
        text = line.text
        for place, joined, parted in lost[bisect_left(heights, line.bbox.y0) : bisect_right(heights, line.bbox.y1)]:
            if line.bbox.has_center_of(place):
                text = text.replace(joined, parted, 1)
        result.append(
            line if text == line.text else replace(line, text=text, marks=carried(line.marks, line.text, text))
        )
    return result


def _lost(line: dict[str, Any]) -> Iterator[tuple[BBox, str, str]]:
    """The words of ``line`` with spaces in them: their places, what MuPDF reads and what it should."""
    if line["dir"] != (1.0, 0.0):
        return
    chars = [(char, span) for span in line["spans"] for char in span["chars"]]
    signs = [char["c"] for char, _ in chars]
    gaps = np.array([(b["bbox"][0] - a["bbox"][2]) / (span["size"] or 1.0) for (a, span), (b, _) in pairwise(chars)])
    if len(gaps) < LETTERS or not (gaps > LEAST / 2).any():  # most lines have typed spaces alone
        return
    is_letter = [sign.isalpha() for sign in signs]
    type_of = [(span["font"], span["size"]) for _, span in chars]
    before = np.array([known or sign in _ENDS for known, sign in zip(is_letter, signs, strict=True)])[:-1]
    inside = before & np.array(is_letter[1:]) & np.array([one == other for one, other in pairwise(type_of)])
    letters = inside & np.array(is_letter[:-1])
    if letters.sum() < LETTERS:
        return
    off = gaps - np.median(gaps[letters])
    wide = inside & (off > LEAST)
    if not wide.any() or np.quantile(np.abs(off[letters & ~wide]), 0.9) > EVEN:
        return
    start = 0
    for end in [*(at for at, sign in enumerate(signs) if sign.isspace()), len(signs)]:
        cuts = [at + 1 for at in range(start, end - 1) if wide[at]]
        if cuts:
            edges = [start, *cuts, end]
            parts = ["".join(signs[a:b]) for a, b in pairwise(edges)]
            box = BBox.union(BBox(*char["bbox"]) for char, _ in chars[start:end])
            yield box, "".join(parts), " ".join(parts)
        start = end + 1
