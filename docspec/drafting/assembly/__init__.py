"""Regions from layout boxes and lines of text: each line goes into the box that claims it, none is lost.

The layout may come from a model or from white space, the lines from a text layer or from a recogniser; here
they meet. What happens is the tuple :data:`STEPS` over a :class:`Assembly` of boxes, and then :data:`REGION_STEPS` over
the regions that the boxes have become; each entry says why it stands where it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from docspec.core import Region
from docspec.drafting.assembly.claims import (
    Assembly,
    bullets_joined,
    lines_claimed,
    margin_marks_joined,
    strays_placed,
    typewriting_unmarked,
)
from docspec.drafting.assembly.parts import (
    columns_parted,
    contents_itemised,
    covering_boxes_cut,
    listings_joined,
    listings_parted,
    tables_settled,
)
from docspec.drafting.assembly.regions import region_of
from docspec.drafting.breaks import with_close_lines, with_items, with_one_size
from docspec.drafting.bullets import with_dashes, with_signs, with_whole_items
from docspec.drafting.layout import LayoutBox
from docspec.drafting.line_ends import with_line_ends, with_whole_texts
from docspec.drafting.lines import TextLine
from docspec.drafting.titles import with_alike, with_title, with_whole_headings, without_parts

Step = Callable[[Assembly], Assembly]
RegionStep = Callable[[Sequence[Region]], list[Region]]

STEPS: tuple[Step, ...] = (
    typewriting_unmarked,  # while all lines of the page are together
    bullets_joined,  # a bullet and its line must be claimed by one box
    margin_marks_joined,  # the same for marks
    lines_claimed,  # from here on the boxes hold the text
    strays_placed,  # from here on no line is outside a box
    columns_parted,  # may order all boxes anew: what looks at neighbours or rows comes later
    covering_boxes_cut,  # with columns in one box, this would cut paragraphs into lines
    listings_parted,  # a row of text is one line by now, without columns beside it
    listings_joined,  # what is left of each box is one listing by now
    contents_itemised,  # contents that were called a table must not be filled with its cells
    tables_settled,  # only boxes that stayed tables lose lines
)
"""What is done with the boxes of a page, in this order."""

REGION_STEPS: tuple[RegionStep, ...] = (
    with_signs,  # items that are text count for the usual size of text
    with_dashes,  # beside items that stayed ones
    with_whole_items,  # of what is called items by now
    without_parts,  # the same; what is no heading must not keep another one from being the title
    with_alike,  # of what may be a heading
    with_whole_headings,  # of what stayed a heading
    with_title,  # needs that size, and all headings
    with_items,  # before lines of few words are one text
    with_close_lines,  # lines that a heading was taken for are text by now
    with_one_size,  # parts what a box of the layout model has joined
    with_whole_texts,  # of one size each
    with_line_ends,  # of all text that is left
)
"""What is done with the regions of a page in reading order."""


def assemble(boxes: Sequence[LayoutBox], lines: Sequence[TextLine]) -> list[Region]:
    """Regions in reading order, in the unit of the boxes and lines.

    Lines that no box claims become Text regions of their own, placed before the first region of their column that
    stands below them.
    """
    page = Assembly(tuple(boxes), tuple(lines))
    for step in STEPS:
        page = step(page)
    regions = [region for box in page.boxes if (region := region_of(box)) is not None]
    for tidy in REGION_STEPS:
        regions = tidy(regions)
    return regions
