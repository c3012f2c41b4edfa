"""Blocks to Markdown: what the target wrote.

A Markdown answer is written as it stands, except white space at the ends of a page. Cells of layout JSON get what their
category needs and their text lacks: marks of headings, ``$$`` around formulas, no blank lines within tables, the link
of a picture (on a page read whole only where the target gave its box). Where pages were read by regions, a paragraph
that a page's end breaks off is joined with its rest, if only pictures, captions and notes stand between them; these
then follow it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import unquote

from docspec.core import Block, Category, PageResult
from docspec.core.formulas import display_formula
from docspec.core.inline_markdown import bare, label
from docspec.core.joints import continues, may_be_part
from docspec.core.marks import within
from docspec.core.result import NOT_WHOLE
from docspec.core.running_text import breaks_off, is_broken
from docspec.reporting.headings import HEADING, LEVELS, stands
from docspec.reporting.renderer import UNREAD, Layout, Renderer, has_labels, separator_before, visible_blocks
from docspec.reporting.rich import Ends, RichText, marked
from docspec.reporting.tables import grids

LEAST_DESCRIBED, MOST_DESCRIBED = 12, 100
"""Characters of a caption that describe its picture: the first sentence that is not only "Fig. 1."."""

MARKED = NOT_WHOLE - {"loop_stopped"}
"""Kinds of events of which the text itself says something: what is behind a loop is seldom more of the page."""

_LINE = re.compile(r".*\S.*")
_BETWEEN = frozenset({Category.PICTURE, Category.CAPTION, Category.FOOTNOTE})
"""What may stand between the parts of a paragraph that goes over a page."""

LIST_MARKER = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")


class BlockText(NamedTuple):
    """A block, its Markdown, and the block without marks: what it says tells whether it goes on."""

    block: Block
    text: str
    plain: Block


class MarkdownRenderer(Renderer):
    """Writes pages one after the other, a blank line between them. A failed page leaves a comment that says
    so. The end of a page that may go on is held back until the next one comes.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._anything_written = False
        self._first_page = True
        self._last: Block | None = None  # the paragraph that the page before ends with
        self._width = 0  # of that page
        self._held = ""
        self._between: list[BlockText] = []  # pictures and notes behind it
        self._rich = None if layout.plain_markdown or layout.raw else RichText()

    def page(self, result: PageResult, figures: Mapping[int, str]) -> str:
        plain = result.blocks
        if self._rich is not None:
            result = self._rich.page(result, self._ends(result))
        elif not self._layout.raw:
            result = with_bars(result)
        separator = separator_before(self._layout, result.number, self._first_page)
        self._first_page = False
        if separator is not None or (self._layout.raw and result.text):
            return self._apart(separator, result, figures)
        leading, others = _split(list(_pieces(result, figures, self._layout, plain)))
        unfinished = self._last
        scale = self._width / result.width if result.width and self._width else 1.0
        if others and unfinished and _is_running(others[0].plain) and continues(unfinished, others[0].plain, scale):
            before = self._joint(others[0].plain.text)
            pieces = [others[0], *self._between, *leading, *others[1:]]
        else:
            before, pieces = self._before(), [*leading, *others]
        trailing, rest = _split(pieces[::-1])
        last = rest[0].plain if rest and _remark(result) is None else None
        self._last = last if last is not None and _is_running(last) and breaks_off(last.text) else None
        self._width = result.width
        if self._last is not None:
            pieces = rest[::-1]
        text = _joined(pieces, result)
        if not text:
            return ""
        self._between = trailing[::-1] if self._last is not None else []
        return self._written(before + text + "\n")

    def _ends(self, result: PageResult) -> Ends:
        """The running text that a page begins and ends with, pictures aside; none where pages are kept apart."""
        visible = visible_blocks(result, self._layout)
        written = [(at, block) for at, block in visible if block.text.strip() and block.category not in _BETWEEN]
        if not written or self._layout.page_separator is not None:
            return Ends()
        first, last = (at if _is_running(block) else None for at, block in (written[0], written[-1]))
        return Ends(
            first if self._last is not None and is_broken(self._last.text) else None,
            last if _remark(result) is None else None,
        )

    def _apart(self, separator: str | None, result: PageResult, figures: Mapping[int, str]) -> str:
        """A page that does not go on from the one before."""
        raw = self._layout.raw and result.text
        body = result.text if raw else page_markdown(result, figures, self._layout)
        pieces = ([] if separator is None else [separator]) + ([body] if body else [])
        self._last = None
        if not pieces:
            return ""
        text = self._before() + "\n\n".join(pieces)
        self._between = []
        return self._written(text if raw and text.endswith("\n") else text + "\n")

    def _written(self, text: str) -> str:
        """``text`` but for the end that is held back where a paragraph may go on."""
        self._anything_written = True
        self._held = ""
        if self._last is not None:
            self._held = "-\n" if is_broken(self._last.text) and text.endswith("-\n") else "\n"
        return text.removesuffix(self._held)

    def _before(self) -> str:
        """What was held back, and a blank line."""
        return self.end() + ("\n" if self._anything_written else "")

    def _joint(self, text: str) -> str:
        """The text between the end of the page before and ``text``, which continues it."""
        if self._last is None or not is_broken(self._last.text):
            return " "
        return "" if text[0].islower() else self._held.rstrip("\n")

    def end(self) -> str:
        return self._held + (f"\n{_joined(self._between)}\n" if self._between else "")


def page_markdown(result: PageResult, figures: Mapping[int, str], layout: Layout) -> str:
    """One page without its separator; no newline at the end; ``""`` for a page with nothing on it."""
    return _joined(list(_pieces(result, figures, layout)), result)


def _pieces(
    result: PageResult, figures: Mapping[int, str], layout: Layout, plain: Sequence[Block] = ()
) -> Iterator[BlockText]:
    """The pieces of a page's text; ``plain`` are its blocks without marks (empty: they are the result's)."""
    blocks = visible_blocks(result, layout)
    for place, (index, block) in enumerate(blocks):
        # Where a drafted box lies must not change the text of a page read whole: such figures are files without a link.
        linked = not layout.plain_markdown and (result.read == "regions" or block.bbox_from == "model")
        link = figures.get(index) if linked else None
        description = _description([other for _, other in blocks], place) if link else ""
        if has_labels(block) and block.gap is None:
            text = _labelled(block, link, description, layout)
        else:
            text = block_markdown(block, link, description)
        if text:
            yield BlockText(block, text, plain[index] if plain else block)


def _is_running(block: Block) -> bool:
    """Whether this is running text that a layout cut out of the page."""
    return block.category is Category.TEXT and may_be_part(block) and _is_laid_out(block)


def _is_laid_out(block: Block) -> bool:
    return block.bbox_from == "draft" and block.gap is None


def _split(pieces: list[BlockText]) -> tuple[list[BlockText], list[BlockText]]:
    """The pictures, captions and notes that ``pieces`` begin with, and the rest."""
    between = list(takewhile(lambda piece: piece.block.category in _BETWEEN and piece.block.gap is None, pieces))
    return between, pieces[len(between) :]


def _joined(pieces: Sequence[BlockText], page: PageResult | None = None) -> str:
    """``pieces`` with the white space between them, and behind them that their ``page`` could not be read, or that its
    end is missing."""
    texts = [f"{indent_of(piece.block)}{piece.text}" for piece in pieces[:1]]
    for before, piece in pairwise(pieces):
        texts += [_gap(before.block, piece.block) if piece.block.gap is None else piece.block.gap, piece.text]
    if page is not None and (remark := _remark(page)):
        comment = f"<!-- docspec: page {page.number} {' '.join(remark.split()).replace('--', '- -')} -->"
        texts += ["\n\n", comment] if pieces else [comment]
    return "".join(texts)


def _remark(page: PageResult) -> str | None:
    """Why a page has no text, or not all of it."""
    if page.status == "failed":
        return f"could not be read: {page.error or 'unknown error'}"
    lacks = [event.detail for event in page.events if event.kind in MARKED]
    return f"may not be whole: {'; '.join(lacks)}" if lacks else None


def _description(blocks: Sequence[Block], place: int) -> str:
    """The name of the picture at ``place``: the beginning of the caption below it, or above it where that is of no
    other picture; ``""`` without one."""
    around = [*blocks[place + 1 : place + 2], *blocks[max(0, place - 1) : place]]
    if place > 1 and blocks[place - 2].category is Category.PICTURE:
        del around[-1]
    caption = next((block for block in around if block.category is Category.CAPTION), None)
    text = ""
    for word in bare(caption.text).split() if caption is not None else ():
        if len(text) + len(word) > MOST_DESCRIBED:
            break
        text += f" {word}" if text else word
        if len(text) > LEAST_DESCRIBED and word.endswith("."):
            break
    return text.rstrip(".:,; ")


def block_markdown(block: Block, figure: str | None = None, description: str = "") -> str:
    """One block; ``figure`` is the link of a picture that was written to a file, ``description`` what it shows."""
    if block.gap is not None:
        return block.text
    text = block.text.strip("\n").rstrip()
    if block.category is Category.PICTURE:
        return _picture(text, figure, description, f" ({UNREAD})" if block.unread else "")
    if not text.strip():
        return ""
    if block.category in LEVELS:
        return text if HEADING.match(text) else f"{'#' * LEVELS[block.category]} {' '.join(text.split())}"
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
    """White space between two cells: a line break between list items that have markers, else a blank line."""
    items = all(b.category is Category.LIST_ITEM and LIST_MARKER.match(b.text) for b in blocks)
    return "\n" if items else "\n\n"


def _labelled(block: Block, figure: str | None, description: str, layout: Layout) -> str:
    """A picture with the words in it, in its link or quoted below it, so that they are not taken for text."""
    lines = list(_LINE.finditer(block.text))
    labels = [line[0] for line in lines]
    if figure is not None and layout.picture_text == "inline":
        return _picture("", figure, ": ".join(filter(None, (description, "; ".join(labels)))), "")
    if not (layout.plain_markdown or layout.raw):
        marks = [tuple(within(block.marks, *line.span())) for line in lines]
        labels = [marked(line, own, None, begins=False) for line, own in zip(labels, marks, strict=True)]
    quoted = f"> {' · '.join(labels)}"
    return quoted if figure is None else _picture(quoted, figure, description, "")


def _picture(text: str, figure: str | None, description: str, title: str) -> str:
    if figure is None:
        return text
    if text.startswith("![") and "](" in text:
        return f"![{text[2 : text.index('](')]}]({figure})"
    name = "" if figure.startswith("data:") else PurePosixPath(unquote(figure)).stem
    return f"![{label(description) or name}{title}]({figure})" + (f"\n\n{text}" if text else "")


def with_bars(result: PageResult) -> PageResult:
    """``result`` with HTML tables written with bars where the words stand; spanning cells become empty ones."""
    return replace(result, blocks=tuple(map(_with_bars, result.blocks)))


def _with_bars(block: Block) -> Block:
    if block.category is not Category.TABLE or not stands(block) or not block.text.startswith("<"):
        return block
    tables = []
    for grid in grids(block):
        lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in grid.lines()]
        tables.append("\n".join([lines[0], "| --- " * grid.columns + "|", *lines[1:]]))
    return replace(block, text="\n\n".join(tables)) if tables else block
