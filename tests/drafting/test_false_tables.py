"""What a layout model takes for a table and is none: indexes, program text, tables of contents without leaders."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from docspec.core import BBox, Category, Region
from docspec.drafting.assembly import assemble
from docspec.drafting.false_tables import addresses, dated_prose, is_no_table
from docspec.drafting.found_table import FoundTable
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine, printed_lines

WORDS = ["harbour", "tide", "ferry", "pilot", "quay"]


def piece(text: str, x: float, row: int, even: bool = False) -> TextLine:
    size = len("".join(text.split()))
    return TextLine(BBox(x, 12 * row, x + 5 * len(text), 12 * row + 10), text, 10, even=even * size)


def regions_of(lines: Sequence[TextLine]) -> list[Region]:
    """The regions of a page on which a layout model has seen one table, around all ``lines``, and prose below it."""
    lines = [*lines, piece("And so the ferry left the harbour, as it did each morning of that year.", 0, 40)]
    seen = BBox.union(line.bbox for line in lines[:-1])
    table = FoundTable(seen, "<table><tr><td>all of it</td></tr></table>")
    found = assemble([LayoutBox(seen, Category.TABLE, tuple(line.bbox for line in lines[:-1]), table=table)], lines)
    return found[:-1]


def index() -> list[TextLine]:
    lines = []
    for column in range(2):
        for row, word in enumerate(WORDS):
            lines.append(piece(f"{word} {column} . . . . . . {row + 3}, {row + 17}", 200 * column, 2 * row))
            lines.append(piece(f"{row + 20}, {row + 31}, {row + 44}–{row + 46}", 200 * column + 60, 2 * row + 1))
    return lines


def test_an_index_is_text_by_its_columns() -> None:
    left, right = regions_of(index())
    assert (left.category, right.category) == (Category.TEXT, Category.TEXT)
    assert left.texts[0].startswith("harbour 0 . . . . . . 3, 17\n20, 31, 44–46\ntide 0")
    assert all(f"{word} 1" in right.texts[0] and f"{word} 1" not in left.texts[0] for word in WORDS)


def test_program_text_with_numbered_lines_is_a_listing() -> None:
    lines = [piece("Opens the harbour.", 30, 0)]
    for number, code in enumerate(["def open(self):", "gate = self.gate", "gate.lift()", "return gate"]):
        lines += [piece(str(99 + number), 0, number + 1), piece(code, 30, number + 1, even=True)]
    comment, listing = regions_of(lines)
    assert (comment.category, comment.texts[0]) == (Category.TEXT, "Opens the harbour.")
    assert listing.listing and listing.texts[0].startswith("99 def open(self):\n100 gate = self.gate\n")


@pytest.mark.parametrize("gone", ["numbers", "type"])
def test_commands_and_ranks_are_tables(gone: str) -> None:
    """The same rows without consecutive numbers, or not in a typewriter's type."""
    lines = []
    for row, word in enumerate(WORDS):
        number = 3 * row * row + 4 if gone == "numbers" else row + 1
        lines += [piece(str(number), 0, row), piece(f"--{word}", 40, row, even=gone == "numbers")]
    assert not is_no_table(lines)
    assert [region.category for region in regions_of(lines)] == [Category.TABLE]


def test_figures_in_columns_are_no_index() -> None:
    rows = [piece(f"{1000 + 37 * row:,}", 60 * column, row) for row in range(9) for column in range(4)]
    assert not is_no_table(rows) and not is_no_table([])


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


SENTENCE = "Head of the workshop for clocks and gauges at the harbour office,"


def life(dates: Sequence[str], heads: tuple[str, str] | None = None, last: str = "") -> list[TextLine]:
    """Dates with two lines of prose beside each, and an entry further right if there is a ``last`` column."""
    lines = [piece(heads[0], 0, 0), piece(heads[1], 120, 0)] if heads else []
    for number, date in enumerate(dates):
        lines += [piece(date, 0, 3 * number + 2), piece(SENTENCE, 120, 3 * number + 2)]
        lines += [piece(last, 480, 3 * number + 2)] if last else []
        lines.append(piece("with a staff of eleven.", 120, 3 * number + 3))
    return lines


@pytest.mark.parametrize(
    "dates", [["2001-2006", "1998 – 2001"], ["since 2010", "May 2004 – today", "03/1999"], ["1997", "1996/97", "1990—"]]
)
def test_dates_with_prose_beside_them_are_paragraphs(dates: Sequence[str]) -> None:
    regions = regions_of(life(dates))
    assert {region.category for region in regions} == {Category.TEXT}
    assert [region.texts[0] for region in regions] == [f"{date} {SENTENCE}\nwith a staff of eleven." for date in dates]


@pytest.mark.parametrize(
    "lines",
    [
        life(["2001", "2002", "2003"], ("Year", "What was done")),
        life(["2001", "2002", "2003"], last="41.5"),
        life(["Oban", "Tiree", "Coll"]),
        [piece(text, x, row) for row in range(4) for x, text in ((0, str(2001 + row)), (120, "Founded at Oban"))],
    ],
)
def test_tables_by_years_are_tables(lines: list[TextLine]) -> None:
    assert [region.category for region in regions_of(lines)] == [Category.TABLE]


def test_drawn_lines_make_a_table_of_dates_and_prose() -> None:
    lines = life(["2001", "2002", "2003"])
    around = BBox.union(line.bbox for line in lines)
    table = FoundTable(around, "<table><tr><td>all of it</td></tr></table>", ruled=True)
    found = assemble([LayoutBox(around, Category.TABLE, tuple(line.bbox for line in lines), table=table)], lines)
    assert [region.category for region in found] == [Category.TABLE]


def blocks(*rows: Sequence[str], pitch: int = 1) -> list[TextLine]:
    return [
        piece(text, 180 * column, pitch * n) for n, row in enumerate(rows) for column, text in enumerate(row) if text
    ]


OFFICES = [
    ("Oban Office", "Kiel Office", "Ohio Office"),
    ("4 Shore Road", "Kai 17", "Room 120"),
    ("Oban PA34 4LW", "24103 Kiel", "Dayton 45402"),
]


def test_addresses_beside_each_other_are_paragraphs() -> None:
    regions = regions_of(blocks(*OFFICES, ("",), *OFFICES))
    assert {region.category for region in regions} == {Category.TEXT}
    assert [region.texts[0].split("\n") for region in regions] == 2 * [list(one) for one in zip(*OFFICES, strict=True)]


@pytest.mark.parametrize(
    "rows",
    [
        list(zip(*OFFICES, strict=True)),  # a list of offices: the postcodes are a column
        [("State", "Largest"), ("Ohio 45402", "Iowa 50309"), ("12.4", "3.1")],
        [("Fiscal 2004", "Fiscal 2005"), ("1,204", "1,377"), ("88", "97")],
        [("Wheat", "Barley"), ("Rye", "Oats")],
    ],
)
def test_lists_of_offices_and_figures_are_tables(rows: list[tuple[str, ...]]) -> None:
    assert [region.category for region in regions_of(blocks(*rows))] == [Category.TABLE]
    assert addresses(printed_lines(blocks(*rows))) == dated_prose(printed_lines(blocks(*rows))) == []
