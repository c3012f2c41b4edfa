"""``trust-agreement``: what two readings agree on is taken unread and says so; the rest is read."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from docspec import ParseOptions, Parser
from docspec.cli.progress import page_line
from docspec.core import BBox, Category, PageImage, PageResult, Region, UsageError
from docspec.documents import open_document
from docspec.documents.sources import source_from_path
from docspec.drafting.drafted_page import DraftedPage
from docspec.drafting.merged import MergedDrafter
from docspec.drafting.rapidocr import RapidOcrDrafter
from docspec.drafting.text_layer import TextLayerDrafter
from docspec.hierarchy.regions.cutting import may_be_taken
from docspec.hierarchy.regions.pages import TRUSTED
from docspec.reporting import jsonout
from docspec.reporting.renderer import Layout
from docspec.reporting.timing import Report
from tests.reporting.schema_check import load_schema, problems

AGREED, DIGITS, OTHER, SHOWN = (
    "The water comes and goes.",
    "The harbour has 14 berths.",
    "Nobody sails in autumn.",
    "Many people sail in spring.",
)


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Text layer and print agree in the first two paragraphs; the last one's layer says what is not printed."""
    file = tmp_path_factory.mktemp("trust") / "tides.pdf"
    with pymupdf.open() as document:
        page = document.new_page(width=300, height=220)
        for top, text in ((40, AGREED), (110, DIGITS)):
            page.insert_text((30, top), text, fontsize=14)
        with pymupdf.open() as other:
            printed = other.new_page(width=240, height=30)
            printed.insert_text((0, 20), SHOWN, fontsize=14)
            page.insert_image((30, 160, 270, 190), pixmap=printed.get_pixmap(dpi=200))
        page.insert_text((30, 180), OTHER, fontsize=14, render_mode=3)
        document.save(file)
    return file


@pytest.fixture(scope="module")
def results(lively_qwen: Path, paper: Path) -> dict[bool, PageResult]:
    def read(trust: bool) -> PageResult:
        options = ParseOptions(
            model=str(lively_qwen),
            device="cpu",
            dtype="float32",
            dpi=100,
            max_tokens=24,
            read="regions",
            stages="page",
            drafter="text-layer+rapidocr",
            provenance=True,
            baseline=trust,
            trust_agreement=trust,
        )
        parser = Parser(options).page_parser
        found = parser.verify(DraftedPage(page, drafted))
        assert found.status == "ok", found.error
        return found

    with open_document(source_from_path(paper), None) as document:
        page = next(iter(document.pages(None)))
        assert isinstance(page, PageImage)
        drafted = MergedDrafter(TextLayerDrafter(quick=True), RapidOcrDrafter()).draft(page)
        return {trust: read(trust) for trust in (False, True)}


def block_of(page: PageResult, text: str) -> int | None:
    return next((number for number, block in enumerate(page.blocks) if text in block.text), None)


def test_only_what_agrees_without_digits_is_taken_and_only_where_that_is_asked_for(
    results: dict[bool, PageResult],
) -> None:
    page, plain = results[True], results[False]
    assert block_of(page, AGREED) is not None and block_of(plain, AGREED) is None
    assert all(block_of(page, text) is None for text in (DIGITS, OTHER, SHOWN))
    assert page.stage2 is not None and plain.stage2 is not None
    assert page.stage2.rows < plain.stage2.rows
    assert (plain.trusted_regions, plain.trusted) == (0, 0)
    assert (page.trusted_regions, page.trusted) == (1, len(AGREED))
    assert page.baseline is not None and not page.baseline.identical
    assert page.baseline.tokens == len(plain.token_ids)


def test_what_was_not_read_is_marked_in_json_report_and_line(results: dict[bool, PageResult]) -> None:
    page = results[True]
    number = block_of(page, AGREED)
    assert number is not None
    value = jsonout.page_object(page, {}, Layout())
    block = value["blocks"][number]
    assert block["trusted"] == len(AGREED)
    assert all(set(span["origins"]) == {TRUSTED} for span in block["spans"])
    others = [each for at, each in enumerate(value["blocks"]) if at != number]
    assert others and not any("trusted" in each for each in others)
    assert not any(TRUSTED in span.get("origins", {}) for each in others for span in each["spans"])
    assert "not read by the model" in page_line(page) and "not read" not in page_line(results[False])
    document = {"schema": jsonout.SCHEMA, "source": "a", "sha256": "0" * 64, "pages": [value]}
    assert problems(document, load_schema("document")) == []


def test_the_report_counts_it(results: dict[bool, PageResult]) -> None:
    report = Report(ParseOptions(), {})
    report.start_document("tides.pdf", "0" * 64)
    report.add_page(results[True])
    report.add_page(results[False])
    value = report.as_object()
    told = {"regions": 1, "characters": len(AGREED)}
    assert [page["trusted"] for page in value["documents"][0]["pages"]] == [told, {"regions": 0, "characters": 0}]
    assert value["totals"]["trusted"] == told
    assert report.totals.events["draft_trusted"] == 1


@pytest.mark.parametrize(
    ("text", "category", "agreed", "from_draft"),
    [
        ("All is well", Category.TEXT, True, True),
        ("All is well", Category.TITLE, True, True),
        ("All is well", Category.TEXT, False, False),
        ("All is well", Category.TABLE, True, False),
        ("abc", Category.FORMULA, True, False),
        ("one 2 three", Category.TEXT, True, False),
        ("二 three", Category.TEXT, True, False),
        ("a + b", Category.TEXT, True, False),
        ("the angle α", Category.TEXT, True, False),
        ("xⁿ", Category.TEXT, True, False),
    ],
)
def test_no_digit_table_or_formula_is_trusted(text: str, category: Category, agreed: bool, from_draft: bool) -> None:
    assert may_be_taken(Region(BBox(0, 0, 9, 9), category, (text,), agreed=agreed)) is from_draft


def test_it_is_off_and_asks_for_two_readings() -> None:
    assert ParseOptions().trust_agreement is False
    with pytest.raises(UsageError, match=r"--drafter text-layer\+rapidocr"):
        ParseOptions(trust_agreement=True)
    with pytest.raises(UsageError, match="strict"):
        ParseOptions(trust_agreement=True, drafter="text-layer+rapidocr", exact="strict")
