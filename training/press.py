"""Printing lines of many pieces: several fonts in a line, raised and lowered characters, ligatures, kerning."""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import pymupdf

from training.fonts import Face, faces
from training.render import LIGATURES, Sheet, advances
from training.typeset import Column, Style
from training.words import Word

FIGURES = re.compile(r"[012]+|[34579]+|[^0-579]+")
OLD = {**dict.fromkeys("012", (0.68, 0.0)), **dict.fromkeys("34579", (1.0, -0.2))}  # size and rise of old-style figures
KERNED = re.compile(r"(?<=[AFPTVWYLrvwyf])(?=[AVWYaeory.,])")  # where letters stand closer than they are wide


@dataclass(frozen=True)
class Look:
    """How a crop is set, besides its `Style`: the typewriter face, whether letters are kerned and joined, size and rise
    of raised letters (of the body size), whether figures are old-style ones."""

    style: Style
    mono: Face
    kern: float  # of the size, 0 for none
    ligatures: bool
    hyphens: bool
    justify: bool
    small: float = 0.66
    rise: float = 0.36
    old: bool = False

    def font(self, code: str) -> tuple[pymupdf.Font, float, float]:
        """Font, size and rise (of the body size) of a style's letters."""
        face = self.mono if "m" in code else self.style.face
        font = face.regular
        if "i" in code or "b" in code:
            font = face.both if "i" in code and "b" in code else face.italic if "i" in code else face.bold
        if "^" in code:
            return font, self.small, self.rise
        if "_" in code:
            return font, 0.68, -0.14
        if "d" in code:
            return font, 1.0, -0.22
        return font, 0.8 if "c" in code else 0.95 if "m" in code else 1.0, 0.0


@functools.lru_cache(maxsize=2)
def symbol_fonts(italic: bool = False) -> Sequence[pymupdf.Font]:
    """Fonts that are asked, in this order, for a character that a line's own font lacks."""
    wanted = ("STIX", "FreeSerif", "DejaVu Sans")
    found = [face for name in wanted for face in faces() if face.family.name == name]
    return [face.italic if italic else face.regular for face in found]


def spelt(text: str, font: pymupdf.Font, italic: bool = False) -> list[tuple[str, pymupdf.Font]]:
    """`text` in runs of the fonts that have its characters; what none has is dropped."""

    def owner(char: str) -> pymupdf.Font | None:
        return next((f for f in (font, *symbol_fonts(italic)) if char in advances(f)), None)

    return [("".join(group), own) for own, group in groupby(text, owner) if own is not None]


def joined(text: str, font: pymupdf.Font) -> str:
    """`text` with the ligatures that `font` has."""
    have = advances(font)
    for sign, spelling in sorted(LIGATURES.items(), key=lambda item: -len(item[1])):
        if sign in have:
            text = text.replace(spelling, sign)
    return text


class Press:
    """Prints words of many pieces on a sheet, line by line."""

    def __init__(self, sheet: Sheet, look: Look, rng: random.Random) -> None:
        self.sheet, self.look, self.rng = sheet, look, rng
        self.ended = False  # whether the words last broken into lines were all of them

    def width(self, word: Word) -> float:
        """Pixels that a word takes."""
        total = 0.0
        for run, own, size, _, _ in self.runs(word):
            widths = advances(own)
            total += sum(widths[c] for c in run) * size
        return total

    def runs(self, word: Word) -> Iterator[tuple[str, pymupdf.Font, float, float, str]]:
        """The runs of a word that are in one font, with size and rise in pixels and their style."""
        body = self.look.style.size
        for text, code in word:
            font, scale, rise = self.look.font(code)
            old = self.look.old and "m" not in code
            for part in FIGURES.findall(text) if old else [text]:
                share, lift = OLD.get(part[:1], (1.0, 0.0)) if old else (1.0, 0.0)
                for run, own in spelt(part, font, "i" in code):
                    yield run, own, scale * share * body, (rise + lift * scale) * body, code

    def known(self, words: list[Word]) -> list[Word]:
        """The words of which some font has at least a part."""
        return [word for word in words if self.width(word)]

    @property
    def space(self) -> float:
        return advances(self.look.style.face.regular)[" "] * self.look.style.size

    def word(self, word: Word, x: float, baseline: float, read: bool = True) -> float:
        """Print a word and return where it ends."""
        look = self.look
        for run, own, size, rise, code in self.runs(word):
            if look.ligatures and "m" not in code:
                run = joined(run, own)
            x -= 0.16 * size if "t" in code else 0.0
            for i, piece in enumerate(KERNED.split(run) if look.kern else [run]):
                x -= look.kern * size if i else 0.0
                x = self.sheet.put(piece, x, baseline - rise, own, size, look.style.grey, read)
        return x

    def line(self, words: list[Word], x: float, baseline: float, stretch: float = 0.0, read: bool = True) -> float:
        """Print words with spaces between them."""
        for i, word in enumerate(words):
            if i:
                if read:
                    self.sheet.write(" ")
                x += self.space + stretch
            x = self.word(word, x, baseline, read)
        return x

    def broken(self, words: list[Word], width: float, indent: float, most: int) -> list[tuple[list[Word], bool]]:
        """At most `most` lines of words, and whether each ends in a divided word."""
        lines: list[tuple[list[Word], bool]] = []
        line: list[Word] = []
        left = width - indent
        queue = self.known(words)[::-1]
        while queue and len(lines) < most:
            word = queue.pop()
            need = self.width(word) + (self.space if line else 0.0)
            if need <= left:
                line.append(word)
                left -= need
                continue
            head, tail = self.divided(word, left - (self.space if line else 0.0), force=not line)
            if head:
                line.append(head)
                queue.append(tail)
            elif line:
                queue.append(word)
            lines.append((line, bool(head) and not head[-1][0].endswith("-")))
            line, left = [], width
        if line and len(lines) < most:
            lines.append((line, False))
            line = []
        self.ended = not queue and not line
        return [entry for entry in lines if entry[0]]

    def divided(self, word: Word, room: float, force: bool) -> tuple[Word, Word]:
        """The part of a word that fits, and the rest: at a hyphen of its own, or in a word of 6 letters or more."""
        if len(word) > 1:
            return [], word
        text, code = word[0]
        for count in range(len(text) - 2, 1, -1):
            own = text[count - 1] == "-" and text[:count].strip("-")
            inside = text.isalpha() and len(text) > 5 and self.look.hyphens and count < len(text) - 2
            if (own or inside or force) and self.width([(text[:count] + ("" if own else "-"), code)]) <= room:
                return [(text[:count], code)], [(text[count:], code)]
        return [], word

    def block(
        self,
        words: list[Word],
        column: Column,
        baseline: float,
        most: int,
        indent: float = 0.0,
        hang: float = 0.0,
        align: str = "left",
        breaks: str = " ",
    ) -> int:
        """Print up to `most` lines from `baseline` down; the number printed. `breaks` stands between lines."""
        style, sheet = self.look.style, self.sheet
        width = column.right - column.left - hang
        lines = self.broken(words, width, indent - hang, most)
        for i, (line, parted) in enumerate(lines):
            x = column.left + hang + ((indent - hang) if not i else 0.0)
            rest = width - (x - column.left - hang) - self.extent(line) - (self.width([("-", "")]) if parted else 0.0)
            last = i + 1 == len(lines) and self.ended
            stretch = 0.0
            if self.look.justify and align == "left" and len(line) > 1 and not last and breaks == " ":
                stretch = min(rest / (len(line) - 1), style.size * 1.2)
            elif align != "left":
                x += max(0.0, rest) * (0.5 if align == "centre" else 1.0)
            y = baseline + i * style.pitch
            if i and not lines[i - 1][1] and not lines[i - 1][0][-1][-1][0].endswith("-"):
                sheet.write(breaks)
            end = self.line(line, x, y, stretch)
            if parted:
                self.word([("-", line[-1][-1][1])], end, y, read=i + 1 == len(lines))
        return len(lines)

    def extent(self, line: list[Word]) -> float:
        return sum(map(self.width, line)) + self.space * (len(line) - 1)

    def row(self, cells: list[list[Word]], column: Column, baseline: float) -> None:
        """One row of a table: cells in columns of equal or of their own width, figures to the left, the middle or the
        right."""
        rng, width = self.rng, column.right - column.left
        cells = [words for cell in cells if (words := self.known(cell))]
        needs = [self.extent(cell) for cell in cells]
        gap = rng.choice((0.6, 1.0, 1.5)) * self.look.style.size
        while len(cells) > 1 and sum(needs) + gap * (len(cells) - 1) > width:
            cells, needs = cells[:-1], needs[:-1]
        slack = max(0.0, width - sum(needs) - gap * (len(cells) - 1)) * rng.choice((1.0, 1.0, 0.5, 0.2))
        first = rng.choice((0.0, 0.0, 0.4)) * slack
        spread = (slack - first) / max(1, len(cells) - 1)
        place = rng.choice((0.0, 0.5, 1.0))
        x = column.left
        rules = rng.random() < 0.15
        for i, (cell, need) in enumerate(zip(cells, needs, strict=True)):
            if i:
                self.sheet.write(" ")
                x += first if i == 1 else 0.0
            if i and rules:
                self.sheet.rule(x - gap * 0.45, 0, x - gap * 0.45, self.sheet.height, 0.8)
            self.line(cell, x + (place * spread if i else 0.0), baseline)
            x += need + gap + (spread if i else 0.0)
