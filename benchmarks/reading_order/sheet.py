"""A page on which paragraphs flow through frames, with the truth of its reading order. Everything is in points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any, Literal

from docspec.documents.mupdf import mupdf

Kind = Literal["text", "heading", "item", "loose"]
"""``loose`` are notes, captions, labels and asides: they may stand anywhere between paragraphs, never within one."""

LEADING = 1.22


def _split(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_WORDS = _split(
    """
    harbour quay timber steel pile dredger tide slack water fleet herring season engineer board member keeper pump
    valve needle sand groyne current wave storm flood spring autumn winter summer night noise plan vote cost tenth sum
    work wall stone chain anchor rope mast sail deck hull cargo crane warehouse customs pilot lamp tower signal
    channel buoy shoal reef cliff beach pebble gravel clay silt marsh meadow ditch bridge road cart wagon rail station
    market square church school council mayor clerk ledger letter notice permit tax toll fine court judge witness
    claim debt loan bank merchant baker smith tanner weaver mill wheel grain flour bread salt barrel cellar roof
    chimney window door garden orchard
    """
)
_VERBS = _split(
    """
    moved held raised lowered mended sold bought measured counted found lost kept left reached crossed
    """
)
_LINKS = _split(
    """
    and near behind under beyond after before without against towards
    """
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A paragraph, heading or item as it is printed, and the ``story`` that it belongs to."""

    text: str
    kind: Kind
    story: int


@dataclass(frozen=True, slots=True)
class Frame:
    """A place for lines of text; what does not fit goes on in the next one."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(slots=True)
class Sheet:
    """A page of a ``pymupdf.Document`` that is being written: ``units`` are in reading order, story by story."""

    page: Any
    rng: Random
    units: list[Unit] = field(default_factory=list)
    size: float = 9.5
    font: str = "tiro"
    bold: str = "tibo"
    story: int = 0
    cuts: int = 0
    """Paragraphs that a frame's end broke off."""

    def sentence(self, least: int = 8, most: int = 16) -> str:
        """Words that no other page has in this order."""
        rng = self.rng
        words = ["The", rng.choice(_WORDS), rng.choice(_VERBS), "the"]
        while len(words) < rng.randint(least, most):
            words += [rng.choice(_WORDS), rng.choice(_LINKS), "the"]
        return " ".join([*words, rng.choice(_WORDS)]) + "."

    def paragraph(self, sentences: int = 4) -> str:
        return " ".join(self.sentence() for _ in range(sentences))

    def title(self, words: int = 5) -> str:
        return " ".join(self.rng.choice(_WORDS).capitalize() for _ in range(words))

    def lines(self, text: str, width: float, size: float, font: str) -> list[str]:
        """``text`` in lines of at most ``width``."""
        lines: list[str] = []
        for word in text.split():
            whole = f"{lines[-1]} {word}" if lines else word
            if lines and _width(whole, font, size) <= width:
                lines[-1] = whole
            else:
                lines.append(word)
        return lines

    def put(self, frame: Frame, text: str, kind: Kind, size: float = 0.0, font: str = "") -> float:
        """Writes ``text`` as a unit from the top of ``frame`` on; returns where it ends."""
        size, font = size or self.size, font or self.font
        y = frame.y0
        for line in self.lines(text, frame.x1 - frame.x0, size, font):
            y += LEADING * size
            self.page.insert_text((frame.x0, y), line, fontname=font, fontsize=size)
        self.units.append(Unit(text, kind, self.story))
        return y + 0.35 * size

    def flow(self, frames: Sequence[Frame], units: Sequence[tuple[Kind, str]]) -> float:
        """Writes ``units`` through ``frames`` as far as they go; returns the lowest end. The text of a unit for which
        no room is left is cut."""
        at, y = 0, frames[0].y0
        low = y
        for kind, text in units:
            heads = kind == "heading"
            size, font = (self.size * 1.2, self.bold) if heads else (self.size, self.font)
            step = LEADING * size
            written: list[str] = []
            if heads:
                y += 0.6 * step if y > frames[at].y0 else 0.0
                if y + 4 * step > frames[at].y1:  # no heading stands alone at the end of a column
                    if at + 1 == len(frames):
                        return low
                    at, y = at + 1, frames[at + 1].y0
            lines = self.lines(text, frames[at].x1 - frames[at].x0 - (9 if kind == "item" else 0), size, font)
            for number, line in enumerate(lines):
                if y + step > frames[at].y1:
                    if at + 1 == len(frames):
                        break
                    self.cuts += number > 0
                    at, y = at + 1, frames[at + 1].y0
                x = frames[at].x0 + (9 if kind == "item" else 0)
                if kind == "item" and number == 0:
                    self.page.insert_text((frames[at].x0, y + size), "-", fontname=font, fontsize=size)
                self.page.insert_text((x, y + size), line, fontname=font, fontsize=size)
                written.append(line)
                y += step
                low = max(low, y)
            if written:
                self.units.append(Unit(" ".join(written), kind, self.story))
            if len(written) < len(lines):
                return low
            y += 0.45 * step
        return low

    def prose(self, paragraphs: int, headings: bool = True, items: bool = False) -> list[tuple[Kind, str]]:
        """Units for :meth:`flow`: paragraphs, some under headings."""
        rng = self.rng
        units: list[tuple[Kind, str]] = []
        for number in range(paragraphs):
            if headings and (number == 0 or rng.random() < 0.3):
                units.append(("heading", self.title(3)))
            units.append(("text", self.paragraph(rng.randint(2, 5))))
            if items and rng.random() < 0.25:
                units += [("item", self.sentence()) for _ in range(3)]
        return units

    def grey(self, frame: Frame) -> None:
        """A picture without words."""
        self.page.draw_rect((frame.x0, frame.y0, frame.x1, frame.y1), color=(0.2, 0.2, 0.2), fill=(0.75, 0.8, 0.85))
        self.page.draw_line((frame.x0, frame.y1), (frame.x1, frame.y0), color=(0.3, 0.3, 0.5), width=2)


@cache
def _width(text: str, font: str, size: float) -> float:
    return float(mupdf().get_text_length(text, fontname=font, fontsize=size))
