"""Output formats by name: a new one is its name in ``Format``, its suffix, and its renderer here. dots.ocr's layout
JSON, the smallest one, is written here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from docspec.core import Block, Category, PageResult, UsageError
from docspec.core.plugins import load
from docspec.core.safe_text import dump_json, safe_text
from docspec.reporting.renderer import Format, Layout, Renderer


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


def renderer_for(format: Format, layout: Layout) -> Renderer:
    """A fresh renderer of that format. The renderers, and markdown-it with them, are imported for the first one."""
    from docspec.reporting.alto import AltoRenderer
    from docspec.reporting.chunks import ChunkRenderer
    from docspec.reporting.docling import DoclingRenderer
    from docspec.reporting.hocr import HocrRenderer
    from docspec.reporting.html import HtmlRenderer
    from docspec.reporting.jsonout import JsonRenderer
    from docspec.reporting.markdown import MarkdownRenderer
    from docspec.reporting.page_xml import PageXmlRenderer

    if format == "pdf":
        raise UsageError("a PDF needs the document's own pages: docspec parse INPUT --format pdf")

    own: dict[Format, Callable[[Layout], Renderer]] = {
        "md": MarkdownRenderer,
        "json": JsonRenderer,
        "html": HtmlRenderer,
        "chunks": ChunkRenderer,
        "dots": lambda layout: DotsRenderer(),
        "docling": lambda layout: DoclingRenderer(),
        "hocr": HocrRenderer,
        "alto": AltoRenderer,
        "page": PageXmlRenderer,
    }
    make = own[format] if format in own else load("formats", format)
    return make(layout)


def document_text(
    pages: Iterable[PageResult],
    format: Format,
    layout: Layout,
    source: str = "",
    sha256: str = "",
    figures: Mapping[int, Mapping[int, str]] | None = None,
) -> str:
    """A whole document in that format; ``figures`` are the links of its pictures, by the number of their page and the
    index of their block. Without them they are left out. Raises :class:`docspec.core.UsageError` for a format that has
    one page a file if there are more."""
    links = figures or {}
    if format == "page":
        pages = list(pages)
        if len(pages) > 1:
            raise UsageError("PAGE-XML has one page a file: write them one by one, or with docspec parse -o FILE")
    renderer = renderer_for(format, layout)
    if layout.joins_tables:
        from docspec.reporting.joined_tables import with_joined_tables

        pages = with_joined_tables(pages)
    parts = [
        renderer.begin(source, sha256),
        *(renderer.page(page, links.get(page.number, {})) for page in pages),
        renderer.end(),
    ]
    return safe_text("".join(parts))
