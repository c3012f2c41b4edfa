"""Pages of offices: invoices, delivery notes, statements, price lists, schedules, agencies' tables, forms, exams."""

from __future__ import annotations

import random
from collections.abc import Callable

from training.structure.pages.page import Block, Group, Page, PageInventor, Part, TableBlock
from training.structure.pages.table import Cell, Table
from training.structure.pages.text import BREAK, Text, plain, styled
from training.structure.pages.words import PLACES, UNITS

HEADS: dict[str, tuple[str, ...]] = {
    "number": ("Pos.", "No.", "#", "Item", "Nr.", "Ligne", "Line", "Pos"),
    "code": ("Article", "Art. No.", "SKU", "Code", "Artikelnummer", "Référence", "Item code", "Ref."),
    "description": (
        "Description",
        "Beschreibung",
        "Désignation",
        "Item description",
        "Bezeichnung",
        "Product",
        "Details",
        "Concepto",
    ),
    "quantity": ("Qty", "Quantity", "Menge", "Quantité", "Cant.", "Qty ordered", "Units"),
    "unit": ("Unit", "Einheit", "Unité", "UoM"),
    "price": ("Unit price", "Price", "Einzelpreis", "Prix unitaire", "Rate", "Price (EUR)", "Precio"),
    "discount": ("Disc. %", "Discount", "Rabatt", "Remise"),
    "tax": ("VAT", "Tax", "MwSt.", "TVA", "VAT %", "USt. %"),
    "amount": ("Amount", "Total", "Betrag", "Montant", "Line total", "Net amount", "Gesamtpreis", "Importe"),
    "date": ("Date", "Datum", "Posting date", "Booking date", "Fecha"),
    "debit": ("Debit", "Withdrawals", "Soll", "Débit", "Paid out"),
    "credit": ("Credit", "Deposits", "Haben", "Crédit", "Paid in"),
    "balance": ("Balance", "Saldo", "Solde", "Closing balance"),
    "weight": ("Weight (kg)", "Gewicht", "Poids", "Net weight"),
    "box": ("Box", "Package", "Karton", "Pallet", "Lot No."),
    "size": ("Size", "Dimensions", "Größe", "Dimensions L x W x H"),
}
KINDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "invoice": (
        ("number", "description", "quantity", "price", "amount"),
        ("description", "quantity", "price", "amount"),
        ("quantity", "description", "price", "amount"),
        ("code", "description", "quantity", "unit", "price", "tax", "amount"),
        ("number", "code", "description", "quantity", "price", "discount", "tax", "amount"),
        ("date", "description", "quantity", "price", "amount"),
        ("description", "amount"),
        ("description", "tax", "amount"),
    ),
    "delivery": (
        ("number", "code", "description", "quantity", "unit"),
        ("code", "description", "quantity", "weight", "box"),
        ("quantity", "description"),
        ("box", "code", "description", "quantity"),
    ),
    "statement": (
        ("date", "description", "debit", "credit", "balance"),
        ("date", "date", "description", "amount", "balance"),
        ("date", "description", "amount"),
        ("date", "code", "description", "amount", "balance"),
    ),
    "prices": (
        ("code", "description", "price"),
        ("description", "size", "unit", "price"),
        ("description", "price"),
        ("code", "description", "size", "weight", "price", "price"),
    ),
}
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
TOTALS = (
    "Subtotal",
    "Net total",
    "VAT 20 %",
    "VAT 19%",
    "Shipping",
    "Discount",
    "Total",
    "Total due",
    "Amount due",
    "Summe",
    "MwSt. 19 %",
    "Gesamtbetrag",
    "Total TTC",
    "Total HT",
    "TVA 20%",
    "Carriage",
    "Balance due",
)
LABELS = ("Invoice number", "Invoice date", "Due date", "Customer no.", "Order no.", "Reference", "Your reference", "VAT ID", "Date", "Page", "Account", "IBAN", "Rechnungsnummer", "Kundennummer", "Bearbeiter", "Terms", "Ship via", "Period", "Numéro de client", "P.O. number", "Contact", "Telephone")  # fmt: skip


class Office(PageInventor):
    """Draws pages of offices."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.money = self._money()
        self.plain_items = 6

    def _money(self) -> Callable[[], Text]:
        rng = self.rng
        before, behind = rng.choice((("", ""), ("", ""), ("$", ""), ("€ ", ""), ("", " €"), ("£", ""), ("", " EUR")))
        marks = rng.choice(((",", "."), (".", ","), (" ", ","), ("", ".")))
        top = rng.choice((50, 1000, 20000))

        def draw() -> Text:
            text = f"{rng.random() ** 2 * top:,.2f}".replace(",", "~").replace(".", marks[1]).replace("~", marks[0])
            return plain(before + text + behind)

        return draw

    def value(self, kind: str) -> Text:
        """What stands in an item's row under a head of that kind."""
        rng, writer = self.rng, self.writer
        if kind in ("price", "amount", "balance"):
            return self.money()
        if kind in ("debit", "credit"):
            return self.money() if rng.random() < 0.5 else ()
        if kind == "description":
            return self._description()
        draws: dict[str, Callable[[], str]] = {
            "code": writer.code,
            "quantity": lambda: rng.choice(
                (
                    str(rng.randint(1, 99)),
                    f"{rng.randint(1, 20)}.00",
                    f"{rng.randint(1, 9)}",
                    f"{rng.randint(1, 9)} pcs",
                )
            ),
            "unit": lambda: rng.choice(("pcs", "Stk", "kg", "h", "box", "m", "ea")),
            "discount": lambda: rng.choice(("", "5 %", "10 %", "0.00")),
            "tax": lambda: rng.choice(("20%", "19 %", "7 %", "0", "20.00")),
            "date": lambda: f"{rng.randint(1, 28):02}.{rng.randint(1, 12):02}.{rng.choice(('24', '2025', ''))}",
            "weight": lambda: f"{rng.random() * 50:.1f}",
            "box": lambda: str(rng.randint(1, 400)),
            "size": lambda: (
                f"{rng.randint(10, 200)} x {rng.randint(10, 90)}" + rng.choice((" mm", "", f" x {rng.randint(1, 90)}"))
            ),
        }
        return plain(draws[kind]())

    def _description(self) -> Text:
        rng, writer = self.rng, self.writer
        text = plain(writer.title(1, 6), rng.choice(("", "", "", "b")))
        for _ in range(rng.choices((0, 1, 2, 3), (self.plain_items, 2, 1, 0.5))[0]):
            text = (
                *text,
                BREAK,
                (
                    rng.choice(
                        (
                            writer.phrase(2, 7),
                            f"Ref. {writer.code()}",
                            f"{writer.date()} – {writer.date()}",
                            writer.paragraph(40),
                        )
                    ),
                    "",
                ),
            )
        return text

    def goods(self, kind: str) -> Table:
        """The table of an invoice and the like, its totals in it or not."""
        rng = self.rng
        self.plain_items = rng.choice((2, 6, 50, 50))
        kinds = rng.choice(KINDS[kind])
        cells = [
            Cell(0, column, plain(rng.choice(HEADS[one])), head=True, kind="head") for column, one in enumerate(kinds)
        ]
        head = 1 if rng.random() < 0.95 else 0
        cells = cells if head else []
        row, breaks = head, set[int]()
        number, grouped = 0, rng.random() < (0.5 if kind == "prices" else 0.12)
        for _ in range(rng.choice((1, 2, 3, 5, 8, 12, 20, 30))):
            if grouped and (row == head or rng.random() < 0.25):
                breaks.add(row)
                cells.append(
                    Cell(
                        row,
                        0,
                        styled(plain(self.writer.title(1, 4)), rng.choice(("b", "", "i"))),
                        1,
                        len(kinds),
                        kind="group",
                    )
                )
                row += 1
            number += 1
            for column, one in enumerate(kinds):
                text = plain(str(number)) if one == "number" else self.value(one)
                cells.append(Cell(row, column, text, kind="text" if one == "description" else "value"))
            row += 1
        if kind in ("invoice", "statement") and rng.random() < 0.55:
            breaks.add(row)
            row = self._foot(cells, row, len(kinds))
        names = tuple(
            "text" if one == "description" else "word" if one in ("code", "unit", "date", "size") else "value"
            for one in kinds
        )
        return Table(row, names, head, tuple(cells), frozenset(breaks))

    def _foot(self, cells: list[Cell], row: int, width: int) -> int:
        """Totals under the last columns."""
        rng = self.rng
        start = rng.choice((0, max(0, width - 2), max(0, width - 2), max(0, width - 3)))
        for _ in range(rng.randint(1, 4)):
            style = rng.choice(("", "", "b"))
            cells += [Cell(row, column, ()) for column in range(start)]
            cells.append(
                Cell(
                    row,
                    start,
                    plain(rng.choice(TOTALS) + rng.choice(("", ":")), style),
                    1,
                    width - 1 - start,
                    kind="total",
                )
            )
            cells.append(Cell(row, width - 1, styled(self.money(), style), kind="value"))
            row += 1
        return row

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
        """Totals that stand by themselves below the items."""
        rng, column = self.rng, list[Part]()
        for label in rng.sample(TOTALS, rng.randint(2, 4)):
            self.pair += 1
            column += [
                Block("label", plain(label + rng.choice((":", ""))), pair=self.pair),
                Block("value", self.money(), pair=self.pair),
            ]
        return Group("pairs", ((), tuple(column)), 2)

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
            if layout < 0.35:
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
        block = self.table(rng.randint(8, 40), rng.randint(3, 12))
        return block

    def page(self) -> Page:
        """Any of these."""
        rng = self.rng
        kind = rng.choices(
            ("order", "schedule", "grid", "exam", "agency", "form", "text", "paper"), (6, 1, 1.5, 0.8, 2.5, 1.2, 2.5, 5)
        )[0]
        head, foot = (self.furniture() if rng.random() < 0.5 else ("", "", "") for _ in range(2))
        if kind == "order":
            return self.order()
        if kind == "text":
            return Page(*self._without_tables(rng.choice((1, 1, 2))), head, foot)
        if kind == "paper":
            return super().page()
        before = [self.heading()] + [self.paragraph() for _ in range(rng.choice((0, 0, 1)))]
        after = [self.filler() for _ in range(rng.choice((0, 1, 2)))]
        made: dict[str, Callable[[], tuple[Part, ...]]] = {
            "schedule": lambda: (TableBlock(self.schedule()),),
            "grid": lambda: (TableBlock(self.closed_grid()), self.facts()),
            "exam": self.exam,
            "agency": lambda: (self.agency(),),
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


__all__ = ["PLACES", "Office", "made"]
