"""Tables without drawn lines: figures in columns beside other columns, and what looks like them and is none."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docspec.core import Category, PageImage
from docspec.drafting.figures import is_figure
from docspec.drafting.found_table import FoundTable
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

Rows = list[tuple[str, ...]]


def columns(page: Any, rows: Rows, edges: tuple[int, ...], y: float = 100, pitch: float = 16) -> None:
    """Each cell from its column's edge on; of figures that edge is the right one."""
    for number, row in enumerate(rows):
        for text, x in zip(row, edges, strict=True):
            left = x - pymupdf.get_text_length(text, fontsize=10) if is_figure(text) else x
            page.insert_text((left, y + pitch * number), text, fontsize=10)


def typed(page: Any, rows: Rows, widths: tuple[int, ...], y: float = 100) -> None:
    """Typewritten lines whose cells are set with spaces."""
    for number, row in enumerate(rows):
        text = "".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        page.insert_text((40, y + 13 * number), text.rstrip(), fontsize=9, fontname="cour")


def rows_of(table: FoundTable) -> list[list[str]]:
    text = table.html.replace("th>", "td>").removeprefix("<table><tr><td>").removesuffix("</td></tr></table>")
    return [row.split("</td><td>") for row in text.split("</td></tr><tr><td>")]


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
    "text", ["3.40", "1,136", "€ 2.20", "EUR 12", "12 kg", "4.2 %", "(804.1)", "-7", "08:15", "5 km/h"]
)
def test_numbers_with_signs_and_units_are_figures(text: str) -> None:
    assert is_figure(text)


@pytest.mark.parametrize("text", ["12.", "[3]", "(2)", "+49 40 123456", "0171 5550123", "24103 Kiel", "A4", "", "-"])
def test_what_counts_rows_and_calls_people_is_none(text: str) -> None:
    assert not is_figure(text)


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
    assert [rows[0], *rows[2:]] == [list(row) for row in PRICES[1:]]
