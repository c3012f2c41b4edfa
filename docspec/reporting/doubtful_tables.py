"""Tables that were recognised, or written by a model, and whose cells do not agree with each other.

Nothing is mended: an event says which table, and why. Two signs are looked for: rows with another number of cells than
the others, and two figures in one cell of a column of single figures.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from docspec.core import Block, Category, Event, PageResult
from docspec.reporting.tables import Grid, grids

KIND = "table_doubtful"
"""The kind of the event."""

LEAST = 3
"""Least entries of a column of figures."""

MOSTLY = 0.6
"""Least share of a column's entries that are single figures."""

_NUMBER = r"[-+−–(]?[$€£¥]?\d[\d.,:'’]*\d?\)?%?"
_SINGLE = re.compile(
    rf"{_NUMBER}(?:\s?[^\W\d_]{{1,3}}|\s?[%‰€$£*†]+)?|\d{{1,3}}(?:[ \u2009\u202f]\d{{3}})+(?:[.,]\d+)?"
)
_PAIR = re.compile(rf"({_NUMBER})\s+({_NUMBER})")
_GROUP = re.compile(r"\d{3}(?:[.,]\d+)?")
_CELL_BORDER = re.compile(r"(?<!\\)\|")


def with_doubtful_tables(result: PageResult) -> PageResult:
    """``result`` with an event for each doubtful table whose words are not the file's own."""
    tables = [block for block in result.blocks if block.category is Category.TABLE]
    events = [
        Event(KIND, f"table {number} of the page: {reason}")
        for number, block in enumerate(tables, start=1)
        if block.words != "text layer" and (reason := doubt_of(block))
    ]
    return replace(result, events=(*result.events, *events)) if events else result


def doubt_of(table: Block) -> str:
    """Why the cells of ``table`` are in doubt; nothing where they are not."""
    reasons = []
    for grid in grids(table):
        ragged = _ragged(table.text) if not table.text.lstrip().startswith("<") else _uncovered(grid)
        reasons += [f"{ragged} of {grid.rows} rows have another number of cells"] if ragged else []
        pairs = list(_pairs(grid.lines()))
        reasons += [f'two figures in one cell of column {pairs[0][0] + 1} ("{pairs[0][1]}")'] if pairs else []
    return "; ".join(reasons)


def _ragged(text: str) -> int:
    """How many lines of a table of bars have another number of bars than most."""
    counts = Counter(len(_CELL_BORDER.findall(line.strip().strip("|"))) for line in text.split("\n") if "|" in line)
    return counts.total() - max(counts.values(), default=0)


def _uncovered(grid: Grid) -> int:
    """How many rows do not fill the columns of a table of HTML."""
    taken = Counter(cell.row + y for cell in grid.cells for y in range(cell.rows) for _ in range(cell.columns))
    return sum(taken[row] != grid.columns for row in range(grid.rows))


def _pairs(rows: Sequence[Sequence[str]]) -> Iterator[tuple[int, str]]:
    """The cells with two figures in columns of single ones, with the number of the column."""
    for number, column in enumerate(zip(*rows, strict=True)):
        filled = [text for text in column if text]
        singles = sum(_SINGLE.fullmatch(text) is not None for text in filled)
        if singles >= max(LEAST, MOSTLY * len(filled)):
            for text in filled:
                pair = _PAIR.fullmatch(text)
                if pair and not _SINGLE.fullmatch(text) and not _GROUP.fullmatch(pair[2]):
                    yield number, text
