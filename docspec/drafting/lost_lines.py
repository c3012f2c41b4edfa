"""Lines that the detector of the recogniser has lost between others: where lines are set so tightly that their marks
touch, one of them is taken for a part of its neighbours, which nobody notices, as the paragraph around it is read.

A place for one more line between two lines of a column, with as much ink as a line has, is such a line.
It is read, and added if the recogniser is sure of it; else an event tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from PIL import Image

from docspec.core import BBox, Event
from docspec.drafting.ink import ink_of
from docspec.drafting.lines import TextLine
from docspec.drafting.recogniser import Recogniser

ALIKE = 0.7
"""Least height of a line over that of another one in the same size of type."""

FEWEST = 3
"""Least distances of lines that tell the usual one."""

LOST = (1.4, 2.5)
"""Distance of two lines between which one was lost, in usual distances."""

CORE = 0.2
"""Usual distances above and below the middle of a place that show whether a line is there; marks of the neighbours do
not reach so far."""

INKED = 0.45
"""Least share of the length of a lost line, in its core, in which there is ink."""

REACH = 0.65
"""Usual distances from the middle of a lost line to the edges of its picture."""

SURE = 0.9
"""Least certainty (0..1) of a line that is added."""


def with_lost_lines(
    image: Callable[[], Image.Image], lines: Sequence[TextLine], recogniser: Recogniser
) -> tuple[list[TextLine], tuple[Event, ...]]:
    """``lines`` of an upright page ``image`` and those between them that ``recogniser`` had lost; the events for those
    of which it is not sure. The image is made if there is a place for one."""
    gaps = list(_gaps(lines))
    if not gaps:
        return list(lines), ()
    page = image()
    places = [(box, gap.above) for gap in gaps if (box := _inked(page, gap)) is not None]
    read = recogniser.read_lines([page.crop(box.rounded()) for box, _ in places])
    added = [
        replace(above, bbox=box, text=text, confidence=sure, size=box.height)
        for (box, above), (text, sure) in zip(places, read, strict=True)
        if text and sure >= SURE
    ]
    lost = len(places) - len(added)
    what = "a line of print" if lost == 1 else f"{lost} lines of print"
    events = (Event("line_unread", f"{what} between others could not be read"),) if lost else ()
    return [*lines, *added], events


class _Gap(NamedTuple):
    """A place for one more line below the line ``above``: its ``middle``, its ends, the least of its length that is
    inked, and the usual distance of lines, in pixels."""

    above: TextLine
    middle: float
    left: float
    right: float
    inked: float
    pitch: float


def _gaps(lines: Sequence[TextLine]) -> Iterator[_Gap]:
    if len(lines) <= FEWEST:
        return
    x0, y0, x1, y1 = (np.array([getattr(line.bbox, side) for line in lines]) for side in ("x0", "y0", "x1", "y1"))
    widths, heights, middles = x1 - x0, y1 - y0, (y0 + y1) / 2
    nearest: list[int | None] = []
    for at in range(len(lines)):  # the next line in its column
        beside = np.minimum(x1, x1[at]) - np.maximum(x0, x0[at]) > 0.5 * np.minimum(widths, widths[at])
        under = np.flatnonzero(beside & (middles > y1[at] - 0.3 * heights[at]))
        nearest.append(int(under[middles[under].argmin()]) if len(under) else None)
    pairs = [(at, one) for at, one in enumerate(nearest) if one is not None and _alike(heights[at], heights[one])]
    steps = np.array([middles[below] - middles[at] for at, below in pairs])
    sizes = np.array([heights[at] for at, _ in pairs])
    for (at, below), step in zip(pairs, steps, strict=True):
        usual = steps[np.minimum(sizes, heights[at]) >= ALIKE * np.maximum(sizes, heights[at])]
        pitch = float(np.median(usual))
        if len(usual) < FEWEST or not LOST[0] * pitch <= step <= LOST[1] * pitch:
            continue
        middle = float(middles[at] + step / 2)
        ends = float(min(x0[at], x0[below])), float(max(x1[at], x1[below]))
        core = BBox(ends[0], middle - CORE * pitch, ends[1], middle + CORE * pitch)
        if not any(core.intersection(other.bbox) for number, other in enumerate(lines) if number not in (at, below)):
            yield _Gap(lines[at], middle, *ends, INKED * float(min(widths[at], widths[below])), pitch)


def _inked(image: Image.Image, gap: _Gap) -> BBox | None:
    """The place of the line in ``gap``; ``None`` if it is white."""
    core = BBox(gap.left, gap.middle - CORE * gap.pitch, gap.right, gap.middle + CORE * gap.pitch)
    left, top, right, bottom = core.clamped(image.width, image.height).rounded()
    if right - left < 2 or bottom - top < 2:
        return None
    inked = np.flatnonzero(ink_of(image.crop((left, top, right, bottom))).any(axis=0))
    if len(inked) < gap.inked:
        return None
    reach = REACH * gap.pitch  # to the sides, too: a full stop has no ink in the core
    box = BBox(left + int(inked[0]) - reach, gap.middle - reach, left + int(inked[-1]) + reach, gap.middle + reach)
    return box.clamped(image.width, image.height)


def _alike(a: float, b: float) -> bool:
    return min(a, b) >= ALIKE * max(a, b)
