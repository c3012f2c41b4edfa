"""Tables of contents, which a layout model takes for tables."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from docspec.core import BBox, Category, Region
from docspec.drafting.assembly import assemble
from docspec.drafting.layout import FoundTable, LayoutBox
from docspec.drafting.lines import TextLine


def piece(text: str, x: float, row: int) -> TextLine:
    return TextLine(BBox(x, 12 * row, x + 5 * len(text), 12 * row + 10), text, 10)


def regions_of(lines: Sequence[TextLine]) -> list[Region]:
    """The regions of a page on which a layout model has seen one table, around all ``lines``, and prose below it."""
    lines = [*lines, piece("And so the ferry left the harbour, as it did each morning of that year.", 0, 40)]
    seen = BBox.union(line.bbox for line in lines[:-1])
    table = FoundTable(seen, "<table><tr><td>all of it</td></tr></table>")
    found = assemble([LayoutBox(seen, Category.TABLE, tuple(line.bbox for line in lines[:-1]), table=table)], lines)
    return found[:-1]


CONTENTS = [("1", "Tides", "2"), ("1.1", "Spring tides", "2"), ("2", "Winds", "9"), ("10", "Maps of 1905", "11")]


def rows_of(cells: Sequence[Sequence[str]]) -> list[TextLine]:
    return [
        piece(text, x, row)
        for row, own in enumerate(cells)
        for text, x in zip(own, (0, 40, 300, 400), strict=False)
        if text
    ]


def test_contents_without_leaders_are_a_list() -> None:
    regions = regions_of(rows_of([*CONTENTS, ("", "Index", "14")]))
    assert [region.category for region in regions] == [Category.LIST_ITEM] * 5
    assert regions[1].texts[0] == "1.1 Spring tides 2"


@pytest.mark.parametrize(
    "cells",
    [
        [("1", "Anna Berg", "54"), ("2", "Mary Olsen", "51"), ("3", "Ines Duarte", "48")],
        [("1", "Anna Berg", "54.1"), ("2", "Mary Olsen", "54.8"), ("3", "Ines Duarte", "55.0")],
        [("4471", "Hinge", "3"), ("4472", "Hook", "4"), ("4480", "Lock", "18")],
        [("Nr", "Boat", "Crew"), ("1", "Odin", "5"), ("2", "Thor", "6"), ("3", "Loki", "7")],
    ],
    ids=["descending", "decimals", "article numbers", "a head of columns"],
)
def test_ranks_and_stock_are_no_contents(cells: list[tuple[str, ...]]) -> None:
    assert [region.category for region in regions_of(rows_of(cells))] == [Category.TABLE]


def test_a_list_of_two_algorithms_is_one_of_entries() -> None:
    rows = [("1", "Squares", ". . . . . . . .", "15"), ("2", "Cubes", ". . . . . . . .", "17")]
    assert [region.category for region in regions_of(rows_of(rows))] == [Category.LIST_ITEM] * 2
