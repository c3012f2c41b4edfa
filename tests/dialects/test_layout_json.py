from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.core import BBox, Block, Category, PageDraft, Region
from docspec.core.page import DOTS_FACTOR, DOTS_MAX_PIXELS, DOTS_MIN_PIXELS, smart_resize
from docspec.dialects.dialect import Dialect
from docspec.dialects.layout_cells import LayoutCell, render_cells
from docspec.dialects.layout_json import LayoutJsonDialect

WIDTH, HEIGHT = 1232, 1764  # already what the model sees, so boxes keep their pixels

DRAFT = PageDraft(
    (
        Region(BBox(100, 40, 900, 60), Category.PAGE_HEADER, ("Running head",)),
        Region(BBox(100, 100, 900, 140), Category.SECTION_HEADER, ("1 A “head”\nin two lines",)),
        Region(BBox(100, 200, 900, 240), Category.TEXT, ("Some infor-\nmation.", "Other reading.")),
        Region(BBox(120, 300, 900, 320), Category.LIST_ITEM, ("• one\nmore",)),
        Region(BBox(110, 330, 880, 350), Category.LIST_ITEM, ("• two",)),
        Region(BBox(100, 400, 500, 600), Category.PICTURE),
        Region(BBox(100, 700, 900, 800), Category.TABLE, ("<table><tr><td>a</td></tr><tr><td>1</td></tr></table>",)),
        Region(BBox(100, 900, 900, 940), Category.FORMULA, ("\\frac{a}{b}",)),
    ),
    page_texts=("a\nb",),
)


def cells_of(draft: str) -> list[dict[str, object]]:
    return list(json.loads(draft))


def test_it_is_a_dialect() -> None:
    assert isinstance(LayoutJsonDialect(), Dialect)


def test_the_prompts_are_the_published_ones_to_the_character() -> None:
    dialect = LayoutJsonDialect()
    published = "16ff71ac5d218f35e5b3db41240b6e70741498bc099db3fa922ce1ff972e3b2f"
    assert hashlib.sha256(dialect.page_prompt.encode()).hexdigest() == published
    assert dialect.crop_prompt(DRAFT.regions[0]) == "Extract the text content from this image."


def test_the_page_draft_is_the_whole_answer_in_the_targets_spelling() -> None:
    page = LayoutJsonDialect().page_drafts(DRAFT, WIDTH, HEIGHT)[0]
    assert page == json.dumps(cells_of(page), ensure_ascii=False)
    assert [cell.get("text") for cell in cells_of(page)] == [
        "Running head",
        "## 1 A “head” in two lines",
        "Some information.",
        "* one more\n* two",
        None,
        "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>",
        "$$\\frac{a}{b}$$",
    ]


def test_list_items_that_follow_each_other_share_a_cell_and_its_box() -> None:
    page = cells_of(LayoutJsonDialect().page_drafts(DRAFT, WIDTH, HEIGHT)[0])
    assert page[3]["bbox"] == [110, 300, 900, 350]


def test_a_picture_has_no_text() -> None:
    page = cells_of(LayoutJsonDialect().page_drafts(DRAFT, WIDTH, HEIGHT)[0])
    assert page[4] == {"bbox": [100, 400, 500, 600], "category": "Picture"}


def test_every_cell_is_a_draft_of_its_own_that_leads_into_the_next() -> None:
    drafts = LayoutJsonDialect().page_drafts(DRAFT, WIDTH, HEIGHT)
    cell = ' {"bbox": [100, 200, 900, 240], "category": "Text", "text": "Some information."}, {"bbox": ['
    assert cell in drafts
    assert sum(draft.startswith(' {"bbox"') for draft in drafts) == 7


def test_other_spellings_are_drafted_as_json_strings() -> None:
    drafts = LayoutJsonDialect().page_drafts(DRAFT, WIDTH, HEIGHT)
    assert '"category": "Text", "text": "Some infor-\\nmation."}, {"bbox": [' in drafts
    assert '"category": "List-item", "text": "- one more\\n- two"}, {"bbox": [' in drafts
    assert '"category": "Formula", "text": "$$\\n\\\\frac{a}{b}\\n$$"}, {"bbox": [' in drafts
    assert drafts[-1] == "a\\nb"


def test_references_without_a_bullet_are_also_drafted_as_text_cells() -> None:
    printed = ("[1] A. Author", "B. Author", "• point")
    items = tuple(Region(BBox(0, 0, 9, 9), Category.LIST_ITEM, (item,)) for item in printed)
    drafts = LayoutJsonDialect().page_drafts(PageDraft(items), WIDTH, HEIGHT)
    assert [draft for draft in drafts if draft.startswith('"category": "Text"')] == [
        '"category": "Text", "text": "[1] A. Author"}, {"bbox": [',
        '"category": "Text", "text": "B. Author"}, {"bbox": [',
    ]


def test_what_stage_1_wrote_comes_first_and_fills_the_cells() -> None:
    outputs = ["", "", 'A "verified" text.', "", "", "", "", ""]
    drafts = LayoutJsonDialect().page_drafts(DRAFT, WIDTH, HEIGHT, outputs)
    assert drafts[0] == 'A \\"verified\\" text.'
    assert cells_of(drafts[1])[2]["text"] == 'A "verified" text.'


def test_region_drafts_are_plain_text_because_crops_are_answered_so() -> None:
    assert LayoutJsonDialect().region_drafts(DRAFT.regions[2])[:2] == ["Some information.", "Other reading."]


def test_boxes_are_drafted_in_the_pixels_that_the_model_sees() -> None:
    draft = PageDraft((Region(BBox(0, 0, 2000, 1000), Category.TEXT, ("x",)),))
    dialect = LayoutJsonDialect(factor=28, max_pixels=500_000)
    (cell,) = cells_of(dialect.page_drafts(draft, 2000, 1000)[0])
    assert cell["bbox"] == [0, 0, 980, 476]


def test_boxes_come_back_in_page_pixels_and_inside_the_page() -> None:
    dialect = LayoutJsonDialect(factor=28, max_pixels=500_000)
    text = '[{"bbox": [98, 47.6, 2000, 476], "category": "Text", "text": "x"}]'
    (block,) = dialect.parse(text, 2000, 1000)
    assert block.bbox is not None
    assert block.bbox_from == "model"
    assert block.bbox.rounded() == (200, 100, 2000, 1000)


def test_a_box_with_swapped_corners_is_put_right_and_one_without_area_is_dropped() -> None:
    text = (
        '[{"bbox": [50, 60, 10, 20], "category": "Text", "text": "x"}, '
        '{"bbox": [9, 9, 9, 9], "category": "page header", "text": "y"}]'
    )
    swapped, empty = LayoutJsonDialect().parse(text, WIDTH, HEIGHT)
    assert swapped.bbox == BBox(10, 20, 50, 60)
    assert empty == Block(Category.PAGE_HEADER, "y")


def test_an_answer_that_is_no_layout_is_read_as_markdown() -> None:
    blocks = LayoutJsonDialect().parse("# A title\n\nA text.", WIDTH, HEIGHT)
    assert blocks == (Block(Category.TITLE, "# A title"), Block(Category.TEXT, "A text."))


@pytest.mark.parametrize("text", ["", " ", "[]", "[", '[{"bbox": [1, 2, 3', '```json\n[{"bb'])
def test_an_answer_that_says_nothing_yet_has_no_blocks(text: str) -> None:
    assert LayoutJsonDialect().parse(text, WIDTH, HEIGHT) == ()


def test_a_character_cut_in_half_can_still_be_written_to_a_file() -> None:
    (block,) = LayoutJsonDialect().parse('[{"category": "Text", "text": "a \\ud83d b"}]', WIDTH, HEIGHT)
    assert block.text.encode() == "a \ufffd b".encode()


WRITABLE = st.text(st.characters(codec="utf-8", exclude_characters="\b\f\r\t"), min_size=1)  # see latex_escapes


def blocks(least: int) -> st.SearchStrategy[Block]:
    """Blocks with boxes of at least ``least`` pixels a side."""
    corners = st.tuples(st.integers(0, 600), st.integers(0, 800), st.integers(least, 600), st.integers(least, 800))
    boxes = corners.map(lambda n: BBox(n[0], n[1], n[0] + n[2], n[1] + n[3]))
    return st.builds(Block, st.sampled_from(list(Category)), WRITABLE, boxes, st.just("model"))


def rendered(written: Sequence[Block], width: int, height: int) -> str:
    """The answer that is read as the blocks ``written``: parsing turned round, boxes rounded."""
    rows, columns = smart_resize(height, width, DOTS_FACTOR, DOTS_MIN_PIXELS, DOTS_MAX_PIXELS)
    return render_cells(
        LayoutCell(
            block.bbox.scaled(columns / width, rows / height).rounded() if block.bbox else None,
            block.category.value,
            block.text,
        )
        for block in written
    )


@settings(deadline=None)
@given(st.lists(blocks(1), max_size=6))
def test_blocks_survive_rendering_where_the_model_sees_the_page_pixel_for_pixel(written: list[Block]) -> None:
    dialect = LayoutJsonDialect()
    assert dialect.parse(rendered(written, WIDTH, HEIGHT), WIDTH, HEIGHT) == tuple(written)


@settings(deadline=None)
@given(st.lists(blocks(2), min_size=1, max_size=6), st.integers(1300, 3000), st.integers(1700, 3000))
def test_a_regular_answer_is_rendered_back_byte_for_byte_at_any_page_size(
    written: list[Block], width: int, height: int
) -> None:
    dialect = LayoutJsonDialect()
    answer = rendered(written, width, height)
    assert rendered(dialect.parse(answer, width, height), width, height) == answer


@settings(deadline=None)
@given(st.text(), st.integers(1, 5000), st.integers(1, 5000))
def test_parsing_never_fails(text: str, width: int, height: int) -> None:
    LayoutJsonDialect().parse(text, width, height)
    LayoutJsonDialect().parse('[{"bbox": [1, 2, 3, 4], "text": "' + text, width, height)
