from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.core import BBox, Category, PageDraft, Region
from docspec.dialects.dialect import Dialect
from docspec.dialects.markdown import PAGE_PROMPT, MarkdownDialect

BOX = BBox(0, 0, 100, 20)
DRAFT = PageDraft(
    (
        Region(BOX, Category.PAGE_HEADER, ("Running head",)),
        Region(BOX, Category.TITLE, ("A title\nof two lines",)),
        Region(BOX, Category.TEXT, ("Some infor-\nmation.", "Some inforrnation.")),
        Region(BOX, Category.LIST_ITEM, ("• one",)),
        Region(BOX, Category.LIST_ITEM, ("• two",)),
        Region(BOX, Category.PICTURE),
        Region(BOX, Category.FORMULA, ("x^2",)),
    ),
    page_texts=("the drafter's own Markdown",),
)
JOINED = "# A title of two lines\n\nSome information.\n\n- one\n- two\n\n$$\nx^2\n$$"


def test_it_is_a_dialect() -> None:
    assert isinstance(MarkdownDialect(), Dialect)


def test_the_page_is_drafted_in_reading_order_without_and_with_its_furniture() -> None:
    drafts = MarkdownDialect().page_drafts(DRAFT, 100, 100)
    assert drafts[:2] == [JOINED, "Running head\n\n" + JOINED]


def test_every_region_and_the_drafters_page_text_are_drafts_of_their_own() -> None:
    drafts = MarkdownDialect().page_drafts(DRAFT, 100, 100)
    assert {"Running head", "## A title of two lines", "Some inforrnation.", "* two", "$$x^2$$"} <= set(drafts)
    assert drafts[-1] == "the drafter's own Markdown"
    assert len(set(drafts)) == len(drafts)


def test_what_stage_1_wrote_comes_first_and_stands_in_the_joined_page() -> None:
    drafts = MarkdownDialect().page_drafts(DRAFT, 100, 100, ["", "", "Verified.", "", "", "", ""])
    assert drafts[0] == "Verified."
    assert drafts[1] == JOINED.replace("Some information.", "Verified.")


def test_long_spellings_make_room_where_stage_1_has_written() -> None:
    printed = "Long lines " * 30 + "infor-\nmation."
    draft = PageDraft((Region(BOX, Category.TEXT, (printed,)),))
    assert len(MarkdownDialect().page_drafts(draft, 100, 100, ["Verified."])) == 2
    assert len(MarkdownDialect().page_drafts(draft, 100, 100)) == 3


def test_fewer_outputs_than_regions_are_as_if_the_rest_were_not_verified() -> None:
    assert MarkdownDialect().page_drafts(DRAFT, 100, 100, ["Top"])[0] == "Top"


def test_an_empty_draft_gives_no_drafts() -> None:
    assert MarkdownDialect().page_drafts(PageDraft(), 100, 100) == []
    assert MarkdownDialect().region_drafts(Region(BOX, Category.PICTURE)) == []


def test_region_drafts_take_the_best_spelling_of_each_reading_first() -> None:
    drafts = MarkdownDialect().region_drafts(DRAFT.regions[2])
    assert drafts[:3] == ["Some information.", "Some inforrnation.", "Some infor-\nmation."]


def test_a_pipe_reader_is_drafted_pipe_tables_only() -> None:
    table = Region(BOX, Category.TABLE, ("<table><tr><td>a</td></tr><tr><td>b</td></tr></table>",))
    assert MarkdownDialect(table_style="pipe").region_drafts(table) == ["| a |\n| --- |\n| b |", "| a |\n|---|\n| b |"]


@pytest.mark.parametrize("category", list(Category))
def test_one_crop_prompt_serves_all_regions_of_a_reader_that_has_one(category: Category) -> None:
    assert MarkdownDialect("Read.", "Read.").crop_prompt(Region(BOX, category)) == "Read."
    assert MarkdownDialect("Read.").page_prompt == "Read."


def test_crop_prompts_differ_by_category_by_default() -> None:
    dialect = MarkdownDialect()
    prompts = {dialect.crop_prompt(Region(BOX, category)) for category in Category}
    assert len(prompts) == 4
    assert dialect.page_prompt == PAGE_PROMPT
    assert MarkdownDialect(crop_prompt={Category.TEXT: "T"}).crop_prompt(DRAFT.regions[0]) == "T"


@settings(deadline=None)
@given(st.text(), st.integers(1, 3000), st.integers(1, 3000))
def test_parsing_never_fails(text: str, width: int, height: int) -> None:
    assert all(block.bbox is None for block in MarkdownDialect().parse(text, width, height))


def test_the_drafted_page_parses_back_into_the_regions_categories() -> None:
    blocks = MarkdownDialect().parse(JOINED, 100, 100)
    assert [block.category for block in blocks] == [
        Category.TITLE,
        Category.TEXT,
        Category.LIST_ITEM,
        Category.LIST_ITEM,
        Category.FORMULA,
    ]
