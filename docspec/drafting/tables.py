"""Tables of the text layer as HTML: PyMuPDF's table finder, with the spans and header cells that it
recognises.

The spelling is plain (``<table><tr><th>..</th></tr><tr><td>..``): ``<thead>``, Markdown pipes and the like
are the dialects' business.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape, unescape
from typing import Any

from docspec.core import BBox, CellBoxes
from docspec.core.grouping import runs_of
from docspec.core.marks import Mark
from docspec.core.raised import plain
from docspec.drafting.body_rows import body_row
from docspec.drafting.cell_grid import CellGrid, grid_of
from docspec.drafting.cell_repairs import settled, without_notes, without_typed_lines
from docspec.drafting.column_cuts import with_columns_cut
from docspec.drafting.drawn_grids import Word
from docspec.drafting.left_out import with_cells_filled, with_rows_left_out
from docspec.drafting.lines import TextLine, joined_row, printed_lines, without_spaces
from docspec.drafting.page_lines import cell_texts
from docspec.drafting.printed import Printed
from docspec.drafting.right_to_left import has_right_to_left

THIN = 3.0
"""Most points that a drawn line is high."""

JOINT = 1.0
"""Most points between two pieces of a line."""

TOUCH = 2.0
"""Most points between two tables that were one before they were parted."""

_BREAK = re.compile(r"\s*<br\s*/?>\s*")
_CELL = re.compile(r"(<t[dh]\b[^>]*>)(.*?)(</t[dh]>)", re.DOTALL)
_TAG = re.compile("<[^>]*>")
_SPECIAL = ("raised", "lowered", "struck")
_HEAD_OF_CELL = re.compile(r"<t[dh]\b")
_LAST_ROW = re.compile(r'<tr><t[dh] colspan="(\d+)">([^<]*)</t[dh]></tr></table>$')


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table in points: its box with its frame, its HTML, the places of its cells by rows (empty unless all are
    known), where the rows of its heads end (0 without), and whether drawn lines close all of its cells."""

    bbox: BBox
    html: str
    grid: CellBoxes = ()
    head_bottom: float = 0.0
    ruled: bool = False


def table_html(rows: Iterable[Iterable[str]]) -> str:
    """Texts of cells by rows as HTML. Empty without rows."""
    lines = ["".join(f"<td>{escape(text, quote=False)}</td>" for text in row) for row in rows]
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>" if lines else ""


def find_tables(printed: Printed, lines: Sequence[TextLine] = ()) -> list[FoundTable]:
    """The tables of a page that :func:`docspec.drafting.layout.analyse` has seen. The texts of cells are those of
    ``lines`` (points) where these say more than the letters: raised figures stay apart there."""
    tables, words = printed.tables, printed.words
    if not tables:
        return []
    if any(has_right_to_left(word.text) for word in words):
        _tell_by_place(printed.page, tables)
    drawings = [BBox(*rect) for rect in printed.page.cluster_drawings(drawings=printed.drawings)]
    strokes = _level_strokes(printed.drawings)
    boxes = [BBox(*table.bbox) for table in tables]
    result: list[FoundTable] = []
    last: Sequence[float] = ()
    for table, box in zip(tables, boxes, strict=True):
        html = _BREAK.sub(" ", table.to_html())
        own = [frame for frame in drawings if not any(one != box and frame.has_center_of(one) for one in boxes)]
        if "<td" in html or "<th" in html:
            seen = FoundTable(_framed(box, own), html, _grid(table), _head_bottom(table))
            one = _as_printed(*_settled(seen, table, words, strokes), lines)
            result += _with_head(result.pop(), one, last) if result and last else [one]
            last = table.rows[-1].bbox
    return result


def _settled(
    seen: FoundTable, table: Any, words: Sequence[Word], strokes: Sequence[BBox]
) -> tuple[FoundTable, list[BBox]]:
    """``seen``, whose cells PyMuPDF's ``table`` places, with what its words and lines show to be wrong mended, and the
    places of its cells in the order of reading."""
    places = [BBox(*cell) for row in table.rows for cell in row.cells if cell is not None]
    grid = grid_of(table, seen.html, words)
    if grid is None:
        return seen, places
    grid, words = without_typed_lines(grid, words)
    grid = with_cells_filled(with_rows_left_out(grid, words, seen.bbox), words)
    grid = with_columns_cut(grid, words, body_row(grid))
    inner = without_notes(grid, words, strokes)
    mended = settled(inner, words, strokes).filled()
    if mended.html() == seen.html:
        return seen, places
    top, bottom = inner.ys[0][0], inner.ys[-1][1]
    bbox = seen.bbox
    bbox = replace(bbox, y0=top) if top > grid.ys[0][0] else bbox
    bbox = replace(bbox, y1=bottom) if bottom < grid.ys[-1][1] else bbox
    return found_table(mended, bbox), [mended.box(cell) for cell in mended.cells]


def found_table(grid: CellGrid, bbox: BBox) -> FoundTable:
    """``grid`` as the table in ``bbox``."""
    whole = grid.plain and len(grid.cells) == len(grid.xs) * len(grid.ys)
    boxes = tuple(tuple(grid.box(cell) for cell in grid.row(row)) for row in range(len(grid.ys))) if whole else ()
    return FoundTable(bbox, grid.html(), boxes, grid.ys[grid.head_rows - 1][1] if grid.head_rows else 0.0)


def _level_strokes(drawings: Sequence[Mapping[str, Any]]) -> list[BBox]:
    """The level lines among the ``drawings`` of a page, also those that are drawn as thin rectangles. Pieces that touch
    are one line: browsers and word processors draw the border of each cell for itself."""
    boxes = (BBox(*drawing["rect"]) for drawing in drawings)
    pieces = sorted((box for box in boxes if box.height <= THIN < box.width), key=lambda box: (_height(box), box.x0))
    return [BBox.union(run) for run in runs_of(pieces, lambda a, b: _height(a) == _height(b) and b.x0 - a.x1 <= JOINT)]


def _height(stroke: BBox) -> float:
    return round(stroke.center_y, 1)


def _as_printed(found: FoundTable, places: Sequence[BBox], lines: Sequence[TextLine]) -> FoundTable:
    """``found`` with the cells that hold raised or lowered characters written as the ``lines`` in them are. Cells are
    told apart by their ``places`` if all have one, else by their letters."""
    special = [line for line in lines if line.has(*_SPECIAL) and found.bbox.has_center_of(line.bbox)]
    if not special:
        return found
    if len(places) != len(_CELL.findall(found.html)):
        places = []
    written = {}
    for number, cell in enumerate(_CELL.finditer(found.html)):
        letters = unescape(_TAG.sub("", cell[2]))
        inside = [line for line in lines if places[number].has_center_of(line.bbox)] if places else []
        choices = [inside] if inside else [[line] for line in special]
        for chosen in choices:
            if (text := printed_text(chosen, letters)) is not None:
                written[number] = escape(text, quote=False)
                break
        if number in written and not inside:
            special = [line for line in special if line not in chosen]
    count = itertools.count()
    html = _CELL.sub(lambda cell: f"{cell[1]}{written.get(next(count), cell[2])}{cell[3]}", found.html)
    return replace(found, html=html)


def printed_text(lines: Sequence[TextLine], unmarked: str) -> str | None:
    """The text of the ``lines`` of a cell with raised, lowered and struck characters; ``None`` if they have none, or
    other letters than ``unmarked``, its text without them."""
    rows = [joined_row(row) for row in printed_lines(lines)]
    text = " ".join(text for text, _ in rows)
    if not any(line.has(*_SPECIAL) for line in lines) or _letters(text) != _letters(unmarked):
        return None
    return " ".join(struck_text(*row) for row in rows)


def struck_text(text: str, marks: Sequence[Mark]) -> str:
    """``text`` with ``~~`` around what is struck through."""
    for mark in sorted(marks, key=lambda mark: -mark.start):
        if mark.kind == "struck":
            text = f"{text[: mark.start]}~~{text[mark.start : mark.end]}~~{text[mark.end :]}"
    return text


def _letters(text: str) -> list[str]:
    """The characters of ``text`` in any order, raised ones as ordinary ones: the finder moves them."""
    return sorted(without_spaces(unicodedata.normalize("NFKC", plain(text))))


def _with_head(upper: FoundTable, lower: FoundTable, last: Sequence[float]) -> tuple[FoundTable, FoundTable]:
    """Two tables right below each other with the same columns, in which a last row of ``upper`` across all of them
    becomes the head of ``lower``: PyMuPDF parts tables where the heads of the columns are repeated, and the row above
    these is the next table's. ``last`` is the box of that row."""
    row, columns = _LAST_ROW.search(upper.html), _columns_of(upper.html)
    touches = abs(lower.bbox.y0 - upper.bbox.y1) < TOUCH and upper.bbox.shared_width(lower.bbox) > 0
    if row is None or not touches or not 1 < int(row[1]) == columns == _columns_of(lower.html):
        return upper, lower
    rest = f"{upper.html[: row.start()]}</table>"
    head = f'<table><tr><th colspan="{columns}">{row[2]}</th></tr>'
    return (
        FoundTable(replace(upper.bbox, y1=last[1]), rest),
        FoundTable(replace(lower.bbox, y0=last[1]), lower.html.replace("<table>", head, 1)),
    )


def _columns_of(html: str) -> int:
    """How many columns the first row of a table takes that has no cell over several."""
    rows = (row for row in html.split("<tr>")[1:] if "colspan" not in row)
    return max((len(_HEAD_OF_CELL.findall(row)) for row in rows), default=0)


def _tell_by_place(page: Any, tables: Sequence[Any]) -> None:
    """Gives the cells of ``tables`` their words in the order of reading: PyMuPDF has them from left to right."""
    for table in tables:
        cells = [cell for row in table.placements or () for cell in row if cell.bbox is not None]
        for cell, lines in zip(cells, cell_texts(page, [BBox(*cell.bbox) for cell in cells]), strict=True):
            if has_right_to_left(cell.text):
                cell.text = " ".join(text for _, text in lines)


def _grid(table: Any) -> CellBoxes:
    rows = [row.cells for row in table.rows]
    if any(cell is None for row in rows for cell in row):
        return ()
    return tuple(tuple(BBox(*cell) for cell in row) for row in rows)


def _head_bottom(table: Any) -> float:
    heads = [cell.bbox for row in table.placements or () for cell in row if cell.tag == "th" and cell.bbox]
    return max((bbox[3] for bbox in heads), default=0.0)


def _framed(box: BBox, drawings: list[BBox]) -> BBox:
    """The table's box with its ruled frame: PyMuPDF reports the box of the text where the layout model
    found it.
    """
    frames = [frame for frame in drawings if box.overlap(frame) > 0.5 and frame.area < 3 * box.area]
    return BBox.union([box, *frames])
