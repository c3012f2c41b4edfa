"""Tables of the text layer as HTML: PyMuPDF's table finder, with the spans and header cells that it
recognises.

The spelling is plain (``<table><tr><th>..</th></tr><tr><td>..``): ``<thead>``, Markdown pipes and the like
are the dialects' business.
"""

from __future__ import annotations

import re
from typing import Any

from docspec.core import BBox

_BREAK = re.compile(r"\s*<br\s*/?>\s*")


def find_tables(page: Any) -> list[tuple[BBox, str]]:
    """The tables of a page that :func:`docspec.drafting.layout.analyse` has seen: box in points, HTML."""
    tables = page.find_tables(use_layout=True, union=True, refine=True).tables or ()
    drawings = [BBox(*rect) for rect in page.cluster_drawings()] if tables else []
    found = []
    for table in tables:
        html = _BREAK.sub(" ", table.to_html())
        if "<td" in html or "<th" in html:
            found.append((_framed(BBox(*table.bbox), drawings), html))
    return found


def _framed(box: BBox, drawings: list[BBox]) -> BBox:
    """The table's box with its ruled frame: PyMuPDF reports the box of the text where the layout model
    found it.
    """
    frames = [frame for frame in drawings if box.overlap(frame) > 0.5 and frame.area < 3 * box.area]
    return BBox.union([box, *frames])


def tables_within(bbox: BBox, tables: list[tuple[BBox, str]]) -> list[tuple[BBox, str]]:
    """The tables that lie mostly inside ``bbox``, in their order."""
    return [(box, html) for box, html in tables if box.overlap(bbox) > 0.5]
