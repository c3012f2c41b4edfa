"""Columns of print from top to bottom in scans of Japanese and Chinese.

The recogniser reads lines from left to right. RapidOCR turns tall lines on their side, signs and all, which its model
reads surprisingly well, but without punctuation and small kana. So the signs of a column are cut apart and set in a row
again; the reading of which the recogniser is surer is kept. Rows that lie on their side are tall, too, but nobody reads
their signs so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

import numpy as np
from PIL import Image

from docspec.core import BBox
from docspec.core.draft import certainty_of
from docspec.core.scripts import scripts_of
from docspec.drafting.ink import ground_of
from docspec.drafting.light import sure_letters
from docspec.drafting.lines import TextLine
from docspec.drafting.recogniser import Recogniser
from docspec.drafting.vertical import LEAST, SHARE

SCRIPTS = ("Han", "Kana")
"""Scripts that are set from top to bottom in columns from the right."""

TALL = 1.5
"""Least height of a column over its width."""

STACKED = 0.8
"""Least sure letters of columns whose signs are set in rows beside those that RapidOCR read; of rows that lie on their
side they are a tenth."""

LEGIBLE = 0.7
"""Least certainty (0..1) of RapidOCR's own reading of columns; it comes to 0.9 and more."""

DARK = 0.5
"""Darkness of ink, as a share of that of the darkest pixels beside the paper."""

PITCHES = (0.9, 1.6)
"""From sign to sign, in widths of the column."""

LOOSE = 0.2
"""Share of that pitch by which a sign may be nearer or farther."""

STIFF = 30.0
"""Pixels of ink that a cut crosses rather than to depart from the pitch by all of that share."""

SMALL = 0.5
"""Most width and height of a punctuation mark, in widths of the column."""

MARGIN = 0.1
"""White around the signs of a row, in their widths."""

BAR = 0.2
"""Most width of the mark of long vowels and of dashes, which stand upright in columns, in widths of the column."""


ALIKE = 0.8
"""Least ratio of the widths of columns in the same size of type."""

ENDS = 0.6
"""By so many widths of the column it is taken longer than the detector found it."""

BRACKET, BROAD = (0.15, 0.5), 0.7
"""Heights of brackets, and their least width, in widths of the column; 一 is flatter, へ higher."""

BEFORE, BEHIND = 0.5, 0.8
"""White before the first sign and behind the last one, in pitches: a bracket fills half of its place."""

LONGEST = 0.8
"""Most length of a mark of long vowels in a row, in widths of the column."""

BRACKETS = frozenset("「」『』（）()〈〉<>《》【】〔〕[]{}")

WIDER = 0xFEE0
"""From a mark of ASCII to the same mark as wide as a sign, in Unicode."""

_SIGN = "\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
_NARROW = re.compile(f"(?<=[{_SIGN}])[()!?:;,]|[()!?:;,](?=[{_SIGN}])")

ReadLine = Callable[[Image.Image], tuple[str, float]]


def with_columns(
    image: Image.Image, lines: Sequence[TextLine], recogniser: Recogniser
) -> tuple[list[TextLine], list[TextLine]]:
    """The columns of a page ``image`` among its recognised ``lines``, read anew by ``recogniser``, and the other lines;
    no columns on other pages. The ``size`` of a column is its width."""
    tall = [line for line in lines if line.bbox.height >= TALL * line.bbox.width]
    text, whole = "".join(line.text for line in tall), sum(len(line.text) for line in lines)
    scripts = scripts_of(text)
    if len(text) < max(LEAST, SHARE * whole) or 2 * sum(scripts[one] for one in SCRIPTS) < scripts.total():
        return [], list(lines)
    if (certainty_of(tall) or 0.0) < LEGIBLE:  # rows that stand on their head
        return [], list(lines)
    columns_of = [_column(image, line.bbox) for line in tall]
    usual = [_pitch_among(column, columns_of) for column in columns_of]
    read = recogniser.read_lines(
        [in_a_row(column.image, pitch, recogniser.read_line) for column, pitch in zip(columns_of, usual, strict=True)]
    )
    anew = [
        replace(line, text=as_in_columns(again), confidence=sure)
        for line, (again, sure) in zip(tall, read, strict=True)
    ]
    if sure_letters(anew) < STACKED * sure_letters(tall):
        return [], list(lines)
    surer = [max(pair, key=lambda line: sure_letters([line])) for pair in zip(anew, tall, strict=True)]
    columns = [replace(line, size=line.bbox.width) for line in surer]
    return columns, [line for line in lines if line not in tall]


@dataclass(frozen=True, slots=True)
class _Column:
    """The picture of a column, boolean ``ink`` of its ``(height, width)``, the grey of its paper, and where from left
    to right its ink is."""

    image: Image.Image
    ink: np.ndarray
    paper: int
    left: int
    right: int

    @property
    def wide(self) -> int:
        return self.right - self.left

    @property
    def pitch(self) -> float:
        """The usual distance of its signs in pixels."""
        return _pitch(self.ink.sum(axis=1), self.wide)


def _column(page: Image.Image, box: BBox) -> _Column:
    """The column in ``box`` of a ``page``, with what the detector lost at its ends: brackets, full stops."""
    ends = ENDS * box.width
    longer = replace(box.grown(1), y0=box.y0 - ends, y1=box.y1 + ends).clamped(*page.size)
    column = _inked(page.crop(longer.rounded()))
    rows = np.flatnonzero(column.ink.any(axis=1))
    if not len(rows):
        return column
    return _inked(column.image.crop((0, int(rows[0]), column.image.width, int(rows[-1]) + 1)))


def _inked(image: Image.Image) -> _Column:
    grey = image.convert("L")
    pixels = np.asarray(grey)
    paper = ground_of(np.bincount(pixels.ravel(), minlength=256))
    away = np.abs(pixels.astype(np.int16) - paper)
    ink = away > DARK * np.quantile(away, 0.99)
    inked = np.flatnonzero(ink.any(axis=0))
    left, right = (int(inked[0]), int(inked[-1]) + 1) if len(inked) else (0, 0)
    return _Column(grey, ink, int(paper), left, right)


def _pitch_among(column: _Column, others: Sequence[_Column]) -> float:
    """The pitch of ``column``, as the ``others`` of its width tell it: a short one may have none of its own."""
    alike = [other for other in others if ALIKE * max(other.wide, column.wide) <= min(other.wide, column.wide)]
    return median(other.pitch for other in alike)


def in_a_row(column: Image.Image, pitch: float | None = None, read: ReadLine | None = None) -> Image.Image:
    """The picture of a ``column`` of signs as that of a line from left to right. ``pitch`` is the distance of its
    signs, if it is known; ``read`` tells brackets, which lie on their side in columns, from other flat signs."""
    own = _inked(column)
    if not own.wide:
        return column
    wide, pitch = own.wide, pitch or own.pitch
    before, behind = round(BEFORE * pitch), round(BEHIND * pitch)
    ink = np.pad(own.ink[:, own.left : own.right], ((before, behind), (0, 0)))
    grey = Image.new("L", (own.image.width, len(ink)), own.paper)
    grey.paste(own.image, (0, before))
    cells = [(top, end) for top, end in _cells(ink.sum(axis=1), wide, pitch) if ink[top:end].any()]
    step = round(wide * (1 + MARGIN))
    row = Image.new("L", ((len(cells) + 1) * step, round(wide * (1 + 2 * MARGIN))), own.paper)
    for number, (top, bottom) in enumerate(cells):
        rows, columns = (np.flatnonzero(ink[top:bottom].any(axis=axis)) for axis in (1, 0))
        x0, x1, y0, y1 = int(columns[0]), int(columns[-1]) + 1, top + int(rows[0]), top + int(rows[-1]) + 1
        sign = grey.crop((own.left + x0, y0, own.left + x1, y1))
        at = step // 2 + number * step
        parts = 1 + int((np.diff(rows) > 1).sum())  # an exclamation mark has two, an ellipsis three
        if parts != 2 and sign.width < BAR * wide < SMALL * wide < sign.height:
            sign = sign.transpose(Image.Transpose.ROTATE_90)
            spare = max(0, round((sign.width - LONGEST * wide) / 2))  # some reach to their neighbours
            sign = sign.crop((spare, 0, sign.width - spare, sign.height))
            row.paste(sign, (at + (wide - sign.width) // 2, (row.height - sign.height) // 2))
        elif read is not None and _is_bracket(sign, wide, own.paper, read):
            sign = sign.transpose(Image.Transpose.ROTATE_90)
            opens = (y0 + y1) / 2 > (top + bottom) / 2  # it stands beside what it encloses
            row.paste(sign, (at + (wide - sign.width if opens else 0), (row.height - sign.height) // 2))
        elif max(sign.size) < SMALL * wide and x0 > wide / 2 > y1 - top - wide / 4:
            row.paste(sign, (at, row.height - sign.height - round(MARGIN * wide)))  # to the foot of a row
        else:
            row.paste(sign, (at + x0, (row.height - sign.height) // 2))
    return row


def _is_bracket(sign: Image.Image, wide: int, paper: int, read: ReadLine) -> bool:
    """Whether the picture of a flat ``sign`` of a column ``wide`` pixels wide, turned back, is read as a bracket."""
    if not (BRACKET[0] * wide <= sign.height <= BRACKET[1] * wide and sign.width > BROAD * wide):
        return False
    alone = Image.new("L", (2 * wide, round(1.2 * wide)), paper)
    turned = sign.transpose(Image.Transpose.ROTATE_90)
    alone.paste(turned, ((alone.width - turned.width) // 2, (alone.height - turned.height) // 2))
    return read(alone)[0] in BRACKETS


def as_in_columns(text: str) -> str:
    """``text`` of a column with its marks as wide as its signs, as people type them."""
    return _NARROW.sub(lambda mark: chr(ord(mark[0]) + WIDER), text)


def _cells(ink: np.ndarray, wide: int, pitch: float) -> list[tuple[int, int]]:
    """From where to where the signs of a column ``wide`` pixels wide reach, by the ``ink`` of its rows: cuts at about
    one ``pitch`` that cross the least ink."""
    least, most = max(1, round((1 - LOOSE) * pitch)), max(2, round((1 + LOOSE) * pitch))
    steps = np.arange(least, most + 1)
    stiff = STIFF * wide / 40 * ((steps - pitch) / (LOOSE * pitch)) ** 2
    height = len(ink)
    cost, before = np.full(height + 1, np.inf), np.zeros(height + 1, dtype=int)
    cost[: most // 2] = 0.0  # white before the first sign
    for at in range(least, height + 1):
        froms = at - steps[steps <= at]
        ways = cost[froms] + stiff[: len(froms)]
        best = int(ways.argmin())
        crossed = float(ink[at]) if at < height else 0.0
        if ways[best] + crossed < cost[at]:
            cost[at], before[at] = ways[best] + crossed, froms[best]
    last = min(int(np.flatnonzero(ink)[-1]) + 1, height - least // 2)
    end = last + int(cost[last:].argmin())  # white after the last one
    cuts = [end]
    while before[cuts[-1]]:
        cuts.append(int(before[cuts[-1]]))
    cuts = [0, *cuts[-2 if cuts[-1] < most // 2 and len(cuts) > 1 else -1 :: -1]]
    return [*pairwise(cuts), (end, height)]


def _pitch(ink: np.ndarray, wide: int) -> float:
    """The usual distance of signs in pixels: the one at which the ``ink`` of rows is most like itself."""
    low, high = (round(share * wide) for share in PITCHES)
    varied = ink - ink.mean()
    lags = range(max(1, low), min(high, len(ink) // 3) + 1)
    alike = [float((varied[lag:] * varied[:-lag]).mean()) for lag in lags]
    return float(lags[int(np.argmax(alike))]) if alike else 1.1 * wide
