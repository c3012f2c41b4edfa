"""Lines of right-to-left scripts in logical order, by the places of their characters, and in typed letters.

Text layers hold such lines in the order of reading, in that of the paper, or mixed, and MuPDF's own guess misplaces
numbers, Latin words and brackets. Only the paper is certain; so the characters are sorted from left to right and the
bidirectional algorithm (Unicode annex 9) is undone: the line is reversed, and its left-to-right parts (Latin, numbers)
are reversed back.

PDF fonts often name the shape of an Arabic letter (a presentation form) instead of the letter. A shape tells more than
the letter: a final shape with a letter right behind it was followed by a zero-width non-joiner, as in Persian words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

SPACE = 0.15
"""Least width of a space between two characters, of the size of type."""

NEAR = 0.1
"""Points within which two places are one."""

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_MIRRORED = dict(zip("()[]{}<>«»‹›", ")(][}{><»«›‹", strict=True))

FORMS = re.compile("[\ufb50-\ufdff\ufe70-\ufefc]")

ARABIC = "\u0620-\u064a\u066e-\u06d3\u06d5\u06ee\u06ef\u06fa-\u06ff\u0750-\u077f"

NON_JOINER = "\u200c"

_STRETCHED = re.compile(f"(?<=[{ARABIC}])\u0640+(?=[{ARABIC}\u064b-\u0652])")


def is_right_to_left(text: str) -> bool:
    """Whether more of the letters of ``text`` run from right to left than from left to right."""
    there = len(_RIGHT_TO_LEFT.findall(text))
    return there > 0 and there > sum(_way(char) == "L" for char in text)


def has_right_to_left(text: str) -> bool:
    """Whether any of ``text`` runs from right to left."""
    return _RIGHT_TO_LEFT.search(text) is not None


@dataclass(frozen=True, slots=True)
class _Glyph:
    """The characters at one place of a line: their text in logical order, and their left and right ends."""

    text: str
    x0: float
    x1: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def is_wide(self) -> bool:
        return self.width > 0.01

    def bears(self, mark: _Glyph) -> bool:
        """Whether a ``mark`` that comes right after this glyph is its own. One whose text runs from left to right may
        stand at its end, where the next letter begins."""
        x = mark.x0 - self.x0
        if has_right_to_left(self.text):
            return NEAR < x < self.width + NEAR
        return _way(self.text[0]) == "L" and not has_right_to_left(mark.text) and -NEAR < x < self.width + NEAR

    def takes(self, part: _Glyph) -> bool:
        """Whether a ``part`` without width that comes right after this glyph belongs to it: its mark, or, in scripts
        that run from left to right, a further letter of a ligature."""
        if _is_mark(part.text) and self.bears(part):
            return True
        return abs(part.x0 - self.x1) < NEAR and not has_right_to_left(self.text + part.text)

    def marked(self, text: str) -> _Glyph:
        return _Glyph(self.text + text, self.x0, self.x1)


def logical_text(
    chars: Sequence[Mapping[str, Any]], size: float, page_runs_left: bool, traced: Sequence[tuple[str, Any]] = ()
) -> str:
    """The text of one printed line from its ``chars`` (``c``, ``origin``, ``bbox`` of MuPDF's raw text, in its order).

    ``size`` is that of the type; ``page_runs_left`` is the page's direction, which lines of both scripts follow.
    ``traced`` are characters with their boxes as they were painted: MuPDF loses a letter that follows itself in a
    ligature, and letters under some marks.
    """
    glyphs = _with_spaces(_placed(_with_lost(_glyphs(chars), traced)), size)
    plain = "".join(glyph.text for glyph in glyphs)
    if not has_right_to_left(plain):
        return plain
    units = [glyph.text for glyph in glyphs]
    if page_runs_left or is_right_to_left(plain):
        ordered = _undone(units)
    else:
        ordered = [unit for run in _runs(units) for unit in (_undone(run) if has_right_to_left("".join(run)) else run)]
    return as_letters("".join(ordered))


def read_from_left(text: str) -> str:
    """A line that was read character by character from left to right, in the order of reading."""
    return as_letters("".join(_undone(list(text)))) if is_right_to_left(text) else text


def _glyphs(chars: Iterable[Mapping[str, Any]]) -> list[_Glyph]:
    """Characters that were painted at once: one with width and those without width at either of its ends. MuPDF
    reverses right-to-left text with its ligatures and marks, so that the one with width comes last."""
    glyphs: list[_Glyph] = []
    pending: list[_Glyph] = []
    for char in chars:
        if char.get("synthetic"):
            continue
        glyph = _Glyph(char["c"], char["bbox"][0], char["bbox"][2])
        if not glyph.is_wide:
            if glyphs and not pending and glyphs[-1].takes(glyph):
                glyphs[-1] = glyphs[-1].marked(glyph.text)
            else:
                pending.append(glyph)
            continue
        own = [part for part in pending if _at_end(part.x0, glyph) and has_right_to_left(glyph.text)]
        glyphs += [part for part in pending if part not in own]
        glyphs.append(glyph.marked("".join(part.text for part in reversed(own))))
        pending = []
    return glyphs + pending


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) == "Mn"


def _at_end(x: float, glyph: _Glyph) -> bool:
    return min(abs(x - glyph.x0), abs(x - glyph.x1)) < NEAR


def _with_lost(glyphs: Sequence[_Glyph], traced: Iterable[tuple[str, Any]]) -> list[_Glyph]:
    """``glyphs`` and the traced letters that stand where none of them does."""
    wide = [glyph for glyph in glyphs if glyph.is_wide]
    lost = [
        _Glyph(text, box[0], box[2])
        for text, box in traced
        if _RIGHT_TO_LEFT.match(text)
        and not _is_mark(text)
        and not any(glyph.x0 < (box[0] + box[2]) / 2 < glyph.x1 for glyph in wide)
    ]
    return [*glyphs, *(glyph for glyph in lost if glyph.is_wide)]


def _placed(glyphs: Sequence[_Glyph]) -> list[_Glyph]:
    """``glyphs`` from left to right, with marks after the letter that they stand on; a space without room of its own
    is a non-joiner."""
    wide = sorted((glyph for glyph in glyphs if glyph.is_wide), key=lambda glyph: (glyph.x0 + glyph.x1) / 2)
    for index, (glyph, other) in enumerate(pairwise(wide)):
        if glyph.text.isspace() and glyph.x1 - other.x0 > 0.5 * (glyph.x1 - glyph.x0):
            wide[index] = _Glyph(NON_JOINER, glyph.x0, glyph.x1)
    for glyph in (glyph for glyph in glyphs if not glyph.is_wide):
        at = next((index for index, other in enumerate(wide) if other.x0 - NEAR <= glyph.x0 < other.x1), None)
        if at is None:
            wide.insert(sum(other.x0 < glyph.x0 for other in wide), glyph)
        else:
            # Some programs write a letter twice for its mark; only the mark is new.
            other = wide[at]
            wide[at] = other.marked("".join(char for char in glyph.text if _is_mark(char) and char not in other.text))
    return wide


def _with_spaces(glyphs: Sequence[_Glyph], size: float) -> list[_Glyph]:
    spaced = list(glyphs[:1])
    for before, glyph in pairwise(glyphs):
        if glyph.is_wide and before.is_wide and glyph.x0 - before.x1 > SPACE * size:
            spaced.append(_Glyph(" ", before.x1, glyph.x0))
        spaced.append(glyph)
    return spaced


def _way(char: str) -> str:
    """L, R (Arabic and Hebrew letters), N (digits) or an empty text."""
    kind = unicodedata.bidirectional(char)
    if kind in ("R", "AL"):
        return "R"
    return "N" if kind in ("EN", "AN") else "L" if kind == "L" else ""


def _runs(units: Sequence[str]) -> list[list[str]]:
    """``units`` of a left-to-right line, parted into the runs of that direction and those from the first to the last
    unit of the other one."""
    runs: list[list[str]] = [[]]
    inside = False
    for index, unit in enumerate(units):
        way = _way(unit[0])
        if way == "R" and not inside:
            runs.append([])
            inside = True
        elif inside and way != "R" and not _returns(units[index:]):
            runs.append([])
            inside = False
        runs[-1].append(unit)
    return runs


def _returns(units: Sequence[str]) -> bool:
    """Whether text from right to left comes again before any from left to right."""
    return next((way for unit in units if (way := _way(unit[0])) in ("L", "R")), "L") == "R"


def _undone(units: Sequence[str]) -> list[str]:
    """Units, from left to right on a line that is read from right to left, in the order of reading."""
    turned = _faithful(units)[::-1]
    ways = _ways(turned)
    out: list[str] = []
    index = 0
    while index < len(turned):
        end = _end_of_run(ways, index)
        if end > index:
            out += turned[index:end][::-1]
            index = end
        else:
            out.append(_MIRRORED.get(turned[index], turned[index]))
            index += 1
    return out


def _ways(units: Sequence[str]) -> list[str]:
    """The direction of each unit in the order of reading. Signs that belong to a number have its direction: points and
    colons between digits and, unless an Arabic letter came last, signs and units beside them (rules W2 to W5)."""
    kinds = [unicodedata.bidirectional(unit[0]) for unit in units]
    ways = [_way(unit[0]) for unit in units]
    arabic = False
    for index, kind in enumerate(kinds):
        arabic = kind == "AL" or (arabic and kind not in ("R", "L"))
        between = 0 < index < len(kinds) - 1 and ways[index - 1] == ways[index + 1] == "N"
        if between and (kind == "CS" or (kind == "ES" and not arabic)):
            ways[index] = "N"
        elif kind == "ET" and not arabic:
            end = next((at for at in range(index, len(kinds)) if kinds[at] != "ET"), len(kinds))
            if "EN" in (kinds[index - 1] if index else "", kinds[end] if end < len(kinds) else ""):
                ways[index:end] = ["N"] * (end - index)
    return ways


def _end_of_run(ways: Sequence[str], start: int) -> int:
    """The end of the left-to-right text at ``start``: Latin words and numbers with all between them, or one number;
    ``start`` itself without such text."""
    if ways[start] not in ("L", "N"):
        return start
    stop = next((index for index in range(start, len(ways)) if ways[index] == "R"), len(ways))
    if "L" in ways[start:stop]:
        return max(index for index in range(start, stop) if ways[index]) + 1
    return next((index for index in range(start, stop) if ways[index] != "N"), stop)


def _faithful(units: Sequence[str]) -> list[str]:
    """``units`` with brackets as the paper shows them: some programs write them in reading order, which is the wrong
    way round from left to right. The neighbours of a bracket tell."""
    votes = 0
    padded = [" ", *units, " "]
    for left, unit, right in zip(padded, padded[1:-1], padded[2:], strict=False):
        if unit in _MIRRORED and (left.isspace() != right.isspace()):
            opens = unit in "([{<«‹"
            votes += 1 if opens == left.isspace() else -1
    return [_MIRRORED.get(unit, unit) for unit in units] if votes < 0 else list(units)


def as_letters(text: str) -> str:
    """``text`` (in logical order) in letters, stretching strokes between them left out."""
    if FORMS.search(text):
        text = "".join(_letter(text, index) for index in range(len(text)))
    return _STRETCHED.sub("", text)


def _letter(text: str, index: int) -> str:
    char = text[index]
    if not FORMS.match(char):
        return char
    # Marks are encoded as standing on a space or a stroke of their own.
    letters = unicodedata.normalize("NFKC", char).lstrip(" \u0640") or char
    ends = unicodedata.decomposition(char).startswith(("<final>", "<isolated>"))
    goes_on = index + 1 < len(text) and unicodedata.category(text[index + 1]) == "Lo"
    return letters + NON_JOINER if ends and goes_on and letters[-1] in _joining() else letters


@cache
def _joining() -> frozenset[str]:
    """Letters that join the next one: those with an initial form."""
    forms = (unicodedata.decomposition(chr(code)).split() for code in (*range(0xFB50, 0xFE00), *range(0xFE70, 0xFEFD)))
    return frozenset(chr(int(form[1], 16)) for form in forms if len(form) == 2 and form[0] == "<initial>")
