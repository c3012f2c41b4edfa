"""PP-StructureV3's result (the JSON of paddlex 3.7, live or saved) as draft regions in docspec's terms.

``parsing_res_list`` is in reading order; ``block_order`` is not used, since it is null for tables and for
every label that the library's Markdown leaves out. The pipeline's own ``block_content`` joins lines by rules for
running text: it drops hyphens and invents breaks. The recognised pieces of print behind a block, put back into printed
lines, are the better first reading, and without a table model they still give the table's rows.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from docspec.core import BBox, Category, Region
from docspec.drafting.layout import table_html
from docspec.drafting.lines import TextLine, join_lines, printed_lines
from docspec.drafting.safe import MAX_REGIONS, finite_box

CATEGORIES: dict[str, Category] = {
    "doc_title": Category.TITLE,
    **dict.fromkeys(
        ("paragraph_title", "abstract_title", "reference_title", "refer_title", "content_title"),
        Category.SECTION_HEADER,
    ),
    **dict.fromkeys(
        ("text", "abstract", "content", "reference", "algorithm", "aside_text", "vertical_text"), Category.TEXT
    ),
    "reference_content": Category.LIST_ITEM,  # targets differ between List-item and Text: dialects try both
    **dict.fromkeys(("figure_title", "table_title", "chart_title", "figure_table_chart_title"), Category.CAPTION),
    **dict.fromkeys(("footnote", "vision_footnote"), Category.FOOTNOTE),
    "header": Category.PAGE_HEADER,
    "footer": Category.PAGE_FOOTER,
    **dict.fromkeys(
        ("image", "figure", "chart", "flowchart", "seal", "header_image", "footer_image"), Category.PICTURE
    ),
    "table": Category.TABLE,
    **dict.fromkeys(("formula", "display_formula", "inline_formula"), Category.FORMULA),
}
"""PP-StructureV3's labels; ``number`` and ``formula_number`` depend on the page, unknown labels are Text."""

MAX_LAYOUT = 500
"""Most layout boxes searched for a block's score."""

_TABLE = re.compile(r"<table\b.*</table>", re.DOTALL | re.IGNORECASE)
_TABLE_TAG = re.compile(r"<table\b[^>]*>", re.IGNORECASE)
_BETWEEN_TAGS = re.compile(r">\s+<")
_CENTERED = re.compile(r"\s*<div[^>]*>(.*)</div>\s*", re.DOTALL)
_BLANKS = re.compile(r"[ \t]*\n\s*")
_NOT_WORD = re.compile(r"[\W_]+")

MAX_PIECES = 20_000
"""Most text lines, formulas and boxes used of one result; the pipeline finds 1,000 lines at most."""


def regions_from_result(result: Mapping[str, Any], width: int, height: int) -> tuple[Region, ...]:
    """The regions of one page's result in reading order, boxes in pixels of a page image of that size.

    ``result`` is ``res.json["res"]``. Texts are the lines as printed, or the pipeline's own text if that
    differs. Confidence is the mean score of the recognised lines, else the layout model's score.
    """
    size = (float(result.get("width") or width), float(result.get("height") or height))
    pieces = readings(result)
    formulas = formula_boxes(result)
    labels: list[str] = []
    regions: list[Region] = []
    for block in (result.get("parsing_res_list") or ())[: 2 * MAX_REGIONS]:
        region = _region(block, result, pieces, formulas, size[1])
        if region is not None:
            labels.append(str(block.get("block_label", "text")))
            regions.append(region)
    regions = _fold_formula_numbers(regions, labels, as_latex=bool(formulas))
    sx, sy = width / size[0], height / size[1]
    return tuple(replace(r, bbox=r.bbox.scaled(sx, sy).clamped(width, height)) for r in regions)


def clean_text(text: str, category: Category) -> str:
    """A block's text without the markup that the library or a target puts around it.

    Tables become bare ``<table>...</table>``, formulas lose ``$`` and ``\\[``, headings lose ``#``.
    """
    if category is Category.TABLE:
        table = _TABLE.search(text)
        return _BETWEEN_TAGS.sub("><", _TABLE_TAG.sub("<table>", table[0])) if table else ""
    centered = _CENTERED.fullmatch(text)
    text = (centered[1] if centered else text).strip()
    if category is Category.FORMULA:
        return _bare_latex(text)
    if category.is_heading:
        text = re.sub(r"^#{1,6}\s+", "", text)
    return _BLANKS.sub("\n", text)


def _bare_latex(text: str) -> str:
    for opening, closing in (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$")):
        if text.startswith(opening) and text.endswith(closing) and len(text) >= len(opening) + len(closing):
            inner = text[len(opening) : -len(closing)].strip()
            return inner if opening != "$" or "$" not in inner else text
    return text


def _region(
    block: Mapping[str, Any],
    result: Mapping[str, Any],
    pieces: Sequence[TextLine],
    formulas: Sequence[BBox],
    page_height: float,
) -> Region | None:
    box = finite_box(block.get("block_bbox"))
    if box is None:
        return None
    label = str(block.get("block_label", "text"))
    category = _category(label, box, page_height)
    here = inside(pieces, box)
    scores = [piece.confidence for piece in here]
    confidence = sum(scores) / len(scores) if scores else _layout_score(result, box)
    content = clean_text(str(block.get("block_content") or ""), category)
    if category is Category.PICTURE:
        return Region(box, category, (), _layout_score(result, box), chart=label == "chart")
    if category is Category.TABLE:
        text = content or table_html([piece.text for piece in row] for row in rows_of(here))
        return Region(box, category, (text,) if text else (), confidence)
    if category is Category.FORMULA or any(formula.overlap(box) > 0.5 for formula in formulas):
        return Region(box, category, (content,) if content else (), confidence)
    return Region(box, category, _spellings(join_lines(rows_of(here)), content), confidence)


def _category(label: str, box: BBox, page_height: float) -> Category:
    if label == "number":
        upper = box.center_y < page_height / 2
        return Category.PAGE_HEADER if upper else Category.PAGE_FOOTER
    return CATEGORIES.get(label, Category.TEXT)


def _spellings(printed: str, content: str) -> tuple[str, ...]:
    """The useful readings. The pipeline's own text is only kept if it differs from the print (a crop read
    again, a line shared by two blocks); it is then the better one.
    """
    same = _NOT_WORD.sub("", printed) == _NOT_WORD.sub("", content)
    readings = (printed or content,) if same or not content else (content, printed)
    return tuple(text for text in readings if text)


def _layout_score(result: Mapping[str, Any], box: BBox) -> float:
    """The score of the layout box of a block; 1 if the result does not tell."""
    best, score = 0.5, 1.0
    for entry in ((result.get("layout_det_res") or {}).get("boxes") or ())[:MAX_LAYOUT]:
        other = finite_box(entry.get("coordinate"))
        if other is None:
            continue
        agreement = min(box.overlap(other), other.overlap(box))
        if agreement > best:
            best, score = agreement, float(entry.get("score", 1.0))
    return score


def _fold_formula_numbers(regions: Sequence[Region], labels: Sequence[str], as_latex: bool) -> list[Region]:
    """Each formula number joined to the formula on its line; a number without a formula stays as text."""
    kept: list[Region | None] = list(regions)
    for index, label in enumerate(labels):
        if label != "formula_number":
            continue
        number = regions[index]
        home = _formula_beside(number, regions)
        if home is None:
            continue
        formula = kept[home]
        assert formula is not None  # only numbers are removed
        kept[home] = replace(
            formula,
            bbox=BBox.union((formula.bbox, number.bbox)),
            texts=_numbered(formula.texts, number.texts, as_latex),
        )
        kept[index] = None
    return [region for region in kept if region is not None]


def _formula_beside(number: Region, regions: Sequence[Region]) -> int | None:
    """The index of the nearest formula that shares half of the number's height."""
    beside = [
        (abs(r.bbox.center_y - number.bbox.center_y), index)
        for index, r in enumerate(regions)
        if r.category is Category.FORMULA and r.bbox.shared_height(number.bbox) > number.bbox.height / 2
    ]
    return min(beside)[1] if beside else None


def _numbered(formula: tuple[str, ...], number: tuple[str, ...], as_latex: bool) -> tuple[str, ...]:
    """The formula's readings with the number, LaTeX's way (``\\tag{1}``) or as printed, and without it."""
    if not number:
        return formula
    label = number[0].strip()
    if not formula:
        return (label,)
    tagged = f"{formula[0]} \\tag{{{label.strip('()（）').strip()}}}" if as_latex else f"{formula[0]} {label}"
    return (tagged, *formula)


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
    places = (finite_box(formula.get("dt_polys")) for formula in (result.get("formula_res_list") or ())[:MAX_PIECES])
    return [box for box in places if box is not None]


def inside(pieces: Sequence[TextLine], box: BBox) -> list[TextLine]:
    """The ``pieces`` (from top to bottom) that lie in ``box`` with more than half of their area."""
    first, last = bisect_left(pieces, box.y0, key=_middle), bisect_right(pieces, box.y1, key=_middle)
    return [piece for piece in pieces[first:last] if piece.bbox.overlap(box) > 0.5]


def rows_of(pieces: Sequence[TextLine]) -> list[list[TextLine]]:
    """The pieces in printed lines; none for vertical print (most pieces much taller than wide)."""
    tall = sum(piece.bbox.height > 1.5 * piece.bbox.width and len(piece.text) > 1 for piece in pieces)
    return [] if 2 * tall > len(pieces) else printed_lines(pieces)


def _middle(piece: TextLine) -> float:
    return piece.bbox.center_y
