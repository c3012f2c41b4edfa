"""The parts of a finished Markdown text that a reader takes for one thing each: paragraphs, items, headings, cells.

Like :mod:`docspec.ledger.outputs` it shares nothing with the writers. A unit is a span of characters, so that the words
that stand in it are known by their offsets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Kind = Literal["paragraph", "item", "heading", "cell", "note", "apart"]
"""``apart``: listings, formulas, and quotes, which hold the words of pictures: in these words stand as they like."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6} ")
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+")
_NOTE = re.compile(r" {0,3}\[\^[^\]]+\]:")
_QUOTE = re.compile(r" {0,3}>")
_MATH = re.compile(r" {0,3}\$\$")
_TAGS = re.compile(r"<(/?)(table|tr|t[dh])\b[^<>]*>", re.IGNORECASE)
_OPENS = re.compile(r"[ \t]*<table\b", re.IGNORECASE)
_RULER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Unit:
    """One part of the text, from character ``start`` to ``end``. ``depth`` is the indent of a list item in characters;
    ``table``, ``row`` and ``column`` say where a cell stands; ``group`` numbers what is not interrupted by other parts:
    the items of one list, the cells of one table. ``head``: a cell of a table's head."""

    kind: Kind
    start: int
    end: int
    depth: int = 0
    group: int = -1
    row: int = -1
    column: int = -1
    head: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def units_of(text: str) -> list[Unit]:
    """The units of a Markdown ``text``, in its order."""
    lines, start = [], 0
    for line in text.split("\n"):
        lines.append(_Line(line, start))
        start += len(line) + 1
    return list(_units(text, lines))


def _units(text: str, lines: Sequence[_Line]) -> Iterator[Unit]:
    at, group = 0, 0
    last: Kind | None = None
    while at < len(lines):
        line = lines[at]
        if not line.text.strip():
            at += 1
            continue
        item = _ITEM.match(line.text)
        if last != "item" or item is None:
            group += 1
        if fence := _FENCE.match(line.text):
            after = _closed(lines, at, fence[1])
            yield Unit("apart", line.start, lines[after - 1].end)
            last = "apart"
        elif _OPENS.match(line.text):
            after = _table_end(lines, at)
            yield from _html_cells(text, line.start, lines[after - 1].end, group)
            last = "cell"
        elif "|" in line.text and at + 1 < len(lines) and "-" in lines[at + 1].text and _is_ruler(lines[at + 1].text):
            after = at
            while after < len(lines) and "|" in lines[after].text:
                after += 1
            rows = [one for one in lines[at:after] if not _is_ruler(one.text)]
            yield from _bar_cells(rows, group)
            last = "cell"
        elif _QUOTE.match(line.text) or _MATH.match(line.text):
            after = _blank(lines, at)
            yield Unit("apart", line.start, lines[after - 1].end)
            last = "apart"
        elif _HEADING.match(line.text):
            after = at + 1
            yield Unit("heading", line.start, line.end)
            last = "heading"
        else:
            after = at + 1
            while after < len(lines) and lines[after].text.strip() and not _begins(lines[after].text):
                after += 1
            last = "item" if item else "note" if _NOTE.match(line.text) else "paragraph"
            depth = len(item[1].expandtabs(4)) if item else 0
            yield Unit(last, line.start, lines[after - 1].end, depth, group)
        at = after


def _begins(line: str) -> bool:
    """Whether a line cannot go on a paragraph."""
    return any(pattern.match(line) is not None for pattern in (_ITEM, _HEADING, _FENCE, _OPENS, _MATH, _NOTE, _QUOTE))


def _is_ruler(line: str) -> bool:
    return "-" in line and _RULER.fullmatch(line) is not None


def _blank(lines: Sequence[_Line], at: int) -> int:
    while at < len(lines) and lines[at].text.strip():
        at += 1
    return at


def _closed(lines: Sequence[_Line], at: int, fence: str) -> int:
    for after in range(at + 1, len(lines)):
        if lines[after].text.strip().startswith(fence):
            return after + 1
    return len(lines)


def _table_end(lines: Sequence[_Line], at: int) -> int:
    depth = 0
    for after in range(at, len(lines)):
        depth += sum(-1 if tag[1] else 1 for tag in _TAGS.finditer(lines[after].text) if tag[2].lower() == "table")
        if depth <= 0:
            return after + 1
    return len(lines)


def _html_cells(text: str, start: int, end: int, group: int) -> Iterator[Unit]:
    """The cells of a table of HTML; a table within one is part of its cell."""
    depth, row, column, opened = 0, -1, 0, -1
    for tag in _TAGS.finditer(text, start, end):
        name, closes = tag[2].lower(), bool(tag[1])
        if name == "table":
            depth += -1 if closes else 1
        elif depth == 1 and name == "tr" and not closes:
            row, column = row + 1, 0
        elif depth == 1 and name in ("td", "th") and not closes:
            opened = tag.end()
        elif depth == 1 and name in ("td", "th") and opened >= 0:
            yield Unit("cell", opened, tag.start(), 0, group, row, column, name == "th")
            column, opened = column + 1, -1


def _bar_cells(rows: Sequence[_Line], group: int) -> Iterator[Unit]:
    for row, line in enumerate(rows):
        bars = [bar.start() for bar in _BAR.finditer(line.text)]
        edges = [0 if line.text.lstrip()[:1] != "|" else -1, *bars, len(line.text)]
        cells = [(before + 1 if before >= 0 else 0, after) for before, after in pairwise(edges)]
        if line.text.lstrip().startswith("|"):
            cells = cells[1:]
        if line.text.rstrip().endswith("|"):
            cells = cells[:-1]
        for column, (start, end) in enumerate(cells):
            yield Unit("cell", line.start + start, line.start + end, 0, group, row, column, row == 0)
