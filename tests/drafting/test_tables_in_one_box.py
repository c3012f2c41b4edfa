"""Several tables that a layout model took for one: each is a table of its own, in its place, in every format."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pymupdf

from docspec.core import BBox, Category
from docspec.drafting.layout import FoundTable, LayoutBox
from docspec.drafting.structure.placing import with_tables
from docspec.reporting.tables import grids
from docspec.results import ParsedDocument

Parsed = Callable[..., ParsedDocument]
CROPS = ("Wheat", "Barley", "Rapeseed", "Winter rye")


def figures(number: int) -> list[list[str]]:
    return [[crop, *(f"{7 * number + row}.{3 * year + 1}" for year in range(5))] for row, crop in enumerate(CROPS)]


def ruled(page: Any, x: float, y: float, rows: Sequence[Sequence[str]], head: str = "", pitch: float = 13) -> float:
    """A table with all its lines, below a cell across all columns if there is a ``head``; its lower edge."""
    edges = [x, *(x + 130 + 45 * column for column in range(len(rows[0])))]
    if head:
        page.draw_rect(pymupdf.Rect(x, y, edges[-1], y + pitch), width=0.5)
        page.insert_text((x + 60, y + 10), head, fontsize=9, fontname="hebo")
        y += pitch
    for row in rows:
        for left, right, text in zip(edges, edges[1:], row, strict=False):
            page.draw_rect(pymupdf.Rect(left, y, right, y + pitch), width=0.5)
            page.insert_text((left + 3, y + 10), text, fontsize=9)
        y += pitch
    return y


def cells(document: ParsedDocument) -> list[list[list[str]]]:
    return [grid.lines() for page in document.pages for block in page.blocks for grid in grids(block)]


YEARS = ["Harvest in:", "2017", "2018", "2019", "2020", "2021"]


def test_tables_right_below_each_other_keep_their_heads_and_all_their_figures(parsed: Parsed) -> None:
    heads = ["Dry summers", "Usual summers", "Wet summers"]

    def draw(page: Any) -> None:
        y = 146.0
        for number, head in enumerate(heads):
            y = ruled(page, 120, y, [YEARS, *figures(number)], head)

    document = parsed(draw)
    found = cells(document)
    assert [rows[0][0] for rows in found] == heads
    assert [rows[1:] for rows in found] == [[YEARS, *figures(number)] for number in range(3)]
    markdown, chunks = document.to_markdown(), document.render("chunks")
    told = json.loads(document.render("json"))
    assert sum(block["category"] == "Table" for page in told["pages"] for block in page["blocks"]) == 3
    for text in (markdown, chunks):
        assert [text.count(head) for head in heads] == [1, 1, 1]
        assert all(figure in text for number in range(3) for row in figures(number) for figure in row)


def test_tables_with_a_line_of_text_between_them(parsed: Parsed) -> None:
    def draw(page: Any) -> None:
        y = ruled(page, 120, 100, [YEARS, *figures(0)])
        page.insert_text((123, y + 12), "Figures of the second farm in tons:", fontsize=9)
        ruled(page, 120, y + 17, [YEARS, *figures(1)])

    document = parsed(draw)
    assert cells(document) == [[YEARS, *figures(0)], [YEARS, *figures(1)]]
    text = document.to_markdown()
    places = [text.index(one) for one in (figures(0)[-1][-1], "Figures of the second farm", figures(1)[0][1])]
    assert places == sorted(places)


def test_what_a_table_leaves_of_its_box_is_where_its_lines_are() -> None:
    """A model's table holds items, taxes on the left and totals on the right; it has cut the number off an item."""
    item, tax = BBox(50, 311, 530, 320), BBox(48, 350, 286, 359)
    number, bar = BBox(50, 313, 54, 319), BBox(377, 322, 379, 328)
    totals = [BBox(410, y, 552, y + 9) for y in (349, 361, 373)]
    below = BBox(60, 400, 300, 409)
    items = FoundTable(BBox(40, 298, 553, 335), "<table></table>")
    taxes = FoundTable(BBox(40, 345, 289, 386), "<table></table>")
    box = LayoutBox(BBox(40, 298, 553, 410), Category.TABLE, (item, number, bar, tax, *totals, below))
    placed = with_tables([box], [(items, [item]), (taxes, [tax])])
    rest = [one.members for one in placed if one.table is None]
    assert rest == [(bar, *totals), (below,)]
