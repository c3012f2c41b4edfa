"""Pages whose order of reading is what is hard: columns under and between what runs over all of them, stories of a
newspaper, asides, cards in rows, posters, slides, letters, two pages on a sheet, notes in the margin.

Their truth is the order in which the source has the texts: what stands beside each other from left to right, each with
all that belongs to it, before what stands below it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from training.structure.pages.line_texts import LineTexts
from training.structure.pages.page import Block, Group, Page, Part, TableBlock
from training.structure.pages.text import plain
from training.structure.pages.words import MONTHS, PLACES

NONE = ("", "", "")


class Flows(LineTexts):
    """Draws such pages."""

    def head(self, level: int = 0) -> Block:
        """A heading without a number."""
        return Block("heading", plain(self.writer.title(1, 7)), level=level or self.rng.choice((1, 2, 3)))

    def prose(self, least: int, most: int) -> list[Part]:
        """Paragraphs, with headings and what else stands in columns."""
        rng, parts = self.rng, list[Part]()
        others = (self.head, self.items, self.formula, self.figure, self.contact, self.verses, self.pairs)
        heads = rng.choice((0.0, 0.1, 0.25))
        for _ in range(rng.randint(least, most)):
            kind = rng.random()
            if kind < heads:
                parts.append(self.head(rng.choice((2, 3))))
            elif kind < heads + 0.08:
                parts.append(rng.choice(others)())
            else:
                parts.append(rng.choice((self.paragraph, self.paragraph, self.short))())
        return parts

    def flow(self, parts: Sequence[Part], columns: int) -> Group:
        """Text in columns."""
        return Group("flow", (tuple(parts),), columns)

    def box(self, *parts: Part) -> Part:
        """Text in a frame, or not."""
        return Group("box", (parts,)) if self.rng.random() < 0.6 else Group("beside", (parts,), 1)

    def beside(self, columns: Sequence[Sequence[Part]], widths: Sequence[float] = ()) -> Group:
        """Texts beside each other."""
        return Group("beside", tuple(map(tuple, columns)), len(columns), tuple(widths))

    def bands(self) -> list[Part]:
        """What runs over the whole width, and columns, in turn."""
        rng, parts = self.rng, list[Part]()
        wide: tuple[Callable[[], Part], ...] = (
            self.paragraph,
            self.paragraph,
            self.head,
            self.short,
            self.table,
            self.figure,
            self.boxed,
        )
        for number in range(rng.randint(2, 5)):
            if number % 2 == 0 or rng.random() < 0.3:
                parts += [rng.choice(wide)() for _ in range(rng.choice((1, 1, 2)))]
            else:
                parts.append(self.flow(self.prose(2, 6), rng.choice((2, 2, 3, 4))))
        return parts

    def boxed(self) -> Part:
        """A remark in a frame."""
        rng = self.rng
        return self.box(
            *((self.head(3),) if rng.random() < 0.5 else ()), rng.choice((self.paragraph, self.short, self.items))()
        )

    def story(self, wide: int) -> list[Part]:
        """A heading with its text, in as many columns as it is wide."""
        rng = self.rng
        parts: list[Part] = [self.head(rng.choice((1, 2)))]
        if rng.random() < 0.3:
            parts.append(Block("paragraph", plain(f"{rng.choice(('By ', 'Von ', ''))}{self.writer.person()}")))
        text = [rng.choice((self.paragraph, self.short))() for _ in range(rng.randint(1, 3 * wide))]
        return [*parts, self.flow(text, wide) if wide > 1 else Group("flow", (tuple(text),), 1)]

    def newspaper(self) -> list[Part]:
        """Rows of stories."""
        rng = self.rng
        parts: list[Part] = [self.head(1)] if rng.random() < 0.6 else []
        for _ in range(rng.choice((1, 2, 2, 3))):
            left, widths = rng.randint(2, 5), list[int]()
            while left:
                widths.append(min(left, rng.choice((1, 1, 2, 2, 3))))
                left -= widths[-1]
            parts.append(self.beside([self.story(wide) for wide in widths], widths))
        return parts

    def with_aside(self) -> list[Part]:
        """A text with another one beside it."""
        rng = self.rng
        narrow: list[Part] = []
        for _ in range(rng.randint(1, 3)):
            own = (
                self.head(3),
                *(
                    rng.choice((self.short, self.items, self.contact, self.names, self.hours))()
                    for _ in range(rng.choice((1, 1, 2)))
                ),
            )
            narrow.append(self.box(*own))
        main = self.prose(3, 9)
        text: list[Part] = [self.flow(main, 2)] if rng.random() < 0.4 else main
        share = rng.uniform(0.2, 0.5)
        first = rng.random() < 0.5
        sides = [narrow, text] if first else [text, narrow]
        widths = (share, 1 - share) if first else (1 - share, share)
        return [*([self.head(1)] if rng.random() < 0.6 else []), self.beside(sides, widths)]

    def card(self) -> Part:
        """A heading with a few lines."""
        rng = self.rng
        own: list[Part] = [self.head(3)] if rng.random() < 0.8 else []
        own += [
            rng.choice((self.short, self.short, self.paragraph, self.contact, self.items, self.facts_in_lines))()
            for _ in range(rng.choice((1, 1, 2)))
        ]
        return self.box(*own)

    def cards(self) -> list[Part]:
        """Cards in rows: each row from left to right."""
        rng = self.rng
        count = rng.choice((2, 2, 3, 4))
        parts: list[Part] = [self.head(1)] if rng.random() < 0.6 else []
        if rng.random() < 0.4:
            parts.append(self.paragraph())
        boxes = rng.random() < 0.7
        for _ in range(rng.randint(2, 4)):
            parts.append(
                self.beside(
                    [[self.card() if boxes else rng.choice((self.short, self.paragraph))()] for _ in range(count)]
                )
            )
        return parts

    def poster(self) -> list[Part]:
        """Columns of sections."""
        rng = self.rng
        columns = [[self.card() for _ in range(rng.randint(1, 4))] for _ in range(rng.choice((2, 3, 3, 4)))]
        return [self.head(1), *([self.short()] if rng.random() < 0.4 else []), self.beside(columns)]

    def slide(self) -> list[Part]:
        """A title with lists or texts beside each other."""
        rng = self.rng

        def column() -> list[Part]:
            head: list[Part] = [self.head(3)] if rng.random() < 0.6 else []
            return [*head, rng.choice((self.items, self.items, self.short, self.figure, self.names))()]

        columns = [column() for _ in range(rng.choice((1, 2, 2, 3)))]
        end: list[Part] = [self.short()] if rng.random() < 0.5 else []
        return [self.head(1), self.beside(columns), *end]

    def sender(self) -> list[Part]:
        """A letter whose sender stands on the right, or over all, with its foot in columns."""
        rng = self.rng
        date = Block(
            "paragraph",
            plain(f"{rng.choice(PLACES)}, {rng.randint(1, 28)} {rng.choice(MONTHS)} {rng.randint(1990, 2026)}"),
        )
        tops: tuple[list[Part], ...] = (
            [
                self.beside([[], [self.address(), *([self.contact()] if rng.random() < 0.5 else [])]], (1, 1)),
                self.address(),
            ],
            [self.beside([[self.address()], [self.contact()]]), self.address()],
            [self.beside([[self.address(), self.address()], [self.facts(1)]], (1, rng.uniform(0.5, 1)))],
            [self.address(), self.beside([[self.address()], [date, self.contact()]])],
            [*self.letterhead(), self.facts()],
        )
        top = rng.choice(tops)
        foot = self.beside(
            [[rng.choice((self.address, self.contact, self.imprint))()] for _ in range(rng.choice((2, 3, 4)))]
        )
        text = [self.paragraph() for _ in range(rng.randint(1, 4))]
        tables: list[Part] = [TableBlock(self.goods("invoice"))] if rng.random() < 0.4 else []
        return [
            *top,
            self.head(3),
            *text[:1],
            *tables,
            *text[1:],
            self.closing(),
            *([foot] if rng.random() < 0.7 else []),
        ]

    def sheets(self) -> list[Part]:
        """Two or three pages beside each other."""
        rng = self.rng
        pages: list[list[Part]] = []
        for _ in range(rng.choice((2, 2, 3))):
            own = self.prose(3, 8)
            head: list[Part] = [self.head(2)] if rng.random() < 0.7 else []
            pages.append([*head, self.flow(own, 2 if rng.random() < 0.3 else 1)])
        return [self.beside(pages)]

    def margins(self) -> list[Part]:
        """Headings or notes in the margin of what they stand beside."""
        rng = self.rng
        share, left = rng.uniform(0.12, 0.3), rng.random() < 0.6
        parts: list[Part] = [self.head(1)] if rng.random() < 0.5 else []
        for _ in range(rng.randint(2, 6)):
            note: list[Part] = [
                rng.choice((self.short, lambda: self.head(3), lambda: Block("note", plain(self.writer.phrase(2, 9)))))()
            ]
            text: list[Part] = [self.paragraph() for _ in range(rng.choice((1, 1, 2)))]
            parts.append(
                self.beside([note, text] if left else [text, note], (share, 1 - share) if left else (1 - share, share))
            )
        return parts

    def inset(self) -> list[Part]:
        """Text around a box, before or after other text."""
        rng = self.rng
        inside: tuple[Part, ...] = ((self.head(3),) if rng.random() < 0.4 else ()) + (
            rng.choice((self.short, self.items, self.contact))(),
        )
        around = tuple(self.paragraph() for _ in range(rng.randint(2, 5)))
        return [*self.prose(0, 3), Group("float", (inside, around), 1), *self.prose(0, 3)]

    def questions(self) -> list[Part]:
        """A form: labels with values in blocks beside each other, under headings."""
        rng = self.rng
        parts: list[Part] = [self.head(1)]
        for _ in range(rng.randint(1, 4)):
            parts.append(self.head(3))
            parts.append(
                rng.choice(
                    (
                        self.facts,
                        lambda: self.beside([[self.facts(1)], [self.facts(1)]]),
                        lambda: self.beside([[self.address()], [self.facts(1)]]),
                        lambda: TableBlock(self.closed_grid()),
                    )
                )()
            )
        return [*parts, *([self.paragraph()] if rng.random() < 0.5 else [])]

    def menu(self) -> list[Part]:
        """Dishes with their prices and what they are, in columns."""
        rng = self.rng
        parts: list[Part] = []
        for _ in range(rng.randint(1, 4)):
            if rng.random() < 0.7:
                parts.append(self.head(2))
            for _ in range(rng.randint(2, 6)):
                self.pair += 1
                name = Block("label", plain(self.writer.title(1, 4)), pair=self.pair)
                parts.append(Group("pairs", ((name, Block("value", self.money(), pair=self.pair)),)))
                if rng.random() < 0.8:
                    parts.append(Block("paragraph", plain(self.writer.phrase(3, 14))))
        return [self.flow(parts, rng.choice((1, 2, 2, 3)))]

    def contacts(self) -> list[Part]:
        """Ways to somebody beside where he is, under a heading in a frame."""
        rng = self.rng
        draws = (self.contact, self.address, self.hours, self.names, self.imprint)
        sides = [[rng.choice(draws)() for _ in range(rng.choice((1, 1, 2)))] for _ in range(rng.choice((2, 2, 3)))]
        return [self.paragraph(), self.box(self.head(3), self.beside(sides)), self.short()]

    def page(self) -> Page:
        """A page of any kind."""
        rng = self.rng
        head, foot = (self.furniture() if rng.random() < 0.5 else NONE for _ in range(2))
        kinds: tuple[tuple[Callable[[], list[Part]], float], ...] = (
            (self.bands, 3),
            (self.newspaper, 3),
            (self.with_aside, 3),
            (self.cards, 2.5),
            (self.poster, 1.5),
            (self.slide, 1.5),
            (self.sender, 2.5),
            (self.sheets, 1),
            (self.margins, 1.5),
            (self.inset, 1.5),
            (self.questions, 1.5),
            (self.menu, 1.2),
            (self.contacts, 1.2),
        )
        if rng.random() < 0.22:
            columns = rng.choice((1, 2, 2, 3))
            wide: tuple[Part, ...] = (self.head(1), *([self.short()] if rng.random() < 0.5 else []))
            return Page(columns, wide, tuple(self.prose(4, 12)), head, foot)
        parts = rng.choices([draw for draw, _ in kinds], [weight for _, weight in kinds])[0]()
        if rng.random() < 0.25:
            parts += rng.choices([draw for draw, _ in kinds], [weight for _, weight in kinds])[0]()
        return Page(1, (), tuple(parts), head, foot)


def made(rng: random.Random) -> Page:
    """A page whose order is hard."""
    return Flows(rng).page()
