"""Columns that stand so close that a layout model took two for one, and the heads over them."""

from __future__ import annotations

from typing import Any

import pytest

from docspec.drafting.cell_repairs import settled, without_notes

from .sheets import FIGURES, Sheet, rows_of

TIGHT = [("Jan", "104.1", "12"), ("Feb", "89.6", "9"), ("July", "98.4", "14"), ("Aug", "7.2", "3")]


@pytest.mark.parametrize("xs", [[50, 110, 140], [50, 81, 140]])
@pytest.mark.parametrize("leader", [False, True])
def test_two_columns_in_one_are_divided(xs: list[float], leader: bool) -> None:
    sheet = Sheet(xs)
    sheet.write((60, "Mo"), (-104, "Rain"), (-128, "Days"))
    for label, rain, days in TIGHT:
        sheet.write((60, label + "." * (4 if leader and label == "Aug" else 0)), (-104, rain), (-128, days))
    grid = settled(sheet.grid([1] * 5, 1), sheet.words, ())
    assert rows_of(grid) == [["Mo", "Rain", "Days"], *map(list, TIGHT)]


@pytest.mark.parametrize(
    "entries",
    [
        ["26.9 (1.25)", "3.0 (0.98)", "71.4 (2.10)"],
        ["42.6 ± 0.6", "7.7 ± 2.6", "59.3 ± 2.0"],
        ["$ 399", "$ 63,260", "$ 12"],
        ["Grade 4", "Grade 8", "Grade 12"],
        ["1 204 311", "12 500", "904 066"],
    ],
)
def test_entries_of_several_words_stay_one_column(entries: list[str]) -> None:
    sheet = Sheet([50, 140, 260])
    sheet.write((60, "Group"), (-250, "Value"))
    for label, entry in zip(("Oban", "Tiree", "Coll"), entries, strict=True):
        sheet.write((60, label), (-250, entry))
    grid = sheet.grid([1] * 4, 1)
    assert rows_of(settled(grid, sheet.words, ())) == rows_of(grid)


def test_words_that_begin_below_each_other_are_a_column() -> None:
    sheet = Sheet([50, 140, 300])
    people = [("Oban", "J. Rivera", "Region I"), ("Tiree", "S. Lindqvist", "Region V"), ("Coll", "M. Chen", "Region X")]
    sheet.write((60, "Office"), (150, "Contact"), (230, "Region"))
    for office, contact, region in people:
        sheet.write((60, office), (150, contact), (230, region))
    assert rows_of(settled(sheet.grid([1] * 4, 1), sheet.words, ()))[1:] == [list(row) for row in people]


@pytest.mark.parametrize("edge", [96, 119, 123])
def test_heads_that_the_edge_of_a_column_cuts_stand_over_their_columns(edge: float) -> None:
    sheet = Sheet([50, edge, 170])
    sheet.write((60, "Month"), (-150, "Snowfall (in)"))
    for label, figure in (("Jan", "7"), ("Feb", "94"), ("Mar", "73")):
        sheet.write((60, label), (-150, figure))
    assert rows_of(settled(sheet.grid([1] * 4, 1), sheet.words, ()))[0] == ["Month", "Snowfall (in)"]


@pytest.mark.parametrize("heads", [("", "2002"), ("2002", "")])
def test_standard_errors_without_a_head_of_their_own_stand_with_their_figures(heads: tuple[str, str]) -> None:
    sheet = Sheet([50, 140, 190, 215, 250])
    places = (-180, -212, -240)
    sheet.write((60, "Group"), *[(x, text) for x, text in zip(places, ("1998", *heads), strict=True) if text])
    for label, *figures in (("Oban", "50.7", "53.8", "(1.82)"), ("Tiree", "14.3", "80.8", "(2.45)")):
        sheet.write((60, label), *zip(places, figures, strict=True))
    grid = settled(sheet.grid([1] * 3, 1), sheet.words, ())
    assert rows_of(grid)[1:] == [["Oban", "50.7", "53.8 (1.82)"], ["Tiree", "14.3", "80.8 (2.45)"]]


@pytest.mark.parametrize("title", ["Table 4. Landings", "Exhibit B. Landings", "Appendix 2 Landings"])
@pytest.mark.parametrize("x", [150, 210])
def test_a_title_that_begins_over_a_later_column_stands_above_the_table(title: str, x: float) -> None:
    sheet = Sheet([50, 140, 290, 400])
    sheet.write((x, title))
    sheet.write((60, "Port"), (-250, "Ships"), (-390, "Tons"))
    for label, *figures in FIGURES:
        sheet.write((60, label), *zip((-250, -390), figures, strict=True))
    grid = sheet.grid([1] * 5, 2)
    assert rows_of(without_notes(grid, sheet.words)) == rows_of(grid)[1:]


def test_a_head_over_columns_is_no_title() -> None:
    sheet = Sheet([50, 140, 290, 400])
    sheet.centre(320, "Landed catch")
    sheet.line += 1
    sheet.write((60, "Port"), (-250, "Ships"), (-390, "Tons"))
    for label, *figures in FIGURES:
        sheet.write((60, label), *zip((-250, -390), figures, strict=True))
    grid = sheet.grid([1] * 5, 2)
    assert without_notes(grid, sheet.words) == grid


def group(sheet: Sheet, name: str, rows: Any = FIGURES) -> None:
    if name:
        sheet.centre(225, name)
        sheet.line += 1
    for label, *figures in rows:
        sheet.write((60, label), *zip((-250, -390), figures, strict=True))


@pytest.mark.parametrize("names", [("Sailing", "Steam"), ("Both sexes", "All ages"), ("Total", "Fishing only")])
@pytest.mark.parametrize("swallowed", [False, True])
def test_names_in_the_middle_go_over_all_columns(names: tuple[str, str], swallowed: bool) -> None:
    sheet = Sheet([60, 140, 290, 390])
    sheet.write((60, "Port"), (-250, "Ships"), (-390, "Tons"))
    group(sheet, "")
    for name in names:
        group(sheet, name)
    heights = [1, 1, 1, *([2, 1, 1] * 2 if swallowed else [1] * 7), 1, *([] if swallowed else [1])]
    grid = settled(sheet.grid(heights, 1), sheet.words, ())
    rows = [list(row) for row in FIGURES]
    assert rows_of(grid) == [["Port", "Ships", "Tons"], *rows, [(names[0], 3)], *rows, [(names[1], 3)], *rows]


def test_heads_over_heads_over_heads_are_three_rows() -> None:
    sheet = Sheet([50, 140, 200, 260, 320, 380])
    sheet.centre(270, "Percent of all the crews that were on board")
    sheet.line += 1
    for x, head in ((209, "Public"), (329, "Private")):
        sheet.centre(x, head)
    sheet.line += 1
    sheet.write((60, "Port"), (-190, "Men"), (-250, "All"), (-310, "Men"), (-370, "All"))
    for label, *figures in (
        ("Oban", "12", "45", "8", "77"),
        ("Tiree", "7", "21", "3", "41"),
        ("Coll", "31", "9", "9", "6"),
    ):
        sheet.write((60, label), *zip((-190, -250, -310, -370), figures, strict=True))
    grid = settled(sheet.grid([2, 1, 1, 1, 1], 2), sheet.words, ())
    assert rows_of(grid)[:3] == [
        ["", ("Percent of all the crews that were on board", 4)],
        ["", ("Public", 2), ("Private", 2)],
        ["Port", "Men", "All", "Men", "All"],
    ]


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        (["", "Fiscal year", "Fiscal year"], ["Port", "2005", "2006"]),
        (["", "FY 2004", "FY 2005"], ["Port", "Actual", "Actual"]),
        (["", "Weight", "Number"], ["Port", "Landed", "Counted"]),
    ],
)
def test_lines_of_heads_below_each_other_are_one_head(upper: list[str], lower: list[str]) -> None:
    sheet = Sheet([50, 140, 290, 400])
    for heads in (upper, lower):
        sheet.write(*[(x, text) for x, text in zip((60, -250, -390), heads, strict=True) if text])
    group(sheet, "")
    grid = settled(sheet.grid([1] * 5, 2), sheet.words, ())
    assert rows_of(grid)[0] == ["Port", *(f"{a} {b}" for a, b in zip(upper[1:], lower[1:], strict=True))]


def test_heads_far_from_figures_at_the_right_stand_over_them_in_their_order() -> None:
    sheet = Sheet([50, 300, 400, 470])
    sheet.write((60, "Number"), (140, "Article"), (250, "Pack"), (330, "Price"))
    for number, article, pack, price in (("4471", "Hinge", "12", "3.40"), ("4472", "Rope", "9", "14.00")) * 2:
        sheet.write((60, number), (140, article), (-380, pack), (-460, price))
    grid = sheet.grid([1] * 5, 1)
    assert rows_of(grid)[0] == ["Number Article Pack", "Price", ""], "what a layout model makes of it"
    assert rows_of(settled(grid, sheet.words, ()))[0] == ["Number", "Article", "Pack", "Price"]
