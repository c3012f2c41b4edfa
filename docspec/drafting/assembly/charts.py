"""Charts, with the labels of their axes, taken out of running text where a layout model made one region of both."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docspec.core import BBox, Category
from docspec.drafting.assembly.state import Assembly
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine

HOLLOW = 0.25
"""Least share of its box that lines of running text cover; with less, the box may hold a drawing, too."""

LABELS = 3
"""Least figures or letters beside a drawing that make it a chart: fewer may be numbers of pages or boxes."""

_WORD = re.compile(r"[^\W\d_]{3}")


def charts_apart(page: Assembly) -> Assembly:
    """Takes charts, with their labels, out of running text. Drawings are looked for only where text leaves most of its
    box empty."""
    if page.drawings is None or not any(map(_is_hollow, page.boxes)):
        return page
    drawings = page.drawings()
    return page.each_box(lambda box: _without(box, drawings) if _is_hollow(box) else [box])


def _is_hollow(box: LayoutBox) -> bool:
    covered = sum(line.bbox.area for line in box.lines)
    return box.category.is_running_text and covered < HOLLOW * box.bbox.area


def _without(box: LayoutBox, drawings: Sequence[BBox]) -> list[LayoutBox]:
    """``box`` without its charts, which stand among what is left of it."""
    charts = _charts_in(box, drawings)
    if not charts:
        return [box]
    apart: list[LayoutBox] = []
    rest = [line for line in box.lines if not any(line in labels for _, labels in charts)]
    for drawing, labels in charts:
        above = [line for line in rest if line.bbox.y0 < drawing.center_y]
        rest = [line for line in rest if line not in above]
        bbox = BBox.union([drawing, *(line.bbox for line in labels)])
        apart += [LayoutBox.around(above, box.category)] if above else []
        apart.append(LayoutBox(bbox, Category.PICTURE, lines=labels))
    return apart + ([LayoutBox.around(rest, box.category)] if rest else [])


def _charts_in(box: LayoutBox, drawings: Sequence[BBox]) -> list[tuple[BBox, tuple[TextLine, ...]]]:
    """The charts of a region: the ``drawings`` with labels around them, and the labels. A drawing with words in it, or
    with labels only inside (a frame), is no chart: charts are not read."""
    words = [line for line in box.lines if _WORD.search(line.text)]
    charts = []
    for one in drawings:
        labels = tuple(line for line in box.lines if _is_label(line, one, words))
        around = sum(not one.has_center_of(line.bbox) for line in labels)
        worded = any(one.has_center_of(line.bbox) for line in words)
        if around >= LABELS and not worded and box.bbox.has_center_of(one):
            charts.append((one, labels))
    return charts


def _is_label(line: TextLine, drawing: BBox, words: Sequence[TextLine]) -> bool:
    """Whether ``line``, a figure or a letter, stands in the drawing or right beside it, in no row with ``words``."""
    return drawing.grown(line.bbox.height).has_center_of(line.bbox) and not any(
        other is line or line.bbox.in_row_with(other.bbox) for other in words
    )
