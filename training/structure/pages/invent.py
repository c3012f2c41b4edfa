"""Invents tables: columns of some kinds under a head, rows in sections, with all that authors do."""

from __future__ import annotations

from collections.abc import Callable

from training.structure.pages import values, words
from training.structure.pages.heads import Heads
from training.structure.pages.table import Cell, Table
from training.structure.pages.text import Text, plain, styled
from training.structure.pages.words import Writer


class Inventor(Heads):
    """One table: what it will hold is chosen when it is made, `table` writes it out."""

    def __init__(self, writer: Writer, rows: int = 0, columns: int = 0) -> None:
        super().__init__(writer)
        rng = self.rng
        self.names = rng.choices((0, 1, 2, 3), (1, 12, 4, 1))[0]
        count = (
            columns or rng.choices((1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22), (4, 5, 7, 7, 6, 5, 4, 3, 1.5, 0.8, 0.4))[0]
        )
        self.count = max(count, 2 - self.names)
        self.body = rows or rng.choices((2, 3, 5, 8, 12, 18, 28, 42), (2, 4, 6, 6, 5, 3, 1.2, 0.4))[0] + rng.randint(
            0, 2
        )
        self.listed = not columns and rng.random() < 0.05
        if self.listed:  # words in columns, without a head
            self.names, self.count = 0, rng.choice((2, 3, 3, 4, 4, 5, 6))
        self.columns = ("name",) * self.names + (("word",) * self.count if self.listed else self._kinds())
        self.draws = self._draws()
        self.named = rng.choice(("", "", "", "", "b", "i"))
        self.bridges = rng.random() < 0.1
        self.breaks: set[int] = set()
        self.tall: frozenset[int] = frozenset()
        self.blank = rng.choice((0, 0, 0, 0.05, 0.2, 0.4))
        self.dash: Text = plain(rng.choice(("–", "-", "—", "n/a", "", "N/A", "x", "...")))

    def _kinds(self) -> tuple[str, ...]:
        rng = self.rng
        if self.count <= 4 and rng.random() < 0.25:
            return tuple(rng.choice(("text", "text", "value", "word")) for _ in range(self.count))
        return tuple("word" if rng.random() < 0.08 else "value" for _ in range(self.count))

    def _draws(self) -> list[values.Draw]:
        rng, writer = self.rng, self.writer
        if self.listed:
            return [self._listed(rng.random())] * self.count
        one = rng.choice(values.NUMBERS)(rng) if rng.random() < 0.55 else None
        marks = rng.random() < 0.06
        draws: list[values.Draw] = []
        for kind in self.columns:
            if kind == "name":
                draws.append(values.namers(writer))
            elif kind == "text":
                draws.append(values.sentences(writer))
            elif kind == "word":
                draws.append(
                    rng.choice(
                        (
                            values.words(writer, 2),
                            values.words(writer, 4),
                            lambda: plain(writer.code()),
                            lambda: plain(writer.date()),
                            values.marks(rng),
                            values.years(rng),
                            lambda: plain(writer.citation()),
                            values.symbols(writer),
                        )
                    )
                )
            elif marks:
                draws.append(values.marks(rng))
            else:
                draws.append(one or rng.choice(values.NUMBERS)(rng))
        return draws

    def _listed(self, kind: float) -> values.Draw:
        """What a list in columns is made of."""
        rng, writer = self.rng, self.writer
        if kind < 0.3:
            return lambda: plain(rng.choice(words.NAMES).lower())
        if kind < 0.6:
            return values.words(writer, rng.choice((1, 1, 2, 3)))
        return rng.choice((lambda: plain(writer.code()), lambda: plain(writer.person()), values.namers(writer)))

    def table(self) -> Table:
        """The whole table."""
        rng = self.rng
        head_rows = 0 if self.listed else self.head()
        row, left = head_rows, self.body
        sections = rng.choices(("none", "group", "merged", "once", "rules"), (9, 3, 3, 2, 2))[0]
        if self.names == 0 or self.body < 4:
            sections = "none"
        below = rng.random() < 0.08 and all(kind != "text" for kind in self.columns)
        indent = rng.random() < 0.25
        first = True
        width = len(self.columns)
        blocks = sections == "group" and head_rows == 1 and rng.random() < 0.25
        named_first = blocks and rng.random() < 0.5
        self.tall = self._tall() if sections == "merged" and not below else frozenset()
        steady = rng.choice((2, 2, 3, 4)) if self.tall else 0
        while left > 0:
            size = left if sections == "none" else min(left, steady or rng.choice((1, 2, 3, 3, 4, 5, 6)))
            if not first or (sections == "group" and head_rows):
                self.breaks.add(row)
            if named_first and not first:
                row = self._group_row(row, width)
            if blocks and not first:
                self.cells += [
                    Cell(row, cell.column, cell.text, 1, cell.columns, head=True, kind="head")
                    for cell in self.cells
                    if cell.row == 0 and cell.head
                ]
                row += 1
            if sections == "group" and (first or not named_first):
                row = self._group_row(row, width)
            height = size * (2 if below else 1)
            self._section(row, size, height, sections, below, "\u2003" if sections == "group" and indent else "")
            row += height
            left -= size
            first = False
        if rng.random() < 0.12 and "text" not in self.columns:
            self.breaks.add(row)
            row = self._totals(row)
        if self.listed:  # the last row of a list is seldom full
            empty = rng.randint(0, width - 1)
            self.cells = [
                Cell(cell.row, cell.column, ()) if cell.row == row - 1 and cell.column >= width - empty else cell
                for cell in self.cells
            ]
        return Table(row, self.columns, head_rows, self._ordered(), frozenset(self.breaks), self._notes())

    def _tall(self) -> frozenset[int]:
        """Columns behind the first whose cells are merged over the rows of a section, too: some, or all but one or
        two."""
        rng = self.rng
        others = [column for column in range(1, len(self.columns)) if self.columns[column] != "text"]
        kind = rng.random()
        if kind < 0.45 or len(others) < 2:
            return frozenset()
        if kind < 0.75:
            return frozenset(others) - set(rng.sample(others, rng.choice((1, 1, 2))))
        return frozenset(column for column in others if rng.random() < 0.35)

    def _group_row(self, row: int, width: int) -> int:
        rng = self.rng
        text = styled(
            plain(
                self.writer.title(1, 6)
                if rng.random() < 0.8
                else f"Panel {rng.choice('ABC')}: {self.writer.title(2, 5)}"
            ),
            rng.choice(("", "b", "i", "i", "bi")),
        )
        if rng.random() < 0.75:
            self.cells.append(Cell(row, 0, text, 1, width, kind="group"))
        else:
            self.cells.append(Cell(row, 0, text, kind="group"))
            filled = rng.random() < 0.3
            self.cells += [Cell(row, column, self.draws[column]() if filled else ()) for column in range(1, width)]
        self.breaks.add(row + 1) if rng.random() < 0.5 else None
        return row + 1

    def _section(self, row: int, size: int, height: int, sections: str, below: bool, indent: str) -> None:
        rng = self.rng
        step = height // size
        start = 0
        if sections in ("merged", "once"):
            start = 1
            text = self.draws[0]()
            if sections == "merged":
                self.cells.append(Cell(row, 0, text, height, kind="name"))
            else:
                self.cells.append(Cell(row, 0, text, kind="name"))
                self.cells += [Cell(row + more, 0, ()) for more in range(1, height)]
        best = rng.random() < 0.5
        centred = below and rng.random() < 0.3
        for number in range(size):
            place = row + number * step
            bold = rng.choice(("b", "b", "u", "i")) if rng.random() < 0.1 else ""
            bridge = (
                self._bridge(place) if self.bridges and step == 1 and not self.tall and rng.random() < 0.3 else range(0)
            )
            for column in range(start, len(self.columns)):
                kind = self.columns[column]
                text = self._filled(column)
                if column in bridge or (column in self.tall and number):
                    continue
                if column in self.tall:
                    self.cells.append(Cell(place, column, text, height, kind=kind))
                    continue
                if kind == "name":
                    text = (*plain(indent), *text) if column == 0 else text
                    text = styled(text, self.named) if column == 0 and self.named else text
                    tall = step if centred else 1
                    self.cells.append(Cell(place, column, text, tall, kind="name"))
                    if step == 2 and not centred:
                        self.cells.append(Cell(place + 1, column, ()))
                    continue
                if best and kind == "value" and rng.random() < 0.12:
                    text = styled(text, rng.choice(("b", "b", "b", "u", "i")))
                self.cells.append(Cell(place, column, styled(text, bold) if bold else text, kind=kind))
                if step == 2:
                    self.cells.append(Cell(place + 1, column, self._error(text)))

    def _bridge(self, row: int) -> range:
        """Columns of values that one cell of a row takes together."""
        rng, first = self.rng, max(1, self.names)
        if len(self.columns) - first < 2:
            return range(0)
        start = rng.randint(first, len(self.columns) - 2)
        stop = rng.randint(start + 2, len(self.columns))
        text = rng.choice((self.draws[start](), plain(self.writer.title(1, 3)), self.dash or plain("–")))
        self.cells.append(Cell(row, start, text, 1, stop - start))
        return range(start, stop)

    def _filled(self, column: int) -> Text:
        if self.columns[column] != "name" and self.rng.random() < self.blank:
            return self.dash
        return self.draws[column]()

    def _error(self, text: Text) -> Text:
        rng = self.rng
        if not text or rng.random() < 0.05:
            return ()
        return plain(rng.choice(("({})", "({})", "({})", "[{}]")).format(f"{rng.random():.{rng.choice((2, 3, 3))}f}"))

    def _totals(self, row: int) -> int:
        rng = self.rng
        for _ in range(rng.choice((1, 1, 2, 3))):
            style = rng.choice(("", "b"))
            name = plain(
                rng.choice(
                    (
                        "Total",
                        "Average",
                        "Mean",
                        "All",
                        "Sum",
                        "Observations",
                        "R2",
                        "Overall",
                        "Avg.",
                        "Std. dev.",
                        "N",
                    )
                ),
                style,
            )
            names = max(1, self.names)
            span = names if names > 1 and rng.random() < 0.5 else 1
            if rng.random() < 0.15 and len(self.columns) > 2:
                span = len(self.columns) - 1
            self.cells.append(Cell(row, 0, name, 1, span, kind="total"))
            self.cells += [
                Cell(row, column, styled(self.draws[column](), style) if column >= names else ())
                for column in range(span, len(self.columns))
            ]
            row += 1
        return row

    def _ordered(self) -> tuple[Cell, ...]:
        return tuple(sorted(self.cells, key=lambda cell: (cell.row, cell.column)))

    def _notes(self) -> tuple[Text, ...]:
        rng = self.rng
        if rng.random() > 0.25:
            return ()
        starts: tuple[Callable[[int], Text], ...] = (
            lambda n: (("abcd"[n], "^"),),
            lambda n: (("*†‡§"[n], ""), (" ", "")),
            lambda n: plain(("Note: ", "Source: ", "* p<0.1; ** p<0.05; *** p<0.01. ", "")[n]),
            lambda n: plain(f"({n + 1}) "),
        )
        start = rng.choice(starts)
        return tuple(
            (*start(n), *plain(self.writer.paragraph(rng.choice((20, 60, 120)))))
            for n in range(rng.choice((1, 1, 2, 3)))
        )
