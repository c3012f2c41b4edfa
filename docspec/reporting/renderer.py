"""The contract of an output format: text for a document's beginning, for each page as it comes, and for its
end.

A renderer never sees more than one page, so that memory does not grow with the document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from docspec.core import Block, Category, PageResult
from docspec.core.option import OUTPUT, also, option, setting
from docspec.core.options import ParseOptions
from docspec.core.plugins import with_plugins
from docspec.core.running_text import is_left_out

Format = Literal["md", "json", "html", "chunks", "dots", "docling", "hocr", "alto", "page", "pdf"]
if not TYPE_CHECKING:
    Format = with_plugins(Format, "formats")
SUFFIXES: dict[Format, str] = {
    "md": ".md",
    "json": ".json",
    "html": ".html",
    "chunks": ".chunks.jsonl",
    "dots": ".dots.json",
    "docling": ".docling.json",
    "hocr": ".hocr",
    "alto": ".alto.xml",
    "page": ".page.xml",
    "pdf": ".pdf",
}
SUFFIXES |= {name: f".{name}" for name in get_args(Format) if name not in SUFFIXES}

PLACED: tuple[Format, ...] = ("hocr", "alto", "page", "pdf")
"""Formats that consist of placed words."""

TablesAcrossPages = Literal["join", "keep"]

PictureText = Literal["block", "inline", "none"]

UNREAD = "not searched for text"
"""Said by links of pictures in which nobody looked for text."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What is asked of the output. ``page_separator`` may hold ``{page}``; ``None`` writes nothing between
    pages. ``plain_markdown`` links no pictures. ``raw`` turns all normalisation off: Markdown and HTML show the answers
    themselves, JSON has them beside the blocks. Tables that go on over a page are joined, or ``keep`` their parts.
    """

    keep_furniture: bool = option(False, "Keep page headers and footers.", OUTPUT)
    page_separator: str | None = option(
        None, "Line between pages, or before each page if it contains {page}.", OUTPUT, "TEXT"
    )
    plain_markdown: bool = also(ParseOptions, "plain_markdown")
    raw: bool = setting(
        False, "Write the model's answers unchanged, with thoughts, code fences and layout JSON.", OUTPUT
    )
    tables_across_pages: TablesAcrossPages = setting(
        "join",
        "Write a table that goes on over a page as one, where it begins (join), or its parts where they stand (keep).",
        OUTPUT,
    )

    picture_text: PictureText = option(
        "block",
        "Write the words in a picture, such as a chart's labels, as a quotation below it (block), in its link (inline) "
        "or not at all (none).",
        OUTPUT,
    )

    @property
    def joins_tables(self) -> bool:
        """Whether tables over several pages are written as one."""
        return self.tables_across_pages == "join" and not self.raw


class Renderer(Protocol):
    """Turns pages into text. One renderer writes one document and is used in page order."""

    def begin(self, source: str, sha256: str) -> str:
        """What stands before the first page. ``source`` is the input's display name."""
        return ""

    def page(self, result: PageResult, figures: Mapping[int, str]) -> str:
        """One page. ``figures`` maps the index of a picture in ``result.blocks`` to a link (a relative
        URL).
        """
        ...

    def end(self) -> str:
        """What stands after the last page."""
        return ""


def visible_blocks(result: PageResult, layout: Layout) -> list[tuple[int, Block]]:
    """The blocks to write, with their index in ``result.blocks``."""
    return [
        (index, replace(block, text="") if layout.picture_text == "none" and has_labels(block) else block)
        for index, block in enumerate(result.blocks)
        if layout.keep_furniture or not is_left_out(block, result.blocks)
    ]


def has_labels(block: Block) -> bool:
    """Whether ``block`` is a picture with words that nobody wrote as text: a model's text about one is its answer."""
    return block.category is Category.PICTURE and block.words != "model" and bool(block.text.strip())


def separator_before(layout: Layout, number: int, first: bool) -> str | None:
    """The separator that stands before page ``number``: before every page where it names it, else between
    pages.
    """
    if layout.page_separator is None:
        return None
    if "{page}" in layout.page_separator:
        return layout.page_separator.replace("{page}", str(number))
    return None if first else layout.page_separator
