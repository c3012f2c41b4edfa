"""Heads of tables: labels over one to four levels, each group over some columns."""

from __future__ import annotations

from itertools import accumulate

from training.structure.pages.table import Cell
from training.structure.pages.text import BREAK, Text, plain
from training.structure.pages.words import DATASETS, GREEK, METRICS, PLACES, UNITS, Writer


class Heads:
    """Writes the head of a table of `names` columns that name rows and `count` others."""

    names: int
    count: int
    columns: tuple[str, ...]

    def __init__(self, writer: Writer) -> None:
        self.writer, self.rng = writer, writer.rng
        self.cells: list[Cell] = []

    def label(self, long: bool = False) -> Text:
        """A head's label."""
        rng, writer = self.rng, self.writer
        kind = rng.random()
        if long:
            return plain(writer.title(2, 6) if rng.random() < 0.7 else rng.choice(DATASETS))
        if kind < 0.3:
            text: Text = plain(rng.choice(METRICS))
        elif kind < 0.42:
            text = plain(rng.choice(DATASETS))
        elif kind < 0.5:
            text = ((rng.choice(GREEK + "NnTtkxyRM"), "i"), (rng.choice(("1", "2", "0", "max", "i", "eff")), "_"))
        elif kind < 0.56:
            text = plain(str(rng.randint(1990, 2026)))
        elif kind < 0.6:
            text = plain(rng.choice(PLACES))
        elif kind < 0.64:
            text = plain(f"({rng.randint(1, 9)})")
        else:
            text = plain(writer.title(1, rng.choice((1, 2, 3, 5))))
        tail = rng.random()
        if tail < 0.12:
            text = (*text, rng.choice((BREAK, (" ", ""), (" ", ""))), (rng.choice("([") + rng.choice(UNITS), ""))
            text = (*text[:-1], (text[-1][0] + {"(": ")", "[": "]"}[text[-1][0][0]], ""))
        elif tail < 0.18:
            text = (*text, (f" {rng.choice('↑↓')}", ""))
        elif tail < 0.22:
            text = (*text, (rng.choice("abc*†12"), "^"))
        return text

    def head(self) -> int:
        """Writes the head; its number of rows."""
        rng = self.rng
        levels = rng.choices((0, 1, 2, 3, 4), (0.9, 12, 6, 2, 0.5))[0]
        if self.count < 3:
            levels = min(levels, 1 + (rng.random() < 0.1))
        if not levels:
            return 0
        spans = self._spans(levels)
        for column in range(self.names):
            self._name_head(column, levels)
        units = levels == 1 and rng.random() < 0.06
        repeated = [self.label() for _ in range(rng.randint(2, 4))] if levels > 1 and rng.random() < 0.6 else []
        for level, groups in enumerate(spans):
            for start, width, depth in groups:
                if depth:
                    leaf = level + depth == levels
                    number = start - self.names
                    text = (
                        repeated[number % len(repeated)] if repeated and leaf and width == 1 else self.label(width > 1)
                    )
                    self.cells.append(Cell(level, start, text, depth, width, head=True, kind="head"))
        if units:
            for column in range(self.names, len(self.columns)):
                self.cells.append(Cell(1, column, plain(f"({rng.choice(UNITS)})"), head=True, kind="head"))
            self.cells += [Cell(1, column, (), head=True, kind="head") for column in range(self.names)]
            return 2
        return levels

    def _name_head(self, column: int, levels: int) -> None:
        rng = self.rng
        text = self.label() if rng.random() < 0.85 else ()
        if rng.random() < 0.6 or levels == 1:
            self.cells.append(Cell(0, column, text, levels, head=True, kind="head"))
            return
        place = rng.choice((0, levels - 1))
        self.cells += [
            Cell(level, column, text if level == place else (), head=True, kind="head") for level in range(levels)
        ]

    def _spans(self, levels: int) -> list[list[tuple[int, int, int]]]:
        """For each level the cells `(first column, columns, rows)` over the columns that name no rows."""
        rng = self.rng
        spans: list[list[tuple[int, int, int]]] = []
        groups = [(self.names, self.count)]
        whole = levels > 1 and rng.random() < 0.15
        for level in range(levels):
            row: list[tuple[int, int, int]] = []
            last = level == levels - 1
            below: list[tuple[int, int]] = []
            even = rng.choice((2, 2, 3, 4))
            for start, width in groups:
                parts = [width] if whole and level == 0 else self._parts(width, even) if not last else [1] * width
                starts = accumulate([start, *parts[:-1]])
                for place, part in zip(starts, parts, strict=True):
                    if part == 1 and not last and rng.random() < 0.75:
                        row.append((place, 1, levels - level))
                    else:
                        row.append((place, part, 1))
                        below.append((place, part))
            groups = below
            spans.append(row)
        return spans

    def _parts(self, width: int, even: int) -> list[int]:
        rng = self.rng
        if width % even == 0 and rng.random() < 0.6:
            return [even] * (width // even)
        parts: list[int] = []
        while sum(parts) < width:
            parts.append(min(rng.choice((1, 2, 2, 3, 4)), width - sum(parts)))
        return parts
