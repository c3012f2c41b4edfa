"""Tables of the text layer as HTML: PyMuPDF's table finder, with the spans and header cells that it
recognises.

The spelling is plain (``<table><tr><th>..</th></tr><tr><td>..``): ``<thead>``, Markdown pipes and the like
are the dialects' business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from docspec.core import BBox, CellBoxes
from docspec.drafting.lines import cell_texts
from docspec.drafting.right_to_left import has_right_to_left

TOUCH = 2.0
"""Most points between two tables that were one before they were parted."""

_BREAK = re.compile(r"\s*<br\s*/?>\s*")
_CELL = re.compile(r"<t[dh]\b")
_LAST_ROW = re.compile(r'<tr><t[dh] colspan="(\d+)">([^<]*)</t[dh]></tr></table>$')


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table in points: its box with its frame, its HTML, and the places of its cells by rows (empty unless all are
    known)."""

    bbox: BBox
    html: str
    grid: CellBoxes = ()


def table_html(rows: Iterable[Iterable[str]], headed: bool = False) -> str:
    """Texts of cells by rows as HTML; ``headed``: those of the first row are heads. Empty without rows."""
    told = [
        "".join(f"<{kind}>{escape(text, quote=False)}</{kind}>" for text in row)
        for number, row in enumerate(rows)
        for kind in ("th" if headed and number == 0 else "td",)
    ]
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in told)}</table>" if told else ""


def find_tables(page: Any) -> list[FoundTable]:
    """The tables of a page that :func:`docspec.drafting.layout.analyse` has seen."""
    tables = page.find_tables(use_layout=True, union=True, refine=True).tables or ()
    if tables and has_right_to_left(page.get_text()):
        _tell_by_place(page, tables)
    drawings = [BBox(*rect) for rect in page.cluster_drawings()] if tables else []
    boxes = [BBox(*table.bbox) for table in tables]
    found: list[FoundTable] = []
    last: Sequence[float] = ()
    for table, box in zip(tables, boxes, strict=True):
        html = _BREAK.sub(" ", table.to_html())
        own = [frame for frame in drawings if not any(one != box and frame.has_center_of(one) for one in boxes)]
        if "<td" in html or "<th" in html:
            one = FoundTable(_framed(box, own), html, _grid(table))
            found += _with_head(found.pop(), one, last) if found and last else [one]
            last = table.rows[-1].bbox
    return found


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
    return max((len(_CELL.findall(row)) for row in rows), default=0)


def _tell_by_place(page: Any, tables: Sequence[Any]) -> None:
    """Gives the cells of ``tables`` their words in the order of reading: PyMuPDF has them from left to right."""
    for table in tables:
        cells = [cell for row in table.placements or () for cell in row if cell.bbox is not None]
        for cell, told in zip(cells, cell_texts(page, [BBox(*cell.bbox) for cell in cells]), strict=True):
            if has_right_to_left(cell.text):
                cell.text = " ".join(text for _, text in told)


def _grid(table: Any) -> CellBoxes:
    rows = [row.cells for row in table.rows]
    if any(cell is None for row in rows for cell in row):
        return ()
    return tuple(tuple(BBox(*cell) for cell in row) for row in rows)


def _framed(box: BBox, drawings: list[BBox]) -> BBox:
    """The table's box with its ruled frame: PyMuPDF reports the box of the text where the layout model
    found it.
    """
    frames = [frame for frame in drawings if box.overlap(frame) > 0.5 and frame.area < 3 * box.area]
    return BBox.union([box, *frames])
