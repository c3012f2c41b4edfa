"""The recognised pieces of print behind PP-StructureV3's blocks, put back into printed lines.

The pipeline's own ``block_content`` joins lines by rules for running text: it drops hyphens and invents
breaks. The lines as printed are the better first reading, and without a table model they still give the
table's rows.
"""

from __future__ import annotations

import html
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from docspec.core import BBox
from docspec.drafting.bounds import finite_box
from docspec.drafting.lines import TextLine, printed_lines

MAX_PIECES = 20_000
"""Most text lines, formulas and boxes used of one result; the pipeline finds 1,000 lines at most."""


def readings(result: Mapping[str, Any]) -> list[TextLine]:
    """The non-empty text readings of a result, in its pixels, from top to bottom; formulas, which the pipeline appends
    to them, are left out."""
    ocr = result.get("overall_ocr_res") or {}
    texts = ocr.get("rec_texts") or ()
    scores = ocr.get("rec_scores") or [1.0] * len(texts)
    formulas = set(formula_boxes(result))
    boxes = map(finite_box, (ocr.get("rec_boxes") or ())[:MAX_PIECES])
    pieces = [
        TextLine(box, text.strip(), confidence=float(score), words="recognition")
        for box, text, score in zip(boxes, texts, scores, strict=False)
        if text.strip() and box is not None and box not in formulas
    ]
    return sorted(pieces, key=_middle)


def formula_boxes(result: Mapping[str, Any]) -> list[BBox]:
    """The boxes of the formula recogniser, in pixels of the result."""
    places = (finite_box(found.get("dt_polys")) for found in (result.get("formula_res_list") or ())[:MAX_PIECES])
    return [box for box in places if box is not None]


def inside(pieces: Sequence[TextLine], box: BBox) -> list[TextLine]:
    """The ``pieces`` (from top to bottom) that lie in ``box`` with more than half of their area."""
    first, last = bisect_left(pieces, box.y0, key=_middle), bisect_right(pieces, box.y1, key=_middle)
    return [piece for piece in pieces[first:last] if piece.bbox.overlap(box) > 0.5]


def rows_of(pieces: Sequence[TextLine]) -> list[list[TextLine]]:
    """The pieces in printed lines; none for vertical print (most pieces much taller than wide)."""
    tall = sum(piece.bbox.height > 1.5 * piece.bbox.width and len(piece.text) > 1 for piece in pieces)
    return [] if 2 * tall > len(pieces) else printed_lines(pieces)


def lines_table(lines: Iterable[Sequence[TextLine]]) -> str:
    """A table as HTML, with a row per line and a cell per piece; ``""`` without lines."""
    cells = ("".join(f"<td>{html.escape(piece.text, quote=False)}</td>" for piece in line) for line in lines)
    rows = "".join(f"<tr>{row}</tr>" for row in cells)
    return f"<table>{rows}</table>" if rows else ""


def _middle(piece: TextLine) -> float:
    return piece.bbox.center_y
