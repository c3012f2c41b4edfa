"""Setting blocks of text on a sheet: paragraphs, headings, lists, tables, captions, in columns.

Each block goes to the sheet in reading order and writes its Markdown while it is printed, so the text can
never disagree with the page. Blocks return whether they were set; what does not fit any more is left out of
both.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pymupdf

from training.fonts import Face
from training.prose import Writer
from training.render import DIVISION, Sheet, advances


@dataclass(frozen=True)
class Style:
    """How a page is set; lengths in pixels."""

    face: Face
    size: float
    pitch: float
    heading_face: Face
    justify: bool = False
    indent: float = 0.0
    gap: float = 16.0
    grey: float = 0.0
    hyphens: bool = False


@dataclass
class Column:
    """Where text may go: from `top` (moves down while it fills) to `bottom`."""

    left: float
    right: float
    top: float
    bottom: float


class Setter:
    """Sets blocks into `columns`, one after the other."""

    def __init__(self, sheet: Sheet, style: Style, columns: list[Column], writer: Writer) -> None:
        self.sheet, self.style, self.columns, self.writer = sheet, style, columns, writer
        self.rng: random.Random = writer.rng
        self.fresh = True  # nothing set in the present column yet
        self.separator = ""

    @property
    def column(self) -> Column:
        return self.columns[0]

    @property
    def room(self) -> float:
        """Pixels left in the present column."""
        return self.column.bottom - self.column.top

    @property
    def full(self) -> bool:
        return len(self.columns) == 1 and self.room < self.style.pitch

    def next_column(self) -> bool:
        """Go on in the next column; False where there is none."""
        if len(self.columns) < 2:
            return False
        self.columns.pop(0)
        self.fresh = True
        return True

    def begin(self, markup: str = "", separator: str = "\n\n", gap: float | None = None) -> None:
        """Separate a new block from the one before, on paper and in the Markdown."""
        if not self.fresh:
            self.column.top += self.style.gap if gap is None else gap
        self.sheet.write((separator if self.separator else "") + markup)
        self.separator = "\n\n"
        self.fresh = False

    def fit(self, text: str, font: pymupdf.Font) -> list[str]:
        """The words of `text` in characters that `font` has."""
        widths = advances(font)
        return "".join(c for c in text if c in widths).split()

    def lines(
        self, words: list[str], font: pymupdf.Font, size: float, width: float, indent: float = 0.0
    ) -> list[list[str]]:
        """Break `words` greedily into lines of at most `width` pixels; a word that is too long is cut."""
        widths = advances(font)
        space = widths[" "] * size
        lines: list[list[str]] = [[]]
        left = width - indent
        for word in words:
            length = sum(widths[c] for c in word) * size
            while length > width and len(word) > 2:
                word = word[: max(2, int(len(word) * width / length) - 1)]
                length = sum(widths[c] for c in word) * size
            if lines[-1] and length > left:
                piece = self.divide(word, left / size, widths) if self.style.hyphens else ""
                if piece:
                    lines[-1].append(piece + DIVISION)
                    word = word[len(piece) :]
                    length = sum(widths[c] for c in word) * size
                lines.append([])
                left = width
            lines[-1].append(word)
            left -= length + space
        return lines if lines[-1] else []

    def divide(self, word: str, room: float, widths: dict[str, float]) -> str:
        """The part of a word of 7 or more letters that fits with its hyphen in `room` (at size 1), or ""."""
        if len(word) < 7 or not word.isalpha():
            return ""
        for count in range(len(word) - 3, 2, -1):
            if sum(widths[c] for c in word[:count]) + widths["-"] < room:
                return word[:count]
        return ""

    def print_line(
        self,
        words: list[str],
        x: float,
        font: pymupdf.Font,
        size: float,
        *,
        stretch: float = 0.0,
        align: str = "left",
        width: float = 0.0,
        fonts: list[pymupdf.Font] | None = None,
    ) -> None:
        """Print one line at the column's top; `stretch` is added to every space, `fonts` gives each word its
        own."""
        widths = advances(font)
        if align != "left":
            length = sum(widths[c] for c in " ".join(words)) * size
            x += max(0.0, (width - length) / (2 if align == "centre" else 1))
        baseline = (
            self.column.top + 0.78 * size + max(0.0, (self.style.pitch - size) / 2 if size <= self.style.size else 0)
        )
        for i, word in enumerate(words):
            if i:
                self.sheet.write(" ")
                x += widths[" "] * size + stretch
            divided = word.endswith(DIVISION)
            x = self.sheet.put(word.rstrip(DIVISION), x, baseline, fonts[i] if fonts else font, size, self.style.grey)
            if divided:
                self.sheet.put("-", x, baseline, font, size, self.style.grey, read=False)

    def paragraph(
        self, text: str, *, font: pymupdf.Font | None = None, size: float | None = None, align: str = "left"
    ) -> bool:
        """Running text, going on into following columns; italic or bold runs appear without any markup."""
        style, face = self.style, self.style.face
        size = size or style.size
        plain = font is None
        font = font or face.regular
        if self.room < style.pitch and not self.next_column():
            return False
        indent = style.indent if plain and align == "left" and self.rng.random() < 0.9 else 0.0
        width = self.column.right - self.column.left
        words = self.fit(text, font)
        lines = self.lines(words, font, size, width - 0.02 * width, indent)
        if not lines:
            return False
        self.begin()
        pitch = style.pitch * max(1.0, size / style.size)
        run = self.rng.random() < 0.15 and plain and face.family.kind != "mono"
        for i, line in enumerate(lines):
            if self.room < pitch and (not self.next_column() or abs(self.column.right - self.column.left - width) > 1):
                if i and lines[i - 1][-1].endswith(DIVISION):
                    self.sheet.write("-")
                return True
            self.fresh = False
            if i and not lines[i - 1][-1].endswith(DIVISION):
                self.sheet.write(" ")
            start = self.column.left + (indent if not i else 0.0)
            space = width - (indent if not i else 0.0) - self.length(line, font, size)
            justify = style.justify and align == "left" and i + 1 < len(lines) and len(line) > 1
            stretch = min(space / (len(line) - 1), size * 1.2) if justify else 0.0
            emphasised = None
            if run and not justify:
                other = face.italic if self.rng.random() < 0.6 else face.bold
                have = advances(other)
                emphasised = [other if self.rng.random() < 0.2 and set(word) <= have.keys() else font for word in line]
                if sum(self.length([w], f, size) for w, f in zip(line, emphasised, strict=True)) > width * 0.97:
                    emphasised = None
            self.print_line(line, start, font, size, stretch=stretch, align=align, width=width, fonts=emphasised)
            self.column.top += pitch
        return True

    def length(self, words: list[str], font: pymupdf.Font, size: float) -> float:
        """Width in pixels of a line with normal spaces."""
        widths = advances(font)
        return sum(widths.get(c, 0.5) for c in " ".join(words)) * size

    def heading(self, text: str, mark: str, scale: float, *, bold: bool = True, align: str = "left") -> bool:
        """A title (`# `) or section heading (`## `), `scale` times the body size, kept with what follows."""
        face = self.style.heading_face
        font = face.bold if bold else face.regular
        size = self.style.size * scale
        pitch = max(self.style.pitch, size * 1.25)
        if self.room < pitch * 1.1 and not self.next_column():
            return False
        width = self.column.right - self.column.left
        lines = self.lines(self.fit(text, font), font, size, width * 0.96)
        if not lines or len(lines) > 3 or self.room < pitch * len(lines):
            return False
        self.begin(mark + " ", gap=max(self.style.gap, 0.3 * self.style.pitch) * self.rng.uniform(1.0, 1.6))
        for i, line in enumerate(lines):
            if i and not lines[i - 1][-1].endswith(DIVISION):
                self.sheet.write(" ")
            self.print_line(line, self.column.left, font, size, align=align, width=width)
            self.column.top += pitch
        return True

    def items(self, texts: list[str], labels: list[str] | None = None, hang: float = 1.6, inset: float = 0.0) -> bool:
        """A bullet list (no `labels`; any bullet is spelt `- `) or a labelled one, spelt `<label> `."""
        style, font, size = self.style, self.style.face.regular, self.style.size
        bullet = self.rng.choice([c for c in "•••–-*·" if c in advances(font)])
        gap = self.rng.choice((0.0, 0.0, 3.0, style.gap / 2))
        done = False
        for i, text in enumerate(texts):
            shift = hang * size
            left = self.column.left + inset
            width = self.column.right - left - shift
            lines = self.lines(self.fit(text, font), font, size, width * 0.98)
            if not lines or (self.room < style.pitch * len(lines) and not self.next_column()):
                break
            self.begin(
                separator="\n" if done else "\n\n",
                gap=gap if done else max(self.style.gap, self.rng.choice((0.0, 0.3)) * self.style.pitch),
            )
            baseline = self.column.top + 0.78 * size + max(0.0, (style.pitch - size) / 2)
            if labels is None:
                self.sheet.write("- ")
                self.sheet.put(bullet, left + 0.4 * size, baseline, font, size, style.grey, read=False)
            else:
                self.sheet.put(labels[i], left, baseline, font, size, style.grey)
                self.sheet.write(" ")
            for j, line in enumerate(lines):
                if self.room < style.pitch:
                    return True
                if j and not lines[j - 1][-1].endswith(DIVISION):
                    self.sheet.write(" ")
                self.print_line(line, left + shift, font, size)
                self.column.top += style.pitch
            done = True
        return done
