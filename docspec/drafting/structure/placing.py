"""Found tables on their page: each takes its lines from the boxes of the layout, and its cells have the texts of these
lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import unescape
from itertools import pairwise

import numpy as np

from docspec.core import BBox, Category, CellBoxes, Event
from docspec.core.geometry import in_rows
from docspec.core.safe_text import one_line
from docspec.core.scripts import UNSPACED
from docspec.drafting.layout import FoundTable, LayoutBox, struck_text
from docspec.drafting.lines import TextLine
from docspec.drafting.order import index_in_order
from docspec.drafting.repair import repair
from docspec.drafting.right_to_left import has_right_to_left, is_right_to_left
from docspec.drafting.structure.grid import Grid, html_of
from docspec.drafting.structure.tables import Structure
from docspec.drafting.structure.tokens import PageTokens

DOUBTFUL = 0.97
"""Certainty of a table below which its rows and columns are in doubt: docs/tables.md has what it finds."""

_TAG = re.compile("<[^>]*>")

CellReader = Callable[[Sequence[BBox]], list[str]]
"""Gives the texts that stand in boxes of the page (points)."""

Found = tuple[FoundTable, list[BBox]]
"""A table with the places of its lines."""


def found_tables(
    pages: Sequence[Structure],
    lines: Sequence[TextLine],
    reader: CellReader | None = None,
    formulas: Mapping[BBox, str] | None = None,
) -> tuple[list[Found], list[TextLine]]:
    """The tables of a page, whose tokens in each direction are ``pages``, with the texts that its ``lines`` (points)
    have; and the lines, those of which a table has a part divided. Cells of right-to-left text are read by
    ``reader``, those with ``formulas`` have their texts."""
    found: list[Found] = []
    kept = list(lines)
    for one in pages:
        page, grids = one.page, one.tables
        owners, texts = words_of_lines(page, kept) if grids else ([], [])
        parts: dict[int, dict[int, list[int]]] = {}
        for token, line in enumerate(owners):
            if line is not None:
                parts.setdefault(line, {}).setdefault(-1, []).append(token)
        for number, grid in enumerate(grids):
            for token in (token for cell in grid.cells for token in cell.tokens):
                if (line := owners[token]) is not None:
                    parts[line][-1].remove(token)
                    parts[line].setdefault(number, []).append(token)
        inside: list[list[BBox]] = [[] for _ in grids]
        for line, own in parts.items():
            pieces = {number: tokens for number, tokens in own.items() if tokens}
            if set(pieces) == {-1}:
                continue
            if len(pieces) == 1:
                inside[next(iter(pieces))].append(kept[line].bbox)
                continue
            for at, (number, tokens) in enumerate(pieces.items()):
                piece = _piece(kept[line], tokens, page, texts)
                if at:
                    kept.append(piece)
                else:
                    kept[line] = piece
                if number >= 0:
                    inside[number].append(piece.bbox)
        found += [
            (found_table(grid, page, texts, reader, formulas or {}), boxes)
            for grid, boxes in zip(grids, inside, strict=True)
        ]
    return found, kept


def _piece(line: TextLine, tokens: Sequence[int], page: PageTokens, texts: Sequence[str]) -> TextLine:
    """The part of ``line`` that ``tokens`` are."""
    ordered = sorted(tokens, key=lambda token: page.tokens[token].box[0])
    box = BBox.union(BBox(*page.on_page(page.tokens[token].box)) for token in tokens)
    return replace(line, bbox=box, text=" ".join(texts[token] for token in ordered), marks=())


def words_of_lines(page: PageTokens, lines: Sequence[TextLine]) -> tuple[list[int | None], list[str]]:
    """For each token the line that it is a part of, and its text as the line has it (its own, repaired, where the line
    is divided into other words)."""
    boxes = np.array([[line.bbox.x0, line.bbox.y0, line.bbox.x1, line.bbox.y1] for line in lines], np.float32).reshape(
        -1, 4
    )
    owners: list[int | None] = []
    tokens = page.tokens
    for one in tokens:
        x0, y0, x1, y1 = page.on_page(one.box)
        y = (y0 + y1) / 2
        level = (boxes[:, 1] - 1 <= y) & (y <= boxes[:, 3] + 1)
        low = (y0 <= boxes[:, [1, 3]].mean(axis=1)) & (boxes[:, [1, 3]].mean(axis=1) <= y1)  # dots have their ink there
        for x in ((x0 + x1) / 2, x0 + (x1 - x0) / 4):  # a token of two lines (a box to tick, its label) is of the first
            beside = (boxes[:, 0] <= x) & (x <= boxes[:, 2])
            around = np.nonzero(level & beside)[0]
            if not len(around):
                around = np.nonzero(low & beside)[0]
            if len(around):
                break
        middles = np.abs((boxes[around, 1] + boxes[around, 3]) / 2 - y)
        owners.append(int(around[middles.argmin()]) if len(around) else None)
    texts = [repair(token.text) for token in tokens]
    of_line: dict[int, list[int]] = {}
    for token, owner in enumerate(owners):
        if owner is not None:
            of_line.setdefault(owner, []).append(token)
    for number, own in of_line.items():
        line = lines[number]
        own.sort(key=lambda token: tokens[token].box[0], reverse=is_right_to_left(line.text))
        words = struck_text(line.text, line.marks).split()
        if sum(tokens[token].words for token in own) != len(words):
            continue
        for token in own:
            texts[token] = " ".join(words[: tokens[token].words])
            del words[: tokens[token].words]
    return owners, texts


def boxes_of_cells(grid: Grid, page: PageTokens) -> list[BBox]:
    """The places of the words of each cell of ``grid``, as they are read."""
    return [BBox.union(BBox(*page.tokens[token].box) for token in cell.tokens) for cell in grid.cells]


def _told(cell: Sequence[int], page: PageTokens, texts: Sequence[str]) -> str:
    """The text of a cell's tokens: lines of scripts without spaces are joined without one, and a line break stays
    behind a hyphen, which may not be of its word."""
    text = texts[cell[0]]
    for before, token in pairwise(cell):
        breaks = page.tokens[before].line != page.tokens[token].line
        close = breaks and UNSPACED.match(texts[before][-1:]) and UNSPACED.match(texts[token][:1])
        cut = breaks and text[-1:] == "-" and text[-2:-1].isalpha() and texts[token][:1].isalpha()
        text += texts[token] if close else f"{chr(10) if cut else ' '}{texts[token]}"
    return text


def found_table(
    grid: Grid, page: PageTokens, texts: Sequence[str], reader: CellReader | None, formulas: Mapping[BBox, str]
) -> FoundTable:
    """``grid`` with the ``texts`` of its tokens as a table in HTML, with the places of its cells if none spans others;
    cells of ``formulas`` have the texts that are told there."""
    boxes = boxes_of_cells(grid, page)
    told = [_told(cell.tokens, page, texts) for cell in grid.cells]
    if not page.turn:
        told = [formulas.get(box, text) for box, text in zip(boxes, told, strict=True)]
    if reader is not None and any(map(has_right_to_left, told)):
        read = reader([box.grown(1) for box in boxes])
        told = [new if has_right_to_left(old) else old for old, new in zip(told, read, strict=True)]
    places: CellBoxes = ()
    if all(cell.rows == cell.columns == 1 for cell in grid.cells) and not page.turn:
        pairs = list(zip(grid.cells, boxes, strict=True))
        ys = [BBox.union(box for cell, box in pairs if cell.row == row) for row in range(grid.height)]
        xs = [BBox.union(box for cell, box in pairs if cell.column == column) for column in range(grid.width)]
        places = tuple(tuple(BBox(x.x0, y.y0, x.x1, y.y1) for x in xs) for y in ys)
    return FoundTable(BBox(*page.on_page(grid.box)), html_of(grid, told), places, grid.ruled, grid.certainty)


def doubts(found: Sequence[Found]) -> tuple[Event, ...]:
    """An event for each of the tables that were ``found`` whose rows and columns are in doubt."""
    return tuple(
        Event(
            "table_doubtful",
            f'the table that begins with "{_beginning(table.html)}": other rows or columns are about as likely '
            f"({table.certainty:.2f} of 1)",
        )
        for table, _ in found
        if table.certainty < DOUBTFUL
    )


def _beginning(html: str) -> str:
    """The first words of a table."""
    words = unescape(_TAG.sub(" ", html)).split()
    return one_line(" ".join(words[:6]))


def with_tables(boxes: Sequence[LayoutBox], found: Sequence[Found], forms: Sequence[Found] = ()) -> list[LayoutBox]:
    """``boxes`` with a box for each table that was ``found``, which takes its lines out of them; ``forms`` in place of
    tables that hold a part of them."""
    own = [one for one in found if not any(one[0].bbox.intersection(form.bbox) for form, _ in forms)]
    return with_taken_out(
        boxes, [LayoutBox(table.bbox, Category.TABLE, tuple(inside), table=table) for table, inside in (*own, *forms)]
    )


def with_taken_out(boxes: Sequence[LayoutBox], tables: Sequence[LayoutBox]) -> list[LayoutBox]:
    """``boxes`` with those of ``tables``, or of other things that were found, which take their members out of them."""
    taken = {member for box in tables for member in box.members}
    homes = [next((at for at, box in enumerate(boxes) if set(box.members) & set(one.members)), None) for one in tables]
    result: list[LayoutBox] = []
    for at, box in enumerate(boxes):
        here = [table for table, home in zip(tables, homes, strict=True) if home == at]
        rest = [member for member in box.members if not (member in taken or _is_in(member, here))]
        if not here and len(rest) == len(box.members):
            result.append(box)
        else:
            result += _in_place(box, rest, [table for row in in_rows(here, lambda one: one.bbox) for table in row])
    for table in (table for table, home in zip(tables, homes, strict=True) if home is None):
        result.insert(index_in_order(table.bbox, [box.bbox for box in result]), table)
    return result


def _in_place(box: LayoutBox, rest: Sequence[BBox], tables: Sequence[LayoutBox]) -> list[LayoutBox]:
    """The ``tables`` out of ``box``, in the order of reading, and the ``rest`` of its lines: behind the tables that
    stand over them, or, where they stand in a column beside all of them, together before or behind these."""
    beside = [one for one in rest if tables and all(table.bbox.shared_width(one) <= 0 for table in tables)]
    left = min((table.bbox.x0 for table in tables), default=0.0)
    columns = [[one for one in beside if (one.x0 < left) is before] for before in (True, False)]
    before, behind = ([replace(box, bbox=BBox.union(part), members=tuple(part))] if part else [] for part in columns)
    result: list[LayoutBox] = []
    for number in range(len(tables) + 1):
        part = [
            one
            for one in rest
            if one not in beside and sum(_stands_over(table.bbox, one) for table in tables) == number
        ]
        result += [replace(box, bbox=BBox.union(part), members=tuple(part))] if part else []
        result += tables[number : number + 1]
    return [*before, *result, *behind]


def _is_in(member: BBox, tables: Sequence[LayoutBox]) -> bool:
    """Whether ``member`` is a part of a line of the ``tables``: a model may cut the number off the text behind it."""
    return any(line.has_center_of(member) for table in tables for line in table.members)


def _stands_over(table: BBox, line: BBox) -> bool:
    return table.center_y < line.center_y and table.shared_width(line) > 0
