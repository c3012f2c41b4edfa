"""Tables whose rows are unlike each other: figures that stand in the first row of several, rows without any, names over
several lines with their figures beside the last, single rows of texts, signs in a grid whose names stand outside."""

from __future__ import annotations

import random
from collections.abc import Callable

from training.structure.pages.flows import Flows
from training.structure.pages.goods import HEADS, TOTALS
from training.structure.pages.page import Block, Group, Page, Part, TableBlock
from training.structure.pages.sheets import ENTRIES, SECTIONS, WIDE
from training.structure.pages.table import Cell, Table
from training.structure.pages.text import BREAK, Text, plain, styled

ROLLS = (
    ("DC", "Result"),
    ("Nr.", "Antwort"),
    ("Day", "Programme"),
    ("No.", "Remarks"),
    ("Article", "Contenu"),
    ("", ""),
)
TERMS = (
    ("Beschreibung", "Fälligkeit", "Teilzahlung"),
    ("Description", "Due", "Amount"),
    ("Terms of payment", "Until", "Discount"),
    ("Remarks", "Signature", "Date"),
    ("Art", "Basis", "Satz", "Betrag"),
    ("Objet", "Échéance", "Montant"),
)
SCALES = (
    ("Not yet", "Somewhat", "Very much"),
    ("Never", "Sometimes", "Often", "Always"),
    ("Ja", "Nein"),
    ("Yes", "No", "N/A"),
    ("Trifft zu", "Trifft eher zu", "Trifft nicht zu"),
    ("Oui", "Non"),
    ("1", "2", "3", "4", "5"),
)
MARKS = ("o", "O", "□", "○", "( )", "[ ]", "0", "_", "")
SIGNS = (
    "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~"
    "€•†‡‰ŠŒŽ¡¢£¤¥§©«®°±²³µ¶»¼½¿ÀÉÎÕÜßàçéñöûÿαβγδλπσω"
)


class Ragged(Flows):
    """Draws such tables."""

    def rolls(self) -> Table:
        """Names one below the other, of which the first of a group has a figure: a list of songs with pages."""
        rng, writer = self.rng, self.writer
        before = rng.random() < 0.25
        columns = ["value", "name"] if before else ["name", "value"]
        if rng.random() < 0.2:
            columns.insert(0, "name")
        number, row, cells = rng.randint(1, 60), 0, list[Cell]()
        for _ in range(rng.randint(2, 9)):
            size = rng.choice((1, 1, 2, 3, 4, 5, 6))
            for at in range(size):
                for column, kind in enumerate(columns):
                    text = plain(writer.title(1, 5)) if kind == "name" else plain(str(number))
                    is_own = kind == "name" and (len(columns) == 2 or column > 0)
                    cells.append(Cell(row, column, text if is_own or at == 0 else (), kind=kind))
                row += 1
            number += rng.randint(1, 5)
        return Table(row, tuple(columns), 0, tuple(cells))

    def balance(self) -> Table:
        """An account with names over several lines, and with entries that have no figures."""
        rng, writer = self.rng, self.writer
        count, draw = rng.choice((1, 2, 2, 2, 3, 4)), self.amounts()
        apart = rng.random() < 0.35  # signs of currency in columns of their own
        step = 2 if apart else 1
        width, row, cells = 1 + step * count, 0, list[Cell]()
        head = rng.random() < 0.85
        if head:
            year, text = rng.randint(1990, 2026), rng.choice(("December {}, {}", "{} {}", "31.12. {1}", "{1}"))
            cells.append(Cell(0, 0, (), head=True, kind="head"))
            for at in range(count):
                own = [Cell(0, 1 + step * at, (), head=True, kind="head")] if apart else []
                date = plain(text.format(rng.choice((30, 31)), year - at))
                cells += [*own, Cell(0, step * (1 + at), date, head=True, kind="head")]
            row = 1
        indent, deep = WIDE * rng.choice((0, 2, 4)), WIDE * rng.choice((0, 3, 6))
        none, sign = rng.choice(("-", "–", "—", "")), rng.choice(("$", "€", "£"))
        for _ in range(rng.randint(1, 4)):
            if rng.random() < 0.5:
                cells.append(Cell(row, 0, plain(rng.choice(SECTIONS), rng.choice(("", "b"))), kind="group"))
                cells += [Cell(row, at, ()) for at in range(1, width)]
                row += 1
            for number in range(rng.randint(1, 7)):
                name: Text = plain(indent + rng.choice((rng.choice(ENTRIES), writer.title(1, 6))))
                for _ in range(rng.choice((0, 0, 0, 1, 2))):
                    name = (*name, BREAK, (indent + deep + writer.phrase(2, 7), ""))
                cells.append(Cell(row, 0, name, kind="name"))
                without = rng.random() < 0.15
                for at in range(count):
                    figure = plain(none) if rng.random() < 0.1 else draw(not apart and number == 0)
                    if apart:
                        cells.append(Cell(row, 1 + 2 * at, plain(sign) if number == 0 and not without else ()))
                    cells.append(Cell(row, step * (1 + at), () if without else figure))
                row += 1
        return Table(row, ("name", *(("word", "value") if apart else ("value",)) * count), int(head), tuple(cells))

    def sums_with_gaps(self) -> Table:
        """Totals one below the other, some without a figure, with a word between now and then."""
        rng = self.rng
        wide = rng.random() < 0.5
        names = [*TOTALS, *ENTRIES, "Gesamtbetrag der Zuschläge", "Paid on account", "Erhaltene Anzahlungen"]
        cells = list[Cell]()
        for row, name in enumerate(rng.sample(names, rng.randint(3, 9))):
            style = rng.choice(("", "", "b"))
            between = plain(rng.choice(("EUR", "USD", "19 %", "7%"))) if wide and rng.random() < 0.3 else ()
            cells.append(Cell(row, 0, plain(name, style), kind="name"))
            cells += [Cell(row, 1, between)] if wide else []
            figure = styled(self.money(), style) if rng.random() < 0.75 else ()
            cells.append(Cell(row, 1 + wide, figure, kind="value"))
        return Table(row + 1, ("name", *("word",) * wide, "value"), 0, tuple(cells))

    def answers(self) -> Table:
        """Numbers with texts beside them, under heads; without any they would be a list."""
        rng, writer = self.rng, self.writer
        heads, cells, row = rng.choice(ROLLS), list[Cell](), 0
        if rng.random() < 0.6:
            cells.append(Cell(0, 0, plain(writer.title(1, 3), rng.choice(("b", ""))), 1, 2, head=True, kind="head"))
            row = 1
        cells += [Cell(row, at, plain(text), head=True, kind="head") for at, text in enumerate(heads)]
        row += 1
        head, number = row, rng.choice((1, 5, 10))
        for _ in range(rng.randint(2, 8)):
            text = writer.paragraph(rng.choice((30, 60, 140, 280)))
            cells += [Cell(row, 0, plain(str(number))), Cell(row, 1, plain(text), kind="text")]
            number, row = number + rng.choice((1, 2, 5, 5)), row + 1
        return Table(row, ("value", "text"), head, tuple(cells))

    def signs(self) -> Table:
        """Signs in a grid, with the numbers of its rows and columns."""
        rng = self.rng
        columns, rows = rng.choice((4, 8, 10, 16)), rng.randint(3, 14)
        name = rng.choice(("#{:X}0", "{:X}x", "{}", "{}0", "0x{:X}"))
        top = rng.choice(("#0{:X}", "{:X}", "x{:X}", "{}", "0x0{:X}"))
        empty = rng.choice((0.0, 0.05, 0.3))
        cells = [Cell(0, 0, (), head=True, kind="head")]
        cells += [Cell(0, 1 + at, plain(top.format(at)), head=True, kind="head") for at in range(columns)]
        for row in range(1, rows + 1):
            cells.append(Cell(row, 0, plain(name.format(row + 1)), kind="name"))
            for at in range(columns):
                cells.append(Cell(row, 1 + at, () if rng.random() < empty else plain(rng.choice(SIGNS))))
        return Table(rows + 1, ("name", *("word",) * columns), 1, tuple(cells))

    def survey(self) -> Table:
        """Statements with the same marks to choose from beside each, led to by dots now and then, in groups."""
        rng, writer = self.rng, self.writer
        scale, counted, mark = rng.choice(SCALES), rng.random() < 0.3, rng.choice(MARKS)
        leader = rng.choice(("", "", " .", ".", " ·", " •", "_"))
        grouped, cells, row = rng.random() < 0.3, list[Cell](), 0
        first = 1 + grouped
        if rng.random() < 0.85:
            cells += [Cell(0, at, (), head=True, kind="head") for at in range(first)]
            cells += [Cell(0, first + at, plain(text), head=True, kind="head") for at, text in enumerate(scale)]
            row = 1
        head = row
        for _ in range(rng.randint(1, 4) if grouped else 1):
            for number in range(rng.randint(3, 10)):
                if grouped:
                    cells.append(
                        Cell(row, 0, plain(writer.title(1, 3) + "...", "b") if number == 0 else (), kind="name")
                    )
                text = writer.phrase(3, rng.choice((6, 12, 20))).capitalize() + rng.choice(("?", "", "."))
                cells.append(Cell(row, first - 1, plain(text + leader * rng.randint(2, 14)), kind="text"))
                marks = [plain(str(at) if counted else mark) for at in range(len(scale))]
                cells += [Cell(row, first + at, text) for at, text in enumerate(marks)]
                row += 1
        return Table(row, (*("name",) * grouped, "text", *("word",) * len(scale)), head, tuple(cells))

    def terms(self) -> Table:
        """One or two rows of texts with little beside them."""
        rng, writer = self.rng, self.writer
        heads = rng.choice(TERMS)
        cells = [Cell(0, at, plain(head), head=True, kind="head") for at, head in enumerate(heads)]
        rows = rng.choice((1, 1, 1, 2))
        for row in range(1, 1 + rows):
            text = writer.paragraph(rng.choice((40, 90, 200, 400)))
            cells.append(Cell(row, 0, plain(text), kind="text"))
            for at in range(1, len(heads)):
                filled = rng.random() < 0.5
                cells.append(Cell(row, at, rng.choice((self.money(), plain(writer.date()))) if filled else ()))
        return Table(1 + rows, ("text", *("value",) * (len(heads) - 1)), 1, tuple(cells))

    def crowded(self) -> Table:
        """Heads that fill their columns up to the next ones, above few short cells."""
        rng = self.rng
        kinds = rng.sample([one for one in HEADS if one != "description"], rng.randint(3, 7))
        kinds.insert(rng.randint(0, 2), "description")
        cells = [
            Cell(0, at, self.heads() if rng.random() < 0.25 else plain(rng.choice(HEADS[one])), head=True, kind="head")
            for at, one in enumerate(kinds)
        ]
        empty = {at for at in range(len(kinds)) if rng.random() < 0.2}
        rows = rng.choice((1, 2, 2, 3, 6))
        for row in range(1, rows + 1):
            for at, one in enumerate(kinds):
                text = plain(str(row)) if one == "number" else self.value(one)
                cells.append(Cell(row, at, () if at in empty else text))
        names = tuple("text" if one == "description" else "value" for one in kinds)
        return Table(rows + 1, names, 1, tuple(cells))

    def ragged(self) -> Table:
        """Any of these."""
        draws: tuple[Callable[[], Table], ...] = (
            self.rolls,
            self.balance,
            self.sums_with_gaps,
            self.answers,
            self.signs,
            self.terms,
            self.crowded,
            self.survey,
        )
        return self.rng.choices(draws, (3, 4, 3, 3, 0.7, 2, 3, 2.5))[0]()

    def terms_in_text(self) -> Part:
        """Terms, each with what it means behind it."""
        rng, writer = self.rng, self.writer
        mark, style = rng.choice((": ", " – ", ". ", "  ")), rng.choice(("b", "b", "i"))
        items = [
            Block("item", ((writer.title(1, 3) + mark, style), (writer.paragraph(rng.choice((10, 30, 80))), "")))
            for _ in range(rng.randint(2, 6))
        ]
        return Group("list", (tuple(items),))

    def no_table(self) -> tuple[Part, ...]:
        """What looks like a table and is none."""
        rng = self.rng
        draws: tuple[tuple[Callable[[], Part], float], ...] = (
            (self.items, 5),
            (self.terms_in_text, 2),
            (self.bibliography, 1),
            (self.contents, 1),
            (self.address, 2),
            (self.addresses, 2),
            (self.imprint, 1),
            (self.names, 1),
            (self.contact, 1),
            (self.keys, 1),
            (self.facts_in_lines, 1),
            (self.boxes, 1),
        )
        if rng.random() < 0.12:
            return self.letterhead()
        return tuple(draw() for draw in rng.choices(*zip(*draws, strict=True), k=rng.choice((1, 1, 2))))

    def page(self) -> Page:
        """A page with some of them, or with tables of offices."""
        rng = self.rng
        parts: list[Part] = []
        for _ in range(rng.choice((1, 2, 2, 3))):
            parts += rng.choice(((self.heading(),), (self.heading(),), (self.paragraph(),), (), (self.facts(1),)))
            chance = rng.random()
            if chance < 0.2:
                parts.append(Group("beside", tuple((TableBlock(self.ragged()),) for _ in range(2)), 2))
            elif chance < 0.3:
                sides = [self.no_table(), (TableBlock(self.ragged()),)]
                rng.shuffle(sides)
                parts.append(Group("beside", tuple(sides), 2))
            elif chance < 0.45:
                parts.append(TableBlock(self.goods(rng.choice(("invoice", "statement")))))
            else:
                parts.append(TableBlock(self.ragged()))
            if rng.random() < 0.9:
                parts += self.no_table()
        parts += rng.choice(((), (self.paragraph(),), (self.address(),)))
        head, foot = (self.furniture() if rng.random() < 0.5 else ("", "", "") for _ in range(2))
        return Page(1, (), tuple(parts), head, foot)


def made(rng: random.Random) -> Page:
    """A page of such tables."""
    return Ragged(rng).page()
