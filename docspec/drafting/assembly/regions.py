"""A box with its lines as a region: its texts, its category, and what is printed in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from docspec.core import BBox, Category, PrintedLine, Region
from docspec.core.result import WordsOf
from docspec.drafting.bullets import item_or
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine, in_groups, join_lines, joined_row, printed_lines, usual_height
from docspec.drafting.listings import is_listing, spaces_in

APART = 1.5
"""Least white between a label and its value, in heights of a line."""


def region_of(box: LayoutBox) -> Region | None:
    """The region of a box with its lines; ``None`` if it holds nothing to read and is no picture."""
    lines = box.lines
    if box.category is Category.PICTURE:
        if not box.is_only_text:
            groups = in_groups(lines, lambda line: line.bbox)
            labels = tuple(_printed(row) for group in groups for row in printed_lines(group))
            return Region(box.bbox, Category.PICTURE, words=_source_of(lines), labels=labels)
        box = replace(box, category=Category.TEXT)
    if not lines or _is_rule(lines):
        return None
    bbox = BBox.union([box.bbox, *(line.bbox for line in lines)]).grown(0.1 * usual_height(lines))
    confidence = sum(line.confidence * len(line.text) for line in lines) / sum(len(line.text) for line in lines)
    if box.category is Category.TABLE and box.table is not None:
        framed, html = BBox.union([bbox, box.table.bbox]), box.table.html
        words, links = _source_of(lines), _links(printed_lines(lines))
        return Region(framed, Category.TABLE, (html,), confidence, grid=box.table.grid, words=words, links=links)
    if box.category is Category.TABLE:
        box = replace(box, category=Category.TEXT)
    rows = printed_lines(lines)
    listing = is_listing(rows, box.category)
    category = Category.TEXT if listing else item_or(box.category, lines[0].text)
    gap = spaces_in(rows) if listing else None
    printed = tuple(_printed(row, gap) for row in rows)
    texts, words = _readings("\n".join(line.text for line in printed), lines), _source_of(lines)
    broken = category is Category.TEXT and not listing and len(printed) > 1 and (box.pairs or _are_pairs(rows))
    return Region(bbox, category, texts, confidence, printed, listing=listing, words=words, broken=broken)


def _are_pairs(rows: Sequence[Sequence[TextLine]]) -> bool:
    """Whether most of ``rows`` are pieces with white between them: labels and values, which are no running text."""
    apart = [
        any(b.bbox.x0 - a.bbox.x1 > APART * max(a.bbox.height, b.bbox.height) for a, b in pairwise(row)) for row in rows
    ]
    return sum(apart) > 0.5 * len(rows)


def _links(rows: Sequence[Sequence[TextLine]]) -> tuple[tuple[str, str], ...]:
    """The linked words, with their addresses."""
    marked = [(line.text, mark) for row in rows for line in row for mark in line.marks if mark.kind == "link"]
    return tuple((text[mark.start : mark.end], mark.target) for text, mark in marked)


def _printed(row: Sequence[TextLine], gap: Callable[[TextLine, TextLine], int] | None = None) -> PrintedLine:
    text, marks = joined_row(row, gap)
    box, size, sure = (
        BBox.union(run.bbox for run in row),
        max(run.size for run in row),
        min(run.confidence for run in row),
    )
    return PrintedLine(box, text, size, row[0].turns, sure, marks, look=max(row, key=lambda run: len(run.text)).look)


def _source_of(lines: Sequence[TextLine]) -> WordsOf | None:
    """The source of the words of ``lines``; of several the least certain. ``None`` without lines, and if letters of a
    line are unknown."""
    sources = {line.words for line in lines}
    if None in sources:
        return None
    return "recognition" if "recognition" in sources else "text layer" if sources else None


def _readings(printed: str, lines: Sequence[TextLine]) -> tuple[str, ...]:
    """The text as it is ``printed``, and of the source's ``lines`` if their order differs."""
    as_given = join_lines([[line] for line in lines])
    return (printed,) if printed.split() == as_given.split() else (printed, as_given)


def _is_rule(lines: Sequence[TextLine]) -> bool:
    """Whether the text is only a ruler of dots or dashes."""
    text = "".join(line.text for line in lines)
    return len(text) > 5 and len(set(text) - {" "}) == 1 and not text[0].isalnum()
