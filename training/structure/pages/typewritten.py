"""Sets made pages on a grid of characters, as typewriters and old programs do; needs nothing but PyMuPDF.

What is under a head stands in its columns; rules are hyphens and bars, which are characters as well (kind `rule`).
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path

import pymupdf

from training.structure.pages.business import made
from training.structure.pages.colours import Colour
from training.structure.pages.marking import Marking
from training.structure.pages.page import Block, Group, Page, Part, TableBlock
from training.structure.pages.table import Cell, Table
from training.structure.pages.text import Text, flat, latin, split_lines

FONTS = ("cour", "cour", "cour", "cobo")
WIDTH = 0.6  # of Courier's characters, in ems


@dataclass(frozen=True)
class Run:
    """Characters of one colour at a place of the line's grid."""

    column: int
    text: str
    colour: Colour


Line = tuple[Run, ...]


def wrapped(text: Text, width: int) -> list[str]:
    """A text in lines of at most `width` characters; longer words are cut."""
    found = []
    for one in split_lines(text):
        current = ""
        for word in latin(flat(one)).split():
            while len(word) > width:
                head, word = (
                    word[: max(1, width - len(current) - bool(current))],
                    word[max(1, width - len(current) - bool(current)) :],
                )
                found.append(f"{current} {head}".strip())
                current = ""
            if current and len(current) + 1 + len(word) > width:
                found.append(current)
                current = ""
            current = f"{current} {word}".strip()
        found.append(current)
    return found


class Setter(Marking):
    """Writes the pages of one run."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.width = 0

    def text(self, kind: str, text: Text, column: int = 0, width: int = 0, pair: int = -1) -> list[Line]:
        """A block's lines."""
        entry, made = self.entry(kind, pair), list[Line]()
        for number, own in enumerate(split_lines(text) if kind == "address" else [text]):
            colour = self.palette.new(entry | {"line": number})
            made += [(Run(column, one, colour),) if one else () for one in wrapped(own, width or self.width - column)]
        return made

    def part(self, part: Part) -> list[Line]:
        """Any part's lines."""
        if isinstance(part, TableBlock):
            return self.table(part)
        if isinstance(part, Block):
            text = ((part.text[0][0][2:12] + " = a * x + b", ""),) if part.kind == "formula" else part.text
            return [*self.text(part.kind, text, pair=part.pair), *[()] * self.rng.choice((0, 1, 1))]
        return [*self._group(part), ()]

    def _group(self, group: Group) -> list[Line]:
        if group.layout in ("beside", "pairs", "above"):
            whole, columns = self.width, []
            self.width = whole // group.columns - 2
            for column in group.parts:
                columns.append(self._column(group.layout, column))
            self.width = whole
            return beside(columns, whole // group.columns)
        if group.layout in ("figure", "flow", "box", "float"):
            return [line for parts in group.parts for part in parts for line in self.part(part)]
        lines: list[Line] = []
        for item in group.parts[0]:
            assert isinstance(item, Block)
            if item.kind == "entry":
                dots = f" {'.' * max(2, self.width - len(flat(item.text)) - len(item.label) - 2)} "
                lines += self.text("entry", (*item.text, (dots + item.label, "")))
            else:
                label = latin(item.label)
                lines += self._labelled(label, self.text("item", item.text, len(label) + 1))
        return lines

    def _labelled(self, label: str, lines: list[Line]) -> list[Line]:
        first = lines[0]
        return [(Run(0, label, first[0].colour), *first), *lines[1:]] if label and first else lines

    def _column(self, layout: str, column: tuple[Part, ...]) -> list[Line]:
        if layout == "beside":
            return [line for part in column for line in self.part(part)]
        lines: list[Line] = []
        half = max(8, self.width // 2)
        for label, value in zip(column[::2], column[1::2], strict=True):
            assert isinstance(label, Block) and isinstance(value, Block)
            names = self.text("label", label.text, 0, half - 1, label.pair)
            if layout == "above":
                lines += [*names, *self.text("value", value.text, 0, self.width, value.pair)]
            else:
                lines += beside([names, self.text("value", value.text, 0, max(6, self.width - half), value.pair)], half)
        return lines

    def table(self, block: TableBlock) -> list[Line]:
        """A table between its caption and its notes."""
        above = self.text("caption", block.caption) if block.caption and not block.caption_below else []
        grid = self._grid(block.table)
        notes = [line for note in block.table.notes for line in self.text("note", note)]
        below = self.text("caption", block.caption) if block.caption and block.caption_below else []
        return [(), *above, *grid, *notes, *below, ()]

    def _grid(self, table: Table) -> list[Line]:
        rng, number = self.rng, self.begin(table)
        rule = self.palette.new({"kind": "rule", "block": -1, "order": -1})
        gap, bars = rng.choice((1, 2, 2, 3, 4)), rng.random() < 0.2
        gap = max(gap, 3) if bars else gap
        widths = self._widths(table, gap)
        starts = [sum(widths[:column]) + gap * column for column in range(len(widths))]
        numbers = rng.choice(("right", "right", "left"))
        rows: list[list[Line]] = [[] for _ in range(table.rows)]
        for cell in sorted(table.cells, key=lambda one: one.columns):
            if not cell.text:
                continue
            room = sum(widths[cell.column : cell.column + cell.columns]) + gap * (cell.columns - 1)
            colour = self.palette.new({"kind": "cell", "table": number, **cell.truth})
            lines = rows[cell.row]
            for n, text in enumerate(wrapped(cell.text, room)):
                lines += [()] * (n + 1 - len(lines))
                indent = self._indent(cell, table, numbers, room - len(text))
                lines[n] = (*lines[n], Run(starts[cell.column] + indent, text, colour)) if text else lines[n]
        marks = rng.choice("--=-_")
        dashes: Line = (Run(0, marks * (starts[-1] + widths[-1]), rule),)
        ruled = rng.choice(("none", "head", "head", "ends", "all"))
        found: list[Line] = [dashes] if ruled in ("ends", "all") else []
        for row, lines in enumerate(rows):
            if bars and not any(cell.columns > 1 and cell.row <= row < cell.row + cell.rows for cell in table.cells):
                lines = [(*line, *(Run(start - 2, "|", rule) for start in starts[1:])) for line in lines]
            found += lines or [()]
            last = row == table.rows - 1
            if (
                ruled == "all"
                or (last and ruled == "ends")
                or (row == table.head_rows - 1 and ruled in ("head", "ends"))
            ):
                crossed = any(cell.row <= row < cell.row + cell.rows - 1 for cell in table.cells)
                found += [] if crossed else [dashes]
        return found

    def _indent(self, cell: Cell, table: Table, numbers: str, free: int) -> int:
        if cell.columns > 1 and cell.kind == "head":
            return free // 2
        right = numbers == "right" and table.columns[cell.column] == "value" and cell.kind != "group"
        return free if right or (cell.kind == "total" and cell.columns > 1) else 0

    def _widths(self, table: Table, gap: int) -> list[int]:
        most = self.rng.choice((14, 24, 36))
        widths = [3] * len(table.columns)
        for cell in table.cells:
            if cell.columns == 1:
                longest = max((len(latin(flat(one))) for one in split_lines(cell.text)), default=0)
                widths[cell.column] = max(widths[cell.column], min(most, longest))
        while sum(widths) + gap * (len(widths) - 1) > self.width and max(widths) > 5:
            widths[widths.index(max(widths))] -= 1
        return widths

    def page(self, page: Page) -> list[Line]:
        """All lines of a page."""
        self.width = self.rng.randint(62, 84)
        lines: list[Line] = []
        for texts in (page.head, *page.wide, *page.parts, page.foot):
            if isinstance(texts, tuple):
                line: Line = ()
                for text, place in zip(texts, (0, 0.5, 1), strict=True):
                    shown = latin(text)[: self.width // 3 - 1]
                    if shown:
                        line = (
                            *line,
                            Run(
                                int(place * (self.width - len(shown))), shown, self.palette.new(self.entry("furniture"))
                            ),
                        )
                lines += [line, ()] if line else []
            else:
                lines += self.part(texts)
        return lines

    def document(self, pages: list[Page], pdf: Path) -> None:
        """All pages, written to `pdf`; what a page does not hold goes on to the next."""
        with pymupdf.open() as document:
            for page in pages:
                lines = self.page(page)
                size = min(self.rng.uniform(7.5, 11), 540 / (WIDTH * self.width))
                pitch, font = size * self.rng.choice((1.0, 1.1, 1.2, 1.5)), self.rng.choice(FONTS)
                many = int((842 - 100) / pitch)
                for start in range(0, len(lines), many):
                    shape = document.new_page().new_shape()  # written at once: each change of a page costs
                    for n, line in enumerate(lines[start : start + many]):
                        for run in line:
                            place = (28 + WIDTH * size * run.column, 56 + n * pitch)
                            shape.insert_text(
                                place,
                                run.text,
                                fontname=font,
                                fontsize=size,
                                color=tuple(level / 255 for level in run.colour),
                            )
                    shape.commit()
            document.save(pdf)


def beside(columns: list[list[Line]], step: int) -> list[Line]:
    """Columns of lines next to each other, each `step` characters further to the right."""
    merged: list[Line] = []
    for n in range(max(map(len, columns), default=0)):
        runs = [
            replace(run, column=run.column + step * place)
            for place, column in enumerate(columns)
            if n < len(column)
            for run in column[n]
        ]
        merged.append(tuple(runs))
    return merged


def typeset(rng: random.Random, count: int, folder: Path, name: str) -> tuple[Path, Setter]:
    """About `count` pages and what their colours stand for."""
    setter = Setter(rng)
    pdf = folder / f"{name}.pdf"
    setter.document([made(rng) for _ in range(count)], pdf)
    return pdf, setter
