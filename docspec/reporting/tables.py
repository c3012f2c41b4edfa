"""Tables as cells in rows and columns, whether they were written as HTML or with bars, and as CSV files; and those
whose cells do not agree with each other. Nothing is mended: an event says which table, and why (rows with another
number of cells than the others, two figures in one cell of a column of single figures)."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path

from docspec.core import Block, Category, Event, PageResult
from docspec.core.safe_text import safe_text
from docspec.reporting.htmlblocks import BlockHtml
from docspec.reporting.staging import StagedFiles
from docspec.reporting.writer import PageWriter

TABLE_DOUBTFUL = "table_doubtful"
"""The kind of the event."""

LEAST_FIGURES = 3
"""Least entries of a column of figures."""

MOSTLY_FIGURES = 0.6
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
        Event(TABLE_DOUBTFUL, f"table {number} of the page: {reason}")
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
        if singles >= max(LEAST_FIGURES, MOSTLY_FIGURES * len(filled)):
            for text in filled:
                pair = _PAIR.fullmatch(text)
                if pair and not _SINGLE.fullmatch(text) and not _GROUP.fullmatch(pair[2]):
                    yield number, text


_ONE_NUMBER = r"(?:[\d.,\s]*\d[\d.,]*(?:[eE][+\-]?\d+)?[\s%‰°*†‡\w]*(?:\([\d.,\s]*\))?)?\s*\Z"
_FORMULA = re.compile(rf"[=@＝＠\t\r\n]|[+\-＋－](?!{_ONE_NUMBER})")
"""Formulas to a spreadsheet: a sign is harmless before one number, its unit, and another in brackets."""


def csv_of(rows: Iterable[Sequence[str | int]], lineterminator: str = "\r\n") -> str:
    """``rows`` as CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets an apostrophe in front."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator=lineterminator)
    writer.writerows([f"'{cell}" if _FORMULA.match(str(cell)) else cell for cell in row] for row in rows)
    return buffer.getvalue()


MOST_CELLS = 1_000_000


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell's text with its first row and column (from 0) and how many of each it takes."""

    text: str
    row: int
    column: int
    rows: int = 1
    columns: int = 1
    header: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of ``rows`` x ``columns`` with its cells in reading order."""

    rows: int
    columns: int
    cells: tuple[GridCell, ...]

    def lines(self) -> list[list[str]]:
        """Every row's texts; what a cell takes beyond its first place is empty."""
        lines = [[""] * self.columns for _ in range(self.rows)]
        for cell in self.cells:
            lines[cell.row][cell.column] = cell.text
        return lines


def grids(block: Block) -> list[Grid]:
    """The tables in ``block``: none, one, or several where it holds HTML with several."""
    reader = _Tables()
    reader.feed(BlockHtml().render(block) if block.category is Category.TABLE else "")
    reader.close()
    return [grid for grid in map(_placed, reader.tables) if grid.cells]


_Row = list[tuple[str, int, int, bool]]


class _Tables(HTMLParser):
    """The rows of tables in HTML that has been made safe; a table in a cell is text of that cell."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[list[_Row]] = []
        self._depth = 0
        self._spans: tuple[int, int] | None = None
        self._header = False
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._depth += 1
            if self._depth == 1:
                self.tables.append([])
        elif self._depth == 1 and tag == "tr":
            self.tables[-1].append([])
        elif self._depth == 1 and tag in ("td", "th"):
            values = {name: int(value or 1) for name, value in attrs if name in ("rowspan", "colspan")}
            self._spans = max(1, values.get("rowspan", 1)), max(1, values.get("colspan", 1))
            self._header, self._text = tag == "th", []
        elif tag in ("br", "p", "li"):
            self._text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._depth -= 1
        elif self._depth == 1 and tag in ("td", "th") and self._spans is not None:
            if not self.tables[-1]:
                self.tables[-1].append([])
            self.tables[-1][-1].append((" ".join("".join(self._text).split()), *self._spans, self._header))
            self._spans = None

    def handle_data(self, data: str) -> None:
        if self._spans is not None:
            self._text.append(data)


def _placed(rows: list[_Row]) -> Grid:
    """Cells with their columns: each takes the first place in its row that no cell from above reaches into. Heads
    without any text, which pipes ask for, are none."""
    if len(rows) > 1 and all(header and not text for text, _, _, header in rows[0]):
        rows = rows[1:]
    taken: set[tuple[int, int]] = set()
    cells: list[GridCell] = []
    for row, own in enumerate(rows):
        column = 0
        for text, down, across, header in own:
            while (row, column) in taken:
                column += 1
            down = min(down, len(rows) - row)
            if len(taken) + down * across > MOST_CELLS:
                break
            taken.update((row + y, column + x) for y in range(down) for x in range(across))
            cells.append(GridCell(text, row, column, down, across, header))
    columns = max((cell.column + cell.columns for cell in cells), default=0)
    return Grid(len(rows), columns, tuple(cells))


class TableFiles(StagedFiles, PageWriter):
    """Writes the tables of one document into ``folder``: ``page-<page>-<count>.csv``, which appear together when the
    document is complete."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "tables")

    def add(self, result: PageResult) -> None:
        tables = [grid for block in result.blocks for grid in grids(block)]
        for count, grid in enumerate(tables, start=1):
            self.put(f"page-{result.number}-{count}.csv", safe_text(csv_of(grid.lines())).encode())
