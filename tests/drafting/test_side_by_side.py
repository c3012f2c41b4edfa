"""Tables without lines beside each other, and the panels of one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pymupdf
import pytest

from docspec.core import PageImage
from docspec.drafting.text_layer import TextLayerDrafter
from docspec.reporting.tables import grids
from docspec.results import ParsedDocument

from .conftest import PROSE, SECOND
from .test_unruled import Rows, columns, rows_of, seen

UP = [("Oban", "12.4"), ("Tiree", "9.0"), ("Coll", "31.7"), ("Mull", "8.8")]
DOWN = [("Barra", "2.1"), ("Skye", "14.6"), ("Islay", "3.3"), ("Jura", "27.0")]
HEADS = ("Island", "Change")

Edges = tuple[int, int, int, int]
APART: Edges = (40, 120, 230, 310)
NARROW: Edges = (40, 120, 150, 230)  # the white behind the first figures is that between the columns


def beside(page: Any, edges: Edges, heads: Sequence[Sequence[str]] = (), titles: Sequence[str] = ()) -> None:
    for title, x in zip(titles, edges[::2], strict=False):
        page.insert_text((x, 68 if heads else 84), title, fontsize=10)
    sides = zip(([heads[0]] if heads else []) + UP, ([heads[1]] if heads else []) + DOWN, strict=True)
    rows = [(*left, *right) for left, right in sides]
    columns(page, rows, edges, 100 - 16 * bool(heads))


@pytest.mark.parametrize(
    ("heads", "titles"), [((HEADS, HEADS), ()), ((HEADS, HEADS), ("Up", "Down")), ((), ("Went up", "Went down"))]
)
def test_tables_with_heads_or_titles_of_their_own_are_two(
    heads: Sequence[Sequence[str]], titles: Sequence[str]
) -> None:
    tables = seen(lambda page: beside(page, APART, heads, titles))
    expected = [[list(row) for row in (*heads[:1], *rows)] for rows in (UP, DOWN)]
    assert sorted(map(rows_of, tables)) == sorted(expected)


@pytest.mark.parametrize(
    ("edges", "heads", "titles"),
    [
        (APART, (), ()),  # panels: nothing says that these are two
        (APART, (), ("All islands",)),
        (APART, (HEADS, ("Area", "Wind")), ()),
        (NARROW, (HEADS, HEADS), ()),
    ],
)
def test_panels_of_a_table_are_one(edges: Edges, heads: Sequence[Sequence[str]], titles: Sequence[str]) -> None:
    [table] = seen(lambda page: beside(page, edges, heads, titles))
    assert {len(row) for row in rows_of(table)} == {4}


def test_years_beside_each_other_over_the_same_heads_are_one_table() -> None:
    rows = [("Men", "Women", "Men", "Women"), *(("12", "4", str(n), "9") for n in (31, 8, 77, 5))]
    names: Rows = [("",), ("Oban",), ("Tiree",), ("Coll",), ("Mull",)]

    def draw(page: Any) -> None:
        columns(page, names, (40,))
        columns(page, rows, (120, 170, 290, 340))

    [table] = seen(draw)
    assert {len(row) for row in rows_of(table)} == {5}


def test_two_tables_that_the_layout_model_sees_stay_two(page_of: Callable[..., PageImage]) -> None:
    def draw(page: Any) -> None:
        page.insert_textbox((60, 60, 530, 160), PROSE, fontsize=11)
        for x, title, rows in ((60, "Went up", UP), (320, "Went down", DOWN)):
            page.insert_text((x, 190), title, fontsize=9, fontname="hebo")
            columns(page, [HEADS, *rows], (x, x + 90), 206)
        page.insert_textbox((60, 300, 530, 400), SECOND, fontsize=11)

    texts = [region.texts[0] for region in TextLayerDrafter().draft(page_of(draw, size=(595, 842))).regions]
    _, up, first, down, second, _ = texts
    assert (up, down) == ("Went up", "Went down")
    assert "Oban" in first and "Barra" in second and first.count("<tr>") == second.count("<tr>") == 5


@pytest.mark.parametrize("titles", [("Up", "Down", "Level"), ()])
def test_three_tables_beside_each_other_are_three(titles: Sequence[str]) -> None:
    level = [("Rum", "0.1"), ("Eigg", "0.2"), ("Muck", "0.0"), ("Canna", "0.3")]
    edges = (40, 120, 180, 260, 320, 400)

    def draw(page: Any) -> None:
        for title, x in zip(titles, edges[::2], strict=False):
            page.insert_text((x, 68), title, fontsize=10)
        columns(page, [HEADS * 3, *((*a, *b, *c) for a, b, c in zip(UP, DOWN, level, strict=True))], edges, 84)

    expected = [[list(row) for row in (HEADS, *rows)] for rows in (UP, DOWN, level)]
    assert sorted(map(rows_of, seen(draw, (460, 595)))) == sorted(expected)


@pytest.mark.parametrize(
    ("titles", "count"),
    [(("Table 4. Islands", "Table 5. Ferries"), 2), (("Name", "Ferry"), 1), (("Table 4. Islands",), 1)],
)
def test_numbered_titles_part_tables_whatever_stands_between_them(titles: Sequence[str], count: int) -> None:
    heads = (("Island", "Change"), ("Ferry", "Share"))
    tables = seen(lambda page: beside(page, NARROW, heads, titles))
    assert len(tables) == count


PARTIES = [("Issuer", "Oban Lines, LTD."), ("Trustee", "Mull Bank N.A."), ("Manager", "Hay & Partners, LLC")]
PARTIES += [("Closing", "04/23/2024"), ("Prior", "-"), ("Agent", "A&B")]
BALANCES = [("Delayed loan", "65,000.00"), ("Revolving loan", "0.00"), ("Term loan", "374,868.42")]
BALANCES += [("Cash", "12,815.94"), ("Interest", "13,000.09"), ("Fees", "181.20")]
TESTS = [("Moody's rating", "2,577"), ("Diversity", "85"), ("Spread", "3.5006%"), ("Coupon", "54.9214%")]
TESTS += [("Life", "4.83"), ("Recovery", "40.50%")]


@pytest.mark.parametrize(
    "panels",
    [
        {"Parties": PARTIES, "Balances": BALANCES},
        {"Balances": BALANCES, "Tests passed": TESTS},
        {"Parties": PARTIES, "Balances": BALANCES, "Tests passed": TESTS},
    ],
)
def test_panels_with_titles_above_rules_are_tables_below_their_titles(
    parsed: Callable[..., ParsedDocument], panels: dict[str, list[tuple[str, str]]]
) -> None:
    def draw(page: Any) -> None:
        page.insert_text((30, 60), "Summary of the deal", fontsize=14, fontname="hebo")
        for n, (title, rows) in enumerate(panels.items()):
            left, right = 30 + n * 540 / len(panels), 30 + (n + 1) * 540 / len(panels) - 8
            page.insert_text((left + 2, 100), title, fontsize=9, fontname="hebo")
            page.draw_line((left, 108), (right, 108), width=0.8)
            for number, (name, value) in enumerate(rows):
                y = 124 + 13 * number
                page.insert_text((left + 2, y), name, fontsize=8)
                page.insert_text((right - 2 - pymupdf.get_text_length(value, fontsize=8), y), value, fontsize=8)

    blocks = parsed(draw).pages[0].blocks
    written = [[grid.lines() for grid in grids(block)] or block.text for block in blocks]
    expected = [part for title, rows in panels.items() for part in (title, [[list(row) for row in rows]])]
    assert written[-len(expected) :] == expected
