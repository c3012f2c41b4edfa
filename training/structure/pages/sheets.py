"""Sheets of offices: accounts with leaders and signs of currency, spreadsheets, single items on empty pages, and what
looks like tables but is none: directories, teasers, courses of life."""

from __future__ import annotations

from collections.abc import Callable

from training.structure.pages import values
from training.structure.pages.goods import Goods
from training.structure.pages.page import Block, Group, Part, TableBlock
from training.structure.pages.table import Cell, Table
from training.structure.pages.text import BREAK, Text, plain, styled

WIDE = "\u00a0"
"""A space that no typesetter drops."""

ENTRIES = (
    "Cash and cash equivalents",
    "Accounts receivable, net",
    "Inventories",
    "Property, plant and equipment",
    "Goodwill",
    "Deferred taxes",
    "Trade payables",
    "Accrued liabilities",
    "Long-term debt, less current portion",
    "Retained earnings",
    "Net sales",
    "Cost of goods sold",
    "Selling, general and administrative expenses",
    "Interest expense",
    "Depreciation and amortization",
    "Income before taxes",
    "Provisions for pensions",
    "Umsatzerlöse",
    "Materialaufwand",
    "Personalaufwand",
    "Sonstige betriebliche Aufwendungen",
    "Chiffre d'affaires",
    "Charges de personnel",
    "Grants and contracts",
    "Tuition and fees",
    "Capital outlay",
)
SECTIONS = ("Assets", "Current assets:", "LIABILITIES", "Revenues", "Expenses:", "Equity", "Aktiva", "Other", "ACTIF")
PARTS_OF_LIFE = ("Experience", "Education", "Skills", "Berufserfahrung", "Formation", "Languages", "Publications")


class Sheets(Goods):
    """Draws such sheets."""

    def amounts(self) -> Callable[[bool], Text]:
        """Amounts of an account: in brackets below nothing, a sign of currency at the left edge of some."""
        rng = self.rng
        top, places = rng.choice((900, 90_000, 9_000_000, 900_000_000)), rng.choice((0, 0, 0, 1, 2))
        mark = rng.choice((",", ",", ".", " ")) if places == 0 else ","
        below, none = rng.choice(("({})", "({})", "-{}", "−{}")), rng.choice(("–", "—", "-", "", "0"))
        sign = rng.choice(("$", "$", "", "", "€", "US$"))
        apart = rng.choice((0, 1, 2, 2))
        size = len(f"{top:,}") + (places + 1 if places else 0)

        def draw(first: bool) -> Text:
            if rng.random() < 0.08:
                return plain(none)
            number = f"{rng.random() ** rng.choice((1, 3)) * top:,.{places}f}".replace(",", mark)
            number = below.format(number) if rng.random() < 0.15 else number
            if not (first and sign):
                return plain(number)
            return plain(sign + WIDE * (apart * max(0, size - len(number)) + (1 if apart else 0)) + number)

        return draw

    def account(self) -> Table:
        """Entries with their amounts in one to six years, in sections with sums."""
        rng, writer = self.rng, self.writer
        count = rng.choices((1, 2, 3, 4, 6), (3, 6, 3, 2, 1))[0]
        noted = rng.random() < 0.2
        names = 1 + noted
        draw = self.amounts()
        cells: list[Cell] = []
        head, year = 0, rng.randint(1995, 2026)
        if rng.random() < 0.9:
            if count > 1 and rng.random() < 0.45:
                cells.append(Cell(0, 0, (), columns=names, head=True, kind="head"))
                title = rng.choice(("Year ended December 31,", "As of", "Geschäftsjahr", "Budget", writer.title(1, 3)))
                cells.append(Cell(0, names, plain(title), 1, count, head=True, kind="head"))
                head = 1
            cells.append(
                Cell(head, 0, plain(rng.choice(("", "", "in thousands", "(TEUR)", "Account"))), head=True, kind="head")
            )
            if noted:
                cells.append(Cell(head, 1, plain(rng.choice(("Note", "Notes", "Anhang"))), head=True, kind="head"))
            for number in range(count):
                text: Text = plain(str(year - number))
                if rng.random() < 0.2:
                    text = (*text, BREAK, (rng.choice(("EUR", "$'000", "Actual", "Plan", "(audited)")), ""))
                cells.append(Cell(head, names + number, text, head=True, kind="head"))
            head += 1
        row, breaks = head, set[int]()
        leaders, width, indent = rng.choice(("", "", ".", " .", ". ")), rng.randint(34, 70), rng.choice((0, 0, 2, 4))
        signed = rng.random() < 0.3
        for _ in range(rng.choice((1, 1, 2, 3, 4))):
            if rng.random() < 0.6:
                cells.append(
                    Cell(
                        row,
                        0,
                        plain(rng.choice(SECTIONS), rng.choice(("b", "", "i"))),
                        1,
                        rng.choice((1, 1, names + count)),
                        kind="group",
                    )
                )
                cells += [Cell(row, column, ()) for column in range(cells[-1].columns, names + count)]
                row += 1
            lines = rng.choice((1, 2, 3, 5, 8))
            for number in range(lines):
                name = WIDE * indent + (rng.choice(ENTRIES) if rng.random() < 0.7 else writer.title(1, 5))
                if rng.random() < 0.06:
                    name += " " + writer.phrase(4, 9)
                if leaders:
                    name = name + " " + leaders * ((width - len(name)) // len(leaders))
                cells.append(Cell(row, 0, plain(name), kind="name"))
                if noted:
                    cells.append(Cell(row, 1, plain(str(rng.randint(1, 40)) if rng.random() < 0.6 else "")))
                cells += [Cell(row, names + at, draw(signed or number == 0)) for at in range(count)]
                row += 1
            if rng.random() < 0.7:
                style = rng.choice(("", "b"))
                cells.append(
                    Cell(
                        row,
                        0,
                        plain(rng.choice(("Total", "Total assets", "Summe", "", "Net income", "Totaal")), style),
                        kind="name",
                    )
                )
                cells += [Cell(row, 1, ())] if noted else []
                cells += [Cell(row, names + at, styled(draw(True), style)) for at in range(count)]
                breaks.add(row)
                row += 1
        columns = ("name",) + ("word",) * noted + ("value",) * count
        return Table(row, columns, head, tuple(cells), frozenset(breaks))

    def spreadsheet(self) -> Table:
        """Columns of all kinds, many cells empty, names that need room, a row for letters of columns now and then."""
        rng, writer = self.rng, self.writer
        count, rows = rng.randint(2, 9), rng.choice((1, 2, 3, 5, 9, 16, 30))
        kinds: list[tuple[str, values.Draw]] = []
        for _ in range(count):
            kinds.append(
                rng.choice(
                    (
                        ("name", lambda: plain(writer.person())),
                        ("word", lambda: plain(writer.date())),
                        ("word", lambda: plain(writer.code())),
                        ("value", values.integers(rng)),
                        ("value", values.money(rng)),
                        ("value", values.percents(rng)),
                        ("word", lambda: plain(rng.choice(("yes", "no", "x", "OK", "n/a", "✓", "open", "TRUE")))),
                        ("text", lambda: plain(writer.phrase(2, 9))),
                        ("name", lambda: plain(writer.title(1, 3))),
                    )
                )
            )
        empty = rng.choice((0, 0, 0.15, 0.35, 0.6))
        cells, row = [], 0
        numbered = rng.random() < 0.1
        if numbered:
            cells += [Cell(0, at, plain("ABCDEFGHIJ"[at]), head=True, kind="head") for at in range(count)]
            row = 1
        head = row
        if rng.random() < 0.85:
            upper = rng.random() < 0.2
            for at in range(count):
                text = self.heads() if rng.random() < 0.3 else plain(writer.title(1, 2))
                cells.append(
                    Cell(row, at, tuple((a.upper() if upper else a, b) for a, b in text), head=True, kind="head")
                )
            row += 1
            head = row
        for _ in range(rows):
            for at, (_, draw) in enumerate(kinds):
                cells.append(Cell(row, at, () if at and rng.random() < empty else draw()))
            row += 1
        if rng.random() < 0.2 and any(kind == "value" for kind, _ in kinds):
            for at, (kind, draw) in enumerate(kinds):
                total: Text = plain("Total") if at == 0 else draw() if kind == "value" else ()
                cells.append(Cell(row, at, styled(total, "b")))
            row += 1
        return Table(row, tuple(kind for kind, _ in kinds), head, tuple(cells))

    def directory(self) -> Group:
        """Addresses in columns, row by row: no table."""
        columns = self.rng.choice((2, 3, 3, 4))
        rows = self.rng.randint(2, 4)
        return Group("beside", tuple(tuple(self.address() for _ in range(rows)) for _ in range(columns)), columns)

    def teasers(self) -> Group:
        """Short texts under heads of their own, beside each other, as newspapers and folders have them."""
        rng = self.rng
        columns = rng.choice((2, 3, 3, 4))

        def one() -> tuple[Part, ...]:
            parts: list[Part] = []
            for _ in range(rng.choice((1, 1, 2))):
                parts.append(Block("heading", plain(self.writer.title(1, 5)), level=3))
                parts.append(Block("paragraph", plain(self.writer.paragraph(rng.choice((40, 90, 160))))))
            return tuple(parts)

        return Group("beside", tuple(one() for _ in range(columns)), columns)

    def life(self) -> tuple[Part, ...]:
        """Times with what was done in them, as in a course of life: labels with long values."""
        rng = self.rng
        parts: list[Part] = []
        for title in rng.sample(PARTS_OF_LIFE, rng.randint(1, 3)):
            parts.append(Block("heading", plain(title), level=2))
            column: list[Part] = []
            for _ in range(rng.randint(1, 4)):
                self.pair += 1
                year = rng.randint(1980, 2024)
                when = rng.choice(
                    (f"{year}–{year + rng.randint(1, 5)}", f"since {year}", str(year), self.writer.date())
                )
                text = plain(self.writer.paragraph(rng.choice((20, 80, 200))))
                if rng.random() < 0.5:
                    text = (*plain(self.writer.title(1, 4), "b"), BREAK, *text)
                column += [Block("label", plain(when), pair=self.pair), Block("value", text, pair=self.pair)]
            parts.append(Group("pairs", (tuple(column),), 1))
        return tuple(parts)

    def infobox(self) -> Group:
        """Text beside a small table of names and facts."""
        rng, writer = self.rng, self.writer
        cells, row = [], 0
        if rng.random() < 0.7:
            cells.append(Cell(0, 0, plain(writer.title(1, 3), "b"), 1, 2, kind="group"))
            row = 1
        for _ in range(rng.randint(3, 9)):
            name = styled(plain(writer.title(1, 3)), rng.choice(("b", "b", "")))
            fact = rng.choice((writer.date, writer.person, writer.code, lambda: writer.title(1, 6)))()
            text: Text = plain(fact)
            if rng.random() < 0.25:
                text = (*text, BREAK, (writer.phrase(1, 4), ""))
            cells += [Cell(row, 0, name, kind="name"), Cell(row, 1, text, kind="text")]
            row += 1
        box = TableBlock(Table(row, ("name", "text"), 0, tuple(cells)))
        prose = tuple(self.paragraph() for _ in range(rng.choice((1, 2, 3))))
        return Group("beside", (prose, (box,)) if rng.random() < 0.75 else ((box,), prose), 2)

    def few(self) -> tuple[Part, ...]:
        """One small table on a page with little else."""
        rng = self.rng
        table = rng.choice(
            (self.spreadsheet, self.account, lambda: self.goods("invoice"), lambda: self.goods("delivery"))
        )()
        before: tuple[Part, ...] = rng.choice(((), (self.heading(),), (self.heading(), self.address())))
        after: tuple[Part, ...] = rng.choice(((), (), (self.paragraph(),), (self.address(),)))
        return (*before, TableBlock(table), *after)
