"""Grids of tables without closed cells, as layout models get them wrong, mended from the words on the page.

Every input is a page drawn here and a grid with the fault; what is expected is what a reader sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.core import BBox
from docspec.drafting.body_rows import body_row
from docspec.drafting.cell_grid import CellGrid, PlacedCell, told
from docspec.drafting.cell_repairs import settled, without_notes
from docspec.drafting.drawn_grids import Word, words_of

SIZE = 9
PITCH = 12.0


class Sheet:
    """A page on which cells are written, and the grid that a layout model might give of it: ``xs`` are the edges of
    its columns, each row of ``ys`` is as many lines high as it is said."""

    def __init__(self, xs: Sequence[float]) -> None:
        self.page: Any = pymupdf.open().new_page()
        self.xs = list(xs)
        self.line = 0

    def write(self, *texts: tuple[float, str], font: str = "helv") -> None:
        """One printed line: texts with the places where they begin, or end if the place is negative."""
        for x, text in texts:
            left = x if x >= 0 else -x - pymupdf.get_text_length(text, font, SIZE)
            self.page.insert_text((left, 100 + PITCH * self.line), text, fontsize=SIZE, fontname=font)
        self.line += 1

    def centre(self, x: float, text: str) -> None:
        """``text`` around ``x``, on the line that is written next."""
        left = x - pymupdf.get_text_length(text, "helv", SIZE) / 2
        self.page.insert_text((left, 100 + PITCH * self.line), text, fontsize=SIZE)

    @property
    def words(self) -> list[Word]:
        return words_of(self.page)

    def grid(self, heights: Sequence[int], heads: int) -> CellGrid:
        """The words in cells of its columns, in rows of so many lines, of which the first ones are ``heads``."""
        top = 100 - 0.75 * PITCH
        ys, cells = [], []
        for number, height in enumerate(heights):
            ys.append((top, top + PITCH * height))
            top += PITCH * height
            for column, (x0, x1) in enumerate(zip(self.xs, self.xs[1:], strict=False)):
                box = BBox(x0, ys[-1][0], x1, ys[-1][1])
                inside = [word for word in self.words if box.has_center_of(word.bbox)]
                inside.sort(key=lambda word: (round(word.bbox.center_y / PITCH), word.bbox.x0))
                cells.append(PlacedCell(" ".join(word.text for word in inside), number, column, head=number < heads))
        edges = tuple(zip(self.xs, self.xs[1:], strict=False))
        return CellGrid(tuple(cells), edges, tuple(ys))


def rows_of(grid: CellGrid) -> list[list[Any]]:
    """The texts of the cells by rows; with the number of columns where there are several."""
    return [
        [told(cell.text) if cell.columns == 1 else (told(cell.text), cell.columns) for cell in grid.row(row)]
        for row in range(len(grid.ys))
    ]


FIGURES = [("Oban", "12", "450"), ("Tiree", "7", "1,210"), ("Coll", "31", "95")]


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


@pytest.mark.parametrize(
    ("lines", "whole"),
    [
        ([("Other receipts, including those",), ("of the pilot service", "12", "9")], 0),
        ([("Letting of warehouses", "31", "8"), ("and open storage",)], 0),
        ([("Grants of the ministry to",), ("Harbours", "31", "8")], 0),
    ],
)
def test_lines_of_one_label_are_one_row(lines: list[tuple[str, ...]], whole: int) -> None:
    sheet = Sheet([50, 250, 320, 400])
    sheet.write((60, "Item"), (-310, "2010"), (-390, "2011"))
    sheet.write((60, "Dues"), (-310, "1,204"), (-390, "1,310"))
    for label, *figures in lines:
        sheet.write((60, label), *zip((-310, -390), figures, strict=False))
    sheet.write((60, "Total"), (-310, "1,900"), (-390, "2,110"))
    grid = settled(sheet.grid([1] * 5, 1), sheet.words, ())
    label = " ".join(line[0] for line in lines)
    figures = [text for line in lines for text in line[1:]]
    assert rows_of(grid)[2] == [label, *figures] and len(grid.ys) == 4


@pytest.mark.parametrize("label", ["North", "of which:", "1990"])
def test_a_heading_of_rows_is_a_row(label: str) -> None:
    sheet = Sheet([50, 250, 320, 400])
    sheet.write((60, "Item"), (-310, "2010"), (-390, "2011"))
    sheet.write((60, "Dues"), (-310, "1,204"), (-390, "1,310"))
    sheet.write((60, label))
    sheet.write((68, "Oban"), (-310, "31"), (-390, "8"))
    grid = sheet.grid([1] * 4, 1)
    assert settled(grid, sheet.words, ()) == grid


def test_the_last_words_of_all_cells_of_a_row_belong_to_it() -> None:
    sheet = Sheet([50, 200, 350, 500])
    sheet.write((60, "Agency"), (210, "Task"), (360, "Law"))
    sheet.write((60, "Coast Guard"), (210, "Safety of vessels and"), (360, "Ports and Waterways"))
    sheet.write((210, "persons on the water"), (360, "safety act"))
    sheet.write((60, "Pilot Board"), (210, "Licences"), (360, "State code"))
    grid = settled(sheet.grid([1] * 4, 1), sheet.words, ())
    assert rows_of(grid)[1:] == [
        ["Coast Guard", "Safety of vessels and persons on the water", "Ports and Waterways safety act"],
        ["Pilot Board", "Licences", "State code"],
    ]


@pytest.mark.parametrize(
    ("heights", "heads"), [([2, 1, 1], 1), ([1, 2, 1], 1), ([1, 3], 1)], ids=["with the heads", "two rows", "all rows"]
)
def test_rows_close_to_each_other_are_rows(heights: list[int], heads: int) -> None:
    sheet = Sheet([50, 140, 290, 380])
    sheet.write((60, "Port"), (150, "Ships"), (300, "Tons"))
    for label, *figures in FIGURES:
        sheet.write((60, label), *zip((150, 300), figures, strict=True))
    grid = settled(sheet.grid(heights, heads), sheet.words, ())
    assert rows_of(grid) == [["Port", "Ships", "Tons"], *map(list, FIGURES)]
    assert grid.head_rows == 1


def test_a_label_of_two_lines_beside_one_line_of_figures_is_no_two_rows() -> None:
    sheet = Sheet([50, 140, 290, 380])
    sheet.write((60, "Port"), (150, "Ships"), (300, "Tons"))
    sheet.write((60, "Harbour of"), (150, "12"), (300, "450"))
    sheet.write((60, "Oban"))
    sheet.write((60, "Tiree"), (150, "7"), (300, "1,210"))
    grid = sheet.grid([1, 2, 1], 1)
    assert settled(grid, sheet.words, ()) == grid


@pytest.mark.parametrize("rule", ["-" * 12, "=" * 12, "_" * 12])
def test_typed_rules_are_no_rows_and_leaders_no_words(rule: str) -> None:
    sheet = Sheet([50, 140, 290, 380])
    sheet.write((60, "Port"), (150, "Ships"), (300, "Tons"))
    sheet.write((60, rule), (150, rule), (300, rule))
    for label, *figures in FIGURES:
        sheet.write((60, f"{label} . . . ."), *zip((150, 300), figures, strict=True))
    grid = settled(sheet.grid([1] * 5, 1), sheet.words, ())
    assert rows_of(grid) == [["Port", "Ships", "Tons"], *map(list, FIGURES)]


@pytest.mark.parametrize("leader", ["........", " . . . . .", "…………"])
def test_leaders_before_a_figure_or_after_a_label_are_no_words(leader: str) -> None:
    cells = [PlacedCell(f"Oban{leader}", 0, 0), PlacedCell(f"{leader} 12".strip(), 0, 1)]
    grid = CellGrid(tuple(cells), ((0, 50), (50, 90)), ((0, 10),))
    assert [cell.text for cell in settled(grid, [], ()).cells] == ["Oban", "12"]


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (0, "Table 2. Ships and their tons in the harbours of the west"),
        (4, "Source: returns of the port offices, data is weighted"),
        (4, "Note: ports of less than ten ships are left out of it"),
    ],
)
def test_a_line_of_text_across_the_columns_is_outside_of_the_table(row: int, text: str) -> None:
    sheet = Sheet([50, 140, 230, 320])
    lines = [[(60, "Port"), (150, "Ships"), (240, "Tons")]]
    lines += [[(60, label), *zip((150, 240), figures, strict=True)] for label, *figures in FIGURES]
    lines.insert(row, [(60, text)])
    for line in lines:
        sheet.write(*line)
    grid = without_notes(sheet.grid([1] * 5, 1), sheet.words)
    assert rows_of(grid) == [["Port", "Ships", "Tons"], *map(list, FIGURES)]


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


WRAPPED = [
    [
        (["Grants for the renewal of piers", "and of slipways"], ("12", "14"), 0),
        (["Loans"], ("3", "4"), 0),
        (["Training of pilots, masters", "and other officers"], ("7", "8"), 0),
    ],
    [
        (["Grants for the renewal of piers", "and of slipways"], ("12", "14"), 1),
        (["Loans"], ("3", "4"), 0),
        (["Training of pilots, masters", "and other officers"], ("7", "8"), 1),
    ],
]


@pytest.mark.parametrize("rows", WRAPPED, ids=["figures beside the first line", "figures beside the last line"])
@pytest.mark.parametrize(
    "heights", [[1, 1, 2, 2], [1, 2, 1, 2], [1, 1, 3, 1]], ids=["cut early", "cut right", "cut late"]
)
def test_wrapped_labels_belong_to_their_figures_wherever_the_rows_were_cut(rows: Any, heights: list[int]) -> None:
    sheet = Sheet([50, 250, 320, 400])
    sheet.write((60, "Programme"), (-310, "2010"), (-390, "2011"))
    for lines, figures, beside in rows:
        for number, line in enumerate(lines):
            sheet.write((60, line), *(zip((-310, -390), figures, strict=True) if number == beside else ()))
    grid = settled(sheet.grid(heights, 1), sheet.words, ())
    assert rows_of(grid)[1:] == [[" ".join(lines), *figures] for lines, figures, _ in rows]


@pytest.mark.parametrize(
    "heights", [[1.5, 9, 1.5, 1.5], [1.5, 1.5, 3.5, 2.5, 1.5, 1.5, 1.5]], ids=["four rows in one", "rows cut right"]
)
def test_rows_with_figures_beside_the_middle_of_their_labels_are_rows(heights: list[float]) -> None:
    """Rows stand farther apart than the lines of a label; names with a small letter look like the rest of a line."""
    sheet = Sheet([50, 160, 250, 330])
    rows = [
        (["DCLM-Baseline"], ("Web pages", "3.71T"), 0),
        (["StarCoder", "filtered version", "from OLMoE Mix"], ("Code", "83.0B"), 1),
        (["peS2o", "from Dolma 1.7"], ("Papers", "58.6B"), 0),
        (["arXiv"], ("STEM papers", "20.8B"), 0),
        (["OpenWebMath"], ("Math pages", "12.2B"), 0),
        (["Total"], ("All pages", "3.90T"), 0),
    ]
    sheet.write((60, "Source"), (170, "Type"), (260, "Tokens"))
    for lines, values, beside in rows:
        sheet.line += 0.5  # type: ignore[assignment]
        for number, line in enumerate(lines):
            sheet.write((60, line), *(zip((170, 260), values, strict=True) if number == beside else ()))
    grid = settled(sheet.grid(heights, 1), sheet.words, ())  # type: ignore[arg-type]
    assert rows_of(grid)[1:] == [[" ".join(lines), *values] for lines, values, _ in rows]


def test_wrapped_words_of_several_columns_belong_to_the_row_above() -> None:
    sheet = Sheet([50, 160, 330, 450])
    sheet.write((60, "Office"), (170, "Duty"), (340, "Contact"))
    sheet.write((60, "Harbor Master"), (170, "Berths, moorings, safety"), (340, "Pier 4"))
    sheet.write((60, "of the port"), (170, "of traffic"))
    sheet.write((60, "Pilot office"), (170, "Orders of pilots and their"), (340, "Pier 1"))
    sheet.write((170, "pay"))
    sheet.write((60, "Customs"), (170, "Duties"), (340, "Quay House"))
    grid = settled(sheet.grid([1, 1, 3, 1], 1), sheet.words, ())
    assert rows_of(grid)[1:] == [
        ["Harbor Master of the port", "Berths, moorings, safety of traffic", "Pier 4"],
        ["Pilot office", "Orders of pilots and their pay", "Pier 1"],
        ["Customs", "Duties", "Quay House"],
    ]


def test_rows_that_hold_together_stay_as_they_were_cut() -> None:
    sheet = Sheet([50, 160, 330])
    sheet.write((60, "Law"), (170, "Scope"))
    sheet.write((60, "Ports Act"), (170, "Harbours and Rivers"))
    sheet.write((170, "North of the Sound"))
    sheet.write((60, "Pilots Act"), (170, "Pilots"))
    grid = sheet.grid([1, 2, 1], 1)
    assert settled(grid, sheet.words, ()) == grid


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


TEXTS = st.sampled_from(
    ["", "", "12", "1,210", "2009", "Oban", "of the port", "Other receipts,", "(tons)", "-----", "a:"]
)
PLACES = st.floats(min_value=-5, max_value=30)


@st.composite
def grids_with_words(draw: st.DrawFn) -> tuple[CellGrid, list[Word], list[BBox]]:
    """A grid of any texts, columns with or without room between them, with words that stand in its cells or not."""
    rows, columns, room = draw(st.integers(1, 6)), draw(st.integers(1, 5)), draw(st.sampled_from([0, 9]))
    xs = tuple((60.0 * x, 60.0 * (x + 1) - room) for x in range(columns))
    ys = tuple((20.0 * y, 20.0 * (y + 1)) for y in range(rows))
    heads = draw(st.integers(0, rows))
    cells, words, taken = [], [], set[tuple[int, int]]()
    for y in range(rows):
        for x in range(columns):
            if (y, x) in taken:
                continue
            wide = 2 if x + 1 < columns and (y, x + 1) not in taken and draw(st.integers(0, 5)) == 0 else 1
            high = 2 if wide == 1 and y + 1 < rows and draw(st.integers(0, 9)) == 0 else 1
            taken.update((y + dy, x + dx) for dy in range(high) for dx in range(wide))
            text = draw(TEXTS)
            cells.append(PlacedCell(text, y, x, high, wide, y < heads))
            left, top = xs[x][0] + draw(PLACES), ys[y][0] + draw(PLACES) / 3
            for number, word in enumerate(text.split()):
                words.append(Word(BBox(left + 22 * number, top, left + 22 * number + 20, top + 8), word))
    strokes = [
        BBox(60.0 * x, 20.0 * y, 60.0 * (x + 2), 20.0 * y + 1)
        for x, y in draw(st.sets(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=2))
    ]
    return CellGrid(tuple(cells), xs, ys), words, strokes


def test_rows_below_an_empty_cell_of_two_rows_are_not_joined() -> None:
    """What would stand beside the rest of a label is where the empty cell is."""
    cells = [PlacedCell("", 0, 0), PlacedCell("", 0, 1, 2), PlacedCell("Other receipts,", 1, 0)]
    cells += [PlacedCell("12", 2, 0), PlacedCell("12", 2, 1), PlacedCell("", 3, 0, 1, 2)]
    grid = CellGrid(tuple(cells), ((0.0, 60.0), (60.0, 120.0)), tuple((20.0 * y, 20.0 * (y + 1)) for y in range(4)))
    texts = ((0, 27, "Other"), (22, 27, "receipts,"), (0, 40, "12"), (60, 40, "12"))
    words = [Word(BBox(x, y, x + 20, y + 8), text) for x, y, text in texts]
    mended = settled(grid, words, ())
    assert not any(cell.row == 1 and cell.column == 1 for cell in mended.cells)
    assert [told(cell.text) for cell in mended.row(1)] == ["Other receipts,"]


@given(grids_with_words())
@settings(deadline=None, max_examples=400)
def test_no_letter_is_lost_or_added_whatever_the_grid_is(drawn: tuple[CellGrid, list[Word], list[BBox]]) -> None:
    grid, words, strokes = drawn
    mended = settled(grid, words, strokes)

    def letters(one: CellGrid) -> list[str]:
        return sorted(letter for cell in one.cells for letter in told(cell.text) if letter not in "- ")

    assert letters(mended) == letters(grid)
    places = [
        (y, x)
        for cell in mended.cells
        for y in range(cell.row, cell.row + cell.rows)
        for x in range(cell.column, cell.column + cell.columns)
    ]
    assert len(places) == len(set(places))
    assert all(y < len(mended.ys) and x < len(mended.xs) for y, x in places)
