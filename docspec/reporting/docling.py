"""A document as docling's ``DoclingDocument`` in JSON, for tools that read it.

The schema is written here, as docling-core's requirements exclude the versions of other packages that this one is
tested with; the tests load it with docling-core. Texts, tables and pictures stand in lists of their own there, so the
document is written at its end and held in memory until then.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from docspec.core import Block, Category, PageResult
from docspec.core.formulas import bare_formula
from docspec.core.safe_text import dump_json
from docspec.reporting.headings import HeadingLevels
from docspec.reporting.markdown import LIST_MARKER
from docspec.reporting.renderer import Renderer
from docspec.reporting.tables import Grid, grids

VERSION = "1.10.0"
"""Of the DoclingDocument schema."""

_LABELS = {
    Category.CAPTION: "caption",
    Category.FOOTNOTE: "footnote",
    Category.FORMULA: "formula",
    Category.LIST_ITEM: "list_item",
    Category.PAGE_FOOTER: "page_footer",
    Category.PAGE_HEADER: "page_header",
    Category.SECTION_HEADER: "section_header",
    Category.TITLE: "title",
}
_FENCED = re.compile(r"(`{3,}+|~{3,}+)[^\n]*+\n(.*)\n\1", re.DOTALL)
_MIME = {".pdf": "application/pdf", ".png": "image/png", ".webp": "image/webp", ".tif": "image/tiff"}


class DoclingRenderer(Renderer):
    """Writes one object; blocks in the body, page headers and footers in its furniture layer."""

    def __init__(self) -> None:
        self._items: dict[str, list[dict[str, Any]]] = {"texts": [], "tables": [], "pictures": [], "groups": []}
        self._body = _root("body")
        self._pages: dict[str, Any] = {}
        self._source = ""
        self._sha256 = ""
        self._list: dict[str, Any] | None = None
        self._levels = HeadingLevels()

    def begin(self, source: str, sha256: str) -> str:
        self._source, self._sha256 = source, sha256
        return ""

    def page(self, result: PageResult, figures: Mapping[int, str]) -> str:
        size = {"width": float(result.width), "height": float(result.height)}
        self._pages[str(result.number)] = {"size": size, "page_no": result.number}
        for block in self._levels.page(result).blocks:
            self._add(block, result.number)
        return ""

    def end(self) -> str:
        name = PurePath(self._source)
        values = {
            "schema_name": "DoclingDocument",
            "version": VERSION,
            "name": name.stem or "document",
            "origin": {
                "mimetype": _MIME.get(name.suffix.lower(), "image/jpeg" if name.suffix else "application/pdf"),
                "binary_hash": int(self._sha256[:16] or "0", 16),
                "filename": name.name or "document",
            },
            "furniture": _root("furniture"),
            "body": self._body,
            **self._items,
            "key_value_items": [],
            "form_items": [],
            "pages": self._pages,
        }
        return dump_json(values) + "\n"

    def _add(self, block: Block, number: int) -> None:
        if block.category is not Category.LIST_ITEM:
            self._list = None
        tables = grids(block)
        if tables:
            for grid in tables:
                self._put("tables", block, number, {"label": "table", **_LINKS, "data": _table(grid)})
        elif block.category is Category.PICTURE:
            self._put("pictures", block, number, {"label": "picture", **_LINKS, "annotations": []})
        elif block.text.strip():
            self._put("texts", block, number, _text(block))

    def _put(self, kind: str, block: Block, number: int, values: dict[str, Any]) -> None:
        parent = self._body
        if block.category is Category.LIST_ITEM and kind == "texts":
            if self._list is None:
                self._list = self._below(self._body, "groups", "body", name="list", label="list")
            parent = self._list
        layer = "furniture" if block.category.is_furniture else "body"
        self._below(parent, kind, layer, prov=_place(block, number, len(values.get("text", ""))), **values)

    def _below(self, parent: dict[str, Any], kind: str, layer: str, **values: Any) -> dict[str, Any]:
        """A new item of its ``kind``, the last of its ``parent``'s children."""
        item = {
            "self_ref": f"#/{kind}/{len(self._items[kind])}",
            "parent": {"$ref": parent["self_ref"]},
            "children": [],
            "content_layer": layer,
            **values,
        }
        self._items[kind].append(item)
        parent["children"].append({"$ref": item["self_ref"]})
        return item


_LINKS: dict[str, Any] = {"captions": [], "references": [], "footnotes": []}


def _root(name: str) -> dict[str, Any]:
    return {"self_ref": f"#/{name}", "children": [], "content_layer": name, "name": "_root_", "label": "unspecified"}


def _place(block: Block, number: int, length: int) -> list[dict[str, Any]]:
    """Where ``block`` of the page ``number`` stands; of a table over several pages, where all of its parts do."""
    boxes = [(part.page, part.bbox) for part in block.parts] or ([(number, block.bbox)] if block.bbox else [])
    places = []
    for page, bbox in boxes:
        x0, y0, x1, y1 = map(float, bbox.rounded())
        box = {"l": x0, "t": y0, "r": x1, "b": y1, "coord_origin": "TOPLEFT"}
        places.append({"page_no": page, "bbox": box, "charspan": [0, length]})
    return places


def _text(block: Block) -> dict[str, Any]:
    """Texts without the marks that their label stands for."""
    written = block.text.strip()
    values: dict[str, Any] = {"label": _LABELS.get(block.category, "text"), "orig": written, "text": written}
    if block.category.is_heading:
        bare = written.lstrip("#")
        level = len(written) - len(bare)
        values["text"] = bare.strip()
        if block.category is Category.SECTION_HEADER:
            values["level"] = max(1, level - 1)
    elif block.category is Category.FORMULA:
        values["text"] = bare_formula(written)
    elif block.category is Category.LIST_ITEM:
        marker = LIST_MARKER.match(written)
        mark = marker[0].strip() if marker else "-"
        values["text"] = written[marker.end() :] if marker else written
        values |= {"enumerated": mark[:1].isdigit(), "marker": mark}
    elif listing := _FENCED.fullmatch(written):
        values |= {"label": "code", "text": listing[2], **_LINKS, "code_language": "unknown"}
    return values


def _table(grid: Grid) -> dict[str, Any]:
    cells = [
        {
            "row_span": cell.rows,
            "col_span": cell.columns,
            "start_row_offset_idx": cell.row,
            "end_row_offset_idx": cell.row + cell.rows,
            "start_col_offset_idx": cell.column,
            "end_col_offset_idx": cell.column + cell.columns,
            "text": cell.text,
            "column_header": cell.header,
            "row_header": False,
            "row_section": False,
        }
        for cell in grid.cells
    ]
    return {"table_cells": cells, "num_rows": grid.rows, "num_cols": grid.columns}
