"""Tables with drawn lines: closed cells are cells, and their words stand in the order of reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib
import pymupdf
import pytest
from bidi import get_display

from docspec.reporting.tables import grids
from docspec.results import ParsedDocument

Parsed = Callable[..., ParsedDocument]
FONT = Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf"


def ruled(page: Any, y: float, edges: Sequence[float], rows: Sequence[Sequence[str]], height: float = 30) -> None:
    for row in rows:
        for left, right, text in zip(edges, edges[1:], row, strict=False):
            page.draw_rect(pymupdf.Rect(left, y, right, y + height), width=0.5)
            for number, line in enumerate(text.split("\n")):
                page.insert_text((left + 4, y + 12 + 12 * number), line, fontsize=9)
        y += height


def lines_of(document: ParsedDocument) -> list[list[list[str]]]:
    return [grid.lines() for page in document.pages for block in page.blocks for grid in grids(block)]


@pytest.mark.parametrize(
    "rows",
    [
        [("Name", "First name", "Date of\nbirth", "Age"), ("Sample\nold: Exam", "Kim", "1.2.1990", "34")],
        [("Vessel", "Flag", "Year of\nbuild", "Tons"), ("Marit\nex Astrid", "Norway", "1987", "450")],
        [
            ("Port of\nloading", "Agent", "Berth", "Fee"),
            ("Oban", "Hay & Sons\nLtd", "4", "12.50"),
            ("Tiree", "Lamont", "1", "8.00"),
        ],
    ],
)
def test_two_lines_in_a_closed_cell_are_one_cell(parsed: Parsed, rows: list[tuple[str, ...]]) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 60), "Form of record", fontsize=14, fontname="hebo")
        ruled(page, 80, [60, 200, 330, 460, 535], rows)

    assert lines_of(parsed(draw)) == [[[text.replace("\n", " ") for text in row] for row in rows]]


@pytest.mark.parametrize(("first", "second"), [("12.50", "5%"), ("3.20", "30 %"), ("710.00", "7%")])
def test_columns_between_which_a_rule_is_missing_stay_columns(parsed: Parsed, first: str, second: str) -> None:
    """Of two rows one has a discount, and the head of the price has two lines."""

    def draw(page: Any) -> None:
        rows = [("Article", "Number", "", "Amount"), ("Rope, 12 mm", "4", "", "9.90"), ("Blocks", "10", "", "8.00")]
        ruled(page, 80, [60, 240, 320, 460, 540], rows)
        for x, y, text in ((340, 90, "Unit"), (340, 102, "price"), (420, 96, "Disc."), (340, 122, first)):
            page.insert_text((x, y), text, fontsize=9)
        page.insert_text((424, 122), second, fontsize=9)
        page.insert_text((340, 152), "19.80", fontsize=9)

    [grid] = lines_of(parsed(draw))
    assert grid[:2] == [
        ["Article", "Number", "Unit price", "Disc.", "Amount"],
        ["Rope, 12 mm", "4", first, second, "9.90"],
    ]


@pytest.mark.parametrize("heads", [("Ships", "Share"), ("Vessels", "Tons"), ("2019", "2020")])
def test_heads_in_one_closed_cell_above_columns_without_rules_have_cells_of_their_own(
    parsed: Parsed, heads: tuple[str, str]
) -> None:
    """Rules close the heads of groups and a row of heads below each; the columns of a group have none between them."""

    edges = (60, 160, 240, 290, 355, 400, 485)
    names = ("Oban", "Tiree", "Coll", "Mull", "Islay", "Jura", "Canna", "Eigg", "Muck")

    def draw(page: Any) -> None:
        for row in range(0, len(names), 2):  # bands of a colour behind every second row
            for left, right in pairwise(edges):
                page.draw_rect(
                    (left, 120 + 10 * row, right, 130 + 10 * row), width=0, color=None, fill=(0.85, 0.85, 0.85)
                )
        for y in (78, 100, 120, 210):
            page.draw_line((60 if y > 100 else 160, y), (485, y))
        for x in (60, 160, 290, 485):
            page.draw_line((x, 78 if x > 60 else 100), (x, 210))
        for x, text in ((175, "Arrivals by day"), (350, "Arrivals by night")):
            page.insert_text((x, 92), text, fontsize=8, fontname="hebo")
        page.insert_text((60, 112), "Port", fontsize=8, fontname="hebo")
        for at, (left, right) in enumerate(pairwise(edges[1:])):
            text = [*heads, *heads, "Sum"][at]
            page.insert_text(
                ((left + right - pymupdf.get_text_length(text, "hebo", 8)) / 2, 112), text, fontname="hebo", fontsize=8
            )
        for row, name in enumerate(names):
            page.insert_text((60, 128 + 10 * row), name, fontsize=8)
            for at, right in enumerate(edges[2:]):
                figure = f"{(row + 3) * (at + 2) % 97}.{row}"
                page.insert_text(
                    (right - pymupdf.get_text_length(figure, fontsize=8), 128 + 10 * row), figure, fontsize=8
                )

    [grid] = lines_of(parsed(draw))
    assert grid[1] == ["Port", *heads, *heads, "Sum"]
    assert [row[0] for row in grid[2:]] == list(names)
    assert all(len(row) == 6 and all(row) for row in grid[2:])


def test_a_cell_drawn_over_two_columns_spans_them(parsed: Parsed) -> None:
    def draw(page: Any) -> None:
        ruled(page, 80, [60, 200, 460], [("Berth\nnumber", "Time of the\ncrossing in minutes")])
        ruled(page, 110, [60, 200, 330, 460], [("4 and\nformerly 9", "outward", "homeward\n(winter)")])

    document = parsed(draw)
    [grid] = [grid for block in document.pages[0].blocks for grid in grids(block)]
    told = [(cell.text, cell.row, cell.column, cell.columns) for cell in grid.cells]
    assert told == [
        ("Berth number", 0, 0, 1),
        ("Time of the crossing in minutes", 0, 1, 2),
        ("4 and formerly 9", 1, 0, 1),
        ("outward", 1, 1, 1),
        ("homeward (winter)", 1, 2, 1),
    ]


def test_rows_without_rules_in_one_drawn_row_stay_rows(parsed: Parsed) -> None:
    rows = [("Port", "Ships", "Tons"), ("Oban\nTiree\nColl\nMull", "12\n7\n3\n19", "450\n210\n95\n880")]

    def draw(page: Any) -> None:
        ruled(page, 80, [60, 200, 330, 460], rows[:1])
        ruled(page, 110, [60, 200, 330, 460], rows[1:], 60)

    [table] = lines_of(parsed(draw))
    assert ["Tiree", "7", "210"] in table and ["Mull", "19", "880"] in table


def test_a_head_outside_of_the_drawn_cells_stays_in_the_table(parsed: Parsed) -> None:
    def draw(page: Any) -> None:
        for x, text in ((64, "Port"), (204, "Ships"), (334, "Remark")):
            page.insert_text((x, 76), text, fontsize=9, fontname="hebo")
        ruled(page, 80, [60, 200, 330, 460], [("Oban", "12", "deep\nwater"), ("Tiree", "7", "pilot\nneeded")])

    told = [" ".join(row) for table in lines_of(parsed(draw)) for row in table]
    assert told[0] == "Port Ships Remark"


def right_to_left(page: Any, x1: float, y: float, text: str) -> None:
    """Words from right to left, each drawn as it stands on paper."""
    font = pymupdf.Font(fontfile=str(FONT))
    for word in text.split():
        shown = word if word.isascii() else word[::-1]
        x1 -= font.text_length(shown, 12)
        page.insert_text((x1, y), shown, fontsize=12, fontname="dejavu", fontfile=str(FONT))
        x1 -= 4


@pytest.mark.parametrize(
    "rows",
    [
        [("مرحبا", "اسمي سلطان"), ("انا من ولاية", "من اين انت"), ("1234", "عندي 47 قطط")],
        [("שם הספינה", "נמל הבית"), ("כוכב הים 12", "עיר על החוף"), ("רוח צפונית", "אי קטן מאוד")],
        [("سعر السفر", "مدينة الميناء"), ("25 دينار", "بحر الشمال"), ("310", "جزيرة من رمل")],
    ],
    ids=["arabic", "hebrew", "figures"],
)
def test_cells_of_right_to_left_text_are_in_logical_order(parsed: Parsed, rows: list[tuple[str, str]]) -> None:
    def draw(page: Any) -> None:
        for row, texts in enumerate(rows):
            for column, text in enumerate(texts):
                left, top = 60 + 230 * column, 80 + 28 * row
                page.draw_rect(pymupdf.Rect(left, top, left + 230, top + 28), width=0.7)
                right_to_left(page, left + 224, top + 19, text)

    assert lines_of(parsed(draw)) == [[list(texts) for texts in rows]]


def test_figures_before_a_right_to_left_cell_with_brackets_stay_in_their_column(parsed: Parsed) -> None:
    rows = [
        ("2.7", "0.4", "גשם ביום"),
        ("2.0", "1.2", "שלג בלילה"),
        ("2.5", "0.8", "רוח (1) בגליל"),
        ("9.3", "6.3", "ברד ושלג"),
        ("3.3", "5.1", "ערפל (2) בהר"),
    ]
    face = pymupdf.Font(fontfile=str(FONT))

    def draw(page: Any) -> None:
        page.insert_font(fontname="dejavu", fontfile=str(FONT))
        page.draw_rect(pymupdf.Rect(60, 80, 400, 202), width=0.7)
        for start, end in (((60, 102), (400, 102)), ((250, 80), (250, 202)), ((155, 80), (155, 102))):
            page.draw_line(start, end)
        page.insert_text((100, 96), "2009", fontname="dejavu", fontsize=9)
        page.insert_text((190, 96), "2010", fontname="dejavu", fontsize=9)
        for row, (one, other, label) in enumerate(rows):
            shown = get_display(label)
            right = 390 - face.text_length(shown, 9)
            for x, text in ((100, one), (190, other), (right, shown)):
                page.insert_text((x, 116 + 20 * row), text, fontname="dejavu", fontsize=9)

    assert lines_of(parsed(draw)) == [[["2009", "2010", ""], *(list(row) for row in rows)]]


COUNTS = [
    ("Spain", "268", "12"),
    ("Germany", "233", "9"),
    ("France", "136", "31"),
    ("Italy", "92", "4"),
    ("Malta", "5", "2"),
]
HARBOURS = [
    ("Oban", "12", "450"),
    ("Tiree", "7", "95"),
    ("Coll", "31", "880"),
    ("Mull", "19", "210"),
    ("Ayr", "8", "77"),
]


@pytest.mark.parametrize("gap", [12, 20, 40])
def test_closed_grids_beside_each_other_are_tables_of_their_own(parsed: Parsed, gap: float) -> None:
    def draw(page: Any) -> None:
        ruled(page, 80, [60, 140, 190, 240], [("Country", "Calls", "Mails"), *COUNTS], 16)
        ruled(page, 80, [240 + gap, 320 + gap, 370 + gap, 420 + gap], [("Port", "Ships", "Tons"), *HARBOURS], 16)

    tables = lines_of(parsed(draw))
    assert tables == [
        [list(row) for row in rows]
        for rows in ([("Country", "Calls", "Mails"), *COUNTS], [("Port", "Ships", "Tons"), *HARBOURS])
    ]


@pytest.mark.parametrize("title", ["Improved operation", "Best practice", "State of the art"])
def test_closed_grids_below_each_other_are_tables_with_their_titles(parsed: Parsed, title: str) -> None:
    first, second = [("Servers", "2007", "2008"), *COUNTS[:3]], [("Rooms", "2009", "2010"), *HARBOURS[:3]]

    def draw(page: Any) -> None:
        y = 80.0
        for head, rows in ((title, first), ("Another scenario", second)):
            ruled(page, y, [60, 360], [(head,)], 16)
            ruled(page, y + 16, [60, 200, 280, 360], rows, 16)
            y += 16 * (len(rows) + 1)

    rows = [row for table in lines_of(parsed(draw)) for row in table]
    expected = [[title, "", ""], *map(list, first), ["Another scenario", "", ""], *map(list, second)]
    assert rows == expected


@pytest.mark.parametrize(
    "rows",
    [
        [("Country", "Domestic (%)", "Imported (%)", "Total (n)"), *((a, b, c, "7") for a, b, c in COUNTS)],
        [("Port", "Ships in all", "Tons in all", "Berths"), *((a, b, c, "3") for a, b, c in HARBOURS)],
        [("Port", "Pilot", "Tide", "Depth"), *((a, "needed", "any", c) for a, _, c in HARBOURS)],
    ],
)
def test_rows_with_level_lines_alone_have_the_columns_of_their_heads(
    parsed: Parsed, rows: list[tuple[str, ...]]
) -> None:
    edges = [60, 190, 300, 410, 520]

    def draw(page: Any) -> None:
        ruled(page, 80, edges, rows[:1], 20)
        for number, row in enumerate(rows[1:]):
            y = 100 + 16 * number
            page.draw_rect(pymupdf.Rect(60, y, 520, y + 16), width=0.5)
            for x, text in zip(edges, row, strict=False):
                page.insert_text((x + 4, y + 11), text, fontsize=9)

    assert lines_of(parsed(draw)) == [[list(row) for row in rows]]


@pytest.mark.parametrize("words", ["Number of", "Share of all", "Pct of"])
def test_words_of_a_head_set_far_apart_in_a_closed_cell_are_one_head(parsed: Parsed, words: str) -> None:
    edges = [60, 200, 300, 400]
    first, *others = words.split()

    def draw(page: Any) -> None:
        ruled(page, 80, edges, [("Port", "", "")], 32)
        for left in edges[1:3]:
            page.insert_text((left + 4, 92), first, fontsize=9)
            page.insert_text((left + 62, 92), " ".join(others), fontsize=9)
            page.insert_text((left + 4, 104), "ports" if left == 200 else "ships", fontsize=9)
        ruled(page, 112, edges, HARBOURS, 16)

    [table] = lines_of(parsed(draw))
    assert table == [["Port", f"{words} ports", f"{words} ships"], *map(list, HARBOURS)]


def test_rows_between_upright_lines_alone_stay_rows(parsed: Parsed) -> None:
    rows = [
        ("Class 1", "Ships of more than 500 tons\nwith a crew of ten", "1998"),
        ("Class 2", "All other ships", "2001"),
        ("Class 3", "Boats in harbours and on\nrivers only", "2004"),
    ]

    def draw(page: Any) -> None:
        for x, text in zip((64, 184, 404), ("Kind", "Meaning", "Since"), strict=True):
            page.insert_text((x, 92), text, fontsize=9, fontname="hebo")
        y = 112.0
        for row in rows:
            for x, text in zip((64, 184, 404), row, strict=True):
                for number, line in enumerate(text.split("\n")):
                    page.insert_text((x, y + 10.5 * number), line, fontsize=9)
            y += 10.5 * max(text.count("\n") + 1 for text in row) + 3
        for x in (60, 180, 400, 535):
            page.draw_line((x, 80), (x, y - 6), width=0.5)
        for height in (80, 96, y - 6):
            page.draw_line((60, height), (535, height), width=0.5)

    [table] = lines_of(parsed(draw))
    assert table == [["Kind", "Meaning", "Since"], *([text.replace("\n", " ") for text in row] for row in rows)]


def test_the_rooms_of_a_plan_are_no_table(parsed: Parsed) -> None:
    """Walls and dimension lines close cells, too."""

    def draw(page: Any) -> None:
        for x0, y0, x1, y1, name in (
            (90, 130, 250, 260, "KITCHEN"),
            (250, 130, 430, 200, "HALL"),
            (250, 200, 340, 260, "BATH"),
            (340, 200, 430, 260, "STORE"),
            (90, 260, 300, 420, "LIVING ROOM"),
            (300, 260, 430, 420, "BEDROOM"),
        ):
            page.draw_rect(pymupdf.Rect(x0, y0, x1, y1), width=1.2)
            page.insert_text(((x0 + x1) / 2 - 3 * len(name), (y0 + y1) / 2 + 7), name, fontsize=9)
        for x in (90, 250, 430):
            page.draw_line((x, 100), (x, 130), width=0.4)
        page.draw_line((90, 110), (430, 110), width=0.4)
        for x, text in ((160, "4,00"), (330, "4,50")):
            page.insert_text((x, 107), text, fontsize=7)
        page.draw_circle((195, 345), 30)
        page.draw_line((340, 130), (380, 160))

    assert not lines_of(parsed(draw))


@pytest.mark.parametrize(
    "rows",
    [
        [("Cable, 3 m", "1", "0,75", "0,75"), ("Plug", "10", "3,50", "35,00"), ("Socket", "2", "4,20", "8,40")],
        [("Dunlin", "4", "March", "12,1"), ("Knot", "12", "April", "9,7"), ("Sanderling", "7", "May", "3,25")],
        [("Oban", "3", "7.40", "11.05"), ("Tiree", "1", "8.15", "12.00"), ("Coll", "2", "9.30", "13.45")],
    ],
)
def test_a_body_without_upright_rules_has_the_columns_of_its_head(parsed: Parsed, rows: list[tuple[str, ...]]) -> None:
    """The heads stand in the middle of their cells, the figures below at the left and right edges of these."""
    edges = [60, 240, 330, 420, 530]
    head = ("Name", "Number", "Each", "Sum")

    def draw(page: Any) -> None:
        for left, right, text in zip(edges, edges[1:], head, strict=False):
            page.draw_rect(pymupdf.Rect(left, 80, right, 104), width=0.7)
            page.insert_text(((left + right) / 2 - 2.4 * len(text), 95), text, fontsize=9, fontname="hebo")
        page.draw_rect(pymupdf.Rect(edges[0], 104, edges[-1], 130 + 26 * len(rows)), width=0.7)
        for number, (name, count, *figures) in enumerate(rows):
            y = 126 + 26 * number
            page.insert_text((64, y), name, fontsize=9)
            page.insert_text((244, y), count, fontsize=9)
            for right, text in zip(edges[3:], figures, strict=True):
                page.insert_text((right - 5 - pymupdf.get_text_length(text, fontsize=9), y), text, fontsize=9)

    assert lines_of(parsed(draw)) == [[list(row) for row in (head, *rows)]]


def test_cells_drawn_one_by_one_without_upright_rules_are_a_table(parsed: Parsed) -> None:
    """As in forms that a program sets cell by cell: a piece of rule above and below each, and a gap of two points."""
    rows = [("Number:", "549910"), ("Name:", "Harbour insurance"), ("Street:", "Mole 12"), ("Tax no.:", "DE234567891")]

    def draw(page: Any) -> None:
        page.insert_text((60, 60), "Account of the insurer", fontsize=14, fontname="hebo")
        for number, row in enumerate(rows):
            for (left, right), text in zip(((69, 258), (260, 543)), row, strict=True):
                top = 90 + 24 * number
                for y in (top, top + 22):
                    page.draw_rect(pymupdf.Rect(left, y, right, y + 1), color=None, fill=(0.8, 0.8, 0.8))
                page.insert_text((left + 2, top + 15), text, fontsize=9)

    assert lines_of(parsed(draw)) == [[list(row) for row in rows]]


ITEMS = [
    (
        "# order: 1\nGTIN:598785\nOURS: ART_1254\nYOURS: REF5487\nREF:BUY_REF",
        "SUPPORT - Description\nfrom 01/01 to 31/01\nby: GROUP_A - SKU\n(SK): SKU2578\n(ATT) DAY\n(BLU): EUR 0,50",
    ),
    (
        "# order: 3\nOURS: ART_9874\nYOURS: REF9854\nREF:BUY_REF\nORIGIN:FR",
        "PAPER - Description\n01/01\nTariff: T_22 - Lot (BB):\nLOT6254784\n(ATT) COLOUR: WHITE\n(BLU): EUR 0,50",
    ),
    ("# order: 2\nREF:BUY_REF", "CALL - Description\n(BLU): EUR 0,50 for waste"),
]


@pytest.mark.parametrize("pitch", [7.4, 8.0, 8.6])
def test_lines_at_the_middle_of_closed_cells_are_one_row(parsed: Parsed, pitch: float) -> None:
    """Their baselines differ from cell to cell; those of rows do not."""
    edges = [50, 70, 150, 300, 370, 410, 450, 500, 545]
    heads = ("#", "CODES", "NAME", "PRICE", "UNIT", "Number", "Less (-)\nMore (+)", "TOTAL")
    prices = ("(Gross: 65,00)\n(Less: 5,00)\n(Net): 60,00", "(Gross: 31,00)\n(Less: 1,00)\n(Net): 30,00")
    ends = [(prices[0], "PCE", "1,00", "-1,00 (RE)\n1,00 (CH)", "60,00"), (prices[1], "PCE", "3,00", "-2,00", "28,00")]
    ends += [("(Gross: 7,00)\n(Less: 0,00)\n(Net): 7,00", "PCE", "1,00", "", "7,00")]
    items = [(str(n), *item, *end) for n, (item, end) in enumerate(zip(ITEMS, ends, strict=True), start=1)]

    def draw(page: Any) -> None:
        y = 80.0
        for row in [heads, *items]:
            for left, right, text in zip(edges, edges[1:], row, strict=False):
                page.draw_rect(pymupdf.Rect(left, y, right, y + 55), width=0.5)
                lines = text.split("\n")
                small = 0.9 if text.startswith("# order") else 1.0
                for number, line in enumerate(lines):
                    middle = y + 29 + (number - (len(lines) - 1) / 2) * pitch * small
                    page.insert_text((left + 2, middle), line, fontsize=6 * small)
            y += 55

    [grid] = lines_of(parsed(draw))
    assert grid[1:] == [[text.replace("\n", " ") for text in item] for item in items]


@pytest.mark.parametrize("remark", ["Order of 1 March 2013", "Delivery by boat, from the quay"])
def test_a_remark_in_the_last_row_of_a_frame_is_of_the_table(parsed: Parsed, remark: str) -> None:
    rows = [("Number", "471102"), ("Date", "05.03.2013"), ("Service", "05.03.2013"), ("Customer", "GE2020211")]

    def draw(page: Any) -> None:
        page.insert_text((60, 70), "Hay & Partners, LLC", fontsize=10)
        page.draw_rect(pymupdf.Rect(300, 80, 520, 220), width=0.6)
        for n, (name, value) in enumerate([("INVOICE", ""), *rows, ("Currency", "EUR"), ("Remark", "")]):
            y = 92 + 15 * n
            page.insert_text((302, y), name, fontsize=7)
            page.insert_text((515 - pymupdf.get_text_length(value, fontsize=10), y), value, fontsize=10)
            if n < 6:
                page.draw_line((300, y + 3), (520, y + 3), width=0.6)
        page.insert_text((302, 200), remark, fontsize=10)

    [grid] = lines_of(parsed(draw))
    assert [row for row in grid if row[0] in dict(rows)] == [list(row) for row in rows]
    assert any(remark in row for row in grid)
