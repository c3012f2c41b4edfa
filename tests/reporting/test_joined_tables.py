"""Tables over several pages: joined where they go on, left alone where another table begins.

The pages are drawn here and read by the bare command's reader; what is expected is what was drawn.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docspec import Parser
from docspec.cli.app import run
from docspec.core import BBox, Block, Category, PageResult
from docspec.reporting.formats import document_text
from docspec.reporting.joined_tables import TableJoiner, with_joined_tables
from docspec.reporting.reading import read_document
from docspec.reporting.renderer import Layout
from docspec.reporting.tables import grids
from docspec.results import ParsedDocument

Row = tuple[str, ...]
Read = Callable[..., ParsedDocument]

PROSE = "The board met on the third of May in the town hall. All of its members were there, and two guests."


def sheet(
    page: Any,
    rows: Sequence[Row],
    edges: Sequence[float] = (60, 140, 330, 430, 530),
    *,
    top: float = 90,
    head: bool = True,
    ruled: bool = True,
    above: str = "",
    below: str = "",
    furniture: bool = True,
) -> None:
    """A page with a table, and lines of text above or below it."""
    if furniture:
        page.insert_text((60, 40), "Harbour Trust of the Western Isles", fontsize=8)
        page.insert_text((290, 815), str(page.number + 1), fontsize=8)
    y = top
    if above:
        page.insert_text((60, y - 14), above, fontsize=10)
    for number, row in enumerate(rows):
        bold = head and number == 0
        font = "hebo" if bold else "helv"
        for column, text in enumerate(row):
            left, right = edges[column], edges[column + 1]
            if ruled:
                page.draw_rect(pymupdf.Rect(left, y, right, y + 16), width=0.5)
            figures = any(map(str.isdigit, text)) and column > 0
            x = right - 4 - pymupdf.get_text_length(text, font, 9) if figures else left + 4
            page.insert_text((x, y + 11), text, fontsize=9, fontname=font)
        y += 16
    if below:
        page.insert_text((60, y + 20), below, fontsize=10)


@pytest.fixture(scope="module")
def reader() -> Any:
    with Parser() as parser:
        yield parser


@pytest.fixture
def read(reader: Parser, tmp_path: Path) -> Read:
    def make(*draws: Callable[[Any], None]) -> ParsedDocument:
        with pymupdf.open() as pdf:
            for draw in draws:
                draw(pdf.new_page(width=595, height=842))
            pdf.save(tmp_path / "drawn.pdf")
        return reader.parse(tmp_path / "drawn.pdf")

    return make


STATEMENT: Row = ("Date", "Purpose", "Amount", "Balance")
PRICES: Row = ("Number", "Article", "Pack", "Price")
TIMES: Row = ("Train", "Station", "Arrives", "Leaves")
RESULTS: Row = ("Place", "Runner", "Time", "Points")
STOCK: Row = ("Shelf", "Item", "Count", "Value")


def statement(count: int, first: int = 0) -> list[Row]:
    return [
        (f"{k % 28 + 1:02}.03.2024", f"Payment of harbour dues {k}", f"{k * 7 + 3}.50", f"{9000 - k * 11}.25")
        for k in range(first, first + count)
    ]


def prices(count: int, first: int = 0) -> list[Row]:
    return [
        (f"{4471 + k}", f"Hinge of brass, size {k}", f"{k % 9 + 2}", f"{k + 3}.40") for k in range(first, first + count)
    ]


def times(count: int, first: int = 0) -> list[Row]:
    return [
        (
            f"RE {100 + k}",
            f"Station of the {k} oaks",
            f"{6 + k // 6:02}:{k * 7 % 60:02}",
            f"{6 + k // 6:02}:{k * 7 % 60 + 1:02}",
        )
        for k in range(first, first + count)
    ]


def results(count: int, first: int = 0) -> list[Row]:
    return [
        (f"{k + 1}", f"Runner of club {k % 7}", f"2:{k:02}:11", f"{900 - k * 3}") for k in range(first, first + count)
    ]


def stock(count: int, first: int = 0) -> list[Row]:
    return [
        (f"A{k}", f"Rope of {k + 4} fathoms", f"{k * 3 + 1}", f"{k * 17 + 40}.00") for k in range(first, first + count)
    ]


KINDS = [(STATEMENT, statement), (PRICES, prices), (TIMES, times), (RESULTS, results), (STOCK, stock)]


def tables_of(document: ParsedDocument) -> list[list[list[str]]]:
    return [
        grid.lines() for page in with_joined_tables(document.pages) for block in page.blocks for grid in grids(block)
    ]


@pytest.mark.parametrize("repeated", [True, False], ids=["head repeated", "head once"])
@pytest.mark.parametrize(("head", "rows"), KINDS, ids=["statement", "prices", "timetable", "results", "inventory"])
def test_a_table_over_two_pages_is_one(read: Read, head: Row, rows: Callable[..., list[Row]], repeated: bool) -> None:
    def first(page: Any) -> None:
        sheet(page, [head, *rows(42)], above=PROSE)

    def second(page: Any) -> None:
        sheet(page, [head, *rows(12, 42)] if repeated else rows(12, 42), head=repeated, below=PROSE)

    document = read(first, second)
    assert tables_of(document) == [[list(row) for row in [head, *rows(54)]]]


def test_three_pages_without_rules_are_one_table_in_every_format(read: Read, tmp_path: Path) -> None:
    head, rows = KINDS[1]

    def part(start: int, count: int) -> Callable[[Any], None]:
        return lambda page: sheet(page, [head, *rows(count, start)], ruled=False, below=PROSE if count < 20 else "")

    document = read(part(0, 43), part(43, 43), part(86, 10))
    told = [list(row) for row in [head, *rows(96)]]
    assert tables_of(document) == [told]
    markdown = document.to_markdown()
    assert markdown.count("| Number |") == 1 and "| 4566 |" in markdown
    assert document.to_markdown(tables_across_pages="keep").count("| Number |") == 3
    html = document.to_html()
    assert html.count("<th>Number</th>") == 1 and html.count("<section") == 3
    saved = document.save(tmp_path / "joined.json")
    pages = json.loads(saved.read_text(encoding="utf-8"))["pages"]
    [table] = [block for block in pages[0]["blocks"] if block["category"] == "Table"]
    assert [(part["page"], part["rows"]) for part in table["parts"]] == [(1, 44), (2, 43), (3, 10)]
    assert table["parts"][0]["bbox"] == table["bbox"]
    rest = [block for page in pages[1:] for block in page["blocks"] if block["category"] == "Table"]
    assert [(block["text"], block["part_of"]) for block in rest] == [("", 1), ("", 1)]
    assert [block["bbox"] for block in rest] == [part["bbox"] for part in table["parts"][1:]]
    again = read_document(saved)
    assert document_text(again.pages, "json", Layout(), again.source, again.sha256) == saved.read_text(encoding="utf-8")


def test_the_command_writes_one_csv_and_keeps_the_separators_in_order(read: Read, tmp_path: Path) -> None:
    head, rows = KINDS[0]
    read(
        lambda page: sheet(page, [head, *rows(42)], above=PROSE),
        lambda page: sheet(page, [head, *rows(9, 42)], below=PROSE),
    )
    source, out = str(tmp_path / "drawn.pdf"), tmp_path / "out.md"
    extra = ["--tables", str(tmp_path / "tables"), "--page-separator", "<!-- page {page} -->"]
    assert run(["parse", source, "-o", str(out), *extra]) == 0
    [file] = (tmp_path / "tables").iterdir()
    assert file.name == "page-1-1.csv"
    with file.open(encoding="utf-8", newline="") as lines:
        assert list(csv.reader(lines)) == [list(row) for row in [head, *rows(51)]]
    text = out.read_text(encoding="utf-8")
    places = [text.index(one) for one in ("page 1 -->", "| Date |", "dues 50", "page 2 -->")]
    assert places == sorted(places) and text.count("| Date |") == 1
    assert run(["parse", source, "-o", str(out), *extra, "--set", "tables-across-pages=keep", "--force"]) == 0
    assert sorted(file.name for file in (tmp_path / "tables").iterdir()) == ["page-1-1.csv", "page-2-1.csv"]
    assert out.read_text(encoding="utf-8").count("| Date |") == 2


def apart() -> list[Any]:
    """Pairs of pages with two tables."""
    head, rows = KINDS[0]
    years = ("Port", "Owner", "2010", "2011"), ("Port", "Owner", "2012", "2013")
    ports = [(f"Port {k}", f"Trust {k}", f"{k * 31 + 7}", f"{k * 17 + 9}") for k in range(44)]
    total = ("Total", "", "1,204.50", "9,999.25")
    words = [(f"a{k}", "brown", "shared by all", "yearly") for k in range(44)]
    three = (60, 140, 430, 530)
    return [
        pytest.param(
            [head, *rows(42)], {}, [("Date", "Purpose", "Debit", "Credit"), *rows(9, 42)], {}, id="other heads"
        ),
        pytest.param(
            [head, *rows(42)], {}, [row[:3] for row in [head, *rows(9)]], {"edges": three}, id="fewer columns"
        ),
        pytest.param(
            [head, *rows(42)], {}, [head, *rows(9)], {"above": "Account of the second boat"}, id="text between"
        ),
        pytest.param(
            [head, *rows(42)], {"below": "The trustees have seen this."}, [head, *rows(9)], {}, id="text after it"
        ),
        pytest.param([head, *rows(41), total], {}, [head, *rows(9)], {}, id="ended by a total"),
        pytest.param([years[0], *ports], {}, [years[1], *ports[:9]], {}, id="other years"),
        pytest.param([head, *rows(42)], {}, [head, *rows(9)], {"top": 500}, id="far below"),
        pytest.param([head, *rows(9)], {}, [head, *rows(9, 9)], {}, id="ended high"),
        pytest.param([head, *rows(42)], {}, [head, *rows(9)], {"edges": (200, 260, 400, 460, 530)}, id="other place"),
        pytest.param(
            [("Key", "Colour", "Rule", "When"), *words], {}, words[:9], {"head": False}, id="words without head"
        ),
        pytest.param(
            [head, *rows(42)],
            {},
            [("Item", "Remark", "Kind", "State"), *(("one", "two", "three", "four"),) * 9],
            {},
            id="other kinds",
        ),
    ]


@pytest.mark.parametrize(("upper", "of_upper", "lower", "of_lower"), apart())
def test_two_tables_stay_two(
    read: Read, upper: list[Row], of_upper: dict[str, Any], lower: list[Row], of_lower: dict[str, Any]
) -> None:
    document = read(lambda page: sheet(page, upper, **of_upper), lambda page: sheet(page, lower, **of_lower))
    assert len(tables_of(document)) == 2
    assert [page.blocks for page in with_joined_tables(document.pages)] == [page.blocks for page in document.pages]


TEXT = "| Date | Amount |\n| --- | --- |\n| 1.3. | 7.50 |"
HTML = (
    "<table><thead><tr><th>Date</th><th>Amount</th></tr></thead>"
    "<tbody><tr><td>1.3.</td><td>7.50</td></tr></tbody></table>"
)
LATER, LATER_HTML = (text.replace("1.3.", "2.3.") for text in (TEXT, HTML))


def page(number: int, *texts: str) -> PageResult:
    """A page of tables from top to bottom."""
    step = 900 / max(1, len(texts))
    blocks = tuple(
        Block(Category.TABLE, text, BBox(50, 50 + step * k, 550, 50 + step * (k + 1)), "draft", words="text layer")
        for k, text in enumerate(texts)
    )
    return PageResult("x.pdf", number, "ok", blocks=blocks, width=600, height=1000)


@pytest.mark.parametrize("upper", [TEXT, HTML])
@pytest.mark.parametrize("lower", [LATER, LATER_HTML])
def test_the_parts_may_be_written_in_two_ways(upper: str, lower: str) -> None:
    first, second = with_joined_tables([page(1, upper), page(2, lower)])
    [grid] = grids(first.blocks[0])
    assert grid.lines() == [["Date", "Amount"], ["1.3.", "7.50"], ["2.3.", "7.50"]]
    assert grids(second.blocks[0]) == []


@pytest.mark.parametrize(
    "change",
    [{"status": "failed"}, {"number": 3}, {"width": 900}, {"blocks": ()}],
    ids=lambda change: next(iter(change)),
)
def test_no_table_goes_on_to_a_page_that_is_another(change: dict[str, Any]) -> None:
    pages = [page(1, TEXT), replace(page(2, LATER), **change)]
    assert list(with_joined_tables(pages)) == pages


def test_a_models_answer_for_a_page_stays_as_it_was_written() -> None:
    pages = [page(1, TEXT), page(2, LATER)]
    written = [replace(one, blocks=tuple(replace(block, gap="") for block in one.blocks)) for one in pages]
    assert list(with_joined_tables(written)) == written


def test_a_page_is_given_back_as_soon_as_nothing_of_it_can_go_on() -> None:
    joiner = TableJoiner()
    other = "| Ship | Tons |\n| --- | --- |\n| Astrid | 450 |"
    assert joiner.add(page(1, TEXT)) == []
    [first] = joiner.add(page(2, LATER, other))
    assert len(first.blocks[0].parts) == 2
    [second, third] = joiner.add(page(3, TEXT, LATER)) + joiner.end()
    assert (second.number, third.number) == (2, 3)
