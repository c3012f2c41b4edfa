"""A found table as cells in places: what mends its rows, columns and spans works on this form."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from html import escape, unescape
from typing import Any

from docspec.core import BBox
from docspec.core.grouping import in_rows, runs_of
from docspec.drafting.drawn_grids import NEAR, Word, slots_of

GAP = 0.75
"""Least white between two cells of one printed line, in heights of a word."""

_ROW = re.compile(r"<tr>(.*?)</tr>", re.DOTALL)
_CELL = re.compile(r"<(t[dh])\b([^>]*)>(.*?)</t[dh]>", re.DOTALL)
_LEADER = re.compile(r"^(?:[.·…_]\s?){3,}|(?:\s?[.·…_]){3,}\s*$")
_SPAN = re.compile(r'(colspan|rowspan)="(\d+)"')

Edges = tuple[tuple[float, float], ...]
"""The first and the last coordinate of each column or row, in points."""


@dataclass(frozen=True, slots=True)
class PlacedCell:
    """A cell with its HTML (``text``), its first row and column (from 0), and how many of each it takes."""

    text: str
    row: int
    column: int
    rows: int = 1
    columns: int = 1
    head: bool = False


@dataclass(frozen=True, slots=True)
class CellGrid:
    """The cells of a table in the order of reading, and where its columns (``xs``) and rows (``ys``) stand."""

    cells: tuple[PlacedCell, ...]
    xs: Edges
    ys: Edges

    @property
    def plain(self) -> bool:
        """Whether no cell spans rows or columns."""
        return all(cell.rows == cell.columns == 1 for cell in self.cells)

    @property
    def is_whole(self) -> bool:
        """Whether no place belongs to two cells, and no cell reaches out of the grid."""
        places = [
            (row, column)
            for cell in self.cells
            for row in range(cell.row, cell.row + cell.rows)
            for column in range(cell.column, cell.column + cell.columns)
        ]
        inside = all(row < len(self.ys) and column < len(self.xs) for row, column in places)
        return inside and len(places) == len(set(places))

    def row(self, number: int) -> list[PlacedCell]:
        """The cells that begin in a row, from left to right."""
        return [cell for cell in self.cells if cell.row == number]

    def column(self, number: int) -> list[PlacedCell]:
        """The cells that begin in a column and take no other, from top to bottom."""
        return [cell for cell in self.cells if cell.column == number and cell.columns == 1]

    def box(self, cell: PlacedCell) -> BBox:
        """Where ``cell`` stands."""
        return BBox(
            self.xs[cell.column][0],
            self.ys[cell.row][0],
            self.xs[cell.column + cell.columns - 1][1],
            self.ys[cell.row + cell.rows - 1][1],
        )

    def words_in(self, cell: PlacedCell, words: Iterable[Word]) -> list[Word]:
        """The ``words`` that stand in ``cell``."""
        box = self.box(cell)
        return [word for word in words if box.has_center_of(word.bbox)]

    @property
    def head_rows(self) -> int:
        """How many rows at the top are heads."""
        return next((row for row in range(len(self.ys)) if not all(cell.head for cell in self.row(row))), len(self.ys))

    def filled(self) -> CellGrid:
        """The grid with empty cells in places that have none."""
        taken = {
            (cell.row + y, cell.column + x)
            for cell in self.cells
            for y in range(cell.rows)
            for x in range(cell.columns)
        }
        heads, places = self.head_rows, itertools.product(range(len(self.ys)), range(len(self.xs)))
        gaps = [PlacedCell("", row, column, head=row < heads) for row, column in places if (row, column) not in taken]
        return self.with_cells([*self.cells, *gaps]) if gaps else self

    def html(self) -> str:
        """The table as HTML; places without a cell become empty ones."""
        whole = self.filled()
        rows = ("".join(map(_html, whole.row(row))) for row in range(len(self.ys)))
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"

    def with_cells(self, cells: Iterable[PlacedCell]) -> CellGrid:
        """The grid with other cells, in the order of reading."""
        return replace(self, cells=tuple(sorted(cells, key=lambda cell: (cell.row, cell.column))))

    def without_column(self, number: int, left: bool) -> CellGrid:
        """The grid without a column of cells of its own, whose place the column to its ``left`` (or right) takes."""
        keeps = number - 1 if left else number + 1
        xs = list(self.xs)
        xs[keeps] = min(xs[keeps][0], xs[number][0]), max(xs[keeps][1], xs[number][1])
        del xs[number]
        cells = [
            replace(
                cell,
                column=cell.column - (cell.column > number),
                columns=cell.columns - (cell.column <= number < cell.column + cell.columns),
            )
            for cell in self.cells
            if cell.column != number or cell.columns > 1
        ]
        return CellGrid(tuple(cells), tuple(xs), self.ys)

    def without_rows(self, numbers: set[int]) -> CellGrid:
        """The grid without these rows; a cell over several rows takes fewer of them."""
        ys = tuple(edge for number, edge in enumerate(self.ys) if number not in numbers)
        cells = []
        for cell in self.cells:
            rows = sum(row not in numbers for row in range(cell.row, cell.row + cell.rows))
            if rows:
                above = sum(number < cell.row for number in numbers)
                cells.append(replace(cell, row=cell.row - above, rows=rows))
        return CellGrid(tuple(cells), self.xs, ys)


def grid_of(table: Any, html: str, words: Sequence[Word] = ()) -> CellGrid | None:
    """``html`` of a table of PyMuPDF's as cells in places; ``None`` where not all rows and columns have one. Where it
    lacks a cell, all cells behind that stand a column off: their boxes tell their places, and ``words`` the cell."""
    cells = list(_cells(html))
    placed = list(_placed(table.placements or ()))
    if len(cells) == len(placed) and not _agree(placed):
        grid = _by_place(_once([(cell, box) for cell, (_, box) in zip(cells, placed, strict=True)]), words)
        if grid is not None:
            return grid
    rows = 1 + max((cell.row + cell.rows - 1 for cell in cells), default=-1)
    columns = 1 + max((cell.column + cell.columns - 1 for cell in cells), default=-1)
    xs = _edges([(cell.column, box.x0, box.x1) for cell, box in placed if cell.columns == 1], columns)
    ys = _edges([(cell.row, box.y0, box.y1) for cell, box in placed if cell.rows == 1], rows)
    return CellGrid(tuple(cells), xs, ys).filled() if xs and ys and cells else None


def _cells(html: str) -> Iterator[PlacedCell]:
    taken: set[tuple[int, int]] = set()
    for number, row in enumerate(_ROW.findall(html)):
        column = 0
        for tag, attributes, text in _CELL.findall(row):
            while (number, column) in taken:
                column += 1
            spans = {name: int(count) for name, count in _SPAN.findall(attributes)}
            rows, columns = spans.get("rowspan", 1), spans.get("colspan", 1)
            taken.update((number + y, column + x) for y in range(rows) for x in range(columns))
            yield PlacedCell(text, number, column, rows, columns, tag == "th")
            column += columns


def _placed(rows: Sequence[Sequence[Any]]) -> Iterator[tuple[PlacedCell, BBox]]:
    taken: set[tuple[int, int]] = set()
    for number, row in enumerate(rows):
        column = 0
        for cell in row:
            while (number, column) in taken:
                column += 1
            taken.update((number + y, column + x) for y in range(cell.rowspan) for x in range(cell.colspan))
            if cell.bbox is not None:
                yield PlacedCell("", number, column, cell.rowspan, cell.colspan), BBox(*cell.bbox)
            column += cell.colspan


def _agree(placed: Sequence[tuple[PlacedCell, BBox]]) -> bool:
    """Whether cells that are counted to one column begin, and end, at one place."""
    lefts: dict[int, float] = {}
    rights: dict[int, float] = {}
    return all(
        abs(lefts.setdefault(cell.column, box.x0) - box.x0) <= NEAR
        and abs(rights.setdefault(cell.column + cell.columns, box.x1) - box.x1) <= NEAR
        for cell, box in placed
    )


def _once(cells: Sequence[tuple[PlacedCell, BBox]]) -> list[tuple[PlacedCell, BBox]]:
    """``cells`` without those that lie in the box of another one, and say nothing or the same."""
    return [
        (cell, box)
        for cell, box in cells
        if not any(
            other.area > box.area + 1 and box.overlap(other) > 0.9 and cell.text in ("", around.text)
            for around, other in cells
        )
    ]


def _by_place(cells: Sequence[tuple[PlacedCell, BBox]], words: Sequence[Word]) -> CellGrid | None:
    """``cells`` in the places of their boxes, and cells of ``words`` in places that have none."""
    slots = {slot.bbox: slot for slot in slots_of([astuple(box) for _, box in cells])}
    if len(slots) < len(cells):
        return None
    own = [slots[box] for _, box in cells]
    xs = _edges([(slot.column, slot.bbox.x0, slot.bbox.x1) for slot in own if slot.columns == 1])
    ys = _edges([(slot.row, slot.bbox.y0, slot.bbox.y1) for slot in own if slot.rows == 1])
    placed = [
        replace(cell, row=slot.row, column=slot.column, rows=slot.rows, columns=slot.columns)
        for (cell, _), slot in zip(cells, own, strict=True)
    ]
    grid = CellGrid((), xs, ys).with_cells(placed)
    if not xs or not ys or not grid.is_whole:
        return None
    placed_cells = set(placed)
    whole = [
        cell if cell in placed_cells else replace(cell, text=as_html(read(grid.words_in(cell, words))))
        for cell in grid.filled().cells
    ]
    every = Counter(
        "".join(word.text for word in words if BBox.union(box for _, box in cells).has_center_of(word.bbox))
    )
    letters = Counter("".join("".join(plain_text(cell.text).split()) for cell in whole))
    return grid.with_cells(whole) if letters <= every else grid.filled()


def _edges(spans: Sequence[tuple[int, float, float]], count: int | None = None) -> Edges:
    """The edges of all columns or rows, of each the first ones told; empty where one of them has none."""
    edges: dict[int, tuple[float, float]] = {}
    for number, first, last in spans:
        edges.setdefault(number, (first, last))
    numbers = range(len(edges) if count is None else count)
    return tuple(edges[number] for number in numbers) if set(numbers) <= set(edges) else ()


def words_box(box: BBox, words: Sequence[Word]) -> BBox | None:
    """What the words in ``box`` cover; ``None`` without words."""
    inside = [word.bbox for word in words if box.has_center_of(word.bbox)]
    return BBox.union(inside) if inside else None


def close_words(line: Sequence[Word]) -> list[list[Word]]:
    """The words of one printed line, from left to right, divided at wide gaps."""
    ordered = sorted(line, key=lambda word: word.bbox.x0)
    return runs_of(ordered, lambda a, b: b.bbox.x0 - a.bbox.x1 < GAP * b.bbox.height)


def read(words: Iterable[Word]) -> str:
    """The text of ``words``, line by line."""
    return joined(*(word.text for line in in_rows(words, lambda word: word.bbox) for word in line))


def without_leader(text: str) -> str:
    """``text`` without dots that lead to what follows it."""
    return _LEADER.sub("", text) or text


def joined(*texts: str) -> str:
    """Texts of cells as one, without empty ones."""
    return " ".join(text for text in texts if text)


def plain_text(text: str) -> str:
    """The HTML of a cell as plain text."""
    return " ".join(unescape(re.sub("<[^>]*>", " ", text)).split())


def as_html(text: str) -> str:
    """Plain text as the HTML of a cell."""
    return escape(text, quote=False)


def _html(cell: PlacedCell) -> str:
    tag = "th" if cell.head else "td"
    columns = f' colspan="{cell.columns}"' if cell.columns > 1 else ""
    rows = f' rowspan="{cell.rows}"' if cell.rows > 1 else ""
    return f"<{tag}{columns}{rows}>{cell.text}</{tag}>"
