"""What layout models falsely call tables: indexes, which are set in columns, program text with numbered lines, tables
of contents (entries with a leader of dots and a page number), of which each entry becomes an item of a list, dates with
prose beside them, and addresses beside each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from docspec.core.geometry import runs_of
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

PROSE = 60
"""Least median number of characters beside a date; what stands beside it may be the entry of a column otherwise."""

DATES = 2
"""Least dates with prose beside them that are no table."""

NEXT = 1.5
"""From this many times the pitch of lines on the next line begins another row of addresses."""

_YEAR = r"(?:[^\W\d_]{3,9}\.?\s+|\d{1,2}[./])?(?:19|20)\d\d"
_DATE = re.compile(rf"(?:[^\W\d_]{{4,6}}\s)?{_YEAR}(?:\s?[-–—/]\s?(?:{_YEAR}|\d\d|[^\W\d_]{{3,9}})?)?")
_POSTCODE = re.compile(
    r"[^\W\d_]\D*\s\d{5}(?:-\d{4})?|(?:[A-Z]{1,2}-)?\d{4,5}\s[^\W\d_]\D*|.*\b[A-Z]{1,2}\d{1,2}[A-Z]?\s\d[A-Z]{2}"
)

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
        matches = [(line, match) for line in row if (match := _NUMBER.match(line.text))]
        if matches:
            line, match = matches[-1]
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


def dated_prose(rows: Sequence[PrintedRow]) -> list[list[PrintedRow]]:
    """The printed lines ``rows`` by dates at their left, with the prose beside each; empty where a row has none, or
    where there are further columns."""
    height = max(line.bbox.height for row in rows for line in row)
    left = min(row[0].bbox.x0 for row in rows)
    groups: list[list[PrintedRow]] = []
    for row in rows:
        if row[0].bbox.x0 - left < height:
            if len(row) != 2 or _DATE.fullmatch(row[0].text.strip()) is None:
                return []
            groups.append([row])
        elif groups and len(row) == 1:
            groups[-1].append(row)
        else:
            return []
    starts = [row[-1].bbox.x0 for row in rows]
    letters = [sum(len(row[-1].text) for row in entry) for entry in groups]
    level = max(starts) - min(starts) < height
    return groups if level and len(groups) >= DATES and median(letters) >= PROSE else []


def addresses(rows: Sequence[PrintedRow]) -> list[list[PrintedRow]]:
    """The printed lines ``rows`` of addresses that stand beside each other, by address; empty where they are none. In a
    list of offices, postcodes stand in one column; here all of them stand in one line."""
    middles = [row[0].bbox.center_y for row in rows]
    pitch = min((low - high for high, low in pairwise(middles)), default=0.0)
    blocks = runs_of(rows, lambda above, row: row[0].bbox.center_y - above[0].bbox.center_y <= NEXT * pitch)
    return [address for block in blocks for address in _beside(block)] if all(map(_beside, blocks)) else []


def _beside(rows: Sequence[PrintedRow]) -> list[list[PrintedRow]]:
    """The addresses in one block of lines."""
    columns = len(rows[0])
    towns = [row for row in rows if all(_POSTCODE.fullmatch(line.text.strip()) for line in row)]
    if columns < 2 or len(towns) != 1 or towns[0] is rows[0] or any(len(row) != columns for row in rows):
        return []
    if any(is_figure(line.text.strip()) for row in rows for line in row):
        return []
    height = max(line.bbox.height for row in rows for line in row)
    stacks = list(zip(*rows, strict=True))
    level = all(max(line.bbox.x0 for line in one) - min(line.bbox.x0 for line in one) < height for one in stacks)
    return [[[line] for line in one] for one in stacks] if level else []


_SIGNS = "€$£¥"
_UNIT = rf"(?:%|‰|°[CF]?|[{_SIGNS}]|[^\W\d_]{{1,3}}[²³]?(?:/[^\W\d_]{{1,3}})?)"
_DIGITS = r"(?:[1-9]\d{0,2}(?:[ .,'’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,:]\d+)*(?:,?[-–—])?)"
_FIGURE = re.compile(rf"(?:(?:[{_SIGNS}]|[A-Z]{{3}})\s?)?[-+−–±<>≈~]?\s?{_DIGITS}(?:\s?{_UNIT})?[*†‡]*")
_NEGATIVE = re.compile(rf"\(\s?(?=.*\d\D*\d){_DIGITS}(?:\s?{_UNIT})?\s?\)")


def is_figure(text: str) -> bool:
    """Whether ``text`` is a number, with its sign, currency or unit."""
    return (_FIGURE.fullmatch(text) or _NEGATIVE.fullmatch(text)) is not None
