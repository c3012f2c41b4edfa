"""What a layout model calls a running head or foot is left out of the text only if it is one: the number of the page,
or what pages nearby repeat in the same place. All else near an edge (totals, addresses, signatures, dates) is text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from statistics import median

from docspec.core import BBox, Category, PrintedLine, Region
from docspec.core.page import EdgeText
from docspec.core.running_text import in_place, is_page_number
from docspec.drafting.lines import TextLine, is_watermark

WRAPPED = 0.6
"""Least width of a line near an edge, as a share of all text's, that the next line may go on from."""

MARGIN = 0.1
"""Widest margin, as a share of the page's width, in which stamps stand."""

LARGE = 1.35
"""Least size of type of a heading near an edge, over that of the text."""


def watermarks(lines: Sequence[TextLine]) -> tuple[list[TextLine], list[TextLine]]:
    """The ``lines`` that are written across the page, and the others."""
    usual = median(line.size for line in lines) if lines else 0.0
    across = [line.slanted and is_watermark(line.size, usual) for line in lines]
    return list(compress(lines, across)), [line for line, is_mark in zip(lines, across, strict=True) if not is_mark]


def stamps(lines: Sequence[TextLine], width: float) -> tuple[list[TextLine], list[TextLine]]:
    """The ``lines`` in the margins of a page of this ``width`` that run upwards or downwards beside all level text, as
    the stamps of archives do, and the others."""
    level = [line.bbox for line in lines if not line.turns % 2]
    left = min(min((box.x0 for box in level), default=0.0), MARGIN * width)
    right = max(max((box.x1 for box in level), default=width), width - MARGIN * width)
    found = [line.turns % 2 == 1 and (line.bbox.x1 <= left or line.bbox.x0 >= right) for line in lines]
    return list(compress(lines, found)), [line for line, is_one in zip(lines, found, strict=True) if not is_one]


def settled_furniture(regions: Sequence[Region], edges: Sequence[EdgeText]) -> list[Region]:
    """``regions`` of the text layer, in which heads and feet that are none are text, above or below all else if they
    stand there. ``edges`` are the pieces near the edges of the page, in the same unit. Recognised ones are settled when
    the pages before are known."""
    text = [region for region in regions if not region.category.is_furniture]
    sizes = [line.size for region in text if region.category.is_running_text for line in region.lines if line.size]
    body = median(sizes) if sizes else 0.0
    width = max((region.bbox.x1 for region in regions), default=0.0) - min((r.bbox.x0 for r in regions), default=0.0)
    settled: list[Region] = []
    for region in regions:
        if not region.category.is_furniture or not region.lines or region.words == "recognition":
            settled.append(region)
            continue
        repeated = [_is_repeated(line, edges) for line in region.lines]
        if all(known or is_page_number(line.text) for line, known in zip(region.lines, repeated, strict=True)):
            settled.append(replace(region, running=True))
            continue
        for known, run in _runs(region.lines, repeated, WRAPPED * width):
            large = not known and body > 0 and min(line.size for line in run) > LARGE * body
            kind = region.category if known else Category.SECTION_HEADER if large else Category.TEXT
            texts = ("\n".join(line.text for line in run),)
            box = region.bbox if len(run) == len(region.lines) else BBox.union(line.bbox for line in run)
            short = not known and len(run) > 1 and all(line.bbox.width <= WRAPPED * width for line in run)
            own = replace(region, bbox=box, category=kind, texts=texts, lines=tuple(run), running=known)
            settled.append(replace(own, broken=own.broken or short))
    return in_place(settled, lambda region: region.running is False, lambda region: region.bbox)


def known_furniture(regions: Sequence[Region], edges: Sequence[EdgeText]) -> list[Region]:
    """``regions`` in which heads and feet are known that the file's own text, though not sound, repeats nearby."""
    return [
        replace(region, running=True)
        if region.category.is_furniture and region.lines and all(_is_repeated(line, edges) for line in region.lines)
        else region
        for region in regions
    ]


def _is_repeated(line: PrintedLine, edges: Sequence[EdgeText]) -> bool:
    place = line.bbox.grown(0.1 * line.bbox.height)
    inside = [piece.repeats for piece in edges if place.has_center_of(piece.bbox) or piece.bbox.overlap(place) > 0.7]
    return bool(inside) and all(inside)


def _runs(lines: Sequence[PrintedLine], repeated: Sequence[bool], width: float) -> list[tuple[bool, list[PrintedLine]]]:
    """``lines`` one by one, but those together that are ``repeated``, those that go on from a line over ``width``
    above, and those of one size of type that are all short: a caption, an address."""
    runs: list[tuple[bool, list[PrintedLine]]] = []
    short = all(line.bbox.width <= width for line in lines)
    for line, known in zip(lines, repeated, strict=True):
        last = runs[-1] if runs and runs[-1][0] is known else None
        alike = last is not None and short and abs(last[1][-1].size - line.size) < 0.1 * line.size
        if last is not None and (known or alike or last[1][-1].bbox.width > width):
            last[1].append(line)
        else:
            runs.append((known, [line]))
    return runs
