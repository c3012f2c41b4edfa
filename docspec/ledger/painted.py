"""The words that the content of a page paints, glyph by glyph, in the order of painting.

MuPDF's trace has each glyph with its origin and box; this parts them into words by itself, at spaces, gaps, and where
the baseline, the direction or the way of painting changes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter
from typing import Any, NamedTuple

from docspec.core.geometry import runs_of
from docspec.documents.painting import trace_of
from docspec.ledger.atoms import UNTOLD, runs_leftwards

SPACE = 0.15
"""Ems of white between two glyphs from which on they are of two words; MuPDF's own measure."""

BACK, RAISED = -0.5, 0.2
"""Ems that a glyph may stand before the end of the one in front, and off its baseline."""

FIGURES = range(ord("0"), ord("9") + 1)
NARROWER = 0.8
"""Greatest width of a figure that is raised or lowered by the design of its font, over that of the usual one."""

LEAST_SPACED = 6
"""Least glyphs of a span whose letters are set apart."""

TWICE, HALF = 0.12, 0.5
"""Ems, and widths of a glyph, between it and the same one printed again, to look bold or to throw a shadow."""

TOUCH = 0.05
"""Heights between the parts of a word that touch."""

CELL = 4.0
"""Points: the cells of a grid. What prints something again stands in its cell, or in one beside that."""

LEAST_TYPE = 1.0
"""Points: smaller type is not for readers."""

PALE = 0.35
"""Luminance (0..1) of type from which on it may be lost on its ground."""

UNPAINTED, TRANSPARENT, TINY = "hidden: not painted", "hidden: transparent", "hidden: type below one point"
OUTSIDE = "hidden: outside the page"
DOUBLE = "double print"

_OF_SIGNS = re.compile("dingbats|webdings|wingdings", re.IGNORECASE)
"""Fonts that have no letters: those that a file tells of their signs are none."""

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in points."""


class PaintedWord(NamedTuple):
    """A word in points; ``hidden`` is the rule by which it is not seen, as far as the trace tells, ``order`` its place
    in the painting, ``pale`` whether some of its type is light."""

    text: str
    box: Box
    hidden: str
    order: int
    pale: bool


def painted_words(sheet: Any) -> list[PaintedWord]:
    """The words of a ``pymupdf.Page``; those that print another one again, on the same place, are called so."""
    words = _words(trace_of(sheet), tuple(sheet.rect))
    return _once(_whole(sorted(words, key=attrgetter("order"))))


@dataclass(slots=True)
class _OpenWord:
    """A word to which glyphs may come. ``end`` and ``base`` are where its last glyph ends along the line, and its
    baseline across; ``last`` is the code of that glyph."""

    hidden: str
    order: int
    way: tuple[float, float]
    signs: list[str] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    pale: bool = False
    end: float = 0.0
    base: float = 0.0
    last: int = 0

    def closed(self) -> PaintedWord:
        left, top, right, bottom = zip(*self.boxes, strict=True)
        box = min(left), min(top), max(right), max(bottom)
        return PaintedWord("".join(self.signs), box, self.hidden, self.order, self.pale)


def _words(trace: Sequence[dict[str, Any]], rect: Box) -> Iterator[PaintedWord]:
    """The words of a ``trace`` on a page of ``rect``. Second prints are parted from the first ones glyph by glyph: a
    program that prints twice may do so letter by letter, piece by piece or line by line."""
    words: dict[bool, _OpenWord] = {}  # the word that second prints go on with, and that of all others
    second, prints = False, _Prints()
    usual = _usual(trace)
    for span in trace:
        size, rule, light = span["size"] or 1.0, _rule(span), _is_pale(span)
        space, raised = SPACE + _spaced(span) / size, False
        way = dx, dy = span["dir"]
        slant = abs(dx * dy) > 0.01
        tall = size * (span["ascender"] - span["descender"])
        for code, glyph, (x, y), box in span["chars"]:
            sign = _sign(code, span["font"])
            if not sign:
                continue
            if glyph < 0 and second in words:  # a further letter of a ligature
                words[second].signs.append(sign.strip())
                continue
            if sign == " ":
                yield from (word.closed() for word in words.values())
                words.clear()
                continue
            x0, y0, x1, y1 = box
            inside = rect[0] < (x0 + x1) / 2 < rect[2] and rect[1] < (y0 + y1) / 2 < rect[3]
            hidden = rule if inside else OUTSIDE
            width = abs((x1 - x0) * dx) + abs((y1 - y0) * dy)
            second = prints.has((code, hidden), x, y, min(TWICE * size, HALF * width or CELL))
            hidden = DOUBLE if second else hidden
            start, base = x * dx + y * dy, y * dx - x * dy
            word = words.get(second)
            if word is not None:
                gap, off = (start - word.end) / size, abs(base - word.base) / size
                touches = (
                    BACK <= gap <= space and off <= RAISED and abs(dx - word.way[0]) + abs(dy - word.way[1]) < 0.05
                )
                wide, own = usual.get((span["font"], code), (0.0, glyph))
                was_raised, raised = raised, glyph != own and (x1 - x0) / size < NARROWER * wide
                if not touches or hidden != word.hidden or (raised != was_raised and word.last in FIGURES):
                    yield word.closed()
                    word = None
            if word is None:
                word = words[second] = _OpenWord(hidden, span["seqno"], way)
            word.signs.append(sign)
            word.boxes.append(box)
            word.pale = word.pale or light
            word.base, word.last, word.way = base, code, way
            if slant:  # the box of a slanted glyph is that of its turned rectangle
                wide, along = (x1 - x0, dx) if abs(dx) > abs(dy) else (y1 - y0, dy)
                word.end = start + (wide - tall * (1 - along * along) ** 0.5) / abs(along)
            else:
                word.end = (x1 if dx > 0 else x0) * dx + (y1 if dy > 0 else y0) * dy
    yield from (word.closed() for word in words.values())


class _Prints:
    """The places of glyphs that were printed, in a grid of cells."""

    def __init__(self) -> None:
        self._places: dict[tuple[tuple[int, str], int, int], list[tuple[float, float]]] = {}

    def has(self, glyph: tuple[int, str], x: float, y: float, reach: float) -> bool:
        """Whether ``glyph`` (its character, and the rule by which it is hidden) was printed within ``reach`` of ``x``
        and ``y`` before; if not, this is its first print."""
        reach = min(reach, CELL)
        rows = range(int((y - reach) // CELL), int((y + reach) // CELL) + 1)
        for column in range(int((x - reach) // CELL), int((x + reach) // CELL) + 1):
            for row in rows:
                for a, b in self._places.get((glyph, column, row), ()):
                    if abs(x - a) + abs(y - b) < reach:
                        return True
        self._places.setdefault((glyph, int(x // CELL), int(y // CELL)), []).append((x, y))
        return False


def _usual(trace: Sequence[dict[str, Any]]) -> dict[tuple[str, int], tuple[float, int]]:
    """The greatest width of each figure of each font, in ems, and the glyph that has it."""
    usual: dict[tuple[str, int], tuple[float, int]] = {}
    for span in trace:
        for code, glyph, _, (x0, _, x1, _) in span["chars"]:
            if code in FIGURES:
                key = span["font"], code
                usual[key] = max(usual.get(key, (0.0, glyph)), ((x1 - x0) / (span["size"] or 1.0), glyph))
    return usual


def _spaced(span: dict[str, Any]) -> float:
    """The white between all glyphs of a span, in points, if it is letters that are set apart."""
    chars = [char for char in span["chars"] if char[0] > 32]
    if (
        len(chars) < LEAST_SPACED
        or span["dir"] != (1.0, 0.0)
        or sum(chr(c[0]).isalpha() for c in chars) < len(chars) / 2
    ):
        return 0.0
    white = min(after[3][0] - before[3][2] for before, after in pairwise(chars))
    return white if white > SPACE * span["size"] else 0.0


def _sign(code: int, font: str) -> str:
    """The character of a glyph; a space for white space, U+FFFD for one that the file does not tell, nothing for one
    that shows none and parts no word."""
    if 0x200B <= code <= 0x200F or code in (0x2060, 0xFEFF):
        return ""
    if code <= 32 or code == 160:
        return " " if code in (9, 10, 13, 32, 160) else UNTOLD
    if _OF_SIGNS.search(font):
        return UNTOLD
    if 0xE000 <= code <= 0xF8FF or 0x7F <= code < 0xA0 or code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return UNTOLD
    sign = chr(code)
    return " " if sign.isspace() else sign


def _rule(span: dict[str, Any]) -> str:
    """The rule by which a span is not seen, as far as the trace tells."""
    if span["type"] == 3:
        return UNPAINTED
    if span["opacity"] == 0:
        return TRANSPARENT
    return TINY if span["size"] < LEAST_TYPE else ""


def _is_pale(span: dict[str, Any]) -> bool:
    colour = span["color"]
    if not colour:
        return False
    if len(colour) == 4:  # cyan, magenta, yellow, black
        return 1 - min(1.0, colour[3] + sum(colour[:3]) / 3) > PALE
    return sum(colour) / len(colour) > PALE


def _whole(words: Sequence[PaintedWord]) -> Iterator[PaintedWord]:
    """``words``, of which those of scripts that run leftwards are put together where they touch: files paint the parts
    of such words in any order, and other words between them."""
    lines: dict[tuple[str, float, float], list[int]] = defaultdict(list)
    for number, word in enumerate(words):
        if runs_leftwards(word.text):
            lines[word.hidden, round(word.box[1], 1), round(word.box[3], 1)].append(number)
    parts: dict[int, Sequence[PaintedWord]] = {}
    for line in lines.values():
        line.sort(key=lambda number: words[number].box[0])
        for run in runs_of(line, lambda a, b: _touch(words[a].box, words[b].box)):
            parts |= dict.fromkeys(run, ()) | {min(run): [words[number] for number in run]}
    for number, word in enumerate(words):
        own = parts.get(number, (word,))
        if own:
            ends = own[0].box[0], word.box[1], own[-1].box[2], word.box[3]
            text, pale = "".join(part.text for part in own), any(part.pale for part in own)
            yield word._replace(text=text, box=ends, pale=pale)


def _touch(left: Box, right: Box) -> bool:
    return abs(right[0] - left[2]) < TOUCH * (left[3] - left[1])


def _once(words: Iterable[PaintedWord]) -> list[PaintedWord]:
    """``words``, of which those that print another one again, on the same place, are called so."""
    seen: dict[tuple[str, int, int], PaintedWord] = {}
    once = []
    for word in words:
        if not word.hidden:
            x0, y0, x1, y1 = word.box
            cells = [(word.text, int(x0 / CELL) + dx, int(y0 / CELL) + dy) for dx in (0, -1, 1) for dy in (0, -1, 1)]
            reach = 0.25 * (y1 - y0)
            same = (seen[cell].box for cell in cells if cell in seen)
            if any(abs(x0 - a) < reach and abs(y0 - b) < reach and abs(x1 - c) < reach for a, b, c, _ in same):
                word = word._replace(hidden=DOUBLE)
            else:
                seen[cells[0]] = word
        once.append(word)
    return once
