"""Fits the words of a recognised line to its ink: a detector's box has a margin, and tells nothing of the spaces.

A line's words are parted at the white gaps that lie nearest to where the usual widths of letters put its spaces, the
wide ones first. Upper and lower edges are those of the line's type, whatever letters a word has: as a text layer has
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from docspec.core import BBox

CONTRAST = 40
"""Least difference (of 255) of print and its ground."""

GRAINY = 0.05
"""Grain over the contrast from which on pixels are smoothed: else specks are ink, and no gap is white."""

ASCENT, DESCENT = 0.85, 0.22
"""Ems from the baseline to the upper and the lower edge of a line of type."""

RULED = 0.7
"""Share of a box's width from which on a row of ink at its upper or lower edge is a rule."""

BEARING, SINGLE = 0.05, 0.52
"""Ems of white beside the ink of a word, and the least width of most single letters and figures."""

_SLIM = frozenset("iljtfrI")
_LOW, _DEEP = frozenset("acemnorsuvwxz.,:;-_"), frozenset("gjpqyQ,;()[]|@")
_TALL, _SMALL, _TAIL = 0.72, 0.5, 0.21
"""Ems of capitals and of small letters above the baseline, and of tails below it."""

FAR = 3.0
"""What a gap's distance from the expected place counts, in its own widths."""


def words_in_ink(image: Any, box: BBox, texts: Sequence[str], expected: Sequence[float]) -> list[BBox] | None:
    """The boxes of the words ``texts`` of a level line that runs rightwards in ``box`` of ``image`` (grey pixels).
    ``expected`` are the shares (0..1) of its length at which words begin and end, in turn. ``None`` without clear
    ink."""
    left, top = max(0, int(box.x0)), max(0, int(box.y0))
    pixels = image[top : int(np.ceil(box.y1)), left : int(np.ceil(box.x1))]
    if pixels.size == 0:
        return None
    light, dark = (float(np.quantile(pixels, share)) for share in (0.9, 0.02))
    if light - dark < CONTRAST:
        return None
    grain = _grain(pixels)
    if grain > GRAINY * (light - dark):
        pixels = _smoothed(pixels, 1 if 3 * GRAINY * (light - dark) > grain else 2)
        light, dark = (float(np.quantile(pixels, share)) for share in (0.9, 0.02))
    ink = pixels < (light + dark) / 2
    across = ink.mean(axis=1) > RULED
    across[len(across) // 5 : -(len(across) // 5)] = False  # letters that run into each other
    ink[across] = False
    rows = _band(ink)
    if rows is None:
        return None
    columns = ink[rows[0] : rows[1]].any(axis=0) & ~_rules(ink, rows)
    if not columns.any():
        return None
    places = np.flatnonzero(columns)
    first, last = int(places[0]), int(places[-1]) + 1
    parts = _parted(columns, first, last, expected)
    y0, y1 = _type_edges("".join(texts), top + rows[0], top + rows[1])
    em = (y1 - y0) / (ASCENT + DESCENT)
    edges = (_with_bearing(text, x0, x1, em) for text, (x0, x1) in zip(texts, parts, strict=True))
    return [BBox(left + x0, y0, left + x1, y1) for x0, x1 in edges]


def _rules(ink: Any, rows: tuple[int, int]) -> Any:
    """The columns at the ends of ``ink`` in which a rule of a table stands: it goes on beyond the ``rows`` of print."""
    height, width = ink.shape
    ruled = np.zeros(width, dtype=bool)
    for outside in (ink[: rows[0]], ink[rows[1] :]):
        if len(outside) >= max(3, height // 10):
            ruled |= outside.mean(axis=0) > 0.5
    beside = np.convolve(ruled, np.ones(5), "same") > 0 if width >= 5 else ruled  # its edges are soft
    beside[min(width, height // 2) : max(0, width - height // 2)] = False
    return beside


def _with_bearing(text: str, x0: float, x1: float, em: float) -> tuple[float, float]:
    """The edges of a word whose ink reaches from ``x0`` to ``x1``, with the white that type has beside its letters; a
    single letter or figure is as wide as most are."""
    x0, x1 = x0 - BEARING * em, x1 + BEARING * em
    lacks = SINGLE * em - (x1 - x0) if len(text) == 1 and text.isalnum() and text not in _SLIM else 0.0
    return (x0 - lacks / 2, x1 + lacks / 2) if lacks > 0 else (x0, x1)


def _grain(pixels: Any) -> float:
    """The noise of ``pixels``, as a standard deviation: of second differences along x most are of ground."""
    if pixels.shape[1] < 3:
        return 0.0
    along = pixels.astype(np.int16)
    second = along[:, :-2] - 2 * along[:, 1:-1] + along[:, 2:]
    return float(np.median(np.abs(second))) / (0.6745 * 6**0.5)


def _smoothed(pixels: Any, reach: int) -> Any:
    """``pixels`` as means over squares that reach so far to each side."""
    size = 2 * reach + 1
    sums = np.pad(pixels.astype(np.float32), reach, mode="edge")
    for axis in (0, 1):
        sums = np.lib.stride_tricks.sliding_window_view(sums, size, axis=axis).mean(axis=-1)
    return sums


def _band(ink: Any) -> tuple[int, int] | None:
    """The first and the last row of the print in the middle: of a neighbouring line only tails reach into the box, and
    at its ends a rule may stand."""
    height, width = ink.shape
    ends = min(width // 4, height // 6)
    counts = ink[:, ends : width - ends].sum(axis=1)
    if not counts.any():
        return None
    middle = len(counts) // 2
    heavy = np.flatnonzero(counts >= 0.3 * counts.max())
    core = int(heavy[np.abs(heavy - middle).argmin()])
    start = end = core
    room = max(1, len(counts) // 12)  # the dot of an i stands off its stem
    while start > 0 and counts[max(0, start - room) : start].any():
        start -= 1
    while end + 1 < len(counts) and counts[end + 1 : end + 1 + room].any():
        end += 1
    own = np.flatnonzero(counts[start : end + 1])
    return start + int(own[0]), start + int(own[-1]) + 1


def _parted(columns: Any, first: int, last: int, expected: Sequence[float]) -> list[tuple[float, float]]:
    """The words' stretches of x: parted at white gaps, or, with too few of these, where spaces are expected."""
    length = last - first
    wanted = [(first + length * a, first + length * b) for a, b in zip(expected[1:-1:2], expected[2:-1:2], strict=True)]
    edges = np.flatnonzero(np.diff(columns[first:last].astype(np.int8))) + first + 1
    gaps = [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=False)]
    chosen = _nearest(gaps, wanted) if len(gaps) >= len(wanted) else wanted
    starts = [float(first), *(float(gap[1]) for gap in chosen)]
    ends = [*(float(gap[0]) for gap in chosen), float(last)]
    return list(zip(starts, ends, strict=True))


def _nearest(gaps: Sequence[tuple[int, int]], wanted: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """One of ``gaps`` for each of the ``wanted`` spaces, in order, of the least distance from them and the greatest
    width together."""
    if not wanted:
        return ()
    sides = np.array(gaps, dtype=float)
    middles, widths = sides.mean(axis=1), sides[:, 1] - sides[:, 0]
    best = np.zeros(len(gaps))
    choices = []
    for number, (a, b) in enumerate(wanted):
        own = np.abs(middles - (a + b) / 2) - FAR * widths
        if number:
            before = np.concatenate([[np.inf], np.minimum.accumulate(best)[:-1]])
            choices.append(_running_argmin(best))
            best = before + own
        else:
            best = own
    at = int(best.argmin())
    found = [at]
    for choice in reversed(choices):
        at = int(choice[at - 1])
        found.append(at)
    return [gaps[one] for one in reversed(found)]


def _running_argmin(values: Any) -> Any:
    """The place of the least of the first values, for each number of them."""
    least = np.minimum.accumulate(values)
    return np.maximum.accumulate(np.where(values == least, np.arange(len(values)), 0))


def _type_edges(text: str, y0: float, y1: float) -> tuple[float, float]:
    """The edges of the type of a line whose ink reaches from ``y0`` to ``y1``: by its letters, the ink is some share
    of an em."""
    letters = [sign for sign in text if not sign.isspace()]
    tall = any(sign not in _LOW and sign not in "gpqy" for sign in letters)
    tail = _TAIL if any(sign in _DEEP for sign in letters) else 0.0
    above = _TALL if tall else _SMALL
    em = (y1 - y0) / (above + tail)
    base = y1 - tail * em
    return base - ASCENT * em, base + DESCENT * em
