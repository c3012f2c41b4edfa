"""The last steps: the tables that were found on a page take their places in the boxes that are called so."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import unescape

from docspec.core import BBox, Category
from docspec.drafting.assembly.state import Assembly
from docspec.drafting.found_table import FoundTable
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine, runs_leftwards, without_spaces
from docspec.drafting.reading_order import reading_order
from docspec.drafting.right_to_left import has_right_to_left

LONG = 4
"""Letters from which on a word is in a table if they stand there next to each other, whatever is a word there: cells
join words that are hyphenated, and part those of languages without spaces."""

MOST = 0.5
"""Least share of the letters of a row, or a line, in words that a table does not have."""

_NO_LETTER = re.compile(r"[\W_]+")
_TAG = re.compile("<[^>]*>")


def tables_in(box: LayoutBox, tables: Sequence[FoundTable]) -> list[FoundTable]:
    """The table of ``box``, or the ``tables`` that lie mostly inside it and have lines of it, if it is called one."""
    if box.table is not None:
        return [box.table]
    return [
        table
        for table in tables
        if box.category is Category.TABLE
        and table.bbox.overlap(box.bbox) > 0.5
        and any(table.bbox.has_center_of(line.bbox) for line in box.lines)
    ]


def headings_told_once(page: Assembly) -> Assembly:
    """Takes out headings and running text that are in the cells of a table around them."""
    around = [table for box in page.boxes for table in tables_in(box, page.tables)]
    texts = {id(table): _letters(table) for table in around}

    def is_told(box: LayoutBox) -> bool:
        if not (box.category.is_running_text or box.category.is_heading):
            return False
        words = without_spaces("".join(line.text for line in box.lines))
        inside = (table for table in around if all(table.bbox.has_center_of(line.bbox) for line in box.lines))
        return bool(words) and any(words in texts[id(table)] for table in inside)

    return page.with_boxes(box for box in page.boxes if not is_told(box))


def tables_placed(page: Assembly) -> Assembly:
    """Gives each table found in a supposed table's box a box of its own, and one of text to the lines that are in none
    of them, or in no cell of them (they would be lost), in reading order."""
    return page.each_box(lambda box: _tables_apart(box, page.tables))


def _tables_apart(box: LayoutBox, tables: Sequence[FoundTable]) -> list[LayoutBox]:
    own_tables = tables_in(box, tables)
    inside: list[list[TextLine]] = [[] for _ in own_tables]
    beside: dict[tuple[int, int], list[TextLine]] = {}
    letters = [_letters(table) for table in own_tables]
    for line in box.lines:
        owners = [number for number, one in enumerate(own_tables) if one.bbox.has_center_of(line.bbox)]
        told = (number for number in owners if without_spaces(line.text) in letters[number])
        owner = next(told, owners[0] if owners else None)  # a table may stand within the box of another
        (beside.setdefault(_side(line.bbox, own_tables), []) if owner is None else inside[owner]).append(line)
    if not own_tables:
        return [box]
    for number, table in enumerate(own_tables):
        left_out = _lines_left_out(table.html, inside[number])
        if not left_out:
            continue
        inside[number] = [line for line in inside[number] if line not in left_out]
        around = BBox.union(line.bbox for line in inside[number])
        own_tables[number] = replace(table, bbox=around)
        for line in left_out:
            beside.setdefault((number, -1 if line.bbox.center_y < around.y0 else 1), []).append(line)
    whole = len(own_tables) == 1 and not beside
    parts = [
        replace(box, lines=tuple(own), table=table)
        if whole
        else replace(LayoutBox.around(own, box.category), bbox=table.bbox, table=table)
        for table, own in zip(own_tables, inside, strict=True)
        if own
    ]
    parts += [LayoutBox.around(lines, Category.TEXT) for lines in beside.values()]
    return reading_order(parts, runs_leftwards(box.lines))


def _letters(table: FoundTable) -> str:
    return without_spaces(unescape(_TAG.sub("", table.html)))


def _side(line: BBox, tables: Sequence[FoundTable]) -> tuple[int, int]:
    """The table that ``line`` stands next to, the one below it rather than the one above it, and on which side."""
    over = [number for number, one in enumerate(tables) if one.bbox.shared_width(line) > 0]
    below = min((n for n in over if tables[n].bbox.y0 >= line.center_y), key=lambda n: tables[n].bbox.y0, default=None)
    above = max((n for n in over if tables[n].bbox.y1 <= line.center_y), key=lambda n: tables[n].bbox.y1, default=None)
    if below is not None:
        return below, -1
    return (-1, 0) if above is None else (above, 1)


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
