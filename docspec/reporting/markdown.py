"""Blocks to Markdown: what the target wrote.

A Markdown answer is written as it stands, white space at the ends of a page aside. Cells of layout JSON get what their
category demands and their text lacks: marks of headings, ``$$`` around formulas, no blank lines within tables, the link
of a picture whose box the target gave. Where pages were read by regions, a paragraph that a page's end breaks off is
joined with its rest, if nothing stands between them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from docspec.core import Block, Category, PageResult
from docspec.core.formulas import display_formula
from docspec.core.running_text import breaks_off, goes_on, is_broken
from docspec.reporting.renderer import Layout, separator_before, visible_blocks

_HEADING_MARKS = {Category.TITLE: "# ", Category.SECTION_HEADER: "## "}
HEADING = re.compile(r"#{1,6}(?:\s|$)")
LIST_MARKER = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")


class MarkdownRenderer:
    """Writes pages one after the other, a blank line between them. A failed page leaves a comment that says
    so. The end of a page that may go on is held back until the next one comes.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._anything_written = False
        self._first_page = True
        self._last: Block | None = None  # the paragraph that the page before ends with
        self._held = ""

    def begin(self, source: str, sha256: str) -> str:
        return ""

    def page(self, result: PageResult, figures: Mapping[int, str]) -> str:
        pieces = []
        separator = separator_before(self._layout, result.number, self._first_page)
        self._first_page = False
        if separator is not None:
            pieces.append(separator)
        raw = self._layout.raw and result.text
        body = result.text if raw else page_markdown(result, figures, self._layout)
        if body:
            pieces.append(body)
        if not pieces:
            self._last = None
            return ""
        first, last = (None, None) if raw or separator is not None else _edges(result, self._layout)
        text = "\n\n".join(pieces)
        text = self._before(first, text) + text
        self._last, self._held = last, ""
        self._anything_written = True
        if not (raw and text.endswith("\n")):
            text += "\n"
        if last is not None:
            self._held = "-\n" if is_broken(last.text) and text.endswith("-\n") else "\n"
        return text.removesuffix(self._held)

    def _before(self, first: Block | None, text: str) -> str:
        """What stands before a page that begins with the paragraph ``first``."""
        if self._last is None or first is None or not goes_on(self._last.text, first.text):
            return self._held + ("\n" if self._anything_written else "")
        if not is_broken(self._last.text):
            return " "
        return "" if text[0].islower() else self._held.rstrip("\n")

    def end(self) -> str:
        return self._held


def _edges(result: PageResult, layout: Layout) -> tuple[Block | None, Block | None]:
    """The paragraphs that a page read by regions begins and ends with, ``None`` where something else stands there."""
    if result.status != "ok":
        return None, None
    blocks = [block for _, block in visible_blocks(result, layout) if block_markdown(block)]
    first, last = (blocks[0], blocks[-1]) if blocks else (None, None)
    return (
        first if first is not None and _is_running(first) else None,
        last if last is not None and _is_running(last) and breaks_off(last.text) else None,
    )


def _is_running(block: Block) -> bool:
    """Whether ``block`` is running text that somebody's layout cut out of the page."""
    return block.category is Category.TEXT and block.bbox_from == "draft" and block.gap is None


def page_markdown(result: PageResult, figures: Mapping[int, str], layout: Layout) -> str:
    """One page without its separator; no newline at the end; ``""`` for a page with nothing on it."""
    pieces: list[str] = []
    previous: Block | None = None
    for index, block in visible_blocks(result, layout):
        # Where a drafted box lies must not change the text: such figures are files without a link.
        text = block_markdown(block, figures.get(index) if block.bbox_from == "model" else None)
        if not text:
            continue
        if previous is None:
            pieces.append(indent_of(block))
        else:
            pieces.append(_gap(previous, block) if block.gap is None else block.gap)
        pieces.append(text)
        previous = block
    if result.status == "failed":
        pieces.append(("" if previous is None else "\n\n") + failure_comment(result))
    return "".join(pieces)


def block_markdown(block: Block, figure: str | None = None) -> str:
    """One block; ``figure`` is the link of a picture that was written to a file."""
    if block.gap is not None:
        return block.text
    text = block.text.strip("\n").rstrip()
    if block.category is Category.PICTURE:
        return _picture(text, figure)
    if not text.strip():
        return ""
    if block.category in _HEADING_MARKS:
        return text if HEADING.match(text) else _HEADING_MARKS[block.category] + " ".join(text.split())
    if block.category is Category.FORMULA:
        return display_formula(text)
    if block.category is Category.TABLE and text.lstrip().startswith("<"):
        # A blank line would end the HTML block and show the rest of the table as text.
        return "\n".join(line for line in text.split("\n") if line.strip())
    return text


def indent_of(block: Block) -> str:
    """The white space before ``block`` on its first line, where the target wrote it."""
    return re.split(r"[\r\n]", block.gap or "")[-1]


def _gap(*blocks: Block) -> str:
    """Between two cells: list items stand together where Markdown knows their markers, all else apart."""
    items = all(b.category is Category.LIST_ITEM and LIST_MARKER.match(b.text) for b in blocks)
    return "\n" if items else "\n\n"


def failure_comment(result: PageResult) -> str:
    """An HTML comment in the place of a page that could not be read."""
    reason = " ".join((result.error or "unknown error").split()).replace("--", "- -")
    return f"<!-- docspec: page {result.number} could not be read: {reason} -->"


def _picture(text: str, figure: str | None) -> str:
    if figure is None:
        return text
    if text.startswith("![") and "](" in text:
        return f"![{text[2 : text.index('](')]}]({figure})"
    return f"![]({figure})" + (f"\n\n{text}" if text else "")
