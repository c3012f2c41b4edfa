"""The last step: lines in the box of a table that none of its cells holds are text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import unescape

from docspec.core import BBox, Category
from docspec.drafting.assembly.state import Assembly
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine
from docspec.drafting.right_to_left import has_right_to_left

LONG = 4
"""Letters from which on a word is in a table if they stand there next to each other, whatever is a word there: cells
join words that are hyphenated, and part those of languages without spaces."""

MOST = 0.5
"""Least share of the letters of a row, or a line, in words that a table does not have."""

_NO_LETTER = re.compile(r"[\W_]+")
_TAG = re.compile("<[^>]*>")


def tables_settled(page: Assembly) -> Assembly:
    """Gives boxes of text, above and below a table, to lines of its box that are in none of its cells: they would be
    lost."""
    return page.each_box(_settled)


def _settled(box: LayoutBox) -> list[LayoutBox]:
    left_out = _lines_left_out(box.table.html, box.lines) if box.table is not None else []
    if not left_out or box.table is None:
        return [box]
    own = [line for line in box.lines if line not in left_out]
    around = BBox.union(line.bbox for line in own)
    table = replace(LayoutBox.around(own, box.category), table=replace(box.table, bbox=around))
    above = [line for line in left_out if line.bbox.center_y < around.y0]
    below = [line for line in left_out if line not in above]
    text = [[LayoutBox.around(lines, Category.TEXT)] if lines else [] for lines in (above, below)]
    return [*text[0], table, *text[1]]


def _told_by(html: str) -> Callable[[str], bool]:
    """Whether a text is among those of the cells of ``html``: most of its letters, in words that they have. A text
    without letters and figures counts as told, and one of a script that runs from right to left."""
    words = _letters_of(unescape(_TAG.sub(" ", html)))
    every, joined = set(words), "".join(words)

    def has(word: str) -> bool:
        return word in every or (len(word) >= LONG and word in joined) or any(word in one for one in every)

    def tells(text: str) -> bool:
        own = _letters_of(text)
        lacking = sum(len(word) for word in own if not has(word))
        return lacking < MOST * sum(map(len, own)) or not own or has_right_to_left(text)

    return tells


def _lines_left_out(html: str, lines: Sequence[TextLine]) -> list[TextLine]:
    """Those of ``lines``, in a table of this ``html``, that are in none of its cells. If none is in one, its words are
    others than those of the lines, and say nothing about them."""
    tells = _told_by(html)
    out = [line for line in lines if not tells(line.text)]
    return out if len(out) < len(lines) else []


def _letters_of(text: str) -> list[str]:
    """The runs of letters and figures of ``text``."""
    return [part for part in _NO_LETTER.split(unicodedata.normalize("NFKC", text).casefold()) if part]
