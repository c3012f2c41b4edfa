"""Tables without drawn lines: figures in columns beside other columns, and what looks like them and is none."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docspec.core import BBox, Category, PageImage
from docspec.drafting.layout import FoundTable, LayoutBox
from docspec.drafting.page_lines import page_lines
from docspec.drafting.printed import Printed
from docspec.drafting.structure.placing import found_tables, with_tables
from docspec.drafting.text_layer import TextLayerDrafter

from .conftest import PROSE, SECOND

PRICES = [
    ("Number", "Article", "Stock", "Price"),
    ("4471", "Hinge of brass, 60 mm", "12", "3.40"),
    ("4472", "Hook, galvanised", "250", "0.85"),
    ("4480", "Lock with two keys", "6", "18.90"),
    ("4493", "Screws, box of 100", "40", "7.20"),
]
RESULTS = [("Anna Berg", "SWE", "54.31"), ("Mary Olsen", "NOR", "54.88"), ("Ines Duarte", "POR", "55.02")]
ACCOUNTS = [("Revenue", "$", "1,204.5", "6.0 %"), ("Costs", "$", "(804.1)", "4.2 %"), ("Profit", "$", "400.4", "10 %")]

FIGURE = re.compile(r"\(?-?\d[\d.,:]*\)?(?: %)?")

Rows = list[tuple[str, ...]]


def columns(page: Any, rows: Rows, edges: tuple[int, ...], y: float = 100, pitch: float = 16) -> None:
    """Each cell from its column's edge on; of figures that edge is the right one."""
    for number, row in enumerate(rows):
        for text, x in zip(row, edges, strict=True):
            left = x - pymupdf.get_text_length(text, fontsize=10) if FIGURE.fullmatch(text) else x
            page.insert_text((left, y + pitch * number), text, fontsize=10)


def typed(page: Any, rows: Rows, widths: tuple[int, ...], y: float = 100) -> None:
    """Typewritten lines whose cells are set with spaces."""
    for number, row in enumerate(rows):
        text = "".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        page.insert_text((40, y + 13 * number), text.rstrip(), fontsize=9, fontname="cour")


def seen(draw: Callable[[Any], None], page_size: tuple[float, float] = (420, 595)) -> list[FoundTable]:
    """The tables of a page whose text a layout model took for one region."""
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=page_size[0], height=page_size[1])
        draw(page)
        lines = page_lines(page)
        whole = LayoutBox(BBox(0, 0, *page_size), Category.TEXT, tuple(line.bbox for line in lines))
        found, lines = found_tables(Printed(page, modelled=False).structures, lines)
        boxes = with_tables([whole], found)
    members = [member for box in boxes for member in box.members]
    assert sorted(members, key=repr) == sorted((line.bbox for line in lines), key=repr), "no line is lost"
    return [box.table for box in boxes if box.table is not None]


def rows_of(table: FoundTable) -> list[list[str]]:
    text = table.html.replace("th>", "td>").removeprefix("<table><tr><td>").removesuffix("</td></tr></table>")
    return [row.split("</td><td>") for row in text.split("</td></tr><tr><td>")]


@pytest.mark.parametrize(
    ("rows", "edges", "expected"),
    [
        (PRICES, (40, 90, 260, 360), PRICES),
        (PRICES[1:], (40, 90, 260, 360), PRICES[1:]),
        (RESULTS, (40, 180, 330), RESULTS),
        (ACCOUNTS, (40, 200, 270, 360), [(a, f"{b} {c}", d) for a, b, c, d in ACCOUNTS]),
        ([row[::3] for row in PRICES[1:]], (40, 120), [row[::3] for row in PRICES[1:]]),
    ],
)
def test_what_stands_in_columns_with_figures_is_a_table(rows: Rows, edges: tuple[int, ...], expected: Rows) -> None:
    def page(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(40, 30, 380, 85), PROSE, fontsize=8)
        columns(page, rows, edges)
        page.insert_textbox(pymupdf.Rect(40, 200, 380, 285), SECOND, fontsize=8)

    [table] = seen(page)
    assert rows_of(table) == [list(row) for row in expected]
    assert ("<th>" in table.html) == (rows is PRICES)
    assert [len(row) for row in table.grid] == [len(expected[0])] * len(expected)


def test_columns_that_are_made_with_spaces_are_seen(page_of: Callable[..., PageImage]) -> None:
    draft = TextLayerDrafter().draft(page_of(lambda page: typed(page, PRICES, (8, 28, 8, 8))))
    [table] = [region for region in draft.regions if region.category is Category.TABLE]
    assert "<td>4480</td><td>Lock with two keys</td><td>6</td><td>18.90</td>" in table.texts[0]


GROUPS = (
    [("Rye bread, 1 kg", "4.20"), ("Wheat bread", "2.90"), ("Roll", "0.55")],
    [("Apple cake", "2.80"), ("Poppy seed cake", "2.60"), ("Cheese cake, whole", "24.00")],
)


def test_groups_under_headings_are_tables_of_their_own(page_of: Callable[..., PageImage]) -> None:
    def page(page: Any) -> None:
        page.insert_text((40, 60), "Price list", fontsize=18, fontname="hebo")
        page.insert_textbox(pymupdf.Rect(40, 70, 380, 110), PROSE, fontsize=7)
        for name, rows, y in zip(("Bread", "Cakes"), GROUPS, (140, 240), strict=True):
            page.insert_text((40, y), name, fontsize=13, fontname="hebo")
            columns(page, rows, (40, 360), y + 22)

    regions = TextLayerDrafter().draft(page_of(page)).regions
    written = [region.texts[0] for region in regions if region.category in (Category.TABLE, Category.SECTION_HEADER)]
    first, second = ("".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in rows) for rows in GROUPS)
    assert written == ["Bread", f"<table>{first}</table>", "Cakes", f"<table>{second}</table>"]


def prose_beside_prose(page: Any) -> None:
    text = f"{PROSE} In 1994 there were 312 boats, in 2003 only 41, in 2014 none. " * 3
    page.insert_textbox(pymupdf.Rect(30, 40, 200, 560), text, fontsize=9, align=pymupdf.TEXT_ALIGN_JUSTIFY)
    page.insert_textbox(pymupdf.Rect(220, 40, 390, 560), text, fontsize=9, align=pymupdf.TEXT_ALIGN_JUSTIFY)


def references(page: Any) -> None:
    for number in range(6):
        page.insert_text((40, 60 + 28 * number), f"[{number + 1}]", fontsize=10)
        page.insert_text(
            (65, 60 + 28 * number), f"A. Writer: A paper about boats, part {number}. Harbours", fontsize=10
        )
        page.insert_text((65, 72 + 28 * number), f"{number + 3}, {1990 + number}", fontsize=10)


def contents(page: Any) -> None:
    titles = ["Introduction", "Boats and harbours", "Winds", "Tides and currents", "Index"]
    columns(page, [(title, str(4 + 9 * number)) for number, title in enumerate(titles)], (40, 360))


def contents_in_two_columns(page: Any) -> None:
    names = ["Boats", "Winds", "Tides", "Charts"]
    rows = [(str(n + 1), name, str(3 * n + 1), str(n + 5), name, str(3 * n + 20)) for n, name in enumerate(names)]
    columns(page, rows, (50, 60, 180, 230, 240, 380))


def addresses(page: Any) -> None:
    rows = [("Telephone", "+49 40 123456"), ("Fax", "+49 40 123457"), ("Mobile", "0171 5550123")]
    columns(page, [*rows, ("Bank", "DE02 1203 0000 0000 2020 51")], (220, 280))
    for number, text in enumerate(["Harbour Office", "Quay 14", "20457 Hamburg", "20099 Bremen"]):
        page.insert_text((40, 100 + 16 * number), text, fontsize=10)


def numbered_lines(page: Any) -> None:
    rows = [(str(number), "A line of verse, and then") for number in range(5, 12)]
    columns(page, rows, (50, 70))
    columns(page, [(text, number) for number, text in rows], (40, 360), y=300)


def years_of_a_life(page: Any) -> None:
    columns(page, [("1994", "Born at the harbour"), ("2003", "School"), ("2012", "First boat")], (60, 100))


def a_sum_on_paper(page: Any) -> None:
    rows = [("", "7.6"), ("13", "100.0"), ("", "91"), ("", "9.0"), ("", "7.8"), ("", "1.2")]
    columns(page, rows, (80, 130))


def inequalities(page: Any) -> None:
    columns(
        page, [("1.05", "<", "Zone", "<", "1.06"), ("1.11", "<", "Zone", "<", "1.01")] * 2, (80, 100, 120, 160, 210)
    )


def marks_beside_questions(page: Any) -> None:
    for number, marks in enumerate((4, 2, 6, 3)):
        text = "How many boats went out and did not come back in the first ten years after 1994?"
        page.insert_text((40, 60 + 16 * number), text, fontsize=7)
        page.insert_text((385, 60 + 16 * number), str(marks), fontsize=7)


@pytest.mark.parametrize(
    "draw",
    [
        prose_beside_prose,
        references,
        contents,
        contents_in_two_columns,
        addresses,
        numbered_lines,
        years_of_a_life,
        a_sum_on_paper,
        inequalities,
        marks_beside_questions,
    ],
)
def test_what_is_none_stays_text(draw: Callable[[Any], None]) -> None:
    assert seen(draw) == []


def test_a_table_in_one_column_of_prose_takes_nothing_of_the_other() -> None:
    def page(page: Any) -> None:
        columns(page, [row[1::2] for row in PRICES[1:]], (30, 200), y=52, pitch=13.7)
        page.insert_textbox(pymupdf.Rect(220, 40, 390, 560), PROSE + SECOND, fontsize=10)

    assert [rows_of(table) for table in seen(page)] == [[list(row[1::2]) for row in PRICES[1:]]]


def test_labels_with_leaders_in_a_column_of_prose_are_no_prose() -> None:
    def draw(page: Any) -> None:
        for number in range(4):
            page.insert_text((40, 80 + 13 * number), PROSE[:44], fontsize=9)
        for number, (label, share, count) in enumerate(
            (("Female", "40", "15,048"), ("Male", "17", "3,561"), ("All", "57", "980"))
        ):
            y = 140 + 13 * number
            dots = int((150 - pymupdf.get_text_length(label, "helv", 9)) / pymupdf.get_text_length(".", "helv", 9))
            page.insert_text((40, y), label + "." * dots, fontsize=9)
            for x, text in ((220, share), (280, count)):
                page.insert_text((x - pymupdf.get_text_length(text, "helv", 9), y), text, fontsize=9)

    assert [table.html.count("<tr>") for table in seen(draw)] == [3]


def test_heads_that_stand_closer_than_cells_are_heads() -> None:
    def draw(page: Any) -> None:
        for x, text in ((40, "Station"), (76, "Jan"), (98, "Feb"), (122, "Mar")):
            page.insert_text((x, 100), text, fontsize=9)
        for number, label in enumerate(("Oban", "Tiree", "Coll", "Mull")):
            page.insert_text((40, 113 + 13 * number), label, fontsize=9)
            for x in (88, 112, 136):
                page.insert_text((x - 5, 113 + 13 * number), str((7, 2, 31, 5)[number]), fontsize=9)

    assert [table.html.split("</tr>")[0] for table in seen(draw)] == [
        "<table><tr><th>Station</th><th>Jan</th><th>Feb</th><th>Mar</th>"
    ]


def test_the_command_writes_a_price_list_of_a4_as_a_table(tmp_path: Path) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=595, height=842)
        page.insert_text((40, 70), "Price list", fontsize=18, fontname="hebo")
        page.insert_textbox(pymupdf.Rect(40, 90, 540, 150), PROSE, fontsize=10)
        typed(page, PRICES[1:], (8, 28, 8, 8), y=180)
        page.insert_textbox(pymupdf.Rect(40, 250, 540, 320), SECOND, fontsize=10)
        pdf.save(tmp_path / "list.pdf")
    command = [sys.executable, "-m", "docspec", "parse", "list.pdf", "-o", "list.md", "-q"]
    root = str(Path(__file__).parents[2])
    subprocess.run(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": root}, check=True, timeout=300)
    written = (tmp_path / "list.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in written.splitlines() if line.startswith("|")]
    assert not any(rows[0]), "a table without heads has none"
    assert rows[2:] == [list(row) for row in PRICES[1:]]
