"""Finds listings: program text, told from prose by its type, in which all letters are of one width."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from docspec.core import Category
from docspec.drafting.lines import PrintedRow, TextLine, without_spaces

TYPEWRITTEN = 0.95
"""A page with more than this share of such type is typewritten: its prose looks like program text."""

LISTED = 0.9
"""At least this share of a listing, and half of each of its lines, is set in such type."""

LINES = 2
"""Least lines of a listing within a paragraph, unless they are numbered: fewer may be a name or an address in it."""

APART = 2.5
"""Two listings at most so many heights of a line apart are one."""

LEADED = 1.2
"""Usual height of a line over the size of its type."""

_NUMBER = re.compile(r"\d+(?=\s|$)")
_ADDRESS = re.compile(r"\S*@[\w-]+(\.[\w-]+)+|(https?:|www\.)\S+")


def is_typewritten(lines: Iterable[TextLine]) -> bool:
    """Whether a page with ``lines`` is typewritten."""
    return _share(lines) > TYPEWRITTEN


def is_listing(rows: Sequence[PrintedRow], category: Category = Category.TEXT) -> bool:
    """Whether the printed lines ``rows`` of a region, on a page that is not typewritten, are a listing. Addresses are
    none; layout models call numbered lines list items."""
    if category is not Category.TEXT and not (category is Category.LIST_ITEM and all(map(_is_numbered, rows))):
        return False
    even = all(_share(row) >= 0.5 for row in rows)
    listed = even and _share(line for row in rows for line in row) >= LISTED
    return listed and not all(_ADDRESS.search(line.text) for row in rows for line in row)


def listings_apart(rows: Sequence[PrintedRow]) -> list[Sequence[PrintedRow]]:
    """The printed lines ``rows`` of a region as alternate runs of listings and of other text."""
    if is_listing(rows):
        return [rows]
    runs: list[tuple[bool, list[PrintedRow]]] = []
    for even, group in groupby(rows, lambda row: _share(row) >= LISTED):
        run = list(group)
        spaced = any(len(row) > 1 or " " in row[0].text for row in run)
        listed = even and spaced and (len(run) >= LINES or all(map(_is_numbered, run)))
        if runs and not (listed or runs[-1][0]):
            runs[-1][1].extend(run)
        else:
            runs.append((listed, run))
    return [run for _, run in runs]


def spaces_in(rows: Sequence[PrintedRow]) -> Callable[[TextLine, TextLine], int]:
    """What gives the spaces between two runs of one line in the listing ``rows``, by the width of its letters: behind
    the numbers of lines the line that is indented least stands one space apart."""
    longest = max((line for row in rows for line in row if line.even), key=lambda line: len(line.text), default=None)
    letter = 0.0 if longest is None else longest.bbox.width / len(longest.text)
    edge = min((row[1].bbox.x0 for row in rows if len(row) > 1 and _is_number(row[0])), default=0.0)

    def spaces(before: TextLine, line: TextLine) -> int:
        if not letter:
            return 1
        if _is_number(before):
            return 1 + max(0, round((line.bbox.x0 - edge) / letter))
        return max(1, round((line.bbox.x0 - before.bbox.x1) / letter))

    return spaces


def _is_number(line: TextLine) -> bool:
    return _NUMBER.fullmatch(line.text.strip()) is not None


def _is_numbered(row: PrintedRow) -> bool:
    return _NUMBER.match(row[0].text) is not None


def _share(lines: Iterable[TextLine]) -> float:
    """The share of characters that are set in type of one width; numbers of lines may be set in any."""
    even = size = 0
    for line in lines:
        number = _NUMBER.match(line.text)
        even += line.even
        size += max(line.even, len(without_spaces(line.text)) - (number.end() if number else 0))
    return even / max(1, size)
