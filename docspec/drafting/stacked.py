"""Columns of print from top to bottom in scans of Japanese and Chinese.

The recogniser reads lines from left to right. RapidOCR turns tall lines on their side, signs and all, which its model
reads surprisingly well, but without punctuation and small kana. So the signs of a column are cut apart and set in a row
again; the reading of which the recogniser is surer is kept. Rows that lie on their side are tall, too, but nobody reads
their signs so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from PIL import Image

from docspec.core.certainty import certainty_of
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
    crops = [image.crop(line.bbox.grown(1).clamped(image.width, image.height).rounded()) for line in tall]
    read = recogniser.read_lines([in_a_row(crop) for crop in crops])
    anew = [replace(line, text=again, confidence=sure) for line, (again, sure) in zip(tall, read, strict=True)]
    if sure_letters(anew) < STACKED * sure_letters(tall):
        return [], list(lines)
    surer = [max(pair, key=lambda line: sure_letters([line])) for pair in zip(anew, tall, strict=True)]
    columns = [replace(line, size=line.bbox.width) for line in surer]
    return columns, [line for line in lines if line not in tall]


def in_a_row(column: Image.Image) -> Image.Image:
    """The picture of a ``column`` of signs as that of a line from left to right."""
    grey = np.asarray(column.convert("L"))
    paper = ground_of(np.bincount(grey.ravel(), minlength=256))
    away = np.abs(grey.astype(np.int16) - paper)
    ink = away > DARK * np.quantile(away, 0.99)
    inked = np.flatnonzero(ink.any(axis=0))
    if not len(inked):
        return column
    left, right = int(inked[0]), int(inked[-1]) + 1
    wide = right - left
    cells = [(top, bottom) for top, bottom in _cells(ink.sum(axis=1), wide) if ink[top:bottom].any()]
    step = round(wide * (1 + MARGIN))
    row = Image.new("L", ((len(cells) + 1) * step, round(wide * (1 + 2 * MARGIN))), paper)
    for number, (top, bottom) in enumerate(cells):
        rows, columns = (np.flatnonzero(ink[top:bottom, left:right].any(axis=axis)) for axis in (1, 0))
        x0, x1, y0, y1 = int(columns[0]), int(columns[-1]) + 1, top + int(rows[0]), top + int(rows[-1]) + 1
        sign = column.convert("L").crop((left + x0, y0, left + x1, y1))
        at = step // 2 + number * step
        if sign.width < BAR * wide < SMALL * wide < sign.height:
            sign = sign.transpose(Image.Transpose.ROTATE_90)
            row.paste(sign, (at + (wide - sign.width) // 2, (row.height - sign.height) // 2))
        elif max(sign.size) < SMALL * wide and x0 > wide / 2 > y1 - top - wide / 4:
            row.paste(sign, (at, row.height - sign.height - round(MARGIN * wide)))  # to the foot of a row
        else:
            row.paste(sign, (at + x0, (row.height - sign.height) // 2))
    return row


def _cells(ink: np.ndarray, wide: int) -> list[tuple[int, int]]:
    """From where to where the signs of a column ``wide`` pixels wide reach, by the ``ink`` of its rows: cuts at about
    one pitch that cross the least ink."""
    pitch = _pitch(ink, wide)
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
    end = height - least // 2 + int(cost[height - least // 2 :].argmin())  # white after the last one
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
