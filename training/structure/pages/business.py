"""Pages of offices: invoices, delivery notes, statements, price lists, schedules, agencies' tables, forms, exams."""

from __future__ import annotations

import random
from collections.abc import Callable

from training.structure.pages.goods import KINDS, TOTALS
from training.structure.pages.page import Block, Group, Page, Part, TableBlock
from training.structure.pages.sheets import Sheets
from training.structure.pages.table import Cell, Table
from training.structure.pages.text import BREAK, Text, plain
from training.structure.pages.words import UNITS

TITLES = {
    "invoice": (
        "Invoice",
        "INVOICE",
        "Rechnung",
        "Facture",
        "Tax Invoice",
        "Factura",
        "Credit note",
        "Quotation",
        "Order confirmation",
    ),
    "delivery": ("Delivery note", "Lieferschein", "Packing list", "Bon de livraison"),
    "statement": ("Account statement", "Kontoauszug", "Relevé de compte", "Statement of account"),
    "prices": ("Price list", "Preisliste", "Catalogue", "Tarif"),
}
LABELS = (
    "Invoice number",
    "Invoice date",
    "Due date",
    "Customer no.",
    "Order no.",
    "Reference",
    "Your reference",
    "VAT ID",
    "Date",
    "Page",
    "Account",
    "IBAN",
    "Rechnungsnummer",
    "Kundennummer",
    "Bearbeiter",
    "Terms",
    "Ship via",
    "Period",
    "Numéro de client",
    "P.O. number",
    "Contact",
    "Telephone",
)


KINDS_OF_PAGES = (
    *("order", "schedule", "grid", "exam", "agency", "form", "text", "figures", "paper"),
    *("account", "spreadsheet", "few", "directory", "teasers", "life", "infobox"),
)


class Office(Sheets):
    """Draws pages of offices."""

    def facts(self, columns: int = 0, least: int = 2) -> Group:
        """Labels and values of an order."""
        rng = self.rng
        mark, parts = rng.choice((":", "", ":")), []
        columns = columns or rng.choice((1, 1, 2, 3, 4))
        for _ in range(columns):
            column: list[Part] = []
            for label in rng.sample(LABELS, rng.randint(least, 6) if columns < 3 else rng.randint(1, 2)):
                self.pair += 1
                value = rng.choice((self.writer.date, self.writer.code, self.writer.person, self.writer.code))()
                column += [
                    Block("label", plain(label + mark), pair=self.pair),
                    Block("value", plain(value), pair=self.pair),
                ]
            parts.append(tuple(column))
        return Group(rng.choice(("pairs", "pairs", "above")), tuple(parts), columns)

    def sums(self) -> Group:
        """Totals that stand by themselves below the items, or on both sides of the page."""
        left = self._sums() if self.rng.random() < 0.3 else ()
        return Group("pairs", (left, self._sums()), 2)

    def _sums(self) -> tuple[Part, ...]:
        rng, column = self.rng, list[Part]()
        for label in rng.sample(TOTALS, rng.randint(2, 4)):
            self.pair += 1
            column += [
                Block("label", plain(label + rng.choice((":", ""))), pair=self.pair),
                Block("value", self.money(), pair=self.pair),
            ]
        return tuple(column)

    def aside(self) -> Block:
        """A remark in small type beside addresses."""
        return Block("note", plain(self.writer.phrase(4, 12), self.rng.choice(("i", "i", ""))))

    def order(self) -> Page:
        """An invoice, a delivery note, a statement or a price list."""
        rng = self.rng
        kind = rng.choices(tuple(KINDS), (5, 2, 2, 2))[0]
        title = Block(
            "heading",
            plain(rng.choice(TITLES[kind]) + rng.choice(("", f" {rng.randint(100, 99999)}"))),
            level=rng.choice((1, 1, 2)),
        )
        top: list[Part] = []
        if kind != "prices":
            layout = rng.random()
            sender, customer, facts = self.address(), self.address(), self.facts(1)
            if layout < 0.12:
                top = [Group("beside", ((facts,), (customer,), (self.address(),), (self.aside(),)), 4)]
            elif layout < 0.35:
                top = [Group("beside", ((sender,), (customer,)), 2), self.facts()]
            elif layout < 0.7:
                top = [sender, Group("beside", ((customer,), (facts,)), 2)]
            else:
                top = [Group("beside", ((customer,), (sender,)), 2)]
        goods = self.goods(kind)
        parts: list[Part] = [*top, title] if rng.random() < 0.6 else [title, *top]
        if rng.random() < 0.4:
            parts.append(self.paragraph())
        parts.append(TableBlock(goods))
        if kind == "invoice" and not any(cell.kind == "total" for cell in goods.cells):
            parts.append(self.sums())
        if rng.random() < 0.3:
            parts.append(TableBlock(self.goods(rng.choice(("invoice", "statement")))))
        parts += [self.paragraph() for _ in range(rng.choice((0, 1, 1, 2)))]
        if rng.random() < 0.5:
            parts.append(Group("beside", tuple((self.address(),) for _ in range(3)), 3))
        return Page(1, (), tuple(parts), self.furniture() if rng.random() < 0.4 else ("", "", ""), self.furniture())

    def schedule(self) -> Table:
        """Days against hours, lessons that take several of them."""
        rng = self.rng
        days = rng.choice(
            (
                ("Mon", "Tue", "Wed", "Thu", "Fri"),
                ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
                ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag"),
                ("Room A", "Room B", "Room C"),
            )
        )
        cells = [
            Cell(0, 0, plain(rng.choice(("", "Time", "Hour"))), head=True, kind="head"),
            *(Cell(0, n + 1, plain(day), head=True, kind="head") for n, day in enumerate(days)),
        ]
        rows = rng.randint(4, 10)
        free = [0] * len(days)
        for row in range(1, rows + 1):
            cells.append(
                Cell(
                    row,
                    0,
                    plain(f"{row + 7}:{rng.choice(('00', '15', '30'))}" + rng.choice(("", f"–{row + 8}:00"))),
                    kind="name",
                )
            )
            for column in range(len(days)):
                if free[column] > row:
                    continue
                tall = min(rng.choice((1, 1, 1, 2, 3)), rows + 1 - row)
                free[column] = row + tall
                text: Text = plain(self.writer.title(1, 3)) if rng.random() < 0.75 else ()
                if text and rng.random() < 0.4:
                    text = (*text, BREAK, (self.writer.person(), ""))
                cells.append(Cell(row, column + 1, text, tall))
        return Table(
            rows + 1,
            ("name", *("value",) * len(days)),
            1,
            tuple(sorted(cells, key=lambda cell: (cell.row, cell.column))),
        )

    def closed_grid(self) -> Table:
        """A form in a grid: each cell has a small label and what was filled in on lines of its own."""
        rng = self.rng
        columns, rows = rng.randint(2, 4), rng.randint(2, 7)
        cells = []
        for row in range(rows):
            column = 0
            while column < columns:
                wide = min(columns - column, rng.choice((1, 1, 1, 2)))
                text: Text = plain(rng.choice(LABELS))
                for _ in range(rng.choice((0, 1, 1, 2, 3))):
                    text = (
                        *text,
                        BREAK,
                        (rng.choice((self.writer.date, self.writer.person, self.writer.code, self.writer.title))(), ""),
                    )
                cells.append(Cell(row, column, text, 1, wide, kind="text"))
                column += wide
        return Table(rows, ("text",) * columns, 0, tuple(cells))

    def exam(self) -> tuple[Part, ...]:
        """Questions whose answers stand in columns."""
        rng, parts = self.rng, list[Part]()
        columns = rng.choice((1, 2, 4, 4, 5))
        sign = rng.choice(("{}.", "({})", "{})", "{}"))
        for number in range(rng.randint(3, 9)):
            parts.append(Block("paragraph", plain(f"{number + 1}. {self.writer.paragraph(rng.choice((40, 120)))}")))
            few = 4 if columns < 5 else 5
            short = columns > 2
            answers = tuple(
                Block(
                    "item",
                    plain(
                        rng.choice(
                            (
                                f"{rng.randint(1, 99)} {rng.choice(UNITS)}",
                                self.writer.title(1, 2),
                                f"{rng.random():.2f}",
                            )
                        )
                        if short
                        else self.writer.phrase(2, 7)
                    ),
                    sign.format("ABCDE"[n]),
                )
                for n in range(few)
            )
            parts.append(Group("list", (answers,), columns) if columns == 1 else Group("options", (answers,), columns))
        return tuple(parts)

    def agency(self) -> TableBlock:
        """A table of statistics: regions by years, indented, with notes."""
        rng = self.rng
        return self.table(rng.randint(8, 40), rng.randint(3, 12))

    def page(self) -> Page:
        """Any of these."""
        rng = self.rng
        kind = rng.choices(KINDS_OF_PAGES, (6, 1, 1.5, 0.8, 2.5, 1.2, 2.5, 2.5, 5, 3, 2.5, 2, 0.7, 0.7, 0.6, 1))[0]
        head, foot = (self.furniture() if rng.random() < 0.5 else ("", "", "") for _ in range(2))
        if kind == "order":
            return self.order()
        if kind == "text":
            return Page(*self._without_tables(rng.choice((1, 1, 2))), head, foot)
        if kind == "paper":
            return super().page()
        if kind == "few":
            return Page(1, (), self.few(), head, foot)
        before = [self.heading()] + [self.paragraph() for _ in range(rng.choice((0, 0, 1)))]
        after = [self.filler() for _ in range(rng.choice((0, 1, 2)))]
        made: dict[str, Callable[[], tuple[Part, ...]]] = {
            "schedule": lambda: (TableBlock(self.schedule()),),
            "grid": lambda: (TableBlock(self.closed_grid()), self.facts()),
            "exam": self.exam,
            "agency": lambda: (self.agency(),),
            "account": lambda: tuple(TableBlock(self.account()) for _ in range(rng.choice((1, 1, 2)))),
            "spreadsheet": lambda: tuple(TableBlock(self.spreadsheet()) for _ in range(rng.choice((1, 1, 2, 3)))),
            "directory": lambda: (self.directory(), *rng.choice(((), (self.heading(), self.directory())))),
            "teasers": lambda: (self.teasers(), *rng.choice(((), (self.paragraph(), self.teasers())))),
            "life": self.life,
            "infobox": lambda: (self.infobox(), *rng.choice(((), (self.paragraph(),)))),
            "figures": lambda: (self.figure(), *rng.choice(((), (self.figure(),), (self.tables(),)))),
            "form": lambda: (
                self.facts(),
                self.heading(),
                self.facts(),
                Block("paragraph", plain(self.writer.paragraph(80))),
                self.facts(),
            ),
        }
        return Page(1, (), (*before, *made[kind](), *after), head, foot)


def made(rng: random.Random) -> Page:
    """A page of an office, or of a paper."""
    return Office(rng).page()
