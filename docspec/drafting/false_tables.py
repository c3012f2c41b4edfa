"""False tables of layout models: indexes, which are set in columns, and program text with numbered lines. Tables of
contents are recognised in :mod:`.contents`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from docspec.drafting.lines import PrintedRow, TextLine, printed_lines

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
            size = sum(len("".join(text.split())) for text in rest)
            numbered.append((int(match[1]), sum(other.even for other in row), size))
    following = sum(second[0] == first[0] + 1 for first, second in pairwise(numbered))
    if following < max(NUMBERED, LISTED * len(rows)):
        return False
    return sum(even for _, even, _ in numbered) >= TYPED * sum(size for _, _, size in numbered) > 0
