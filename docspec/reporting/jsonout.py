"""Blocks to JSON, schema ``docspec.document/1``: boxes, categories, texts and page numbers for programs.

One page stands on one line, so that a document of any length is written as it is read and still greps well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from docspec.core import Block, PageResult
from docspec.core.safe_text import dump_json
from docspec.reporting.renderer import Layout, visible_blocks

SCHEMA = "docspec.document/1"


class JsonRenderer:
    """Writes ``{"schema", "source", "sha256", "pages": [...]}``."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._first_page = True

    def begin(self, source: str, sha256: str) -> str:
        head = f'"schema": {dump_json(SCHEMA)}, "source": {dump_json(source)}, "sha256": {dump_json(sha256)}'
        return "{" + head + ', "pages": ['

    def page(self, result: PageResult, figures: Mapping[int, str]) -> str:
        gap = "\n" if self._first_page else ",\n"
        self._first_page = False
        return gap + dump_json(page_object(result, figures, self._layout))

    def end(self) -> str:
        return "\n]}\n"


def page_object(result: PageResult, figures: Mapping[int, str], layout: Layout) -> dict[str, Any]:
    """One page as plain JSON values. ``width`` and ``height`` are pixels; boxes are ``[x0, y0, x1, y1]`` in
    them.
    """
    page: dict[str, Any] = {
        "page": result.number,
        "status": result.status,
        "width": result.width,
        "height": result.height,
        "blocks": [
            _block_object(block, result.number, figures.get(index))
            for index, block in visible_blocks(result, layout)
        ],
    }
    if result.cut is not None:
        page["cut"] = asdict(result.cut)
    if layout.raw:
        page["raw"] = result.text
    if result.error is not None:
        page["error"] = result.error
    return page


def _block_object(block: Block, number: int, figure: str | None) -> dict[str, Any]:
    values: dict[str, Any] = {
        "page": number,
        "category": block.category.value,
        "bbox": None if block.bbox is None else list(block.bbox.rounded()),
        "bbox_from": block.bbox_from,
        "text": block.text,
    }
    if block.reread:
        values["reread"] = True
    if figure is not None:
        values["figure"] = figure
    return values
