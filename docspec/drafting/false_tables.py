"""What layout models falsely call tables: indexes, which are set in columns, program text with numbered lines, and
tables of contents (entries with a leader of dots and a page number), of which each entry becomes an item of a list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from docspec.drafting.lines import PrintedRow, TextLine, join_lines, printed_lines, without_spaces

REFERRING = 0.4
"""Least share of the lines of an index that have page numbers after a leader, or several page numbers."""

REFERENCES = 8
"""Least number of such lines: fewer may be figures of a table."""

NUMBERED = 3
"""Least number of lines with consecutive numbers in program text."""

LISTED = 0.5
"""Least share of printed lines with such a number: comments stand between them."""

TYPED = 0.9
"""Least share of the characters on such lines that are set in type of one width."""

_PAGES = r"\d{1,4}(?:[-–]\d{1,4})?"
_REFERENCE = re.compile(
    rf"(?:[.·]\s?){{3,}}(?:{_PAGES}(?:,\s|,?$))*$|(?:^|\s){_PAGES},(?:\s{_PAGES},)*(?:\s{_PAGES})?$"
)
_NUMBER = re.compile(r"(\d{1,5})(?=\s|$)")

ENTRIES = 3
"""Entries with leaders that make a table of contents; fewer may be a form."""

MOST = 0.5
"""Least share of printed lines with a leader: chapters have a number without leader, long titles have two lines."""

WRAPPED = 0.6
"""A line without a page number that reaches over this share of the width begins an entry of several lines."""

UNLED = 0.75
"""Least share of numbered lines in a table of contents without leaders: the lines of an index have no number."""

FEWEST = 2
"""Least entries if all have leaders."""

RUNS = 4
"""Most pieces of such a line: number, title, leader and page; more are cells."""

_PAGE = r"(?:\d{1,4}|[ivxlc]{1,8}|[A-Z]-?\d{1,3}|\d{1,3}-\d{1,3})"
_LED = re.compile(rf"\S.*?(?:(?:\s?[.·•_]){{4,}}|\s?…(?:\s?[.…])*|(?:\s\.){{3,}})\s*{_PAGE}\s*")
_SECTION = re.compile(r"(\d{1,2}(?:\.\d{1,2})*\.?)\s+(?!\d).*\s(\d{1,4})\s*")
_ENDED = re.compile(rf"\S.*\s{_PAGE}\s*")


def is_no_table(lines: Sequence[TextLine]) -> bool:
    """Whether ``lines``, all that a layout model took for a table, are an index or program text."""
    return _is_index(lines) or _is_program(printed_lines(lines))


def _is_index(lines: Sequence[TextLine]) -> bool:
    referring = sum(_REFERENCE.search(line.text.rstrip()) is not None for line in lines)
    return referring >= max(REFERENCES, REFERRING * len(lines))


def _is_program(rows: Sequence[PrintedRow]) -> bool:
    numbered: list[tuple[int, int, int]] = []
    for row in rows:
        found = [(line, match) for line in row if (match := _NUMBER.match(line.text))]
        if found:
            line, match = found[-1]
            rest = [line.text[match.end() :], *(other.text for other in row if other is not line)]
            size = sum(len(without_spaces(text)) for text in rest)
            numbered.append((int(match[1]), sum(other.even for other in row), size))
    following = sum(second[0] == first[0] + 1 for first, second in pairwise(numbered))
    if following < max(NUMBERED, LISTED * len(rows)):
        return False
    return sum(even for _, even, _ in numbered) >= TYPED * sum(size for _, _, size in numbered) > 0


def entries(rows: Sequence[PrintedRow]) -> list[list[PrintedRow]]:
    """The printed lines ``rows`` of a table of contents, by its entries; empty where the region is no table of
    contents."""
    texts = [join_lines([row]) for row in rows]
    led = sum(_LED.fullmatch(text) is not None for text in texts)
    if led < max(ENTRIES, MOST * len(rows)) and not (led == len(rows) >= FEWEST or _is_numbered(rows, texts)):
        return []
    left = min(line.bbox.x0 for row in rows for line in row)
    right = max(line.bbox.x1 for row in rows for line in row)
    found: list[list[PrintedRow]] = [[]]
    for row, text in zip(rows, texts, strict=True):
        found[-1].append(row)
        goes_on = max(line.bbox.x1 for line in row) > left + WRAPPED * (right - left)
        if _ENDED.fullmatch(text) or not goes_on:
            found.append([])
    return [entry for entry in found if entry]


def _is_numbered(rows: Sequence[PrintedRow], texts: Sequence[str]) -> bool:
    """Whether most lines have the number of a section in front and that of a page at the end, both in order, and the
    first one is no row of heads of columns."""
    if len(rows[0]) > 1 and _ENDED.fullmatch(texts[0]) is None:
        return False
    found = [
        (tuple(map(int, match[1].rstrip(".").split("."))), int(match[2]))
        for text, row in zip(texts, rows, strict=True)
        if len(row) <= RUNS and (match := _SECTION.fullmatch(text))
    ]
    sections, pages = [section for section, _ in found], [page for _, page in found]
    in_order = sections == sorted(set(sections)) and pages == sorted(pages)
    return in_order and len(found) >= max(ENTRIES, UNLED * len(rows))
