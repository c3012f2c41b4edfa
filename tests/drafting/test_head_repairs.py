"""Heads of tables without closed cells, as layout models get them wrong, mended from the words on the page.

Every input is a page drawn here and a grid with the fault; what is expected is what a reader sees.
"""

from __future__ import annotations

from typing import Any

import pytest

from docspec.core import BBox
from docspec.drafting.body_rows import body_row
from docspec.drafting.cell_grid import CellGrid, PlacedCell
from docspec.drafting.cell_repairs import settled, without_notes

from .sheets import FIGURES, SIZE, Sheet, rows_of


@pytest.mark.parametrize(
    ("heads", "xs", "expected"),
    [
        ([(150, "Total"), (180, "ships"), (300, "Tons")], [50, 140, 177, 290, 400], ["", "Total ships", "Tons"]),
        ([(150, "Cohesion"), (300, "Fund"), (330, "EURbn")], [50, 140, 290, 326, 400], ["", "Cohesion", "Fund EURbn"]),
        ([(150, "Port"), (172, "dues"), (300, "Tons")], [50, 140, 170, 290, 400], ["", "Port dues", "Tons"]),
    ],
)
def test_a_head_that_was_cut_is_one_head(heads: Any, xs: Any, expected: list[str]) -> None:
    sheet = Sheet(xs)
    sheet.write(*heads)
    for label, *figures in FIGURES:
        sheet.write((60, label), *zip((150, 300), figures, strict=True))
    grid = settled(sheet.grid([1] * 4, 1), sheet.words, ())
    assert rows_of(grid) == [expected, *map(list, FIGURES)]


def test_a_column_without_entries_stays_a_column() -> None:
    sheet = Sheet([50, 140, 290, 380, 460])
    sheet.write((60, "Port"), (150, "Ships"), (300, "Tons"), (390, "Remarks"))
    for label, *figures in FIGURES:
        sheet.write((60, label), *zip((150, 300), figures, strict=True))
    grid = sheet.grid([1] * 4, 1)
    assert settled(grid, sheet.words, ()) == grid


@pytest.mark.parametrize(
    "heads", [("Ships", "Tons"), ("Number of ships", "Tons (1,000)"), ("1st quarter", "2nd quarter")]
)
def test_heads_a_column_before_their_figures_stand_over_them(heads: tuple[str, str]) -> None:
    sheet = Sheet([50, 140, 230, 330, 420])
    sheet.write((60, "Port"), (145, heads[0]), (240, heads[1]))
    for label, *figures in FIGURES:
        sheet.write((60, label), (-325, figures[0]), (-415, figures[1]))
    grid = settled(sheet.grid([1] * 4, 1), sheet.words, ())
    assert rows_of(grid)[0] == ["Port", *heads]
    assert rows_of(grid)[1:] == [list(row) for row in FIGURES]


COLUMNS = [50, 140, 200, 260, 320, 380]
PAIRS = [("Oban", "12", "450", "8", "77"), ("Tiree", "7", "1,210", "3", "41"), ("Coll", "31", "95", "9", "6")]
TWICE = (60, "Port"), (-190, "Men"), (-250, "All"), (-310, "Men"), (-370, "All")


def pairs(sheet: Sheet) -> None:
    sheet.write(*TWICE)
    for label, *figures in PAIRS:
        sheet.write((60, label), *zip((-190, -250, -310, -370), figures, strict=True))


@pytest.mark.parametrize(
    ("heads", "strokes"),
    [
        (("Day 1", "Day 4"), True),
        (("Winter season", "Summer season"), False),
        (("Postnatal Day 1", "Postnatal Day 4"), False),
    ],
)
def test_a_head_over_several_columns_spans_them(heads: tuple[str, str], strokes: bool) -> None:
    sheet = Sheet(COLUMNS)
    y = 103.0
    lines = [BBox(x0, y, x1, y + 0.5) for x0, x1 in ((160, 255), (285, 375))]
    for centre, head in zip((211, 331), heads, strict=True):
        sheet.centre(centre if not strokes else centre - 22, head)
    sheet.line += 1
    pairs(sheet)
    grid = settled(sheet.grid([1] * 5, 1), sheet.words, lines if strokes else ())
    assert rows_of(grid)[:2] == [["", (heads[0], 2), (heads[1], 2)], ["Port", "Men", "All", "Men", "All"]]
    assert grid.head_rows == 2


def test_heads_at_the_left_of_equal_shares_span_them() -> None:
    sheet = Sheet(COLUMNS)
    sheet.write((150, "Winter"), (270, "Summer"))
    sheet.write((60, "Port"), (150, "Men"), (210, "All"), (270, "Men"), (330, "All"))
    for label, *figures in PAIRS:
        sheet.write((60, label), *zip((150, 210, 270, 330), figures, strict=True))
    grid = settled(sheet.grid([1] * 5, 1), sheet.words, ())
    assert rows_of(grid)[0] == ["", ("Winter", 2), ("Summer", 2)]


def test_a_head_over_one_column_spans_no_other() -> None:
    sheet = Sheet(COLUMNS)
    sheet.write((-190, "Crew"), (-370, "Total"))
    pairs(sheet)
    grid = sheet.grid([1] * 5, 1)
    assert rows_of(settled(grid, sheet.words, ())) == rows_of(grid)


def test_heads_of_different_heights_are_one_row() -> None:
    sheet = Sheet([50, 140, 200, 260])
    for x, text in ((150, "Ferries"), (210, "Tugs")):
        sheet.page.insert_text((x, 124), text, fontsize=SIZE, rotate=90)
    sheet.page.insert_text((60, 124), "Rule", fontsize=SIZE)
    words = sheet.words
    cells = [PlacedCell("", 0, 0, head=True), PlacedCell("Ferries", 0, 1, head=True), PlacedCell("", 0, 2, head=True)]
    cells += [PlacedCell("Rule", 1, 0), PlacedCell("", 1, 1), PlacedCell("Tugs", 1, 2)]
    cells += [PlacedCell("Lights", 2, 0), PlacedCell("1", 2, 1), PlacedCell("2", 2, 2)]
    grid = CellGrid(tuple(cells), ((50, 140), (140, 200), (200, 260)), ((85, 112), (112, 126), (126, 140)))
    assert rows_of(settled(grid, words, ()))[0] == ["Rule", "Ferries", "Tugs"]


def test_the_body_begins_at_the_first_row_of_figures_that_are_no_years() -> None:
    rows = [("", "2009", "2010"), ("", "N", "N"), ("Oban", "12", "13")]
    cells = [PlacedCell(text, y, x, head=y == 0) for y, row in enumerate(rows) for x, text in enumerate(row)]
    assert body_row(CellGrid(tuple(cells), ((0, 1), (1, 2), (2, 3)), ((0, 1), (1, 2), (2, 3)))) == 2


@pytest.mark.parametrize("units", [("(m)", "(t)"), ("in tons", "in m"), ("[1,000]", "(%)")])
def test_units_below_heads_belong_to_them(units: tuple[str, str]) -> None:
    sheet = Sheet([50, 140, 290, 380])
    sheet.write((60, "Port"), (150, "Depth"), (300, "Load"))
    sheet.write((150, units[0]), (300, units[1]))
    for label, *figures in FIGURES:
        sheet.write((60, label), *zip((150, 300), figures, strict=True))
    grid = settled(sheet.grid([1] * 5, 2), sheet.words, ())
    assert rows_of(grid) == [["Port", f"Depth {units[0]}", f"Load {units[1]}"], *map(list, FIGURES)]


def test_heads_of_two_levels_stay_two_rows() -> None:
    sheet = Sheet([50, 140, 290, 380])
    sheet.write((60, "Port"), (150, "Ships"), (300, "Tons"))
    sheet.write((150, "Number"), (300, "Gross"))
    for label, *figures in FIGURES:
        sheet.write((60, label), *zip((150, 300), figures, strict=True))
    grid = sheet.grid([1] * 5, 2)
    assert settled(grid, sheet.words, ()) == grid


@pytest.mark.parametrize(
    ("stub", "strokes"), [(("Dose", "(mg/kg)"), True), (("State or", "territory"), True), (("Dose", "(mg/kg)"), False)]
)
def test_two_lines_of_a_head_beside_a_head_over_several_columns_are_one(stub: tuple[str, str], strokes: bool) -> None:
    sheet = Sheet(COLUMNS)
    lines = [BBox(x0, 103.0, x1, 103.5) for x0, x1 in ((160, 255), (285, 375))] if strokes else []
    sheet.centre(211, "Postnatal Day 1")
    sheet.centre(331, "Postnatal Day 4")
    sheet.write((60, stub[0]))
    sheet.write((60, stub[1]), *TWICE[1:])
    for label, *figures in PAIRS:
        sheet.write((60, label), *zip((-190, -250, -310, -370), figures, strict=True))
    grid = settled(sheet.grid([1] * 5, 2), sheet.words, lines)
    expected = [["", ("Postnatal Day 1", 2), ("Postnatal Day 4", 2)], [" ".join(stub), "Men", "All", "Men", "All"]]
    assert rows_of(grid)[:2] == expected


def test_heads_that_repeat_beside_a_head_over_several_columns_are_heads_of_their_own() -> None:
    sheet = Sheet(COLUMNS)
    sheet.centre(211, "Winter season")
    sheet.write((-310, "Crew"), (-370, "Guests"))
    pairs(sheet)
    grid = settled(sheet.grid([1] * 5, 2), sheet.words, [BBox(160, 103, 255, 103.5)])
    assert rows_of(grid)[:2] == [["", ("Winter season", 2), "Crew", "Guests"], ["Port", "Men", "All", "Men", "All"]]


@pytest.mark.parametrize("widths", [(2, 3), (3, 2)])
def test_heads_over_one_line_share_the_columns_above_it(widths: tuple[int, int]) -> None:
    """Browsers draw the border below each cell, and the pieces touch."""
    sheet = Sheet([50, 140, 200, 260, 320, 380, 440])
    at = 170 + 30 * (widths[0] - 1), 170 + 60 * widths[0] + 30 * (widths[1] - 1)
    for x, head in zip(at, ("Fixed", "Moving"), strict=True):
        sheet.centre(x, head)
    sheet.line += 1
    sheet.write((60, "Port"), *((-190 - 60 * n, f"Kind {n}") for n in range(5)))
    for row in range(3):
        sheet.write((60, f"Pier {row}"), *((-190 - 60 * n, f"{row + 1},{n}45") for n in range(5)))
    grid = settled(sheet.grid([1] * 5, 2), sheet.words, [BBox(140, 103, 440, 103.5)])
    assert rows_of(grid)[0] == ["", ("Fixed", widths[0]), ("Moving", widths[1])]


@pytest.mark.parametrize("heads", [("White", "Black"), ("Ships", "Boats"), ("1990", "2000")])
def test_heads_between_two_columns_are_a_row_above_the_heads_of_these(heads: tuple[str, str]) -> None:
    """The layout model put both rows of heads into one; the first line of another head stands beside the upper one."""
    sheet = Sheet([50, 140, 200, 260, 320, 380, 440])
    for x, head in zip((195, 315), heads, strict=True):
        sheet.centre(x, head)
    sheet.centre(405, "Both")
    sheet.line += 1
    for x, head in zip((165, 225, 285, 345, 405), ("Men", "All", "Men", "All", "kinds"), strict=True):
        sheet.centre(x, head)
    sheet.write((60, "Port"))
    for label, *figures in PAIRS:
        sheet.write((60, label), *zip((-180, -240, -300, -360, -420), (*figures, "99"), strict=True))
    grid = settled(sheet.grid([2, 1, 1, 1], 1), sheet.words, ())
    expected = [["", (heads[0], 2), (heads[1], 2), ""], ["Port", "Men", "All", "Men", "All", "Both kinds"]]
    assert rows_of(grid)[:2] == expected


def test_the_first_line_of_one_head_is_no_title_of_the_table() -> None:
    sheet = Sheet([50, 140, 240, 340])
    sheet.centre(190, "Average")
    sheet.line += 1
    sheet.centre(190, "number of ships"), sheet.centre(290, "Tons")
    sheet.write((60, "Port"))
    for label, *figures in FIGURES:
        sheet.write((60, label), *zip((-200, -300), figures, strict=True))
    grid = sheet.grid([1] * 5, 2)
    heads = rows_of(settled(without_notes(grid, sheet.words), sheet.words, ()))[0]
    assert heads == ["Port", "Average number of ships", "Tons"]


@pytest.mark.parametrize("figures", [("29", "31", "33"), ("1,204", "87", "5.5"), ("$12", "$8", "$9")])
def test_errors_beside_their_figures_are_no_column_where_others_hold_both(figures: tuple[str, ...]) -> None:
    sheet = Sheet([50, 140, 165, 200, 260, 320])
    sheet.write((60, "Year"), (145, "All"), (168, "pupils"), (210, "Boys"), (270, "Girls"))
    for year, figure in zip(("1998", "2002", "2003"), figures, strict=True):
        sheet.write((60, year), (-164, figure), (168, "(0.9)"), (210, "27 (1.0)"), (270, "32 (1.1)"))
    grid = settled(sheet.grid([1] * 4, 1), sheet.words, ())
    assert [row[1] for row in rows_of(grid)] == ["All pupils", *(f"{figure} (0.9)" for figure in figures)]


@pytest.mark.parametrize("sign", ["$", "£", "¥"])
def test_signs_of_currencies_are_no_column(sign: str) -> None:
    sheet = Sheet([50, 140, 200, 210, 260])
    sheet.write((60, "Item"), (-195, "2010"), (-255, "2011"))
    for label, marks in (("Dues", sign), ("Light", ""), ("Fees", ""), ("Total", sign)):
        sheet.write((60, label), (-195, f"{marks}1,204"), (202, marks), (-255, "1,310"))
    grid = settled(sheet.grid([1] * 5, 1), sheet.words, ())
    assert rows_of(grid)[1] == ["Dues", f"{sign}1,204", f"{sign} 1,310"] and len(grid.xs) == 3
