"""Text where no line of the draft is: inside pictures, and in ink that no region explains. A recogniser looks there.

A text layer says nothing of a letter that was pasted in as a scan, of outlined letters or of handwriting; a layout
model calls them pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from docspec.core import BBox, Category, PageImage, Region
from docspec.drafting.assembly import place
from docspec.drafting.lines import TextLine
from docspec.drafting.recogniser import Recogniser

LABELLED = 3
"""A picture with so many lines of the text layer in it is a drawing whose text is known."""

LEAST_SIDE = 10.0
"""Pixels: what is smaller in one direction holds no text that can be read."""

MOST_AREAS = 8
"""More areas than these are looked at together, by reading the whole page once."""

PLAUSIBLE = 0.6
"""Confidence (0..1) below which a line that was found in a picture is texture."""

PROSE = 3
"""Words with three letters and more that make what is in a picture text to be laid out, and not labels."""


def find_text(
    page: PageImage, regions: Sequence[Region], unread: Sequence[Region], recogniser: Recogniser
) -> list[TextLine]:
    """The lines, in pixels, that ``recogniser`` finds in the pictures among ``regions`` (pixels) that no text is known
    of, and in the ink outside all regions, which is ``unread``."""
    areas = [
        region.bbox
        for region in (*regions, *unread)
        if not region.texts
        and len(region.labels) < LABELLED
        and min(region.bbox.width, region.bbox.height) >= LEAST_SIDE
    ]
    if len(areas) > MOST_AREAS:
        found = [
            line
            for line in recogniser.read_area(page.image, BBox(0, 0, page.width, page.height))
            if any(line.bbox.overlap(area) > 0.5 for area in areas)
        ]
    else:
        found = [line for area in areas for line in recogniser.read_area(page.image, area)]
    known = [line.bbox for region in regions for line in (*region.lines, *region.labels)]
    return [
        line
        for line in found
        if line.confidence >= PLAUSIBLE
        and any(map(str.isalnum, line.text))
        and not any(line.bbox.overlap(box) > 0.5 for box in known)
    ]


def is_prose(lines: Sequence[TextLine]) -> bool:
    """Whether ``lines`` are text to be laid out with the page, and not labels of a picture."""
    words = [word for line in lines for word in line.text.split() if sum(map(str.isalpha, word)) >= 3]
    return len(words) >= PROSE


def with_labels(regions: Sequence[Region], found: Sequence[Region]) -> list[Region]:
    """``regions`` and those of ``found`` text: inside a picture it is its labels, elsewhere a region of its own."""
    result = list(regions)
    for new in found:
        index = next(
            (
                index
                for index, one in enumerate(result)
                if one.category is Category.PICTURE and new.bbox.overlap(one.bbox) > 0.5
            ),
            None,
        )
        if index is None:
            result.insert(place(new.bbox, [one.bbox for one in result]), new)
        else:
            labels = (*result[index].labels, *new.lines)
            result[index] = replace(result[index], labels=labels, words=new.words)
    return result
