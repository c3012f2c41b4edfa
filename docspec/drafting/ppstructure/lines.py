"""The recognised pieces of print behind PP-StructureV3's blocks, put back into printed lines.

The pipeline's own ``block_content`` joins lines by rules for running text: it drops hyphens and invents
breaks. The lines as printed are the better first reading, and where no table model is there they still give
the table's rows.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docspec.core import BBox


@dataclass(frozen=True, slots=True)
class Reading:
    """One recognised piece of print, its box in pixels of the result, its score 0..1."""

    bbox: BBox
    text: str
    score: float


def readings(result: Mapping[str, Any]) -> list[Reading]:
    """The non-empty text readings of a result; formulas, which the pipeline appends to them, are left out."""
    ocr = result.get("overall_ocr_res") or {}
    texts = ocr.get("rec_texts") or ()
    scores = ocr.get("rec_scores") or [1.0] * len(texts)
    formulas = set(formula_boxes(result))
    return [
        Reading(box, text.strip(), float(score))
        for box, text, score in zip(map(to_box, ocr.get("rec_boxes") or ()), texts, scores, strict=False)
        if text.strip() and box is not None and box not in formulas
    ]


def formula_boxes(result: Mapping[str, Any]) -> list[BBox]:
    """Where the formula recogniser read, in pixels of the result."""
    places = (to_box(formula.get("dt_polys")) for formula in result.get("formula_res_list") or ())
    return [box for box in places if box is not None]


def to_box(corners: Any) -> BBox | None:
    """``[x0, y0, x1, y1]`` of a result as a box; ``None`` for anything else and for boxes without area."""
    try:
        x0, y0, x1, y1 = map(float, corners)
    except (TypeError, ValueError):
        return None
    box = BBox(x0, y0, x1, y1)
    return box if box.area > 0 else None


def inside(pieces: Iterable[Reading], box: BBox) -> list[Reading]:
    """The pieces that lie in ``box`` with more than half of their area."""
    return [piece for piece in pieces if piece.bbox.overlap(box) > 0.5]


def printed_lines(pieces: Sequence[Reading]) -> list[list[Reading]]:
    """The pieces from top to bottom, those on one line together and from left to right.

    Empty for vertical print (most pieces much taller than wide), which has no such lines.
    """
    tall = sum(piece.bbox.height > 1.5 * piece.bbox.width and len(piece.text) > 1 for piece in pieces)
    if 2 * tall > len(pieces):
        return []
    lines: list[list[Reading]] = []
    for piece in sorted(pieces, key=lambda p: p.bbox.y0 + p.bbox.y1):
        middle = (piece.bbox.y0 + piece.bbox.y1) / 2
        if lines and middle < _middle_of_lower_half(lines[-1]):
            lines[-1].append(piece)
        else:
            lines.append([piece])
    return [sorted(line, key=lambda p: p.bbox.x0) for line in lines]


def lines_text(lines: Iterable[Sequence[Reading]]) -> str:
    """The lines' text, ``\\n`` where the print breaks."""
    return "\n".join(" ".join(piece.text for piece in line) for line in lines)


def lines_table(lines: Iterable[Sequence[Reading]]) -> str:
    """A table of one row a line and one cell a piece, as HTML; ``""`` for no lines."""
    cells = ("".join(f"<td>{html.escape(piece.text, quote=False)}</td>" for piece in line) for line in lines)
    rows = "".join(f"<tr>{row}</tr>" for row in cells)
    return f"<table>{rows}</table>" if rows else ""


def _middle_of_lower_half(line: Sequence[Reading]) -> float:
    """The height above which a further piece's middle still belongs to the line."""
    top = min(piece.bbox.y0 for piece in line)
    return top + 0.75 * (max(piece.bbox.y1 for piece in line) - top)
