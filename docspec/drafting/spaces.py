"""Spaces that a file does not tell, or tells where none are printed.

MuPDF takes white from 0.15 of the type's size on for a space, but programs that justify lines set narrower ones: in a
line whose letters all but touch, white that is plainly wider is a space. Other programs set a space on a ligature, for
which the file may tell its first letter alone (``T he`` or ``T e`` for The).

Words whose letters are set apart (A N N U A L) are put together again: MuPDF reads a space or a new line after each.
Capitals are a word whether the file has spaces between them or not. Small letters are one where it has none and the
white between them is even, as programs set it that justify lines letter by letter.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np

from docspec.core import BBox
from docspec.core.geometry import runs_of
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


FEWEST = 5
"""Letters."""
WIDE = 1.5
"""From so many usual gaps on, a gap parts two words."""
FARTHEST = 2.2
"""Most white between two letters of a word, in sizes of the type."""

PAIRS = 0.3
"""Greatest share of pairs among the letters: kerning brings some so near that MuPDF reads no space between them."""

UNEVEN = 1.6
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
    return single >= FEWEST or any(_SPACED.fullmatch(line.text) for line in lines)


def _joined(lines: Sequence[TextLine]) -> list[TextLine]:
    """``lines``, with runs of single letters on one height as one line, a space after each letter."""
    joined: list[TextLine] = []
    for run in runs_of(lines, lambda a, b: len(a.text) == len(b.text) == 1 and _is_next(a, b)):
        text = " ".join(line.text for line in run)
        if len(run) >= FEWEST and _is_word(text):
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
        len(capitals) >= FEWEST
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
        len(letters) >= FEWEST
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
    return bool(gaps) and 0 < max(gaps) <= UNEVEN * min(gaps)


def _text(boxes: Sequence[BBox], letters: Sequence[str]) -> str:
    """``letters`` (or pairs of them) in ``boxes`` as words."""
    if len(boxes) < 2:
        return ""
    gaps = [second.x0 - first.x1 for first, second in pairwise(boxes)]
    usual = max(median(gaps), 0.01)
    return letters[0] + "".join(
        (" " if gap > WIDE * usual else "") + letter for gap, letter in zip(gaps, letters[1:], strict=True)
    )
