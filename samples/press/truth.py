"""The ground truth: the Markdown that a perfect reader writes for a page.

It is made from the same blocks that are printed, without running heads, figures, bold and italic.
"""

import re

from samples.press.blocks import (
    Block,
    Bullets,
    Caption,
    Figure,
    Formula,
    Heading,
    NextFrame,
    Numbered,
    Options,
    Para,
    Sheet,
    Space,
    Table,
    Title,
)
from samples.press.inline import SOFT_HYPHEN


def _plain(text: str) -> str:
    return re.sub(r"</?[bi]>", "", text).replace(SOFT_HYPHEN, "")


def _table_rows(table: Table) -> list[str]:
    rows = [table.header, tuple("---" for _ in table.header), *table.rows]
    return ["| " + " | ".join(_plain(cell) for cell in row) + " |" for row in rows]


def block_markdown(block: Block) -> str:
    """Markdown of one block; empty for what is only print."""
    match block:
        case Title(text):
            return f"# {_plain(text)}"
        case Heading(text):
            return f"## {_plain(text)}"
        case Para(text) | Caption(text):
            return _plain(text)
        case Bullets(items):
            return "\n".join(f"- {_plain(item)}" for item in items)
        case Numbered(items, start):
            return "\n".join(f"{start + i}. {_plain(item)}" for i, item in enumerate(items))
        case Options(items):
            return "\n".join(f"{chr(97 + i)}) {_plain(item)}" for i, item in enumerate(items))
        case Table():
            return "\n".join(_table_rows(block))
        case Formula(latex, number):
            tag = rf" \tag{{{number}}}" if number else ""
            return f"$${latex}{tag}$$"
        case Figure() | Space() | NextFrame():
            return ""


def sheet_markdown(sheet: Sheet) -> str:
    """Markdown of one page, without a final newline."""
    return "\n\n".join(text for text in map(block_markdown, sheet.blocks) if text)


def document_markdown(sheets: tuple[Sheet, ...]) -> str:
    """Markdown of a document of several pages: each page after a line that gives its number."""
    pages = (f"<!-- page {i} -->\n\n{sheet_markdown(sheet)}".strip() for i, sheet in enumerate(sheets, start=1))
    return "\n\n".join(pages) + "\n"
