"""Tables of what is bought and paid: items with quantities, prices and totals, entries of accounts, price lists."""

from __future__ import annotations

import random
from collections.abc import Callable

from training.structure.pages.paper import Paper
from training.structure.pages.table import Cell, Table
from training.structure.pages.text import BREAK, Text, joined, plain, styled

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


class Goods(Paper):
    """Draws such tables; amounts of a page are written in one manner."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.money = self._money()
        self.plain_items, self.long_codes = 6, False

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
        rng = self.rng
        if kind in ("price", "amount", "balance"):
            return self.money()
        if kind in ("debit", "credit"):
            return self.money() if rng.random() < 0.5 else ()
        if kind == "description":
            return self._description()
        if kind == "code":
            return self._code()
        draws: dict[str, Callable[[], str]] = {
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

    def heads(self) -> Text:
        """A head of several lines."""
        rng = self.rng
        names = [one for group in HEADS.values() for one in group]
        return joined([plain(rng.choice(names)) for _ in range(rng.choice((1, 2, 2, 3, 4)))])

    def _code(self) -> Text:
        """Numbers of an article, the seller's and the buyer's."""
        lines = self.rng.choice((1, 2, 2, 3)) if self.long_codes else 1
        return joined([plain(self.writer.code()) for _ in range(lines)])

    def _detail(self, row: int, kinds: tuple[str, ...]) -> list[Cell]:
        """A row below an item: what it is reduced by, or a line of remarks that runs below its figures."""
        rng, last = self.rng, len(kinds) - 1
        start = kinds.index("description") if "description" in kinds else 0
        cells = [Cell(row, column, ()) for column in range(start)]
        name = rng.choice(
            (f"Discount {rng.randint(1, 30)} %", "Rabatt", "Deposit", "Gross price : 9.90", "Remise", "Eco tax")
        )
        if last > start and rng.random() < 0.5:
            return [*cells, Cell(row, start, plain(name), 1, last - start), Cell(row, last, self.money())]
        return [*cells, Cell(row, start, plain(rng.choice((name, self.writer.phrase(3, 9)))), 1, last - start + 1)]

    def goods(self, kind: str) -> Table:
        """The table of an invoice and the like, its totals in it or not."""
        rng = self.rng
        self.plain_items = rng.choice((2, 6, 50, 50))
        self.long_codes = rng.random() < 0.2
        tall, detailed = rng.random() < 0.2, rng.random() < 0.15
        kinds = rng.choice(KINDS[kind])
        cells = [
            Cell(
                0,
                column,
                self.heads() if tall and rng.random() < 0.5 else plain(rng.choice(HEADS[one])),
                head=True,
                kind="head",
            )
            for column, one in enumerate(kinds)
        ]
        head = 1 if rng.random() < 0.95 else 0
        cells = cells if head else []
        row, breaks = head, set[int]()
        grouped = rng.random() < (0.5 if kind == "prices" else 0.12)
        for number in range(1, 1 + rng.choice((1, 1, 2, 2, 3, 5, 8, 12, 20, 30))):
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
            for column, one in enumerate(kinds):
                text = plain(str(number)) if one == "number" else self.value(one)
                cells.append(Cell(row, column, text, kind="text" if one == "description" else "value"))
            row += 1
            if detailed and rng.random() < 0.6:
                cells += self._detail(row, kinds)
                row += 1
        room = -1
        if rng.random() < 0.25:
            room, row = row, row + 1
            cells += [Cell(room, column, ()) for column in range(len(kinds))]
        if kind in ("invoice", "statement") and rng.random() < 0.55:
            breaks.add(row)
            row = self._foot(cells, row, len(kinds))
        names = tuple(
            "text" if one == "description" else "word" if one in ("code", "unit", "date", "size") else "value"
            for one in kinds
        )
        return Table(row, names, head, tuple(cells), frozenset(breaks), room=room)

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
