"""DocTags: drafts as Granite-Docling writes pages, and its answers read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.core import BBox, Block, Category, PageDraft, Region
from docspec.dialects.dialect import Dialect
from docspec.dialects.doctags import DocTagsDialect

WIDTH, HEIGHT = 1000, 2000

DRAFT = PageDraft(
    (
        Region(BBox(100, 40, 900, 60), Category.PAGE_HEADER, ("Running head",)),
        Region(BBox(100, 100, 900, 140), Category.SECTION_HEADER, ("1 A head\nin two lines",)),
        Region(BBox(100, 200, 900, 240), Category.TEXT, ("Some infor-\nmation.", "Other reading.")),
        Region(BBox(120, 300, 900, 320), Category.LIST_ITEM, ("• one\nmore",)),
        Region(BBox(110, 330, 880, 350), Category.LIST_ITEM, ("• two",)),
        Region(BBox(100, 400, 500, 600), Category.PICTURE),
        Region(BBox(100, 700, 900, 800), Category.TABLE, ("<table><tr><th>a</th></tr><tr><td>1</td></tr></table>",)),
        Region(BBox(100, 900, 900, 940), Category.FORMULA, ("\\frac{a}{b}",)),
    ),
    page_texts=("a\nb",),
)

PAGE = """\
<doctag><page_header><loc_50><loc_10><loc_450><loc_15>Running head</page_header>
<section_header_level_1><loc_50><loc_25><loc_450><loc_35>1 A head in two lines</section_header_level_1>
<text><loc_50><loc_50><loc_450><loc_60>Some information.</text>
<unordered_list><list_item><loc_60><loc_75><loc_450><loc_80>• one more</list_item>
<list_item><loc_55><loc_82><loc_440><loc_88>• two</list_item>
</unordered_list>
<picture><loc_50><loc_100><loc_250><loc_150></picture>
<otsl><loc_50><loc_175><loc_450><loc_200><ched>a<nl><fcel>1<nl></otsl>
<formula><loc_50><loc_225><loc_450><loc_235>\\frac{a}{b}</formula>
</doctag>"""


def parse(text: str) -> list[tuple[Category, str]]:
    return [(block.category, block.text) for block in DocTagsDialect().parse(text, WIDTH, HEIGHT)]


def test_it_is_a_dialect_with_the_published_prompts():
    dialect = DocTagsDialect()
    assert isinstance(dialect, Dialect)
    assert dialect.page_prompt == "Convert this page to docling."
    prompts = [dialect.crop_prompt(DRAFT.regions[number]) for number in (2, 6, 7)]
    assert prompts == ["Convert this page to docling.", "Convert table to OTSL.", "Convert formula to LaTeX."]


def test_the_page_draft_is_the_whole_answer_in_the_targets_spelling():
    drafts = DocTagsDialect().page_drafts(DRAFT, WIDTH, HEIGHT)
    assert drafts[0] == PAGE
    assert "Other reading.</text>\n<" in drafts and drafts[-1] == "a\nb"


def test_a_page_is_read_back_as_it_was_drafted():
    blocks = DocTagsDialect().parse(PAGE, WIDTH, HEIGHT)
    assert [block.category for block in blocks] == [region.category for region in DRAFT.regions]
    for block, region in zip(blocks, DRAFT.regions, strict=True):
        assert block.bbox_from == "model" and block.bbox.overlap(region.bbox) > 0.8
    assert [block.text for block in blocks] == [
        "Running head",
        "## 1 A head in two lines",
        "Some information.",
        "- one more",
        "- two",
        "",
        "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>",
        "$$\n\\frac{a}{b}\n$$",
    ]


def test_what_stage_1_wrote_comes_first_without_its_tags():
    outputs = ["", "", "<doctag><text><loc_0><loc_0><loc_9><loc_9>As read.</text></doctag>"]
    page = DocTagsDialect().page_drafts(DRAFT, WIDTH, HEIGHT, outputs)[0]
    assert "<loc_60>As read.</text>" in page and "Some information." not in page


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("<text>cut off", [(Category.TEXT, "cut off")]),
        ("<text>not closed<text>next</text>", [(Category.TEXT, "not closed"), (Category.TEXT, "next")]),
        ("<text>a <formula>x^2</formula> b</text>", [(Category.TEXT, "a $x^2$ b")]),
        ("<ordered_list><list_item>a</list_item><list_item>2. b</list_item><list_item>c</list_item></ordered_list>",
         [(Category.LIST_ITEM, "1. a"), (Category.LIST_ITEM, "2. b"), (Category.LIST_ITEM, "3. c")]),
        ("<code><loc_1><loc_1><loc_2><loc_2><_Python_>x = 1 < 2</code>",
         [(Category.TEXT, "```python\nx = 1 < 2\n```")]),
        ("<otsl><loc_1><loc_1><loc_9><loc_9><caption>Table 1</caption><fcel>1<nl></otsl>",
         [(Category.CAPTION, "Table 1"), (Category.TABLE, "<table><tr><td>1</td></tr></table>")]),
        ("<picture><loc_1><loc_1><loc_9><loc_9><pie_chart><fcel>1<nl></picture>",
         [(Category.PICTURE, ""), (Category.TABLE, "<table><tr><td>1</td></tr></table>")]),
        ("<doctag>words between <title>Head</title> and after</doctag><end_of_utterance>",
         [(Category.TEXT, "words between"), (Category.TITLE, "Head"), (Category.TEXT, "and after")]),
        ("<checkbox_selected>yes</checkbox_selected>", [(Category.TEXT, "- [x] yes")]),
        ("<section_header_level_3>Deep</section_header_level_3>", [(Category.SECTION_HEADER, "#### Deep")]),
        ("# No tags\n\nat all", [(Category.TITLE, "# No tags"), (Category.TEXT, "at all")]),
        ("", []),
    ],
)  # fmt: skip
def test_answers_are_read_as_far_as_they_go(text, blocks):
    assert parse(text) == blocks


def test_crops_are_markdown():
    dialect = DocTagsDialect()
    assert dialect.parse_crop("<doctag><text>a</text><otsl><fcel>1<nl></otsl></doctag>") == (
        "a\n\n<table><tr><td>1</td></tr></table>"
    )
    assert dialect.parse_crop("bare words") == "bare words"
    assert dialect.region_drafts(DRAFT.regions[6])[0] == "<ched>a<nl><fcel>1<nl>"


WORDS = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=8)


@given(st.lists(st.tuples(st.sampled_from([c for c in Category if c is not Category.PICTURE]), WORDS), max_size=6))
def test_no_drafted_word_is_lost(regions):
    draft = PageDraft(tuple(Region(BBox(0, 0, 500, 500), category, (words,)) for category, words in regions))
    blocks: tuple[Block, ...] = ()
    for page in DocTagsDialect().page_drafts(draft, WIDTH, HEIGHT)[:1]:
        blocks = DocTagsDialect().parse(page, WIDTH, HEIGHT)
    assert [block.category for block in blocks] == [category for category, _ in regions]
    assert all(words in block.text for block, (_, words) in zip(blocks, regions, strict=True))


@given(
    st.lists(
        st.sampled_from(["<text>", "</text>", "<otsl>", "<fcel>", "<loc_1>", "<caption>", "<nl>", "w "]), max_size=20
    )
)
def test_nothing_raises_and_no_word_is_lost(marks):
    text = "".join(marks)
    assert sum(block.text.count("w") for block in DocTagsDialect().parse(text, WIDTH, HEIGHT)) == text.count("w")
