"""Pages as dots.ocr's layout JSON: a list of pages, each a list of cells, boxes in pixels of the page image.

Every cell has its keys in dots.ocr's order; pictures have no text, and blocks of unknown place no box.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from docspec.core import Block, Category, PageResult
from docspec.core.safe_text import dump_json
from docspec.reporting.renderer import Renderer


class DotsRenderer(Renderer):
    """Writes one page a line; a page that failed is an empty list."""

    def __init__(self) -> None:
        self._first_page = True

    def begin(self, source: str, sha256: str) -> str:
        return "["

    def page(self, result: PageResult, figures: Mapping[int, str]) -> str:
        gap = "\n" if self._first_page else ",\n"
        self._first_page = False
        return gap + dump_json(list(map(_cell, result.blocks)))

    def end(self) -> str:
        return "\n]\n"


def _cell(block: Block) -> dict[str, Any]:
    values: dict[str, Any] = {} if block.bbox is None else {"bbox": list(block.bbox.rounded())}
    values["category"] = block.category.value
    if block.category is not Category.PICTURE:
        values["text"] = block.text
    return values
