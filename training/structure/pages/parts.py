"""Draws what pages are made of: paragraphs, headings, lists, formulas, listings, addresses, tables, captions."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from training.structure.pages.invent import Inventor
from training.structure.pages.page import Block, Group, Part, TableBlock
from training.structure.pages.text import Text, joined, plain
from training.structure.pages.words import FIRST, LAST, MONTHS, NAMES, PLACES, Writer


class Parts:
    """Draws the parts of pages."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.writer = Writer(rng)
        self.pair = 0
        self.captions = (
            rng.choice(("Table", "Table", "Table", "TABLE", "Tab.", "Tabelle", "Tableau")),
            rng.choice((":", ":", ".", "", " –")),
            rng.random() < 0.3,
        )

    def paragraph(self) -> Block:
        """Running text, with a figure of style here and there."""
        rng = self.rng
        text = self.writer.paragraph(rng.choice((40, 150, 300, 500, 800)))
        words = text.split(" ")
        pieces: list[tuple[str, str]] = []
        start = 0
        for _ in range(rng.choice((0, 0, 1, 2))):
            here = rng.randrange(start, len(words))
            stop = min(len(words), here + rng.randint(1, 3))
            pieces += [
                (" ".join([*words[start:here], ""]), ""),
                (" ".join(words[here:stop]), rng.choice(("b", "i", "i", "m"))),
                (" ", ""),
            ]
            start = stop
            if start >= len(words):
                break
        pieces.append((" ".join(words[start:]), ""))
        return Block("paragraph", tuple(piece for piece in pieces if piece[0]))

    def heading(self) -> Block:
        """A heading with or without its number."""
        rng = self.rng
        level = rng.choice((1, 2, 2, 3))
        number = ".".join(str(rng.randint(1, 9)) for _ in range(level)) if rng.random() < 0.6 else ""
        return Block("heading", plain(f"{number} {self.writer.title(1, 6)}".strip()), level=level)

    def items(self) -> Group:
        """A list, in columns where its items are short."""
        rng = self.rng
        short = rng.random() < 0.5
        signs: tuple[Callable[[int], str], ...] = (
            lambda n: "•",
            lambda n: "–",
            lambda n: f"{n + 1}.",
            lambda n: f"({'abcdefghijklmnopqrstuvwxyzabcdefghijkl'[n]})",
            lambda n: f"{n + 1})",
            lambda n: f"[{n + 1}]",
            lambda n: "",
        )
        sign = rng.choice(signs)
        count = rng.randint(3, 24 if short else 8)
        made = [
            Block(
                "item",
                plain(self.writer.title(1, 4) if short else self.writer.paragraph(rng.choice((20, 60, 150)))),
                sign(n),
            )
            for n in range(count)
        ]
        return Group("list", (tuple(made),), rng.choice((1, 2, 3, 4)) if short else 1)

    def bibliography(self) -> Group:
        """References."""
        rng = self.rng
        form = rng.random() < 0.7
        made = []
        for n in range(rng.randint(4, 12)):
            names = ", ".join(self.writer.person() for _ in range(rng.randint(1, 4)))
            text: Text = (
                (f"{names}. {self.writer.title(4, 10)}. ", ""),
                (f"{self.writer.title(2, 4)}", "i"),
                (
                    (
                        f", {rng.randint(1, 90)}({rng.randint(1, 12)}):{rng.randint(1, 400)}"
                        f"–{rng.randint(401, 900)}, {rng.randint(1980, 2026)}."
                    ),
                    "",
                ),
            )
            made.append(Block("item", text, f"[{n + 1}]" if form else ""))
        return Group("list", (tuple(made),))

    def formula(self) -> Block:
        """A displayed formula; the typesetter writes its own, `text` seeds it."""
        return Block(
            "formula", plain(str(self.rng.random())), f"({self.rng.randint(1, 40)})" if self.rng.random() < 0.6 else ""
        )

    def listing(self) -> Block:
        """A program, indented."""
        rng, lines, depth = self.rng, [], 0
        for _ in range(rng.randint(4, 22)):
            word, other = rng.choice(NAMES).lower().replace(" ", "_"), self.writer.phrase(1, 1)
            line = rng.choice(
                (
                    f"{word} = {other}({rng.randint(0, 99)})",
                    f"for {word} in {other}:",
                    f"if {word} > {rng.random():.2f}:",
                    f"return {word}",
                    f"# {self.writer.phrase(2, 6)}",
                    f"{word}[{rng.randint(0, 9)}] += 1;",
                    f"{word}    = {rng.randint(0, 999)}   # {other}",
                    "",
                    f"{rng.randint(0, 99)}  {word}  {rng.random():.3f}",
                )
            )
            lines.append(plain("\u00a0" * (4 * depth) + line.replace("  ", "\u00a0\u00a0"), "m"))
            depth = max(0, depth + (1 if line.endswith(":") else rng.choice((0, 0, -1))))
        return Block("code", joined(lines))

    def address(self) -> Block:
        """Name, street, town on lines of their own."""
        rng = self.rng
        lines = [
            rng.choice((self.writer.person(), self.writer.title(1, 3) + rng.choice((" Ltd", " GmbH", " Inc.", " SA")))),
            f"{rng.choice(LAST)} {rng.choice(('Street', 'Road', 'Avenue', 'str.', 'Lane'))} {rng.randint(1, 300)}",
            f"{rng.randint(1000, 99999)} {rng.choice(PLACES)}",
        ]
        if rng.random() < 0.4:
            lines.insert(1, self.writer.title(2, 4))
        if rng.random() < 0.4:
            lines.append(
                rng.choice(
                    (
                        f"{rng.choice(FIRST).lower()}@{rng.choice(LAST).lower()}.com",
                        f"Tel. +{rng.randint(1, 99)} {rng.randint(100, 999)} {rng.randint(1000, 99999)}",
                        rng.choice(PLACES),
                    )
                )
            )
        return Block("address", joined([plain(line) for line in lines]))

    def addresses(self) -> Group:
        """Two or three blocks side by side."""
        count = self.rng.choice((2, 2, 3, 4))
        return Group("beside", tuple((self.address(),) for _ in range(count)), count)

    def pairs(self) -> Group:
        """Labels with their values, in one to three columns."""
        rng = self.rng
        columns = rng.choice((1, 1, 2, 2, 3))
        mark, parts = rng.choice((":", ":", "", ".")), []
        for _ in range(columns):
            column: list[Part] = []
            for _ in range(rng.randint(2, 7)):
                self.pair += 1
                value = rng.choice(
                    (
                        self.writer.date,
                        self.writer.code,
                        self.writer.person,
                        lambda: f"{rng.random() * 900:.2f}",
                        lambda: self.writer.title(1, 5),
                        lambda: rng.choice(PLACES),
                    )
                )()
                column += [
                    Block("label", plain(self.writer.title(1, 3) + mark), pair=self.pair),
                    Block("value", plain(value), pair=self.pair),
                ]
            parts.append(tuple(column))
        return Group(rng.choice(("pairs", "pairs", "pairs", "above")), tuple(parts), columns)

    def contents(self) -> Group:
        """A table of contents: entries with their pages."""
        rng, made, page = self.rng, [], self.rng.randint(1, 40)
        chapter = 0
        numbered = rng.random() < 0.7
        for _ in range(rng.randint(6, 30)):
            level = rng.choice((0, 1, 1, 2))
            chapter += level == 0
            page += rng.randint(0, 9)
            number = (
                ".".join([str(max(1, chapter)), *(str(rng.randint(1, 9)) for _ in range(level))]) + "\u2003"
                if numbered
                else ""
            )
            made.append(Block("entry", plain(number + self.writer.title(1, 6)), str(page), level=level))
        return Group("contents", (tuple(made),))

    def letter(self) -> tuple[Part, ...]:
        """Sender, addressee, subject, text, closing."""
        rng = self.rng
        greeting = f"Dear {rng.choice(('Sir or Madam', 'Ms ' + rng.choice(LAST), 'Mr ' + rng.choice(LAST)))},"
        top = self.addresses() if rng.random() < 0.6 else self.address()
        return (
            top,
            Block(
                "paragraph",
                plain(f"{rng.choice(PLACES)}, {rng.randint(1, 28)} {rng.choice(MONTHS)} {rng.randint(1990, 2026)}"),
            ),
            *((self.pairs(),) if rng.random() < 0.5 else ()),
            Block("heading", plain(self.writer.title(2, 7)), level=3),
            Block("paragraph", plain(greeting)),
            *(self.paragraph() for _ in range(rng.randint(1, 4))),
            Block("paragraph", plain(rng.choice(("Yours sincerely,", "Kind regards", "Best wishes,")))),
            Block("address", joined([plain(self.writer.person()), plain(self.writer.title(1, 3))])),
        )

    def figure(self) -> Group:
        """A chart: numbers and names along its axes, a caption."""
        return Group(
            "figure", ((Block("caption", plain(f"Figure {self.rng.randint(1, 12)}: {self.writer.paragraph(40)}")),),)
        )

    def table(self, rows: int = 0, columns: int = 0) -> TableBlock:
        """A table with its caption."""
        rng = self.rng
        word, mark, below = self.captions
        caption: Text = ()
        if rng.random() < 0.8:
            text = self.writer.paragraph(rng.choice((10, 60, 150)))
            caption = ((f"{word} {rng.randint(1, 15)}{mark}", rng.choice(("", "b"))), (" " + text, ""))
        return TableBlock(Inventor(self.writer, rows, columns).table(), caption, below)

    def tables(self) -> Part:
        """A table, or two beside each other."""
        rng = self.rng
        if rng.random() < 0.08:
            few = [self.table(columns=rng.randint(1, 3)) for _ in range(2)]
            return Group("beside", tuple((replace(table),) for table in few), 2)
        return self.table()

    def furniture(self) -> tuple[str, str, str]:
        """What runs at the left, in the middle and at the right."""
        rng = self.rng
        number = rng.choice(
            (
                str(rng.randint(1, 400)),
                f"Page {rng.randint(1, 40)} of {rng.randint(41, 60)}",
                f"– {rng.randint(1, 99)} –",
            )
        )
        text = self.writer.title(2, 7)
        return rng.choice(
            (
                ("", number, ""),
                (text, "", number),
                (number, "", text),
                ("", text, ""),
                ("", "", ""),
                (text, "", ""),
                (text, number, self.writer.date()),
            )
        )

    def filler(self) -> Part:
        """What stands between tables."""
        rng = self.rng
        draw = rng.choices(
            (
                self.paragraph,
                self.heading,
                self.items,
                self.formula,
                self.pairs,
                self.addresses,
                self.listing,
                self.figure,
            ),
            (20, 6, 2.5, 3, 0.7, 0.4, 0.5, 1.5),
        )[0]
        return draw()
