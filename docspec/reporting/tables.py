"""Tables as cells in rows and columns, whether they were written as HTML or with bars, and as CSV files."""

from __future__ import annotations

from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from docspec.core import Block, Category, PageResult
from docspec.core.safe_text import safe_text
from docspec.reporting.csv_text import csv_of
from docspec.reporting.htmlblocks import BlockHtml
from docspec.reporting.staging import StagedFiles
from docspec.reporting.writer import PageWriter

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
    """Cells with their columns: each takes the first place in its row that no cell from above reaches into."""
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
