"""Blocks to Markdown: what the target wrote, with headings, formulas and pictures in one spelling.

Texts are kept as they are; only what a block's category demands and its text lacks is added.
"""

from __future__ import annotations

from collections.abc import Mapping

from docspec.core import Block, Category, PageResult
from docspec.reporting.renderer import Layout, separator_before, visible_blocks

_HEADING_MARKS = {Category.TITLE: "# ", Category.SECTION_HEADER: "## "}


class MarkdownRenderer:
    """Writes pages one after the other, a blank line between them. A failed page leaves a comment that says
    so.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._anything_written = False
        self._first_page = True

    def begin(self, source: str, sha256: str) -> str:
        return ""

    def page(self, result: PageResult, figures: Mapping[int, str]) -> str:
        pieces = []
        separator = separator_before(self._layout, result.number, self._first_page)
        self._first_page = False
        if separator is not None:
            pieces.append(separator)
        body = page_markdown(result, figures, self._layout)
        if body:
            pieces.append(body)
        if not pieces:
            return ""
        gap = "\n" if self._anything_written else ""
        self._anything_written = True
        return gap + "\n\n".join(pieces) + "\n"

    def end(self) -> str:
        return ""


def page_markdown(result: PageResult, figures: Mapping[int, str], layout: Layout) -> str:
    """One page without its separator; no newline at the end; ``""`` for a page with nothing on it."""
    pieces: list[str] = []
    previous: Block | None = None
    for index, block in visible_blocks(result, layout):
        text = block_markdown(block, figures.get(index))
        if not text:
            continue
        if previous is not None:
            pieces.append("\n" if _tight(previous, block, result.text) else "\n\n")
        pieces.append(text)
        previous = block
    if result.status == "failed":
        pieces.append(("\n\n" if pieces else "") + failure_comment(result))
    return "".join(pieces)


def _tight(block: Block, following: Block, page_text: str) -> bool:
    """List items stand together, except where the target itself put a blank line between them."""
    if block.category is not Category.LIST_ITEM or following.category is not Category.LIST_ITEM:
        return False
    return f"{block.text}\n\n{following.text}" not in page_text


def block_markdown(block: Block, figure: str | None = None) -> str:
    """One block; ``figure`` is the link of a picture that was written to a file."""
    text = block.text.strip("\n").rstrip()
    if block.category is Category.PICTURE:
        return _picture(text, figure)
    if not text.strip():
        return ""
    if block.category in _HEADING_MARKS:
        return text if text.startswith("#") else _HEADING_MARKS[block.category] + " ".join(text.split())
    if block.category is Category.FORMULA:
        fenced = len(text) > 4 and text.startswith("$$") and text.endswith("$$")
        return text if fenced else "$$\n" + bare_formula(text) + "\n$$"
    if block.category is Category.TABLE and text.lstrip().startswith("<"):
        # A blank line would end the HTML block and show the rest of the table as text.
        return "\n".join(line for line in text.splitlines() if line.strip())
    return text


def bare_formula(text: str) -> str:
    r"""LaTeX without its delimiters (``$$``, ``$``, ``\[ \]``, ``\( \)``); text with several formulas is
    kept.
    """
    stripped = text.strip()
    for opening, closing in (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$")):
        inner = stripped[len(opening) : len(stripped) - len(closing)]
        long_enough = len(stripped) > len(opening) + len(closing)
        if (
            long_enough
            and stripped.startswith(opening)
            and stripped.endswith(closing)
            and opening not in inner
        ):
            return inner.strip()
    return stripped


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
