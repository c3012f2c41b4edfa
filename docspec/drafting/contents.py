"""Tables of contents, which layout models call text or tables: entries with a leader of dots, or the number of a
section, and a page number, of which each becomes an item of a list."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docspec.drafting.lines import PrintedRow, join_lines

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


def entries(rows: Sequence[PrintedRow]) -> list[list[PrintedRow]]:
    """The printed lines ``rows`` of a table of contents, by its entries; empty where the region is no table of
    contents."""
    texts = [join_lines([row]) for row in rows]
    led = sum(_LED.fullmatch(text) is not None for text in texts)
    if led < max(ENTRIES, MOST * len(rows)) and not (led == len(rows) >= FEWEST or _is_numbered(rows, texts)):
        return []
    left = min(line.bbox.x0 for row in rows for line in row)
    right = max(line.bbox.x1 for row in rows for line in row)
    groups: list[list[PrintedRow]] = [[]]
    for row, text in zip(rows, texts, strict=True):
        groups[-1].append(row)
        goes_on = max(line.bbox.x1 for line in row) > left + WRAPPED * (right - left)
        if _ENDED.fullmatch(text) or not goes_on:
            groups.append([])
    return [entry for entry in groups if entry]


def _is_numbered(rows: Sequence[PrintedRow], texts: Sequence[str]) -> bool:
    """Whether most lines have the number of a section in front and that of a page at the end, both in order, and the
    first one is no row of heads of columns."""
    if len(rows[0]) > 1 and _ENDED.fullmatch(texts[0]) is None:
        return False
    numbers = [
        (tuple(map(int, match[1].rstrip(".").split("."))), int(match[2]))
        for text, row in zip(texts, rows, strict=True)
        if len(row) <= RUNS and (match := _SECTION.fullmatch(text))
    ]
    sections, pages = [section for section, _ in numbers], [page for _, page in numbers]
    in_order = sections == sorted(set(sections)) and pages == sorted(pages)
    return in_order and len(numbers) >= max(ENTRIES, UNLED * len(rows))
