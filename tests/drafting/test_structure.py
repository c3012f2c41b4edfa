"""Tables by one search: the grid that relations speak for is found, drawn lattices are certain, and every word stays on
the page. Pages are drawn here; what is right is what was drawn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.drafting.structure.clusters import clusters
from docspec.drafting.structure.cuts import with_whole_words
from docspec.drafting.structure.enclosed import uninterrupted
from docspec.drafting.structure.features import Features
from docspec.drafting.structure.grid import Cell, agreed, grid_of, with_heads_over, without_empty
from docspec.drafting.structure.rules import rules_of
from docspec.drafting.structure.tables import _without_titles, structure_of
from docspec.drafting.structure.tokens import LAYOUT, PageTokens, Token
from docspec.reporting.tables import grids
from docspec.results import ParsedDocument

Parsed = Callable[..., ParsedDocument]
Place = tuple[int, int, int, int]  # row, column, rows, columns

SURE = 6.0


@st.composite
def places(draw: st.DrawFn) -> list[Place]:
    """The cells of a table in which each row and each column has a cell of its own; some span others."""
    rows, columns = draw(st.integers(2, 7)), draw(st.integers(2, 6))
    cells = dict.fromkeys(product(range(rows), range(columns)), (1, 1))
    if columns > 2 and draw(st.booleans()):  # a head over several columns in the first row
        first = draw(st.integers(0, columns - 2))
        count = draw(st.integers(2, columns - first))
        for column in range(first, first + count):
            cells.pop((0, column))
        cells[0, first] = (1, count)
    if rows > 3 and draw(st.booleans()):  # a label over several rows in the first column
        first = draw(st.integers(1, rows - 2))
        count = draw(st.integers(2, rows - first))
        for row in range(first, first + count):
            cells.pop((row, 0))
        cells[first, 0] = (count, 1)
    return [(row, column, *size) for (row, column), size in sorted(cells.items())]


def _scores(cells: Sequence[Place]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Log-odds for cell, row and column of each two words, one in each cell, and the places of the words."""
    at = np.array(cells)
    ends = at[:, :2] + at[:, 2:]
    meet = np.minimum(ends[:, None], ends[None]) > np.maximum(at[:, None, :2], at[None, :, :2])
    row, column = (np.where(meet[..., axis], SURE, -SURE) for axis in (0, 1))
    middle = (at[:, :2] + ends) / 2
    boxes = np.stack([80 * middle[:, 1], 20 * middle[:, 0], 80 * middle[:, 1] + 30, 20 * middle[:, 0] + 10], axis=1)
    return np.where(np.eye(len(at), dtype=bool), SURE, -SURE), row, column, boxes.astype(np.float32)


@given(places())
@settings(deadline=None)
def test_the_grid_that_relations_tell_is_found(cells: list[Place]) -> None:
    cell, row, column, boxes = _scores(cells)
    found = grid_of(np.stack([row, column, cell], axis=-1), boxes, clusters(cell))
    told = {one.tokens: (one.row, one.column, one.rows, one.columns) for one in found}
    assert told == {(number,): place for number, place in enumerate(cells)}


@given(places(), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_every_word_is_in_one_cell_and_no_place_in_two_whatever_relations_tell(cells: list[Place], seed: int) -> None:
    _, _, _, boxes = _scores(cells)
    chance = np.random.default_rng(seed)
    scores = []
    for _ in range(3):
        one = chance.normal(0, 4, (len(cells), len(cells)))
        scores.append(((one + one.T) / 2).astype(np.float32))
    found = grid_of(np.stack([scores[1], scores[2], scores[0]], axis=-1), boxes, clusters(scores[0]))
    assert sorted(token for one in found for token in one.tokens) == list(range(len(cells)))
    taken = [(one.row + y, one.column + x) for one in found for y, x in product(range(one.rows), range(one.columns))]
    assert len(taken) == len(set(taken))


@given(st.integers(3, 10), st.integers(2, 4), st.integers(2, 5))
@settings(deadline=None)
def test_one_head_over_others_is_divided_however_many_stand_beside_both(tall: int, under: int, rows: int) -> None:
    """Most heads are over two rows, and speak for these rows being one."""
    heads = [(0, column, 2, 1) for column in range(tall)] + [(0, tall, 1, under)]
    body = [(row, column, 1, 1) for row in range(2, 2 + rows) for column in range(tall + under)]
    cells = heads + [(1, tall + column, 1, 1) for column in range(under)] + body
    cell, row, column, boxes = _scores(cells)
    found = grid_of(np.stack([row, column, cell], axis=-1), boxes, clusters(cell))
    assert [(one.row, one.column, one.rows, one.columns) for one in found] == sorted(cells)


@pytest.mark.parametrize("rows", [2, 3, 5])
@pytest.mark.parametrize("sums", [1, 2, 3])
def test_a_column_that_the_sums_below_divide_keeps_its_cells(rows: int, sums: int) -> None:
    """The rules of the sums lie within the column of prices: its cells share a column with two that share none."""
    widths = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 6), (6, 7))  # a quotation: code, name, number, unit, price, amount
    body = [(row, start, 1, end - start) for row in range(rows) for start, end in widths]
    cells = body + [(rows + at, *one) for at in range(sums) for one in ((2, 1, 3), (5, 1, 2))]
    cell, row, column, boxes = _scores(cells)
    found = grid_of(np.stack([row, column, cell], axis=-1), boxes, clusters(cell))
    assert [(one.row, one.column) for one in found][: len(body)] == list(product(range(rows), range(6)))


def test_a_head_above_its_middle_column_is_no_first_line_of_it() -> None:
    """Two cells of one column are in two rows, even where nothing else speaks against one row."""
    cells = [(0, 0, 1, 3), (1, 0, 1, 1), (1, 1, 1, 1), (1, 2, 1, 1), (2, 0, 1, 1), (2, 1, 1, 1), (2, 2, 1, 1)]
    cell, row, column, boxes = _scores(cells)
    row[0, 2] = row[2, 0] = 1.0
    found = grid_of(np.stack([row, column, cell], axis=-1), boxes, clusters(cell))
    assert [(one.row, one.column, one.rows, one.columns) for one in found] == cells


def test_two_printed_rows_are_one_row_in_all_columns_or_in_none() -> None:
    """One column alone speaks for one row (a dash below a figure), three against it; what speaks of two words of one
    printed row stays."""
    rows = [[0, 1, 2, 3], [4, 5, 6, 7]]
    row = np.full((8, 8, 3), -3.0, np.float32)
    for own in rows:
        row[np.ix_(own, own)] = 5.0
    row[3, 7] = row[7, 3] = 1.5
    found = agreed(row, rows)[..., 0]
    assert found[3, 7] == found[7, 3] < 0 and found[0, 1] == 5.0
    assert (agreed(row, rows)[..., 1:] == row[..., 1:]).all()
    row[np.ix_(*rows)] = row[np.ix_(*rows[::-1])] = 3.0
    row[3, 7] = row[7, 3] = -1.0
    assert agreed(row, rows)[3, 7, 0] > 0


HEAD_OVER = [("No", 0, 10), ("Name", 60, 80), ("Place", 190, 210), ("1", 0, 10), ("Ann", 30, 45), ("Rome", 150, 170),
             ("2", 0, 10), ("Bob", 30, 45), ("Oslo", 150, 170)]  # fmt: skip


@pytest.mark.parametrize(
    ("head", "columns"),
    [((60, 80), 3), ((10.5, 29), 3), ((95, 160), 4)],
    ids=["over the middle of its column", "in front of its cells", "over the next column"],
)
def test_a_head_above_none_of_the_cells_of_its_column_is_their_head(head: tuple[float, float], columns: int) -> None:
    """Columns are wide in tables of spreadsheets: heads stand in the middle, cells at the side."""
    boxes = [(x0, 20 * (at // 3), x1, 20 * (at // 3) + 10) for at, (_, x0, x1) in enumerate(HEAD_OVER)]
    boxes[1] = (head[0], 0, head[1], 10)
    heads = {0: 0, 1: 2 if head[0] > 30 else 1, 2: 3}
    body = {0: 0, 1: 1 if head[0] > 30 else 2, 2: 3}
    cells = [Cell((at,), at // 3, (body if at > 2 else heads)[at % 3]) for at in range(9)]
    found = with_heads_over(cells, np.array(boxes, np.float32))
    assert max(cell.column for cell in found) + 1 == columns
    if columns == 3:
        assert [(cell.row, cell.column) for cell in found] == list(product(range(3), range(3)))


def test_a_column_to_be_filled_in_keeps_its_head() -> None:
    """Labels without a head, and an empty column with one, whose head is beside them."""
    cells = [Cell((0,), 0, 1), *(Cell((at,), at, 0) for at in (1, 2, 3))]
    boxes = np.array([(100, 0, 130, 10), *((0, 20 * at, 90, 20 * at + 10) for at in (1, 2, 3))], np.float32)
    assert with_heads_over(cells, boxes) == cells


def test_groups_are_what_their_pairs_speak_for_together() -> None:
    """Two pairs for it and one against it, which weighs less than both: one group; more than both: two."""
    for against, expected in ((-2.0, [[0, 1, 2]]), (-9.0, [[0, 1], [2]])):
        scores = np.array([[0, 4, against], [4, 0, 3], [against, 3, 0]], np.float32)
        assert clusters(scores) == expected


PROSE = (
    "The harbour board met on Tuesday to look at the plans for the new quay wall, which would replace the",
    "timber piles that were driven in the year of the great flood and have since been eaten away by worms.",
    "Members heard from two engineers that the cost of steel has fallen by a tenth since the last spring.",
)


Draw = Callable[[pymupdf.Page], None]


def _between_prose(draw: Draw) -> Draw:
    def whole(page: pymupdf.Page) -> None:
        for number, line in enumerate(PROSE):
            page.insert_text((60, 80 + 13 * number), line, fontsize=10)
            page.insert_text((60, 560 + 13 * number), line, fontsize=10)
        draw(page)

    return whole


def _closed(texts: Sequence[Sequence[str]], widths: Sequence[int], size: float = 10) -> Draw:
    def draw(page: pymupdf.Page) -> None:
        y = 150.0
        for row in texts:
            height = 6 + 13 * max(text.count("\n") + 1 for text in row)
            x = 60.0
            for text, width in zip(row, widths, strict=True):
                page.draw_rect(pymupdf.Rect(x, y, x + width, y + height), width=0.7)
                for number, line in enumerate(text.split("\n")):
                    page.insert_text((x + 4, y + 12 + 13 * number), line, fontsize=size)
                x += width
            y += height

    return draw


CLOSED = {
    "uses": [
        ["Area", "Uses"],
        ["Schools", "- deciding who is admitted\n- marking of examinations\n- watching pupils"],
        ["Work", "- choosing among applicants\n- ending contracts"],
        ["Courts", "- finding facts\n- applying the law"],
    ],
    "duties": [
        ["Post", "Duty", "Hours"],
        ["Harbour\nmaster", "keeps the log\nand the keys", "08:00"],
        ["Pilot", "brings ships\nthrough the gap\nat high water", "any"],
        ["Clerk", "writes letters", "09:00"],
    ],
    "nothing there": [["Port", "2012", "2013"], ["Oban", "12", "..."], ["Tiree", "...", "95"], ["Coll", "...", "..."]],
    "far apart": [
        ["Port", "Number          of ports", "Ships"],
        ["Oban", "12", "450"],
        ["Tiree", "7", "95"],
        ["Coll", "31", "880"],
    ],
}


@given(st.permutations(range(6)), st.floats(-0.9, 0.9))
@settings(deadline=None)
def test_the_rules_of_two_tables_are_joined_each_for_itself(order: list[int], off: float) -> None:
    """Three pieces of an upright rule in each, and the columns of the second table stand a little to the side."""
    pieces = [(300.0, 20.0 + 40 * row, 300.6, 59.6 + 40 * row) for row in range(3)]
    pieces += [(300.0 + off, 300.0 + 40 * row, 300.6 + off, 339.6 + 40 * row) for row in range(3)]
    _, upright, _ = rules_of([{"items": [("re", pieces[at])], "fill": (1, 0.6, 0)} for at in order])
    assert sorted((round(float(start)), round(float(end))) for start, end, _ in upright) == [(20, 140), (300, 420)]


BANDED = {
    "three": [["Item", "Kind", "Place"], ["Line 1", "Lark", "Islay"], ["Line 2", "Weasel", "Tiree"]],
    "two": [["Port of call", "Ships"], ["Oban", "450"], ["Tiree", "95"], ["Coll", "880"]],
}


@pytest.mark.parametrize("texts", BANDED.values(), ids=BANDED.keys())
def test_a_head_in_a_filled_band_has_the_columns_of_the_closed_body(parsed: Parsed, texts: list[list[str]]) -> None:
    """As word processors draw tables: no rules between the heads."""

    def draw(page: pymupdf.Page) -> None:
        _closed(texts[1:], [150] * len(texts[0]))(page)
        band = pymupdf.Rect(60, 131, 60 + 150 * len(texts[0]), 150)
        page.draw_rect(band, color=(0.2, 0.4, 0.7), fill=(0.2, 0.4, 0.7))
        for column, text in enumerate(texts[0]):
            page.insert_text((64 + 150 * column, 143), text, fontsize=10, fontname="hebo", color=(1, 1, 1))

    page = parsed(_between_prose(draw)).pages[0]
    (table,) = [grid.lines() for block in page.blocks for grid in grids(block)]
    assert table == texts


@pytest.mark.parametrize("texts", CLOSED.values(), ids=CLOSED.keys())
def test_lines_of_a_closed_cell_stay_together(parsed: Parsed, texts: list[list[str]]) -> None:
    page = parsed(_between_prose(_closed(texts, [120, 220, 80][: len(texts[0])]))).pages[0]
    (table,) = [grid.lines() for block in page.blocks for grid in grids(block)]
    assert table == [[" ".join(text.split()) for text in row] for row in texts]


ITEMS = [
    ["Property", "Type", "What is looked at"],
    ["Sound", "Test", "• Correlation within a class\n• Period of time"],
    ["Whole", "Content of it", "• Derivation of all items\n• Talks with the crews\n• Lists"],
    ["Able", "Change", "• Size of the effect"],
]
MARKS = [
    ["Port", "Crane", "Slip", "Notes"],
    ["Oban", "•", "", "deep"],
    ["Tiree", "", "•", "calm"],
    ["Coll", "•", "•", "wet"],
]


@pytest.mark.parametrize(("texts", "indent"), [(ITEMS, 16), (MARKS, 0)], ids=["items", "marks"])
def test_a_bullet_belongs_to_the_cell_of_its_item(parsed: Parsed, texts: list[list[str]], indent: int) -> None:
    """Marks in columns of their own stay there."""
    widths = [70, 90, 240] if indent else [80, 60, 60, 80]

    def draw(page: pymupdf.Page) -> None:
        _closed([[" " + "\n" * text.count("\n") for text in row] for row in texts], widths)(page)
        writer, font, y = pymupdf.TextWriter(page.rect), pymupdf.Font("helv"), 150.0
        for row in texts:
            for column, text in enumerate(row):
                x = 64 + sum(widths[:column])
                for number, line in enumerate(text.split("\n") if text else ()):
                    bullet, item = (line[0], line[2:]) if line[0] == "•" else ("", line)
                    if bullet:
                        writer.append((x + (6 if indent else 20), y + 12 + 13 * number), bullet, font, 10)
                    if item:
                        writer.append((x + (indent if bullet else 0), y + 12 + 13 * number), item, font, 10)
            y += 6 + 13 * max(text.count("\n") + 1 for text in row)
        writer.write_text(page)

    page = parsed(_between_prose(draw)).pages[0]
    (table,) = [grid.lines() for block in page.blocks for grid in grids(block)]
    assert table == [[" ".join(text.split()) for text in row] for row in texts]


def test_a_list_is_no_table_though_it_stands_on_lined_paper(parsed: Parsed) -> None:
    items = [
        (26, ["So now that you have mastered", "the order of texts you need", "to see if your sentences have one"]),
        (20, ["Ask: Do my sentences follow the order of", "time or of thought?"]),
        (20, ["Ask: Do my examples back up what I say and do", "the words tie into it?"]),
        (20, ["Do any of my sentences stick out of the text or do", "they need a second look?"]),
    ]

    def draw(page: pymupdf.Page) -> None:
        page.set_mediabox(pymupdf.Rect(0, 0, 720, 540))
        for number in range(22):
            page.draw_line((90, 110 + 18 * number), (700, 110 + 18 * number), color=(0.8, 0.75, 0.5), width=0.7)
        writer, font, y = pymupdf.TextWriter(page.rect), pymupdf.Font("tiro"), 160.0
        writer.append((190, 80), "Order of Sentences", font, 40)
        for size, lines in items:
            writer.append((92, y), "•", font, size)
            for line in lines:
                writer.append((118, y), line, font, size)
                y += 1.2 * size
            y += 6
        writer.write_text(page)

    written = parsed(draw).to_markdown()
    found = [line.lstrip("•- ") for line in written.splitlines() if line]
    assert found[-len(items) :] == [" ".join(lines) for _, lines in items]


SUMS = [(214, 420, "Subtotal ex. tax", "18.60"), (253, 421, "21% tax", "3.90"), (214, 423, "Sum incl. tax", "22.50")]


def test_sums_are_read_with_their_names_though_typed_by_hand(parsed: Parsed) -> None:
    def draw(page: pymupdf.Page) -> None:
        for number, (left, right, label, amount) in enumerate(SUMS):
            page.insert_text((left, 300 + 11.5 * number), label, fontsize=9)
            page.insert_text((right, 300 + 11.5 * number), "$", fontsize=9)
            page.insert_text((right + 41, 300 + 11.5 * number), amount, fontsize=9)

    written = re.sub(r"<[^>]*>|\|", " ", parsed(_between_prose(draw)).to_markdown())
    assert " ".join(written.split()).count("$") == 3
    assert re.findall(r"\$\s+(\d+\.\d+)", written) == [amount for *_, amount in SUMS]


class SureOfOneColumn:
    """Relations of a network to which all words are one column of a table."""

    def of(self, features: Features) -> tuple[np.ndarray, np.ndarray]:
        count = len(features.tokens)
        pairs = np.full((count, count, 5), -SURE, np.float32)
        pairs[..., 0] = pairs[..., 2] = SURE
        return pairs, np.full((count, 2), SURE, np.float32)


@pytest.mark.parametrize("missing", ["", "a rule", "the layout model's word"])
def test_a_column_is_a_table_if_it_is_ruled_and_called_one(missing: str) -> None:
    tokens = [Token(word, (60, y, 90, y + 10), 10, y + 8) for word, y in zip("abcd", range(100, 180, 20), strict=True)]
    rules = [(55, 95, y) for y in range(95, 180, 20) if missing != "a rule" or y != 135]
    layout = [(50, 90, 100, 180, LAYOUT.index("text" if missing == "the layout model's word" else "table"))]
    arrays = [
        np.array(rows, np.float32).reshape(-1, width) for rows, width in ((rules, 3), ([], 3), ([], 4), (layout, 5))
    ]
    found = structure_of(PageTokens(tuple(tokens), *arrays, 600, 800), SureOfOneColumn()).tables
    assert [[(cell.row, cell.column) for cell in one.cells] for one in found] == (
        [] if missing else [[(0, 0), (1, 0), (2, 0), (3, 0)]]
    )


class SureOfSteps:
    """Relations of a network to which each two words are in a row and a column of their own; the first two words
    share their row, the last two, too."""

    def of(self, features: Features) -> tuple[np.ndarray, np.ndarray]:
        count = len(features.tokens)
        pairs = np.full((count, count, 5), -SURE, np.float32)
        pairs[..., 0] = SURE
        pairs[:2, :2, 1] = pairs[-2:, -2:, 1] = SURE
        return pairs, np.full((count, 2), SURE, np.float32)


@pytest.mark.parametrize(("count", "tables"), [(4, 1), (12, 0)])
def test_words_all_over_an_area_are_no_table(count: int, tables: int) -> None:
    tops = [100 + 20 * max(0, min(at, count - 2) - 1) for at in range(count)]
    tokens = [
        Token("7", (60 + 30 * at, top, 70 + 30 * at, top + 10), 10, top + 8, line=at) for at, top in enumerate(tops)
    ]
    arrays = [np.zeros((0, width), np.float32) for width in (3, 3, 4, 5)]
    assert len(structure_of(PageTokens(tuple(tokens), *arrays, 600, 800), SureOfSteps()).tables) == tables


LABELS = {
    "orders": [["Order date:", "Due date:", "Reference:"], ["03/20/2026", "04/04/2026", "CUSTREF123"]],
    "terms": [["Customer", "Terms", "Ship by"], ["Mill Lane Works", "15 days net", "road"]],
    "readings": [["Meter", "Before", "After", "Used"], ["A-4471", "10,220", "10,845", "625"]],
}


@pytest.mark.parametrize("texts", LABELS.values(), ids=LABELS.keys())
def test_no_word_of_labels_over_values_is_lost(parsed: Parsed, texts: list[list[str]]) -> None:
    def draw(page: pymupdf.Page) -> None:
        for y, row in zip((200, 216), texts, strict=True):
            for number, text in enumerate(row):
                page.insert_text((60 + 130 * number, y), text, fontsize=10, fontname="hebo" if y == 200 else "helv")

    page = parsed(_between_prose(draw)).pages[0]
    words = set(page.text.replace("|", " ").replace("*", " ").split())
    assert {word for row in texts for text in row for word in text.split()} <= words
    assert page.account is not None and not page.account.missing


BESIDE = {
    "invoice": [("Invoice no.", "2026-0417"), ("Date", "12 March 2026"), ("Due", "11 April 2026")],
    "order": [("Order", "4711"), ("Customer", "C-20881"), ("Contact", "T. Hughes"), ("Terms", "15 days net")],
    "ticket": [("Train", "IC 204"), ("Coach", "11"), ("Seat", "45, window")],
}


@pytest.mark.parametrize("pairs", BESIDE.values(), ids=BESIDE.keys())
@pytest.mark.parametrize("pitch", [13, 14, 15])
def test_an_address_beside_labels_and_values_is_not_cut(
    parsed: Parsed, pairs: list[tuple[str, str]], pitch: int
) -> None:
    address = ["The Corner Cafe", "Ms A. Osei", "3 Quay Street", "Eastport EP1 1AA"]

    def draw(page: pymupdf.Page) -> None:
        for number, line in enumerate(address):
            page.insert_text((60, 200 + 13 * number), line, fontsize=10)
        for number, (label, value) in enumerate(pairs):
            page.insert_text((360, 200 + pitch * number), label, fontsize=10)
            page.insert_text((440, 200 + pitch * number), value, fontsize=10)

    text = " ".join(parsed(_between_prose(draw)).pages[0].text.replace("\\\n", " ").split())
    assert " ".join(address) in text


@pytest.mark.parametrize("panel", [True, False], ids=["panel", "rule"])
def test_what_stands_beside_a_panel_is_no_row_of_it(parsed: Parsed, panel: bool) -> None:
    side = ["CONTACT", "keeper@tides.example", "Oban", "SKILLS", "Knots", "Charts", "Weather", "Languages", "Gaelic"]
    body = ["Mairi Campbell", "Harbour Master", "SUMMARY", "Twelve years of experience with harbours large and small,"]
    body += ["and with what they are to those who come to them by sea.", "EXPERIENCE", "Harbour of Oban"]

    def draw(page: pymupdf.Page) -> None:
        if panel:
            page.draw_rect(pymupdf.Rect(0, 0, 180, 842), color=None, fill=(0.15, 0.2, 0.3))
        else:
            page.draw_line((180, 0), (180, 842), width=1.5)
        for number, text in enumerate(side):
            page.insert_text((20, 60 + 22 * number), text, fontsize=10, color=(1, 1, 1) if panel else (0, 0, 0))
        for number, text in enumerate(body):
            page.insert_text((200, 60 + 22 * number), text, fontsize=10)

    written = parsed(draw).to_markdown()
    places = [written.index(text[:20]) for text in (*side, *body)]
    assert places == sorted(places) and "|" not in written and "<table" not in written


def test_prose_has_no_table(parsed: Parsed) -> None:
    page = parsed(_between_prose(lambda page: None)).pages[0]
    assert not [grid for block in page.blocks for grid in grids(block)]


@pytest.mark.parametrize(
    ("between", "rows"), [(-2.0, [[0, 1], [2, 3, 4, 5]]), (1.0, [[0, 1, 2, 3, 4, 5]])], ids=["two", "one"]
)
def test_no_table_stands_between_the_rows_of_another(between: float, rows: list[list[int]]) -> None:
    """Six rows, of which the network takes the first two and the fifth for one table, the others for another."""
    odd = np.array([0, 1, 4])
    scores = np.full((6, 6), 3.0)
    scores[:2, 2:], scores[2:, :2] = between, between
    scores[4, 2:4] = scores[2:4, 4] = scores[4, 5] = scores[5, 4] = 0.5
    boxes = np.array([(50, 20 * row, 300, 20 * row + 10) for row in range(6)], np.float32)
    parts = uninterrupted([odd, np.setdiff1d(np.arange(6), odd)], scores.astype(np.float32), boxes)
    assert sorted(sorted(part.tolist()) for part in parts) == rows


def test_a_closed_row_of_heads_above_one_that_says_there_is_nothing_is_a_table(parsed: Parsed) -> None:
    heads = ["Claim ID", "Claim type", "Claim date", "Claim status"]

    def draw(page: pymupdf.Page) -> None:
        _closed([heads], [110] * 4)(page)
        page.draw_rect(pymupdf.Rect(60, 169, 500, 188), width=0.7)
        page.insert_text((64, 181), "No results", fontsize=10)

    page = parsed(_between_prose(draw)).pages[0]
    (table,) = [grid.lines() for block in page.blocks for grid in grids(block)]
    assert [table[0], table[1][0]] == [heads, "No results"]


def _set(rows: Sequence[Sequence[tuple[float, str]]], typed: bool) -> list[Token]:
    """The words of lines, each of pieces at their places; spaces within a piece are typed, or the words are set one by
    one."""
    tokens = []
    for number, row in enumerate(rows):
        y = 100.0 + 14 * number
        for x, text in row:
            for at, word in enumerate(text.split()):
                box = (x, y, x + 5 * len(word), y + 10)
                tokens.append(Token(word, box, 10, y + 8, line=number, spaced=typed and at > 0))
                x += 5 * len(word) + 2.5
    return tokens


NAMES = [[(60, "Domaine de Beaurenard"), (300, "13")], [(60, "Vacqueyras"), (300, "9")], [(60, "Cornas"), (300, "15")]]

OVER = [[(80, "Chateauneuf"), (300, "7")], [(80, "Gigondaslesvins"), (300, "8")]]


@pytest.mark.parametrize(
    ("rows", "typed", "whole"),
    [
        (NAMES, True, True),
        (NAMES, False, False),  # cells that are set one by one: the network's word stands
        ([*NAMES, [(110, "Beaurenard"), (300, "1")]], True, True),  # no white in front of it
        ([*NAMES, [(60, "Coll"), (110, "rouge"), (300, "1")]], True, False),  # a column, in another line
        ([*NAMES, [(60, "Coll"), (110, "rouge"), (300, "1")], *OVER], True, True),  # more lines have words over it
    ],
)
def test_a_typed_space_parts_no_cells_where_nothing_shows_a_column(
    rows: list[list[tuple[float, str]]], typed: bool, whole: bool
) -> None:
    tokens = _set(rows, typed)
    cells = [[number] for number in range(len(tokens))]
    cells[0:2] = [[0, 1]]  # Domaine de | Beaurenard
    found = with_whole_words(cells, tokens)
    assert ([0, 1, 2] in found) is whole
    assert sorted(token for cell in found for token in cell) == list(range(len(tokens)))


def test_a_title_above_a_closed_table_takes_its_column_with_it() -> None:
    """It alone began in the second column; a column in which nothing begins has no place on the page."""
    closed = [Cell((1,), 1, 0), Cell((2,), 1, 2), Cell((3,), 2, 0), Cell((4,), 2, 2)]
    found = without_empty(_without_titles([Cell((0,), 0, 1), *closed], np.array([-1, 0, 0, 0, 0])))
    assert [(cell.tokens[0], cell.row, cell.column) for cell in found] == [(1, 0, 0), (2, 0, 1), (3, 1, 0), (4, 1, 1)]


def test_a_column_that_no_cell_has_without_its_neighbour_is_none() -> None:
    """Figures of one place at the ends of longer ones: the edges of both were columns."""
    long = [Cell((at,), at, 0) for at in range(3)]
    figures = [Cell((3,), 0, 1, 1, 2), Cell((4,), 1, 1, 1, 2), Cell((5,), 2, 2)]
    found = without_empty([*long, *figures])
    assert [(cell.column, cell.columns) for cell in found] == [(0, 1)] * 3 + [(1, 1)] * 3
    alone = [*long, *figures[:2], Cell((6,), 2, 1), figures[2]]  # in the last row each has its own
    assert without_empty(alone) == alone


def test_heads_over_two_columns_each_above_a_closed_table_are_no_title() -> None:
    closed = [Cell((at,), 1 + at // 7, at % 7) for at in range(14)]
    heads = [Cell((20 + at,), 0, 1 + 2 * at, 1, 2) for at in range(3)]
    lattice = np.array([0] * 14 + [-1] * 12)
    assert _without_titles([*heads, *closed], lattice) == [*heads, *closed]
    lines = [Cell((20,), 0, 0, 1, 3), Cell((21,), 0, 3, 1, 4)]  # lines of a letter
    assert all(cell.tokens[0] < 20 for cell in _without_titles([*lines, *closed], lattice))
