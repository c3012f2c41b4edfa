"""Rows of tables without closed cells, as layout models get them wrong, mended from the words on the page.

Every input is a page drawn here and a grid with the fault; what is expected is what a reader sees.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.core import BBox
from docspec.drafting.cell_grid import CellGrid, PlacedCell, plain_text
from docspec.drafting.cell_repairs import settled, without_notes
from docspec.drafting.drawn_grids import Word

from .sheets import FIGURES, Sheet, rows_of


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
    assert [plain_text(cell.text) for cell in mended.row(1)] == ["Other receipts,"]


@given(grids_with_words())
@settings(deadline=None, max_examples=400)
def test_no_letter_is_lost_or_added_whatever_the_grid_is(drawn: tuple[CellGrid, list[Word], list[BBox]]) -> None:
    grid, words, strokes = drawn
    mended = settled(grid, words, strokes)

    def letters(one: CellGrid) -> list[str]:
        return sorted(letter for cell in one.cells for letter in plain_text(cell.text) if letter not in "- ")

    assert letters(mended) == letters(grid)
    places = [
        (y, x)
        for cell in mended.cells
        for y in range(cell.row, cell.row + cell.rows)
        for x in range(cell.column, cell.column + cell.columns)
    ]
    assert len(places) == len(set(places))
    assert all(y < len(mended.ys) and x < len(mended.xs) for y, x in places)


NAMES = [(("2001", "2002"), True), (("Male", "Female"), False), (("Men, 16 and over", "Women"), False)]


@pytest.mark.parametrize(("names", "below_heads"), NAMES)
def test_names_in_the_middle_that_were_taken_for_ends_of_rows_are_rows(
    names: tuple[str, str], below_heads: bool
) -> None:
    """The layout model put each name into the row above it."""
    sheet = Sheet([50, 140, 290, 380])
    sheet.write((60, "Port"), (-230, "Ships"), (-380, "Tons"))
    for name, rows in zip(names, (FIGURES, FIGURES[::-1]), strict=True):
        sheet.centre(215, name)
        sheet.line += 1
        for label, *figures in rows:
            sheet.write((60, label), *zip((-230, -380), figures, strict=True))
    heights = [2, 1, 1, 2, 1, 1, 1] if below_heads else [1, 1, 1, 1, 2, 1, 1, 1]
    expected = [["Port", "Ships", "Tons"], [(names[0], 3)], *map(list, FIGURES), [(names[1], 3)]]
    assert rows_of(settled(sheet.grid(heights, 1), sheet.words, ()))[:6] == expected


def test_a_year_that_ends_a_cell_in_the_middle_is_no_name_of_rows() -> None:
    sheet = Sheet([50, 140, 290, 380])
    sheet.write((60, "Port"), (180, "Opened in"), (-380, "Tons"))
    sheet.write((60, "Oban"), (190, "December"), (-380, "450"))
    sheet.centre(215, "1921")
    sheet.line += 1
    sheet.write((60, "Coll"), (190, "May 1930"), (-380, "95"))
    grid = settled(sheet.grid([1, 2, 1], 1), sheet.words, ())
    assert rows_of(grid)[1] == ["Oban", "December 1921", "450"]


@pytest.mark.parametrize("leader", ["..", " .", ". ."])
def test_what_a_long_label_leaves_of_a_leader_is_no_word(leader: str) -> None:
    sheet = Sheet([50, 200, 290])
    sheet.write((60, "Item"), (-280, "2010"))
    for label, figure in (("Dues ......", "1,204"), ("Light .....", "31"), ("Fees ......", "8")):
        sheet.write((60, label), (-280, figure))
    sheet.write((60, f"Grants of the ministry{leader}"), (-280, "77"))
    grid = settled(sheet.grid([1] * 5, 1), sheet.words, ())
    assert [row[0] for row in rows_of(grid)] == ["Item", "Dues", "Light", "Fees", "Grants of the ministry"]


def test_a_full_stop_stays_where_no_cell_has_a_leader() -> None:
    sheet = Sheet([50, 200, 290])
    for label, figure in (("Item", "2010"), ("Dues etc.", "1,204"), ("Light, net .", "31")):
        sheet.write((60, label), (-280, figure))
    grid = settled(sheet.grid([1] * 3, 1), sheet.words, ())
    assert [row[0] for row in rows_of(grid)] == ["Item", "Dues etc.", "Light, net ."]


@pytest.mark.parametrize("label_first", [True, False])
def test_a_wrapped_cell_is_one_whichever_line_its_label_stands_beside(label_first: bool) -> None:
    sheet = Sheet([50, 90, 260, 330])
    sheet.write((60, "Phase"), (100, "Work"), (270, "Start"))
    sheet.write((60, "I"), (100, "Survey of the harbour"), (270, "04/01/03"))
    above, below = ([(60, "II")], []) if label_first else ([], [(60, "II")])
    sheet.write(*above, (100, "Building of two groynes"))
    sheet.write(*below, (100, "and dredging"), (270, "05/16/03"))
    sheet.write((60, "III"), (100, "Final report"), (270, "04/05/04"))
    grid = settled(sheet.grid([1] * 5, 1), sheet.words, ())
    assert rows_of(grid)[2] == ["II", "Building of two groynes and dredging", "05/16/03"] and len(grid.ys) == 4


def test_a_name_of_rows_that_reaches_into_the_next_column_is_one_cell() -> None:
    sheet = Sheet([50, 100, 190, 290])
    sheet.write((60, "Port"), (-180, "Ships"), (-280, "Tons"))
    sheet.write((60, "Ports of the Inner Hebrides"))
    for label, *figures in FIGURES:
        sheet.write((60, label), *zip((-180, -280), figures, strict=True))
    grid = settled(sheet.grid([1] * 5, 1), sheet.words, ())
    assert rows_of(grid)[1] == ["Ports of the Inner Hebrides", "", ""]
