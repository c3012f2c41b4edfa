"""Layouts as MinerU2.5 writes them: a box, a kind and which way up, one region a line.

``<|box_start|>100 200 500 700<|box_end|><|ref_start|>table<|ref_end|><|rotate_up|>``: numbers run from 0 to 1000 over
the page's width and height (opendatalab/mineru-vl-utils, ``mineru_client.py`` and ``structs.py``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from docspec.core import BBox, Category, Region
from docspec.dialects.normalised import pixel_box

SCALE = 1000
_MARK = re.compile(r"<\|box_start\|>\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*<\|box_end\|><\|ref_start\|>(\w+)<\|ref_end\|>")
_CATEGORIES = {
    "text": Category.TEXT,
    "title": Category.SECTION_HEADER,
    "table": Category.TABLE,
    "image": Category.PICTURE,
    "equation": Category.FORMULA,
    "header": Category.PAGE_HEADER,
    "footer": Category.PAGE_FOOTER,
    "page_number": Category.PAGE_FOOTER,
    **dict.fromkeys(("page_footnote", "table_footnote", "image_footnote"), Category.FOOTNOTE),
    **dict.fromkeys(("table_caption", "image_caption", "code_caption"), Category.CAPTION),
    **dict.fromkeys(("code", "algorithm", "aside_text", "ref_text", "phonetic", "unknown"), Category.TEXT),
}
"""Kinds that are read. Boxes around lists and blocks of equations hold others that are read, too."""

_KINDS = {
    Category.CAPTION: "image_caption",
    Category.FOOTNOTE: "page_footnote",
    Category.FORMULA: "equation",
    Category.PAGE_FOOTER: "footer",
    Category.PAGE_HEADER: "header",
    Category.PICTURE: "image",
    Category.SECTION_HEADER: "title",
    Category.TABLE: "table",
    Category.TITLE: "title",
}


def spell_layout(regions: Iterable[Region], width: int, height: int) -> str:
    """The layout of ``regions`` as the model would write it."""
    lines = []
    for region in regions:
        box = region.bbox.scaled(SCALE / width, SCALE / height).clamped(SCALE, SCALE).rounded()
        kind = _KINDS.get(region.category, "text")
        numbers = " ".join(map(str, box))
        lines.append(f"<|box_start|>{numbers}<|box_end|><|ref_start|>{kind}<|ref_end|><|rotate_up|>")
    return "\n".join(lines)


def read_layout(text: str, width: int, height: int) -> list[tuple[Category, BBox]]:
    """The regions that ``text`` names, in its order, in pixels of the page; those without an area are left out."""
    places = []
    for mark in _MARK.finditer(text):
        category = _CATEGORIES.get(mark[5].lower())
        box = pixel_box(mark.groups()[:4], width, height, SCALE)
        if category is not None and box.area > 0:
            places.append((category, box))
    return places
