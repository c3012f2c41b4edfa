"""The account on the road of a page: made once, told where people and programs look, in every format."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest

from docspec import ParseOptions, Parser, accounting
from docspec.cli.app import run
from docspec.core import Category, Event
from docspec.documents import open_document
from docspec.documents.sources import source_from_bytes
from docspec.ledger import PageOutput, account_for, witness_of
from docspec.ledger.outputs import markdown_words
from docspec.reporting.formats import document_text
from docspec.reporting.reading import read_document
from docspec.reporting.renderer import Layout
from docspec.reporting.tables import csv_of, grids
from tests.ledger.pages import ReadPage, read_pages, typed
from tests.ledger.shown import csv_words, html_words, json_words


@pytest.fixture
def losing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that loses the word "winch"."""
    monkeypatch.setattr(accounting, "markdown_words", lambda text: markdown_words(text).replace("winch", "     "))


@pytest.mark.words_missing("a writer is made to lose one")
@pytest.mark.usefixtures("losing")
def test_missing_words_are_an_event_and_make_the_page_doubtful() -> None:
    with Parser(ParseOptions()) as parser:
        (page,) = parser.pages(typed())
    said = "1 word of the page is not in the output: winch"
    assert [event.detail for event in page.events if event.kind == "words_missing"] == [said]
    assert page.doubtful == said
    assert page.quality is not None and page.quality.grade == "D"


def test_a_page_with_a_table_in_doubt_is_not_of_the_best_grade(monkeypatch: pytest.MonkeyPatch) -> None:
    doubt = Event("table_doubtful", "table 1: other rows are about as likely")
    for events, grade in (((), "A"), ((doubt,), "B")):
        monkeypatch.setattr(
            accounting, "with_doubtful_tables", lambda page, own=events: replace(page, events=(*page.events, *own))
        )
        with Parser(ParseOptions()) as parser:
            (page,) = parser.pages(typed())
        assert page.quality is not None and page.quality.grade == grade and page.doubtful is None


@pytest.mark.words_missing("a writer is made to lose one")
@pytest.mark.usefixtures("losing")
def test_with_strict_missing_words_are_an_exit_code_and_the_report_counts_them(tmp_path: Path) -> None:
    (tmp_path / "in.pdf").write_bytes(typed())
    words = ["parse", str(tmp_path / "in.pdf"), "-q", "--format", "json", "-o", str(tmp_path / "out.json")]
    report = tmp_path / "report.json"
    assert run([*words, "--report", str(report)]) == 0
    assert run([*words, "--report", str(report), "--strict"]) == 3
    (page,) = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["pages"]
    assert [one["text"] for one in page["account"]["missing"]] == ["winch"]
    assert page["account"]["words"]["missing"] == 1
    told = json.loads(report.read_text(encoding="utf-8"))
    assert told["totals"]["words"]["missing"] == told["documents"][0]["pages"][0]["words"]["missing"] == 1


def test_furniture_is_listed_with_its_rule_and_counts_as_written_where_it_is_kept(tmp_path: Path) -> None:
    with pymupdf.open() as document, pymupdf.open(Path(__file__).parents[2] / "samples" / "book.pdf") as book:
        for _ in range(3):  # pages nearby repeat its head
            document.insert_pdf(book, to_page=0)
        document.save(tmp_path / "book.pdf")
    sample = str(tmp_path / "book.pdf")
    accounts = {}
    for name, more in (("left", []), ("kept", ["--keep-furniture"])):
        out = tmp_path / f"{name}.json"
        assert run(["parse", sample, "-q", "--format", "json", "-o", str(out), *more]) == 0
        _, page, _ = json.loads(out.read_text(encoding="utf-8"))["pages"]  # the first one writes its head
        accounts[name] = page["account"]
    left, kept = accounts["left"], accounts["kept"]
    assert {one["rule"] for one in left["left_out"]} == {"running head", "page number"}
    assert "The Keeper of Gannet Point" in [one["text"] for one in left["left_out"]]
    assert kept["left_out"] == []
    assert kept["words"]["written"] == left["words"]["written"] + left["words"]["left_out"]


def test_the_account_comes_back_from_json(tmp_path: Path) -> None:
    for page in read_pages():
        result = replace(page.result, account=page.account(page.markdown.replace(" the ", " ", 1)))
        text = document_text([result], "json", Layout())
        path = tmp_path / "out.json"
        path.write_text(text, encoding="utf-8")
        (again,) = read_document(path).pages
        assert again.account is not None and result.account is not None
        assert again.account.counts == result.account.counts
        assert again.account.doubt == result.account.doubt
        assert document_text([again], "json", Layout()) == text


def missing(page: ReadPage, shown: str) -> list[str]:
    """The words of a page that are missing in another format, of which these words are shown."""
    witness, words = witness_of(page.words, page.draft)
    return [run.text for run in account_for(words, PageOutput(shown, page.result.blocks), witness).missing]


def test_html_and_json_have_every_word_that_markdown_has() -> None:
    for page in read_pages():
        assert missing(page, html_words(document_text([page.result], "html", Layout()))) == []
        assert missing(page, json_words(document_text([page.result], "json", Layout()))) == []


def test_tables_have_the_words_of_their_lines_in_csv_too() -> None:
    tables = 0
    for page in read_pages():
        for block in page.result.blocks:
            if block.category is not Category.TABLE or block.bbox is None:
                continue
            tables += 1
            inside = [word for word in page.words if not word.hidden and block.bbox.has_center_of(word.bbox)]
            for shown in (
                "\n".join(csv_words(csv_of(grid.lines())) for grid in grids(block)),
                markdown_words(document_text([replace(page.result, blocks=(block,))], "md", Layout())),
            ):
                found = account_for(inside, PageOutput(shown, (block,)), "text layer")
                assert (found.missing, found.added) == ((), ()), page.result.source
                assert found.written == len(inside) > 5
    assert tables >= 3


def test_a_scan_is_accounted_for_by_its_recognised_lines_and_pages_read_in_this_process_are_too() -> None:
    with Parser(ParseOptions(), images=False) as parser:
        (scan,) = parser.pages(Path(__file__).parents[2] / "samples" / "notes-scan.pdf")
        with open_document(source_from_bytes(typed(), "typed.pdf")) as document:
            (typewritten,) = map(parser.parse_page, parser.page_images(document))
    assert scan.account is not None and typewritten.account is not None
    assert (scan.account.witness, scan.account.missing) == ("recognised lines", ())
    assert scan.account.written > 100
    assert (typewritten.account.witness, typewritten.account.missing) == ("text layer", ())
    assert typewritten.account.written > 50


def test_heads_of_scans_are_called_left_out_only_where_they_are() -> None:
    """What the layout model calls a head is text where no page before has it; that is known after the page was read."""
    with pymupdf.open() as document, Parser(ParseOptions()) as parser:
        for head, foot in (
            ("Harbour Board of Eastport, report 12", "Quay Street 66, Eastport EP1 1AA, telephone 01234 5678"),
            ("Harbour Board of Eastport, report 12", "2"),
            ("Minutes of the pilots at Westhaven", "Printed by Adeyemi and Sons, Market Street, Westhaven"),
        ):
            scanned(document, head, foot)
        pages = list(parser.pages(document.tobytes()))
    left = []
    for page in pages:
        assert page.account is not None and page.account.missing == ()
        left.append([run.text for run in page.account.in_state("left_out")])
        shown = " ".join(block.text for block in page.blocks if not block.category.is_furniture)
        assert [text for text in left[-1] if text in shown] == []
        assert page.account.written == len(page.text.replace("#", "").split())
    assert left == [[], ["Harbour Board of Eastport, report 12", "2"], []]


def scanned(document: pymupdf.Document, head: str, foot: str) -> None:
    """Adds a picture of a page with ``head`` and ``foot`` to ``document``."""
    with pymupdf.open() as drawn:
        page = drawn.new_page(width=595, height=842)
        page.insert_text((60, 40), head, fontsize=9)
        page.draw_line((60, 46), (535, 46))
        page.insert_text((60, 90), "Sand", fontsize=16, fontname="hebo")
        told = "The harbour board met on Tuesday to look at the plans for the new quay wall. " * 8
        page.insert_textbox((60, 120, 535, 400), told, fontsize=11, fontname="tiro")
        page.insert_text((60, 800), foot, fontsize=9)
        picture = page.get_pixmap(dpi=200, colorspace="gray").tobytes("png")
    document.new_page(width=595, height=842).insert_image((0, 0, 595, 842), stream=picture)
