"""The tokens of a page: words with their type, and runs of words that are plainly one line of prose.

A relation between cells is one between words: where columns stand tight, a single space may part two of them. Prose is
another matter, its lines are told by even spaces and by the lines above and below; each such line is one token, so that
a page of prose has as many tokens as lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docspec.core import BBox, Category
from docspec.core.geometry import runs_of
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import is_slanted, is_watermark
from docspec.drafting.repair import decoded
from docspec.drafting.structure.rules import rules_of, without_underlines

Floats = NDArray[np.float32]

Box = tuple[float, float, float, float]

GAP = 0.18
"""White between two characters that parts words, in sizes of the type."""
SMALL, TOUCHING = 0.85, 0.2
"""Most size of a raised mark beside that of its word, and most white between them, in sizes of the word's type."""
HARD_SPACES = frozenset("\u00a0\u202f\u2009\u2007")
"""Spaces that part the thousands of one figure."""
TICK_APART, TICK_LEVEL = 3.0, 0.5
"""Most white between a box to tick and its label, and difference of their baselines, in sizes of the type."""
EVEN = 0.12
"""Most difference between the spaces of a line of prose, in sizes of the type."""
PROSE_WORDS = 5
"""Least words of a line of prose."""
FIGURES = 0.3
"""Most of the words of a line of prose that have figures."""
PROSE_SPACE = 0.7
"""Most white between two words of prose, in sizes of the type."""
BOXES = ("[x]", "[ ]")
"""How a box to tick is spelled."""

LEVEL = 0.3
"""Most difference of the baselines of two words of one row, in sizes of the type."""

LAYOUT = ("table", "text", "heading", "furniture", "picture")
"""What the boxes of a layout model hold, as far as it matters here."""

CLASSES = {
    Category.TABLE: 0,
    Category.SECTION_HEADER: 2,
    Category.TITLE: 2,
    Category.CAPTION: 2,
    Category.PAGE_HEADER: 3,
    Category.PAGE_FOOTER: 3,
    Category.PICTURE: 4,
}

BOLD, ITALIC, MONOSPACED = 16, 2, 8  # of a span's ``flags``
_LEADER = re.compile(r"[.·…]{4,}|…{2,}|(?<=\w)\.{3,}(?=\d)")
_DASHES = re.compile(r"[-_=—–─━*~]{4,}|[.·…]{4,}|…{2,}|\.")  # three dots are a value: none
_BOLD = re.compile(r"bold|black|heavy|\b(?:cm|sf|ec)(?:ss)?(?:bx|xb|bi)|medi\b|semibd", re.IGNORECASE)
_ITALIC = re.compile(r"italic|oblique|\b(?:cm|sf|ec)(?:ss)?(?:ti|sl|bi|si|mi)|slant|ital\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Token:
    """A word, or a line of prose: its text, its box (x0, y0, x1, y1 in points), the size and baseline of its type, how
    it is set, the number of its printed line, how many words it has, where its type of full size ends, and whether the
    file has a space in front of it."""

    text: str
    box: Box
    size: float
    baseline: float
    bold: bool = False
    italic: bool = False
    even: bool = False
    line: int = 0
    words: int = 1
    colour: int = 0
    stem: float = 0.0
    spaced: bool = False


@dataclass(frozen=True, slots=True)
class PageTokens:
    """The tokens of a page in the order of the file, its drawn rules, level ones (x0, x1, y) and upright ones (y0, y1,
    x), filled areas (x0, y0, x1, y1), and the boxes of a layout model (x0, y0, x1, y1, number in :data:`LAYOUT`; none
    where no model was asked), all in points."""

    tokens: tuple[Token, ...]
    level: Floats
    upright: Floats
    fills: Floats
    layout: Floats
    width: float
    height: float
    turn: int = 0
    recognised: bool = False

    def boxes(self, name: str) -> list[BBox]:
        """The boxes of the layout model that hold what ``name`` (of :data:`LAYOUT`) says."""
        return [BBox(*map(float, box[:4])) for box in self.layout if LAYOUT[int(box[4])] == name]

    def on_page(self, box: Box) -> Box:
        """The place on the page of a ``box`` of its tokens: those of a page with a ``turn`` are told as on the page
        that is turned so that their lines run from left to right (1: they run upwards, 3: downwards)."""
        x0, y0, x1, y1 = box
        if self.turn == 1:
            return y0, self.width - x1, y1, self.width - x0
        return (self.height - y1, x0, self.height - y0, x1) if self.turn == 3 else box


def page_tokens(
    raw: Mapping[str, Any],
    drawings: Iterable[Mapping[str, Any]],
    layout: Iterable[LayoutBox],
    width: float,
    height: float,
) -> PageTokens:
    """The tokens of a page from MuPDF's dictionary of its characters (``rawdict``), its ``drawings`` and the boxes of a
    layout model. A line that does not run from left to right is one token."""
    lines: list[list[Token]] = []
    typed: list[tuple[float, float, float]] = []
    printed = [line for block in raw["blocks"] for line in block.get("lines", ()) if line["spans"]]
    sizes = [max(span["size"] for span in line["spans"]) for line in printed]
    usual = median(sizes) if sizes else 0.0
    for line, size in zip(printed, sizes, strict=True):
        if is_slanted(line["dir"]) and is_watermark(size, usual):
            continue
        words = _words(line["spans"], len(lines))
        if turn_of(line):
            words = [replace(_joined(words), box=tuple(line["bbox"]), baseline=line["bbox"][3])] if words else []
        words = [part for word in words for part in _without_leaders(word)]
        words = _with_ticks(words)
        typed += [
            (word.box[0], word.box[2], word.baseline - 0.2 * word.size)
            for word in words
            if _DASHES.fullmatch(word.text)
        ]
        words = [word for word in words if not _DASHES.fullmatch(word.text)]
        if words:
            lines.append(words)
    lines = with_ticks_before(with_raised(lines))
    level, upright, fills = rules_of(drawings, typed)
    places = [(word.box[0], word.box[2], word.size, word.baseline) for words in lines for word in words]
    level = without_underlines(level, places)
    return PageTokens(tuple(with_prose(lines)), level, upright, fills, layout_of_boxes(layout), width, height)


def rows_of(tokens: Sequence[Token]) -> list[list[int]]:
    """The numbers of ``tokens`` in rows by their baselines, from top to bottom, each from left to right."""

    def is_level(above: int, at: int) -> bool:
        a, b = tokens[above], tokens[at]
        return b.baseline - a.baseline < LEVEL * min(a.size, b.size)

    order = sorted(range(len(tokens)), key=lambda at: tokens[at].baseline)
    return [sorted(row, key=lambda at: tokens[at].box[0]) for row in runs_of(order, is_level)]


def turn_of(line: Mapping[str, Any]) -> int:
    """How a line of MuPDF's runs: 0 from left to right, 1 upwards, 3 downwards, 2 any other way."""
    x, y = line["dir"]
    return 0 if x > 0.99 else 1 if y < -0.99 else 3 if y > 0.99 else 2


def turned_tokens(raw: Mapping[str, Any], page: PageTokens, turn: int) -> PageTokens:
    """The tokens of the lines that run upwards (``turn`` 1) or downwards (3), as on a page turned so that they run from
    left to right, with the rules of ``page``."""
    width, height = page.width, page.height

    def turned(x0: float, y0: float, x1: float, y1: float) -> Box:
        return (height - y1, x0, height - y0, x1) if turn == 1 else (y0, width - x1, y1, width - x0)

    lines: list[list[Token]] = []
    for block in raw["blocks"]:
        for line in block.get("lines", ()):
            if turn_of(line) != turn:
                continue
            spans = [
                {
                    **span,
                    "chars": [
                        {**char, "bbox": turned(*char["bbox"]), "origin": _origin(char, turn, page)}
                        for char in span["chars"]
                    ],
                }
                for span in line["spans"]
            ]
            if words := _words(spans, len(lines)):
                lines.append(words)
    corners = (
        [(start, y, end, y) for start, end, y in page.level],
        [(x, start, x, end) for start, end, x in page.upright],
    )
    upright = np.array([(a[1], a[3], a[0]) for a in (turned(*one) for one in corners[0])], np.float32).reshape(-1, 3)
    level = np.array([(a[0], a[2], a[1]) for a in (turned(*one) for one in corners[1])], np.float32).reshape(-1, 3)
    fills = np.array([turned(*one) for one in page.fills], np.float32).reshape(-1, 4)
    layout = np.array([(*turned(*one[:4]), one[4]) for one in page.layout], np.float32).reshape(-1, 5)
    return PageTokens(tuple(with_prose(lines)), level, upright, fills, layout, height, width, turn)


def _origin(char: Mapping[str, Any], turn: int, page: PageTokens) -> tuple[float, float]:
    x, y = char["origin"]
    return (page.height - y, x) if turn == 1 else (y, page.width - x)


def in_boxes(page: PageTokens, *names: str) -> NDArray[np.bool_]:
    """Which tokens are in a box of the layout model that is called so (of :data:`LAYOUT`)."""
    centers = np.array([((t.box[0] + t.box[2]) / 2, (t.box[1] + t.box[3]) / 2) for t in page.tokens])
    inside = np.zeros(len(page.tokens), bool)
    for x0, y0, x1, y1, kind in page.layout:
        if LAYOUT[int(kind)] in names:
            inside |= (centers >= (x0, y0)).all(axis=1) & (centers <= (x1, y1)).all(axis=1)
    return inside


def layout_of_boxes(boxes: Iterable[LayoutBox]) -> Floats:
    """The ``boxes`` of a layout model as :class:`PageTokens` has them."""
    rows = [(box.bbox.x0, box.bbox.y0, box.bbox.x1, box.bbox.y1, CLASSES.get(box.category, 1)) for box in boxes]
    return np.array(rows, np.float32).reshape(-1, 5)


def _words(spans: Sequence[Mapping[str, Any]], number: int) -> list[Token]:
    """The words of one line of MuPDF's."""
    words: list[Token] = []
    text, box, style, end, stem = "", [0.0] * 4, None, 0.0, 0.0

    def close() -> None:
        nonlocal text
        if text and style is not None:
            x0, y0, x1, y1 = box
            words.append(Token(text, (x0, y0, x1, y1), *style[:2], *style[2], number, 1, style[3], stem, spaced))
        text = ""

    hard = typed = spaced = False
    for span in spans:
        size, font, flags = span["size"], span["font"], span["flags"]
        kind = (
            bool(flags & BOLD or _BOLD.search(font)),
            bool(flags & ITALIC or _ITALIC.search(font)),
            bool(flags & MONOSPACED),
        )
        top, bottom = span["ascender"] * size, span["descender"] * size
        for char in span["chars"]:
            sign, (x0, _, x1, _), (_, baseline) = char["c"], char["bbox"], char["origin"]
            if "\ue000" <= sign <= "\uf8ff":
                sign = decoded(sign, font)  # the code of a font of symbols
            if sign in HARD_SPACES and text[-1:].isdigit():
                hard = True
                continue
            if sign.isspace() or sign == "\u200b":
                close()
                typed = not char.get("synthetic")
                continue
            if hard and sign.isdigit() and x0 - end < size:
                text, end = text + " ", x0
            hard = False
            if text and (x0 - end > GAP * size or x0 < end - 2 * size):
                close()
            y0, y1 = baseline - min(max(top, 0.6 * size), size), baseline - max(min(bottom, 0.0), -0.3 * size)
            if not text:
                box, style = [x0, y0, x1, y1], (size, baseline, kind, span["color"])
                spaced, typed = typed, False
            else:
                box = [min(box[0], x0), min(box[1], y0), max(box[2], x1), max(box[3], y1)]
                if style is not None and size > style[0] * 1.15:
                    style = (size, baseline, kind, style[3])
            text, end = text + sign, x1
            if style is not None and size > SMALL * style[0]:
                stem = x1
    close()
    return words


def with_raised(lines: Sequence[Sequence[Token]]) -> list[list[Token]]:
    """``lines`` in which small type that touches the end of a word, above or below its base, is a part of that word:
    MuPDF makes lines of their own of it."""
    ends: dict[int, list[tuple[int, int]]] = {}
    for number, words in enumerate(lines):
        for at, word in enumerate(words):
            for end in {int(word.box[2]), int(word.stem)}:
                ends.setdefault(end, []).append((number, at))
    owners: dict[tuple[int, int], tuple[int, int]] = {}
    for number, words in enumerate(lines):
        for at, word in enumerate(words):
            if at and word.box[0] - words[at - 1].box[2] < TOUCHING * word.size:
                continue  # a part of its own line
            near = (place for x in (-1, 0, 1) for place in ends.get(int(word.box[0]) + x, ()))
            found = next((one for one in near if one[0] != number and _is_raised(word, lines, one)), None)
            if found is not None:
                owners[number, at] = found
    result: list[list[Token | None]] = [list(words) for words in lines]
    for place, owner in sorted(owners.items(), key=lambda one: lines[one[0][0]][one[0][1]].baseline):
        first = owners.get(owner, owner)  # of a script of a script
        base, script = result[first[0]][first[1]], result[place[0]][place[1]]
        if base is not None and script is not None:
            box = (*base.box[:2], max(base.box[2], script.box[2]), base.box[3])
            result[first[0]][first[1]] = replace(base, text=base.text + script.text, box=box)
            result[place[0]][place[1]] = None
    whole = [[one for one in words if one is not None] for words in result]
    return [words for words in whole if words]


def _is_raised(small: Token, lines: Sequence[Sequence[Token]], place: tuple[int, int]) -> bool:
    """Whether ``small`` is type above or below the base of the word at ``place`` of ``lines``, behind its end or behind
    its type of full size: an index may stand under an exponent."""
    word = lines[place[0]][place[1]]
    fits = min(abs(small.box[0] - end) for end in (word.box[2], word.stem)) < TOUCHING * word.size
    level = min(small.box[3], word.box[3]) > max(small.box[1], word.box[1])
    return fits and level and small.size < SMALL * word.size


def with_prose(lines: Sequence[Sequence[Token]]) -> list[Token]:
    """The words of ``lines``, those of a line of prose as one token."""
    order = sorted(range(len(lines)), key=lambda at: lines[at][0].baseline)
    even = {at for at in order if _is_even(lines[at])}
    prose = set()
    for place, at in enumerate(order):
        for other in order[place + 1 :]:
            a, b = lines[at], lines[other]
            size = max(a[0].size, b[0].size)
            if b[0].baseline - a[0].baseline > 2.2 * size:
                break
            if b[0].baseline - a[0].baseline < 0.8 * size or not {at, other} & even:
                continue
            left, right = abs(a[0].box[0] - b[0].box[0]), abs(a[-1].box[2] - b[-1].box[2])
            if min(left, right) < 0.3 * size and abs(a[0].size - b[0].size) < 0.05 * size:
                prose |= {at, other} & even
    result: list[Token] = []
    for at, words in enumerate(lines):
        result += [_joined(words)] if at in prose else words
    return result


def _is_even(words: Sequence[Token]) -> bool:
    figures = sum(any(sign.isdigit() for sign in word.text) for word in words)
    if len(words) < PROSE_WORDS or figures > FIGURES * len(words):
        return False
    size = words[0].size
    gaps = [b.box[0] - a.box[2] for a, b in pairwise(words)]
    plain = [gap for gap, word in zip(gaps, words, strict=False) if word.text[-1] not in ".,;:!?"] or gaps
    return max(plain) - min(plain) < EVEN * size and min(gaps) > 0 and max(gaps) < PROSE_SPACE * size + EVEN * size


def _joined(words: Sequence[Token]) -> Token:
    first = words[0]
    box = (
        min(word.box[0] for word in words),
        min(word.box[1] for word in words),
        max(word.box[2] for word in words),
        max(word.box[3] for word in words),
    )
    text = " ".join(word.text for word in words)
    bold, italic = all(word.bold for word in words), all(word.italic for word in words)
    count = sum(word.words for word in words)
    return Token(text, box, first.size, first.baseline, bold, italic, first.even, first.line, count, first.colour)


def _with_ticks(words: Sequence[Token]) -> list[Token]:
    """``words`` with a box to tick (``[ ]``, ``[x]``) and the word behind it as one."""
    result: list[Token] = []
    for word in words:
        if (result and (result[-1].text, word.text) == ("[", "]")) or (result and result[-1].text in BOXES):
            result[-1] = _joined([result[-1], word])
        else:
            result.append(word)
    return result


def with_ticks_before(lines: Sequence[Sequence[Token]]) -> list[list[Token]]:
    """``lines`` in which a box to tick that is a line of its own begins the line on its right."""
    result = [list(words) for words in lines]
    for number, words in enumerate(lines):
        if len(words) != 1 or words[0].text not in BOXES:
            continue
        tick = words[0]
        gaps = [
            (other[0].box[0] - tick.box[2], at)
            for at, other in enumerate(result)
            if at != number and other and abs(other[0].baseline - tick.baseline) < TICK_LEVEL * other[0].size
        ]
        near = min(((gap, at) for gap, at in gaps if 0 <= gap < TICK_APART * tick.size), default=None)
        if near is not None:
            result[near[1]] = [
                _joined([replace(tick, line=result[near[1]][0].line), result[near[1]][0]]),
                *result[near[1]][1:],
            ]
            result[number] = []
    return [words for words in result if words]


def _without_leaders(word: Token) -> list[Token]:
    """The parts of ``word`` beside leaders of dots, which are no text."""
    if "." * 3 not in word.text and not _LEADER.search(word.text):
        return [word]
    x0, y0, x1, y1 = word.box
    wide = (x1 - x0) / len(word.text)
    parts, at = [], 0
    for leader in [*_LEADER.finditer(word.text), None]:
        end = leader.start() if leader else len(word.text)
        if end > at:
            parts.append(replace(word, text=word.text[at:end], box=(x0 + at * wide, y0, x0 + end * wide, y1)))
        at = leader.end() if leader else end
    return parts
