"""The cells of a table with the characters of its text that each of them holds, in HTML and with bars."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from docspec.core import BBox, Block, Category, CellBoxes
from docspec.core.places import PlacedCell, PlacedWord

MOST_CELLS = 20_000
MOST_SPAN = 1000

_TAG = re.compile(r"<(/?)(table|tr|td|th)\b([^<>]{0,200})>", re.IGNORECASE)
_SPAN = re.compile(r"\b(row|col)span\s*=\s*[\"']?(\d{1,4})", re.IGNORECASE)
_BAR = re.compile(r"(?<!\\)\|")
_RULER = re.compile(r"[\s|:]*-[\s|:-]*")


@dataclass(slots=True)
class _Raw:
    start: int
    end: int
    rows: int = 1
    columns: int = 1


def cells_of(block: Block, words: Sequence[PlacedWord], grid: CellBoxes = ()) -> tuple[PlacedCell, ...]:
    """The cells of the first table in ``block`` with their boxes; ``grid`` are those that the draft has."""
    if block.category is not Category.TABLE:
        return ()
    is_html = "<t" in block.text.casefold()
    placed = _placed(_html_rows(block.text) if is_html else _bar_rows(block.text))
    shape = (1 + max((cell.row for cell in placed), default=-1), max((c.column + c.columns for c in placed), default=0))
    drawn = grid if (len(grid), max(map(len, grid), default=0)) == shape else ()
    known = [word for word in words if word.is_known]
    at = 0
    cells = []
    for cell in sorted(placed, key=lambda one: one.start):
        boxes: list[BBox] = []
        while at < len(known) and known[at].start < cell.end:
            if known[at].start >= cell.start:
                boxes += known[at].boxes
            at += 1
        if drawn:
            rows = drawn[cell.row : cell.row + cell.rows]
            boxes = [box for row in rows for box in row[cell.column : cell.column + cell.columns]] or boxes
        box = BBox.union(boxes) if boxes else None
        cells.append(PlacedCell(cell.start, cell.end, cell.row, cell.column, cell.rows, cell.columns, box))
    return tuple(cells)


def _html_rows(text: str) -> Iterator[list[_Raw]]:
    """The rows of the first table of ``text``; what stands in a cell, other tables too, is its text."""
    row: list[_Raw] = []
    cell: _Raw | None = None
    depth = 0
    for tag in _TAG.finditer(text):
        closing, name = bool(tag[1]), tag[2].lower()
        if name == "table":
            depth += -1 if closing else 1
            if depth <= 0:
                break
        if depth > 1:
            continue
        if cell is not None and name != "table":
            cell.end, cell = tag.start(), None
        if name == "tr":
            if row:
                yield row
            row = []
        elif name in ("td", "th") and not closing:
            spans = {kind.lower(): min(max(1, int(count)), MOST_SPAN) for kind, count in _SPAN.findall(tag[3])}
            cell = _Raw(tag.end(), len(text), spans.get("row", 1), spans.get("col", 1))
            row.append(cell)
    if row:
        yield row


def _bar_rows(text: str) -> Iterator[list[_Raw]]:
    start = 0
    for line in text.splitlines(keepends=True):
        bars = [match.start() for match in _BAR.finditer(line)]
        if bars and not _RULER.fullmatch(line):
            edges = [*([] if not line[: bars[0]].strip() else [-1]), *bars]
            edges += [len(line.rstrip())] if line[bars[-1] + 1 :].strip() else []
            yield [_Raw(start + a + 1, start + b) for a, b in pairwise(edges)]
        start += len(line)


def _placed(rows: Iterator[list[_Raw]]) -> list[PlacedCell]:
    """Cells with their columns: each takes the first place in its row that no cell from above reaches into."""
    taken: set[tuple[int, int]] = set()
    cells: list[PlacedCell] = []
    for row, own in enumerate(rows):
        column = 0
        for cell in own:
            while (row, column) in taken:
                column += 1
            if len(taken) + cell.rows * cell.columns > MOST_CELLS:
                return cells
            taken.update((row + y, column + x) for y in range(cell.rows) for x in range(cell.columns))
            cells.append(PlacedCell(cell.start, cell.end, row, column, cell.rows, cell.columns))
    return cells
