"""Tables of the text layer as HTML: PyMuPDF's table finder, with the spans and header cells that it
recognises.

The spelling is plain (``<table><tr><th>..</th></tr><tr><td>..``): ``<thead>``, Markdown pipes and the like
are the dialects' business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from docspec.core import BBox, CellBoxes

_BREAK = re.compile(r"\s*<br\s*/?>\s*")


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
    drawings = [BBox(*rect) for rect in page.cluster_drawings()] if tables else []
    found = []
    for table in tables:
        html = _BREAK.sub(" ", table.to_html())
        if "<td" in html or "<th" in html:
            found.append(FoundTable(_framed(BBox(*table.bbox), drawings), html, _grid(table)))
    return found


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
