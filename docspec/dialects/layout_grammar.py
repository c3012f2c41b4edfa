"""The grammar of layout JSON: box digits, categories and keys predicted from the drafted cells.

The numbers of a box come from :mod:`box_numbers`; together they tell which drafted cell is meant. The likely categories
follow the box, and the cell's drafted texts follow the category. A picture has no text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from docspec.core import Category
from docspec.core.grammar import Alternative, Completion, Fork, Landmark
from docspec.dialects.box_numbers import NUMBERS, Box, DraftedBoxes, TextFork, Weights
from docspec.dialects.layout_cells import LayoutCell
from docspec.dialects.table_grammar import TableGrammar
from docspec.dialects.tables import Table

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_BEGUN_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*(\\(?:u[0-9a-fA-F]{0,3})?)\Z")
_SIGNS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_END = "\0"


class EscapedTables:
    """Predicts ``tables`` (drafted, in reading order) where they are written inside JSON strings.

    ``behind`` is the text after a table, with its escapes.
    """

    def __init__(self, tables: Sequence[Table], behind: str) -> None:
        self._tables = TableGrammar(tables, _END)
        self._behind = behind
        self._begun = ""

    def follow(self, text: str) -> None:
        text = self._begun + text
        if "\\" in text:
            begun = _BEGUN_ESCAPE.search(text)
            cut = begun.start(1) if begun else len(text)
            text, self._begun = text[:cut], text[cut:]
            text = _ESCAPE.sub(_sign, text)
        else:
            self._begun = ""
        self._tables.follow(text)

    def completions(self) -> Sequence[Completion]:
        if self._begun:
            return ()
        return [Completion(self._escaped(text), sureness) for text, sureness in self._tables.completions()]

    def _escaped(self, text: str) -> str:
        table, end, _ = text.partition(_END)
        return json.dumps(table, ensure_ascii=False)[1:-1] + (self._behind if end else "")


def _sign(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _SIGNS.get(escape[2], escape[2])


BOX = '"bbox": ['
CATEGORY = '"category": "'
BEHIND_BOX = '], "category": "'
BEHIND_CATEGORY = '", "text": "'
NEXT_CELL = '"}, {"bbox": ['

AS_DRAFTED = 9.0
"""Prior count, of 10, of cells that the target writes with the drafted category."""

INSTEAD = {Category.TEXT: 0.4, Category.SECTION_HEADER: 0.2, Category.LIST_ITEM: 0.2, Category.CAPTION: 0.1}
"""Prior counts of other categories that it writes instead."""

ELSEWHERE = 6
"""The most cells with other boxes whose texts are proposed."""

COMPLETE = 0.5
"""Chance that a number which nothing predicted is complete."""

LEAST_LEFT = 0.05
"""A smaller rest of the chance is not shared out."""

CATEGORIES = 3
"""The most other categories proposed beside the drafted one."""

HEAD = 16
"""Letters and digits at the beginning of a cell's text by which it is recognised."""

_DONE = re.compile(r"(?:\d+, ){0,3}")
_BOX_AHEAD = re.compile(r'(\d+), (\d+), (\d+), (\d+)\], "category": "([A-Za-z-]+)')
_LOOSE_AHEAD = re.compile(r'([A-Za-z-]+)", "text": "(.*)', re.DOTALL)
_HEADER = re.compile(r'(\d+), (\d+), (\d+), (\d+)\], "category": "([A-Za-z-]*)(.*)', re.DOTALL)
KEPT = 256
"""Characters of a cell that are kept: its keys and the beginning of its text."""

_HEADER_END = 120
"""Characters behind the marker of a box that contain the cell's keys."""


@dataclass(frozen=True, slots=True)
class _Drafted:
    box: Box
    category: str
    head: str


class LayoutGrammar(DraftedBoxes):
    """Predicts how the target writes the drafted ``cells``: in reading order, boxes in the target's pixels.

    ``tables`` are those drafted for the cells that are tables.
    """

    markers: Sequence[str] = (BOX, CATEGORY)

    def __init__(self, cells: Sequence[LayoutCell], tables: Sequence[Table] = ()) -> None:
        self.cells = [_Drafted(_whole(cell.bbox), cell.category, _head(cell.text or "")) for cell in cells if cell.bbox]
        super().__init__([cell.box for cell in self.cells])
        backwards = [(number, self.cells[number]) for number in reversed(range(len(self.cells)))]
        self._by_box = {(cell.box, cell.category): number for number, cell in backwards}
        self._by_head = {cell.head: number for number, cell in backwards if cell.head}
        self._tables = EscapedTables(tables, NEXT_CELL)
        self._tail = ""
        self._cell: str | None = None
        self._as_drafted = AS_DRAFTED
        self._instead: dict[str, float] = {str(category): share for category, share in INSTEAD.items()}

    def landmark(self, marker: str, ahead: str) -> Landmark | None:
        if marker == BOX:
            match = _BOX_AHEAD.match(ahead)
            if match is None:
                return None
            box = (int(match[1]), int(match[2]), int(match[3]), int(match[4]))
            number = self._by_box.get((box, match[5]))
            return None if number is None else Landmark(number, match.end(), True)
        loose = _LOOSE_AHEAD.match(ahead)
        number = self._by_head.get(_head(loose[2])) if loose else None
        return None if loose is None or number is None else Landmark(number, loose.end(1), False)

    def follow(self, text: str) -> None:
        self._tables.follow(text)
        tail = self._tail
        cells = (tail + text).split(BOX)
        self._tail = cells[-1][1 - len(BOX) :]
        if self._cell is not None:
            self._cell = (self._cell + cells[0][len(tail) :])[:KEPT]
        for cell in cells[1:]:
            if self._cell is not None:
                self._close(self._cell)
            self._cell = cell[:KEPT]

    def completions(self) -> Sequence[Completion]:
        return self._tables.completions()

    def here(self) -> Fork | None:
        rest = self._cell
        if rest is None or len(rest) > _HEADER_END:
            return None
        header = _HEADER.match(rest)
        if header is None:
            done = _DONE.match(rest)
            written = tuple(map(int, re.findall(r"\d+", done[0]))) if done else ()
            behind = rest[done.end() :] if done else rest
            weights = self.weigh(self.candidates(self.last + 1), written)
            return _BoxFork(self, weights, len(written), behind) if weights else None
        written = (int(header[1]), int(header[2]), int(header[3]), int(header[4]))
        weights = self.weigh(self.candidates(self.last + 1), written)
        weights = self.with_others(weights)
        if header[6]:
            return TextFork(weights, header[6]) if BEHIND_CATEGORY.startswith(header[6]) else None
        return _CategoryFork(self, weights, header[5])

    def beginning(self, element: int) -> Fork | None:
        weights = self.candidates(element)
        return _BoxFork(self, weights, 0, "") if weights else None

    def categories(self, drafted: str) -> list[tuple[str, float]]:
        """Categories that the target may write for a cell of the category ``drafted``, with their chances."""
        total = self._as_drafted + sum(self._instead.values())
        ranked = sorted(self._instead.items(), key=lambda item: -item[1])
        others = [(name, count / total) for name, count in ranked if name != drafted][:CATEGORIES]
        return [(drafted, self._as_drafted / total), *others]

    def with_others(self, weights: Weights) -> Weights:
        """``weights`` with further cells whose boxes differ but whose texts may come: they share the remaining
        chance."""
        left = 1 - sum(weight for _, weight in weights)
        if left < LEAST_LEFT:
            return weights
        known = {cell for cell, _ in weights}
        last = self.last
        near = sorted((abs(n - last - 1), n) for n in range(len(self.cells)) if n not in self.used)
        cells = [cell for _, cell in near if cell not in known][:ELSEWHERE]
        return (*weights, *((cell, left / (len(cells) + 1)) for cell in cells))

    def _close(self, text: str) -> None:
        """Learns from the written cell that begins with ``text``, if its drafted cell can be identified."""
        header = _HEADER.match(text)
        if header is None:
            return
        written = (int(header[1]), int(header[2]), int(header[3]), int(header[4]))
        number = self._by_head.get(_head(header[6][len(BEHIND_CATEGORY) :]))
        if number is None or number in self.used:
            weights = self.weigh(self.candidates(self.last + 1), written)
            number = max(weights, key=lambda item: item[1])[0] if weights else None
            if number is None or not self.numbers.is_near(self.cells[number].box, written):
                return
        drafted = self.cells[number]
        self.written(number, written)
        if header[5] == drafted.category:
            self._as_drafted += 1.0
        else:
            self._instead[header[5]] = self._instead.get(header[5], 0.0) + 1.0


@dataclass(slots=True, eq=False)
class _BoxFork:
    """The fork inside a box: number ``edge`` comes next, of which ``begun`` is written."""

    grammar: LayoutGrammar
    weights: Weights
    edge: int
    begun: str

    def alternatives(self, least: float) -> Sequence[Alternative]:
        begun, behind = self.begun, BEHIND_BOX if self.edge == 3 else ", "
        ranked = self.grammar.ranked(self.edge, self.weights, least, bool(begun))
        if begun:
            ranked = [item for item in ranked if f"{item[0]}{behind}".startswith(begun)]
            total = sum(chance for _, chance, _ in ranked)
            if not ranked:
                return self._unpredicted(behind)
            ranked = [(number, chance / total, cells) for number, chance, cells in ranked]
        return [
            Alternative(chance, f"{number}{behind}"[len(begun) :], fork=self._next(cells))
            for number, chance, cells in ranked[:NUMBERS]
            if chance >= least
        ]

    def _unpredicted(self, behind: str) -> Sequence[Alternative]:
        """Takes a number that no cell predicts as complete."""
        digits = self.begun.rstrip(behind)
        text = f"{digits}{behind}"
        if not digits.isdigit() or not text.startswith(self.begun):
            return ()
        return (Alternative(COMPLETE, text[len(self.begun) :], fork=self._next(self.weights)),)

    def _next(self, weights: Weights) -> Fork:
        if self.edge == 3:
            return _CategoryFork(self.grammar, self.grammar.with_others(weights), "")
        return _BoxFork(self.grammar, weights, self.edge + 1, "")


@dataclass(slots=True, eq=False)
class _CategoryFork:
    """The fork behind a box: its category comes next, of which ``begun`` is written."""

    grammar: LayoutGrammar
    weights: Weights
    begun: str

    def alternatives(self, least: float) -> Sequence[Alternative]:
        alternatives: list[Alternative] = []
        begun = self.begun
        for cell, weight in self.weights:
            if weight < least:
                continue
            drafted = self.grammar.cells[cell].category
            for name, share in self.grammar.categories(drafted):
                if weight * share < least or not name.startswith(begun):
                    continue
                rest = name[len(begun) :]
                if (name == Category.PICTURE) == (drafted == Category.PICTURE):
                    alternatives.append(Alternative(weight * share, rest, anchor=cell))
                elif name == Category.PICTURE:
                    alternatives.append(
                        Alternative(weight * share, rest + NEXT_CELL, fork=self.grammar.beginning(cell + 1))
                    )
                else:
                    alternatives.append(Alternative(weight * share, rest + BEHIND_CATEGORY))
        return alternatives


def _whole(box: tuple[float, float, float, float]) -> Box:
    return round(box[0]), round(box[1]), round(box[2]), round(box[3])


def _head(text: str) -> str:
    """The first letters and digits of a JSON string; ``text`` may continue behind its end."""
    begun = text[: 3 * HEAD].split('"}', 1)[0]
    return "".join(char for char in begun if char.isalnum())[:HEAD].casefold()
