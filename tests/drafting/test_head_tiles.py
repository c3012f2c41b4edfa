"""Heads over groups of columns that no line shows, and heads that are numbers: what a reader sees beside the cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pymupdf
import pytest

from docspec.core import BBox
from docspec.drafting.body_rows import body_row
from docspec.drafting.cell_grid import plain_text
from docspec.drafting.cell_repairs import settled, without_notes
from docspec.drafting.head_tiles import tiles

from .sheets import PITCH, SIZE, Sheet, rows_of

XS = [40, 130, 190, 250, 310, 370, 430]
RIGHTS = [-175, -235, -295, -355, -415]


def columns(*middles: float) -> list[BBox]:
    return [BBox(x - 20, 0, x + 20, 10) for x in middles]


def head(x: float) -> BBox:
    return BBox(x - 15, 0, x + 15, 10)


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        ([200, 500], [(1, 3), (4, 6)]),
        ([150, 350], [(1, 2), (3, 4)]),
        ([350], [(1, 6)]),
        ([200, 300], []),  # the second one has no group of its own
        ([180], []),  # over no middle
        ([250, 450], [(2, 3), (4, 5)]),
    ],
)
def test_heads_stand_over_the_middles_of_groups(heads: Sequence[float], expected: list[tuple[int, int]]) -> None:
    assert tiles([head(x) for x in heads], columns(0, 100, 200, 300, 400, 500, 600), 10) == expected


def subheads(*spans: tuple[float, str, str]) -> Sheet:
    """Heads of two lines around places, over heads of one line, over figures."""
    sheet = Sheet(XS)
    for line in (0, 1):
        for x, *texts in spans:
            sheet.page.insert_text(
                (x - pymupdf.get_text_length(texts[line], "helv", SIZE) / 2, 100 + PITCH * sheet.line),
                texts[line],
                fontsize=SIZE,
            )
        sheet.line += 1
    names = ["Number", "Change", "Rate", "Number", "Change"]
    sheet.write((40, "State"), *zip(RIGHTS, names, strict=True))
    for label in ("Maine", "Ohio", "Iowa", "Utah"):
        sheet.write((40, label), *((x, f"{1000 + 7 * x:.0f}") for x in RIGHTS))
    return sheet


def test_heads_of_several_lines_close_above_their_subheads_are_a_row_of_their_own() -> None:
    sheet = subheads((219, "Federal", "civilian"), (369, "", "Part-time"))
    rows = rows_of(settled(sheet.grid([3, 1, 1, 1, 1], heads=1), sheet.words, ()))
    assert rows[0] == ["", ("Federal civilian", 3), ("Part-time", 2)]
    assert rows[1] == ["State", "Number", "Change", "Rate", "Number", "Change"]


def test_lines_of_heads_over_groups_that_were_taken_for_rows_are_one_row() -> None:
    sheet = subheads((219, "Federal", "civilian"), (369, "", "Part-time"))
    rows = rows_of(settled(sheet.grid([1, 1, 1, 1, 1, 1, 1], heads=3), sheet.words, ()))
    assert rows[0] == ["", ("Federal civilian", 3), ("Part-time", 2)]


def test_first_lines_of_heads_over_single_columns_are_no_heads_of_groups() -> None:
    lines = Sheet(XS)
    lines.write((-175, "Annual"), (-355, "Total"))
    lines.write((40, "State"), *zip(RIGHTS, ["Number", "Change", "Rate", "Number", "Change"], strict=True))
    for label in ("Maine", "Ohio", "Iowa", "Utah"):
        lines.write((40, label), *((x, "1,204") for x in RIGHTS))
    rows = rows_of(settled(lines.grid([2, 1, 1, 1, 1], heads=1), lines.words, ()))
    assert rows[0] == ["State", "Annual Number", "Change", "Rate", "Total Number", "Change"]
    assert len(rows) == 5


def days(*numbers: str, above: bool = True) -> Sheet:
    sheet = Sheet(XS[:6])
    if above:
        sheet.centre(250, "Postnatal day")
    sheet.line += 1
    sheet.write((40, "Dose"), *zip(RIGHTS, numbers, strict=False))
    for label in ("Control", "30", "100"):
        sheet.write((40, label), *((x, "26.8") for x in RIGHTS[:4]))
    return sheet


def test_numbers_that_rise_below_a_head_over_all_columns_are_heads() -> None:
    sheet = days("1", "4", "7", "14")
    grid = sheet.grid([1, 1, 1, 1, 1], heads=1)
    assert body_row(grid) == 2
    assert rows_of(settled(grid, sheet.words, ()))[0] == ["", ("Postnatal day", 4)]


def test_other_first_rows_of_figures_are_no_heads() -> None:
    falling = days("14", "7", "4", "1")
    assert body_row(falling.grid([1, 1, 1, 1, 1], heads=1)) == 1
    alone = days("1", "4", "7", "14", above=False)
    assert body_row(alone.grid([2, 1, 1, 1], heads=0)) == 0


def test_a_row_with_figures_where_figures_follow_is_no_head_though_most_of_it_are_words() -> None:
    sheet = Sheet([40, 130, 190, 330, 380])
    sheet.write((40, "Facility"), (-185, "Tons"), (200, "Condition"), (340, "Owner"))
    for label, tons in (("Iowa", "2,562"), ("Ohio", "383"), ("Utah", "549"), ("Maine", "164")):
        sheet.write((40, label), (-185, tons), (200, "Under review"), (340, "State"))
    assert body_row(sheet.grid([1, 1, 1, 1, 1], heads=2)) == 1


def test_lines_of_a_paragraph_below_are_outside_of_the_table_with_its_short_last_line() -> None:
    sheet = Sheet([40, 130, 190, 250])
    for label in ("Iowa", "Ohio", "Utah"):
        sheet.write((40, label), (-185, "12"), (-245, "13"))
    sheet.write((40, "The estimates in this report are based on responses"))
    sheet.write((40, "from a sample of all of the population and may vary"))
    sheet.write((40, "in any year."))
    grid = sheet.grid([1] * 6, heads=0)
    assert [plain_text(cell.text) for cell in without_notes(grid, sheet.words).column(0)] == ["Iowa", "Ohio", "Utah"]
    labels = sheet.grid([1] * 3, heads=0)
    assert without_notes(labels, sheet.words) == labels


def test_rows_in_one_cell_with_leaders_between_them_are_rows() -> None:
    sheet = Sheet([40, 150, 210, 270])
    sheet.write((40, "Fiscal year"), (-205, "1990"), (-265, "1995"))
    sheet.write((40, "Outlays:"))
    for label in ("Grants", "Travel", "Total"):
        sheet.write((40, f"{label} ............"), (-205, "43.3"), (-265, "72.5"))
    rows = rows_of(settled(sheet.grid([1, 4], heads=1), sheet.words, ()))
    assert [row[0] for row in rows] == ["Fiscal year", "Outlays:", "Grants", "Travel", "Total"]
    assert rows[-1][1:] == ["43.3", "72.5"]


def texts(rows: Sequence[Sequence[Any]]) -> list[Any]:
    return [cell for row in rows for cell in row]


def test_the_first_row_in_the_row_of_heads_is_a_row_though_its_words_wrap() -> None:
    sheet = Sheet([40, 130, 190, 330])
    sheet.write((40, "Facility"), (-185, "Tons"), (200, "Condition"))
    sheet.write((40, "Iowa"), (-185, "2,562"), (200, "Not to be exceeded"))
    sheet.write((200, "more than once"))
    for label in ("Ohio", "Utah", "Maine"):
        sheet.write((40, label), (-185, "383"), (200, "None"))
    rows = rows_of(settled(sheet.grid([3, 1, 1, 1], heads=1), sheet.words, ()))
    assert rows[:2] == [["Facility", "Tons", "Condition"], ["Iowa", "2,562", "Not to be exceeded more than once"]]
    assert "Facility Iowa" not in texts(rows)
