"""The witness of a PDF page: each word that its content prints, and whether a reader of the paper sees it.

It is independent of the drafters, which read the structured text that MuPDF makes of a page. This reads the trace of
what is painted, glyph by glyph with the order of painting (``Page.get_texttrace``), annotations and form fields
included, and asks the pixels where the trace leaves a doubt: pale type, and type that something was painted over or
that a path clips.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from docspec.core import PageImage
from docspec.core.account import VisibleWord
from docspec.documents.mupdf import mupdf
from docspec.documents.painting import boxes_of, layer_of, text_of
from docspec.ledger.atoms import UNTOLD
from docspec.ledger.painted import UNPAINTED, Box, PaintedWord, painted_words

if TYPE_CHECKING:
    import numpy as np

Part = tuple[str, Box]
"""A part of a word, or a word, and its box in points."""

CONTRAST = 24
"""Least difference (of 255) of grey between type and its ground that an eye sees."""

LEAST_COVER, MOST_COVERS = 3.0, 2000
"""Points: lines thinner than that cover no word. And the most stretches of paint of a page that are looked at."""

MOST_SOUGHT = 2000
"""Most words of a page that are sought in MuPDF's text letter by letter."""

UNSEEN, COVERED, CLIPPED = "hidden: of the colour of its ground", "hidden: painted over", "hidden: clipped"
OVER_PRINT = "hidden: not painted, over print"
"""The text of a recogniser, written invisibly over a scan: it is visible as far as it is right."""

PASSWORD = 1 << 13
"""The flag of form fields that show no letter of their value."""


def visible_words(page: PageImage) -> tuple[VisibleWord, ...]:
    """The words of the file's text on ``page``, in the order of its contents, hidden ones included; empty for pictures.
    Must be called before anything is written onto the page."""
    sheet = page.pdf_page
    if sheet is None:
        return ()
    try:
        return _words_on(sheet, page)
    except Exception:  # contents that break off; drawing them reports the fault
        return ()


def _words_on(sheet: Any, page: PageImage) -> tuple[VisibleWord, ...]:
    words = painted_words(sheet)
    scale = page.scale
    visible = [
        VisibleWord(text, scale * box[0], scale * box[1], scale * box[2], scale * box[3], rule)
        for text, box, rule, _, _ in (_seen(words, sheet, page) if words else ())
    ]
    return (*visible, *_values(sheet, visible, scale))


def _seen(words: list[PaintedWord], sheet: Any, page: PageImage) -> list[PaintedWord]:
    """``words`` with what the pixels say of those that may not be seen."""
    import numpy as np  # not needed where no page is read

    boxes = np.array([word.box for word in words], dtype=float)
    x, y = boxes[:, [0, 2]].mean(axis=1), boxes[:, [1, 3]].mean(axis=1)
    orders = np.array([word.order for word in words])
    covered = _painted_over(orders, x, y, sheet)
    layer = _Layer(sheet, words)
    doubtful = [
        at
        for at, word in enumerate(words)
        if word.hidden == UNPAINTED or (not word.hidden and (word.pale or covered[at] or word.text not in layer))
    ]
    if not doubtful:
        return words
    image = page.sketch or page.image
    greys = _Greys(np.asarray(image.convert("L")), image.width / page.width * page.scale)
    parts: dict[int, tuple[PaintedWord, ...]] = {}
    for at in doubtful:
        word, later = words[at], []
        if covered[at]:
            on_it = (boxes[:, :2] < boxes[at, 2:]).all(axis=1) & (boxes[:, 2:] > boxes[at, :2]).all(axis=1)
            later = boxes[on_it & ~covered & (orders > word.order)].tolist()
        ink = greys.contrast(word.box, later) >= CONTRAST
        if word.hidden:
            parts[at] = (word._replace(hidden=OVER_PRINT if ink else UNPAINTED),)
        elif not ink:
            parts[at] = (word._replace(hidden=COVERED if covered[at] else UNSEEN),)
        elif word.text not in layer:
            told = layer.instead_of(word)
            if told:
                parts[at] = (word._replace(text=told),)
            elif UNTOLD not in word.text:
                parts[at] = tuple(_clipped(word, layer, greys))
    return [part for at, word in enumerate(words) for part in parts.get(at, (word,))]


def _clipped(word: PaintedWord, layer: _Layer, greys: _Greys) -> Iterator[PaintedWord]:
    """The visible parts of a word and the rest, where a clipping path cuts it: a cell too narrow for its figure.
    MuPDF's structured text knows such paths, and the pixels must agree, or what is there must be another word."""
    begins, ends = layer.parts_of(word)
    x0, y0, x1, y1 = word.box
    rest = (begins[1][2] if begins else x0, y0, ends[1][0] if ends else x1, y1)
    hidden = word.text[len(begins[0]) if begins else 0 : -len(ends[0]) if ends else None]
    is_cut = rest[2] - rest[0] >= LEAST_COVER and greys.contrast(rest) < CONTRAST if begins or ends else True
    if not hidden or not is_cut or not (begins or ends or layer.has_others_at(word)):
        yield word
        return
    for part in (begins, (hidden, rest), ends):
        if part is not None:
            yield word._replace(text=part[0], box=part[1], hidden=CLIPPED if part[1] is rest else "")


class _Layer:
    """MuPDF's structured text of a page, which leaves out what clipping paths cut off, beside the ``painted`` words."""

    def __init__(self, sheet: Any, painted: Sequence[PaintedWord]) -> None:
        self._sheet, self._flags = sheet, mupdf().TEXT_MEDIABOX_CLIP
        self._text: str = text_of(sheet)
        self._whole = Counter(self._text.split())
        self._painted: dict[str, list[Box]] = defaultdict(list)
        for word in painted:
            if not word.hidden:
                self._painted[word.text].append(word.box)
        self._left = MOST_SOUGHT

    def __contains__(self, text: str) -> bool:
        """Whether ``text`` is told as often as it is painted."""
        if UNTOLD in text:
            return not self._said
        if self._whole[text] >= len(self._painted[text]) or not self._left:
            return True
        self._left -= 1
        return self._text.count(text) >= len(self._painted[text])

    def parts_of(self, word: PaintedWord) -> tuple[Part | None, Part | None]:
        """The longest beginning and the longest end of ``word`` that are told in their places, and do not overlap; the
        first may be all of it."""
        x0, y0, x1, y1 = word.box
        near = 0.25 * (y1 - y0)
        parts = [part for part in self._at(word) if _is_as_high(part[1], word.box)]
        first = [part for part in parts if word.text.startswith(part[0]) and abs(part[1][0] - x0) < near]
        begins = max(first, key=lambda part: len(part[0]), default=None)
        left = word.text[len(begins[0]) :] if begins else word.text
        last = [part for part in parts if part[0] and left.endswith(part[0]) and abs(part[1][2] - x1) < near]
        return begins, max(last, key=lambda part: len(part[0]), default=None)

    def has_others_at(self, word: PaintedWord) -> bool:
        """Whether all text extracted at the place of ``word`` belongs to other words painted at that place."""
        there = self._at(word)
        return bool(there) and all(
            any(own is not word.box and _is_same_place(own, box) for own in self._painted.get(text, ()))
            for text, box in there
        )

    def instead_of(self, word: PaintedWord) -> str:
        """What the file says that ``word`` stands for (``ActualText``), where that is not what its font tells; empty if
        it says nothing."""
        there = sorted(self._at(word), key=lambda part: part[1]) if self._said else []
        if not any(text in self._said for text, _ in there):
            return ""
        left, top, right, bottom = zip(*(box for _, box in there), strict=True)
        around = min(left), min(top), max(right), max(bottom)
        return " ".join(text for text, _ in there) if _is_same_place(word.box, around) else ""

    def _at(self, word: PaintedWord) -> list[Part]:
        """The words that are told in the line of ``word`` and overlap it."""
        x0, y0, x1, y1 = word.box
        return [
            (other[4], tuple(other[:4]))
            for other in self._words
            if y0 < (other[1] + other[3]) / 2 < y1 and other[0] < x1 and other[2] > x0
        ]

    @cached_property
    def _said(self) -> Set[str]:
        """The words that fonts alone do not tell."""
        told = self._sheet.get_text("text", flags=self._flags | mupdf().TEXT_IGNORE_ACTUALTEXT)
        return set() if told == self._text else self._whole.keys() - set(told.split())

    @cached_property
    def _words(self) -> list[Any]:
        return layer_of(self._sheet, "words")  # type: ignore[no-any-return]


def _is_same_place(one: Box, other: Box) -> bool:
    near = 0.25 * (one[3] - one[1])
    is_level = abs(one[1] + one[3] - other[1] - other[3]) < 2 * near
    return is_level and abs(one[0] - other[0]) < near and abs(one[2] - other[2]) < near and _is_as_high(one, other)


def _is_as_high(one: Box, other: Box) -> bool:
    return min(one[3] - one[1], other[3] - other[1]) > 0.7 * max(one[3] - one[1], other[3] - other[1])


@dataclass(frozen=True, slots=True)
class _Greys:
    """A page in grey, ``scale`` pixels a point."""

    pixels: np.ndarray
    scale: float

    def contrast(self, box: Box, later: Sequence[Box] = ()) -> int:
        """The difference of the darkest and the lightest grey in the middle of a word's ``box`` (points), outside the
        boxes of words that were painted ``later``."""
        x0, y0, x1, y1 = (self.scale * side for side in box)
        third = 0.3 * (y1 - y0) if y1 - y0 < x1 - x0 else 0.0  # a word that runs upwards is all middle
        top, bottom = max(0, int(y0 + third)), max(int(y1 - third), int(y0 + third) + 1)
        left, right = max(0, int(x0)), max(int(x1), int(x0) + 1)
        own = self.pixels[top:bottom, left:right]
        is_own = own >= 0
        for other in later:
            a, b, c, d = (int(self.scale * side) for side in other)
            is_own[max(0, b - top) : max(0, d + 1 - top), max(0, a - left) : max(0, c + 1 - left)] = False
        own = own[is_own]
        return int(own.max()) - int(own.min()) if own.size else 0


def _painted_over(orders: np.ndarray, x: np.ndarray, y: np.ndarray, sheet: Any) -> np.ndarray:
    """Which words (their ``orders`` of painting and their middles) lie below something that was painted later."""
    covered = orders < 0
    first, count = int(orders.min()), 0
    for order, (kind, (x0, y0, x1, y1), *_) in enumerate(boxes_of(sheet)):
        if order <= first or kind in ("fill-text", "stroke-text", "ignore-text", "clip-text", "stroke-path"):
            continue
        if kind.startswith("fill") and x1 - x0 > LEAST_COVER and y1 - y0 > LEAST_COVER:
            count += 1
            if count > MOST_COVERS:
                break
            covered |= (orders < order) & (x0 < x) & (x < x1) & (y0 < y) & (y < y1)
    return covered


def _values(sheet: Any, words: Sequence[VisibleWord], scale: float) -> Iterator[VisibleWord]:
    """Words of form fields' values that the trace does not have: fields that nobody has painted."""
    if sheet.first_widget is None:
        return
    for field in sheet.widgets():
        value = field.field_value
        if not isinstance(value, str) or field.field_type_string not in ("Text", "ComboBox", "ListBox"):
            continue
        if field.field_display in (1, 3) or field.field_flags & PASSWORD:  # hidden, or shown nowhere but on paper
            continue
        sides = [round(scale * side, 1) for side in field.rect]
        inside = "".join(
            word.text
            for word in words
            if sides[0] <= (word.x0 + word.x1) / 2 <= sides[2] and sides[1] <= (word.y0 + word.y1) / 2 <= sides[3]
        )
        if not "".join(value.split()) or len("".join(value.split())) <= len(inside):
            continue
        for word in value.split():
            if word not in inside:
                yield VisibleWord(word, *sides)
