"""Pages that are drawn word by word from parts whose structure is known: articles, reports, lists, tables, letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pymupdf

WORDS = re.findall(
    r"\w+",
    """harbour board quay wall timber piles tide tables season dredger slack water herring fleet residents noise night
    neighbour port results plan cost steel tenth spring work sum vote engineers members letter pilot lamp winch
    bollard survey settlement basin boat grain coal salt fish market street office clerk chart buoy signal storm
    repair crane rope anchor deck hull sail crew captain voyage cargo ledger account paper record measure depth""",
)
SMALL = ["the", "of", "and", "in", "to", "a", "for", "on", "with", "by", "from", "at", "as"]


@dataclass(frozen=True)
class Part:
    """A block of a page in its printed ``lines``, or the ``rows`` of a table. ``depth`` is the level of an item."""

    kind: str
    lines: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    depth: int = 0
    column: int = 0

    @property
    def markdown(self) -> str:
        if self.kind == "table":
            head, *rows = ("| " + " | ".join(row) + " |" for row in self.rows)
            return "\n".join([head, "|" + " --- |" * len(self.rows[0]), *rows])
        text = " ".join(self.lines)
        if self.kind == "heading":
            return f"## {text}"
        return f"{'  ' * self.depth}- {text}" if self.kind == "item" else text


@dataclass(frozen=True)
class Made:
    """A page as its parts in the order of reading."""

    parts: Sequence[Part]

    @property
    def markdown(self) -> str:
        text, before = "", ""
        for part in self.parts:
            text += ("\n" if before == part.kind == "item" else "\n\n" if text else "") + part.markdown
            before = part.kind
        return text + "\n"


def sentence(random: Random) -> str:
    """A sentence without sense."""
    count = random.randint(6, 16)
    words = [random.choice(SMALL if at % 3 == 1 else WORDS) for at in range(count)]
    return " ".join(words).capitalize() + "."


def prose(random: Random, least: int = 2, most: int = 6) -> str:
    return " ".join(sentence(random) for _ in range(random.randint(least, most)))


@dataclass
class Press:
    """Sets type on a ``page``: what is drawn becomes a part."""

    page: Any
    random: Random
    size: float = 10.0
    font: str = "tiro"
    indented: bool = False
    justified: bool = True
    lead: float = 1.25
    parts: list[Part] = field(default_factory=list)

    def width(self, text: str, size: float, font: str) -> float:
        return float(pymupdf.get_text_length(text, fontname=font, fontsize=size))

    def wrapped(self, text: str, width: float, size: float, font: str, first: float = 0.0) -> Iterator[str]:
        line = ""
        for word in text.split():
            more = f"{line} {word}".strip()
            if line and self.width(more, size, font) > width - first:
                yield line
                line, first = word, 0.0
            else:
                line = more
        yield line

    def line(self, x: float, y: float, text: str, size: float, font: str, width: float = 0.0) -> None:
        """One line, stretched to ``width`` if that is given."""
        words = text.split()
        own = sum(self.width(word, size, font) for word in words)
        space = (width - own) / (len(words) - 1) if width and len(words) > 1 else self.width(" ", size, font)
        for word in words:
            self.page.insert_text((x, y), word, fontsize=size, fontname=font)
            x += self.width(word, size, font) + space

    def block(
        self, kind: str, x: float, y: float, width: float, text: str, size: float = 0.0, font: str = "", **more: Any
    ) -> float:
        """A block of ``text`` from height ``y`` (a baseline) on; the baseline behind it."""
        size, font = size or self.size, font or self.font
        indent = 1.4 * size if self.indented and kind == "paragraph" else 0.0
        lines = list(self.wrapped(text, width, size, font, indent))
        for number, line in enumerate(lines):
            first = indent if number == 0 else 0.0
            stretch = width - first if self.justified and kind == "paragraph" and number < len(lines) - 1 else 0.0
            self.line(x + first, y, line, size, font, stretch)
            y += self.lead * size
        self.parts.append(Part(kind, tuple(lines), **more))
        return y + (0.0 if kind == "item" or (self.indented and kind == "paragraph") else 0.6 * size)

    def item(self, x: float, y: float, width: float, text: str, depth: int, mark: str = "•") -> float:
        left = x + 16 * depth
        self.page.insert_text((left, y), mark, fontsize=self.size, fontname="helv")
        return self.block("item", left + 12, y, width - 16 * depth - 12, text, depth=depth)

    def table(self, x: float, y: float, widths: Sequence[float], rows: Sequence[Sequence[str]], ruled: bool) -> float:
        """A table whose cells break where they are too long; figures stand on the right."""
        top = y - self.size
        for number, row in enumerate(rows):
            cells = [
                list(self.wrapped(cell, width - 8, self.size, self.font)) if cell else []
                for cell, width in zip(row, widths, strict=True)
            ]
            left, deepest = x, max(map(len, cells))
            for lines, width in zip(cells, widths, strict=True):
                for at, line in enumerate(lines):
                    right = line[:1].isdigit()
                    start = left + width - 4 - self.width(line, self.size, self.font) if right else left + 4
                    self.line(start, y + at * self.lead * self.size, line, self.size, self.font)
                left += width
            y += deepest * self.lead * self.size + 0.45 * self.size
            if ruled or number == 0:
                self.page.draw_line((x, y - 1.05 * self.size), (x + sum(widths), y - 1.05 * self.size), width=0.6)
        if ruled:
            for at in range(len(widths) + 1):
                edge = x + sum(widths[:at])
                self.page.draw_line((edge, top), (edge, y - 1.05 * self.size), width=0.6)
        self.parts.append(Part("table", rows=tuple(map(tuple, rows))))
        return y + self.size


def press(page: Any, random: Random) -> Press:
    return Press(
        page,
        random,
        random.choice((9.0, 10.0, 11.0)),
        random.choice(("tiro", "helv")),
        random.random() < 0.5,
        random.random() < 0.6,
        random.choice((1.15, 1.25, 1.4)),
    )


def title(random: Random) -> str:
    return " ".join(random.choice(WORDS) for _ in range(random.randint(1, 5))).capitalize()


def columns(one: Press, count: int, top: float, foot: float, gap: float = 22.0) -> None:
    """Headings and paragraphs down ``count`` columns."""
    width = (475 - gap * (count - 1)) / count
    for column in range(count):
        x, y = 60 + column * (width + gap), top
        while y < foot - 90:
            if one.random.random() < 0.3:
                y = one.block("heading", x, y + 6, width, title(one.random), one.size + 2, "hebo", column=column)
            y = one.block("paragraph", x, y, width, prose(one.random, 1, 4), column=column)


def article(page: Any, random: Random) -> Made:
    """Two columns below a title, with notes at the foot."""
    one = press(page, random)
    y = one.block("heading", 60, 70, 475, title(random), 18, "hebo")
    columns(one, 2, y + 10, 690)
    y = 750.0
    for number in range(random.randint(0, 2)):
        y = one.block("note", 60, y, 230, f"{number + 1} {sentence(random)}", one.size - 2.5)
    return Made(one.parts)


def newspaper(page: Any, random: Random) -> Made:
    """Two stories above each other, in three columns and in two."""
    one = press(page, random)
    one.size = 8.5
    y = one.block("heading", 60, 70, 475, title(random), 20, "hebo")
    columns(one, 3, y + 6, 400, 16)
    y = one.block("heading", 60, 450, 475, title(random), 16, "hebo")
    columns(one, 2, y + 6, 790, 16)
    return Made(one.parts)


def report(page: Any, random: Random) -> Made:
    """One column with a list of several levels and a table."""
    one = press(page, random)
    y = one.block("heading", 60, 70, 475, title(random), 16, "hebo")
    for _ in range(random.randint(1, 3)):
        y = one.block("paragraph", 60, y, 475, prose(random))
    y += 4
    for _ in range(random.randint(2, 3)):
        y = one.item(60, y, 475, prose(random, 1, 1), 0)
        for _ in range(random.randint(1, 3)):
            y = one.item(60, y, 475, prose(random, 1, 1), 1)
    y = one.table(60, y + 20, *figures(random, random.randint(3, 5)), random.random() < 0.5)
    one.block("caption", 60, y, 475, f"Table 1. {sentence(random)}", one.size - 1)
    y += 30
    while y < 740:
        y = one.block("paragraph", 60, y, 475, prose(random, 2, 4))
    return Made(one.parts)


def figures(random: Random, count: int) -> tuple[list[float], list[list[str]]]:
    """The widths and the rows of a table of figures; a label may be too long for its cell."""
    head = ["Item", *(title(random).split()[0] for _ in range(count - 1))]
    rows = [head]
    for _ in range(random.randint(4, 9)):
        label = " ".join(random.choice(WORDS) for _ in range(random.choice((1, 2, 3, 8))))
        rows.append([label, *(f"{random.randint(1, 99999):,}" for _ in range(count - 1))])
    return [475 - 75.0 * (count - 1), *[75.0] * (count - 1)], rows


def statement(page: Any, random: Random) -> Made:
    """A table of texts and figures over most of the page."""
    one = press(page, random)
    y = one.block("heading", 60, 70, 475, title(random), 14, "hebo")
    rows = [["No.", "Name", "Remarks", "Sum"]]
    for number in range(random.randint(6, 12)):
        remark = " ".join(random.choice(WORDS) for _ in range(random.choice((1, 2, 4, 12))))
        rows.append([str(number + 1), title(random), remark, f"{random.randint(1, 9999)}.{random.randint(10, 99)}"])
    y = one.table(60, y + 10, [40, 150, 205, 80], rows, random.random() < 0.5)
    while y < 740:
        y = one.block("paragraph", 60, y, 475, prose(random, 2, 4))
    return Made(one.parts)


def minutes(page: Any, random: Random) -> Made:
    """Numbered items with letters below them, between paragraphs."""
    one = press(page, random)
    y = one.block("heading", 72, 80, 450, title(random), 14, "hebo")
    for _ in range(3):
        y = one.block("paragraph", 72, y, 450, prose(random, 2, 3)) + 4
        for number in range(random.randint(2, 3)):
            y = one.item(72, y, 450, prose(random, 1, 2), 0, "–")
            if number % 2 == 0:
                y = one.item(72, y, 450, sentence(random), 1, "–")
                y = one.item(72, y, 450, sentence(random), 1, "–")
        y += 8
    return Made(one.parts)


def magazine(page: Any, random: Random) -> Made:
    """Two columns, then a block over both, then two columns again; a narrow column beside them."""
    one = press(page, random)
    y = one.block("heading", 60, 70, 475, title(random), 22, "hebo")
    columns(one, 2, y + 10, 380)
    y = one.block("heading", 60, 420, 475, title(random), 14, "hebo")
    y = one.block("paragraph", 60, y, 475, prose(random, 3, 4))
    columns(one, 2, y + 8, 780)
    return Made(one.parts)


def letter(page: Any, random: Random) -> Made:
    """A letter of few paragraphs."""
    one = press(page, random)
    y = 120.0
    one.block("paragraph", 72, y, 200, title(random), one.size)
    y = one.block("paragraph", 380, y, 150, title(random), one.size) + 40
    y = one.block("heading", 72, y, 450, title(random), one.size + 1, "hebo")
    for _ in range(random.randint(3, 6)):
        y = one.block("paragraph", 72, y, 450, prose(random, 2, 4))
    one.block("paragraph", 72, y + 20, 450, "Yours sincerely,")
    return Made(one.parts)


TUNED: Mapping[str, Callable[[Any, Random], Made]] = {
    kind.__name__: kind for kind in (article, newspaper, report, statement)
}
UNSEEN: Mapping[str, Callable[[Any, Random], Made]] = {kind.__name__: kind for kind in (minutes, magazine, letter)}
"""Kinds that nobody looked at while the checks were made."""

KINDS: Mapping[str, Callable[[Any, Random], Made]] = {**TUNED, **UNSEEN}
