"""Spaces that a file does not tell, or tells where none are printed.

MuPDF takes white from 0.15 of the type's size on for a space, but programs that justify lines set narrower ones: in a
line whose letters all but touch, white that is plainly wider is a space. Other programs set a space on a ligature, for
which the file may tell its first letter alone (``T he`` or ``T e`` for The).
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

ON = 0.15
"""Least part of a sign, in sizes of its type, that a space lies on; a sign that is narrower belongs to the ligature of
the one before it."""

_ENDS = frozenset(".,;:!?)”’")


Change = tuple[BBox, str, str, bool]
"""The place of words, what MuPDF reads there and what it should, and whether the file tells all their letters."""


def with_printed_spaces(lines: Sequence[TextLine], blocks: Sequence[dict[str, Any]]) -> list[TextLine]:
    """``lines`` of a page, whose raw dictionary of characters has the ``blocks``, with the spaces that are lost and
    without those that lie on a sign."""
    changes = [one for block in blocks for line in block.get("lines", ()) for one in (*_lost(line), *_on_signs(line))]
    changes.sort(key=lambda one: (one[0].center_y, one[0].x0))
    heights = [place.center_y for place, *_ in changes]
    result = []
    for line in lines:
        text, told = line.text, True
        own = changes[bisect_left(heights, line.bbox.y0) : bisect_right(heights, line.bbox.y1)] if changes else ()
        for place, read, printed, is_told in own:
            if line.bbox.has_center_of(place) and read in text:
                text, told = text.replace(read, printed, 1), told and is_told
        if text != line.text:
            marks = carried(line.marks, line.text, text)
            line = replace(line, text=text, marks=marks, words=line.words if told else None)
        result.append(line)
    return result


def _on_signs(line: dict[str, Any]) -> Iterator[Change]:
    """The words of ``line`` that have a space which lies on the sign before it, while the next one touches that."""
    if line["dir"] != (1.0, 0.0) or not _goes_back(line):
        return
    chars = [(char, span["size"]) for span in line["spans"] for char in span["chars"]]
    signs = [char["c"] for char, _ in chars]
    wide = [char["bbox"][2] - char["bbox"][0] > ON * size for char, size in chars]
    on = [at for at in range(1, len(chars) - 1) if signs[at] == " " and _lies_on(at, chars, wide)]
    starts = [at for at, sign in enumerate(signs) if sign.isspace() and at not in on]
    for start, end in pairwise([-1, *starts, len(signs)]):
        own = [at for at in on if start < at < end]
        if own:
            read = "".join(signs[start + 1 : end])
            printed = "".join(sign for at, sign in enumerate(signs[start + 1 : end], start + 1) if at not in own)
            told = not any(wide[at - 1] for at in own)
            yield BBox.union(BBox(*char["bbox"]) for char, _ in chars[start + 1 : end]), read, printed, told


def _goes_back(line: dict[str, Any]) -> bool:
    """Whether a space of ``line`` begins before the end of the sign in front of it."""
    end = -np.inf
    for span in line["spans"]:
        for char in span["chars"]:
            if char["c"] == " " and char["origin"][0] < end - ON * span["size"]:
                return True
            end = char["bbox"][2]
    return False


def _lies_on(at: int, chars: Sequence[tuple[dict[str, Any], float]], wide: Sequence[bool]) -> bool:
    """Whether the space at ``at`` lies on the sign before it, or on the ligature that this ends."""
    (space, size), before, after = chars[at], chars[at - 1][0], chars[at + 1][0]
    first = next((number for number in range(at - 1, -1, -1) if wide[number]), 0)
    lies = chars[first][0]["bbox"][0] < space["origin"][0] < before["bbox"][2] - ON * size
    touches = after["bbox"][0] - before["bbox"][2] < LEAST * size
    return lies and touches and before["c"].isalpha() and after["c"].isalpha()


def _lost(line: dict[str, Any]) -> Iterator[Change]:
    """The words of ``line`` with spaces in them."""
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
            yield box, "".join(parts), " ".join(parts), True
        start = end + 1
