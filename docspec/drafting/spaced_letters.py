"""Words whose letters are set apart (A N N U A L) put together again. MuPDF reads a space or a new line after each.

Capitals are a word whether the file has spaces between them or not. Small letters are one where it has none and the
white between them is even, as programs set it that justify lines letter by letter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median
from typing import Any

from docspec.core import BBox
from docspec.core.geometry import runs_of
from docspec.drafting.lines import TextLine

LEAST = 5
"""Letters."""
WIDE = 1.5
"""From so many usual gaps on, a gap parts two words."""
FARTHEST = 2.2
"""Most white between two letters of a word, in sizes of the type."""

PAIRS = 0.3
"""Greatest share of pairs among the letters: kerning brings some so near that MuPDF reads no space between them."""

EVEN = 1.6
"""From so many of the least gaps on, the white between small letters is not even."""

OTHERS = 4
"""Least letters of a word in small ones that are not the same."""

_SPACED = re.compile(r"\S{1,2}(?: \S{1,2}){4,}")


def with_words(
    lines: Sequence[TextLine], words: Sequence[tuple[Any, ...]], typed: Sequence[BBox] = ()
) -> list[TextLine]:
    """``lines`` of a page, with whole words for those of single letters; ``words`` are the page's letters there (``x0,
    y0, x1, y1, text, ...``), ``typed`` the places of the spaces that its file has."""
    result: list[TextLine] = []
    for line in _joined(lines):
        if not _SPACED.fullmatch(line.text):
            result.append(line)
            continue
        own = sorted((word for word in words if line.bbox.has_center_of(BBox(*word[:4]))), key=lambda word: word[0])
        boxes, letters = [BBox(*word[:4]) for word in own], [word[4] for word in own]
        is_set = not any(line.bbox.has_center_of(space) for space in typed) and _is_even(boxes, letters)
        text = _text(boxes, letters) if _is_word(line.text) or (is_set and _is_small_word(line.text)) else ""
        fits = text.replace(" ", "") == line.text.replace(" ", "")
        result.append(replace(line, text=text, marks=()) if fits else line)
    return result


def typed_spaces(blocks: Iterable[dict[str, Any]]) -> list[BBox]:
    """The places of the spaces that the file has, from MuPDF's raw dictionary of the page."""
    chars = (
        char for block in blocks for line in block.get("lines", ()) for span in line["spans"] for char in span["chars"]
    )
    return [BBox(*char["bbox"]) for char in chars if char["c"] == " " and not char.get("synthetic")]


def are_spaced(lines: Sequence[TextLine]) -> bool:
    """Whether a line, or some lines side by side, may be such words."""
    single = sum(len(line.text) == 1 for line in lines)
    return single >= LEAST or any(_SPACED.fullmatch(line.text) for line in lines)


def _joined(lines: Sequence[TextLine]) -> list[TextLine]:
    """``lines``, with runs of single letters on one height as one line, a space after each letter."""
    joined: list[TextLine] = []
    for run in runs_of(lines, lambda a, b: len(a.text) == len(b.text) == 1 and _is_next(a, b)):
        text = " ".join(line.text for line in run)
        if len(run) >= LEAST and _is_word(text):
            joined.append(replace(run[0], text=text, bbox=BBox.union(line.bbox for line in run), marks=()))
        else:
            joined += run
    return joined


def _is_next(first: TextLine, second: TextLine) -> bool:
    gap = second.bbox.x0 - first.bbox.x1
    same = abs(first.bbox.y1 - second.bbox.y1) < 0.1 * first.bbox.height and abs(first.size - second.size) < 0.1
    return same and 0 <= gap <= FARTHEST * first.size


def _is_word(text: str) -> bool:
    """Whether single letters are a word rather than a list of letters: capitals or figures, some of them vowels, not
    in the order of the alphabet."""
    letters = text.replace(" ", "")
    pairs = sum(len(part) == 2 for part in text.split())
    capitals = [letter for letter in letters if letter.isalpha()]
    ordered = all(before < after for before, after in pairwise(capitals))
    return (
        len(capitals) >= LEAST
        and pairs <= PAIRS * len(text.split())
        and all(letter.isupper() for letter in capitals)
        and any(letter in "AEIOUYÄÖÜ" for letter in capitals)
        and not ordered
    )


def _is_small_word(text: str) -> bool:
    """The same of small letters, of which the first may be a capital: vowels and others, not always the same, and no
    alphabet."""
    letters = [letter for letter in text if letter.isalpha()]
    plain = [unicodedata.normalize("NFD", letter)[0].casefold() for letter in letters]
    pairs = sum(len(part) == 2 for part in text.split())
    return (
        len(letters) >= LEAST
        and pairs <= PAIRS * len(text.split())
        and all(letter.islower() for letter in letters[1:])
        and 0 < sum(letter in "aeiouyæøœ" for letter in plain) < len(plain)
        and len(set(plain)) >= OTHERS
        and not all(before <= after for before, after in pairwise(plain))
        and sum(ord(after) - ord(before) == 1 for before, after in pairwise(plain)) < len(plain) / 2
    )


def _is_even(boxes: Sequence[BBox], letters: Sequence[str]) -> bool:
    """Whether the white between ``letters`` (or pairs of them), but for that before other signs, is even."""
    gaps = [b.x0 - a.x1 for (a, _), (b, sign) in pairwise(zip(boxes, letters, strict=True)) if sign[0].isalpha()]
    return bool(gaps) and 0 < max(gaps) <= EVEN * min(gaps)


def _text(boxes: Sequence[BBox], letters: Sequence[str]) -> str:
    """``letters`` (or pairs of them) in ``boxes`` as words."""
    if len(boxes) < 2:
        return ""
    gaps = [second.x0 - first.x1 for first, second in pairwise(boxes)]
    usual = max(median(gaps), 0.01)
    return letters[0] + "".join(
        (" " if gap > WIDE * usual else "") + letter for gap, letter in zip(gaps, letters[1:], strict=True)
    )
