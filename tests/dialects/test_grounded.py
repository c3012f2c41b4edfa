"""Grounded Markdown: drafts as DeepSeek-OCR writes pages, and its answers read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.core import BBox, Category, PageDraft, Region
from docspec.dialects import make_dialect
from docspec.dialects.dialect import Dialect
from docspec.dialects.grounded import GroundedDialect, InlineGroundedDialect

WIDTH, HEIGHT = 999, 1998

DRAFT = PageDraft(
    (
        Region(BBox(100, 40, 900, 60), Category.PAGE_HEADER, ("Running head",)),
        Region(BBox(100, 100, 900, 140), Category.SECTION_HEADER, ("1 A head",)),
        Region(BBox(100, 200, 900, 240), Category.TEXT, ("Some infor-\nmation.",)),
        Region(BBox(100, 400, 500, 600), Category.PICTURE),
        Region(BBox(100, 700, 900, 800), Category.TABLE, ("<table><tr><td>1</td></tr></table>",)),
        Region(BBox(100, 900, 900, 940), Category.FORMULA, ("\\frac{a}{b}",)),
    ),
    page_texts=("a\nb",),
)

PAGE = """\
<|ref|>sub_title<|/ref|><|det|>[[100, 50, 900, 70]]<|/det|>
## 1 A head

<|ref|>text<|/ref|><|det|>[[100, 100, 900, 120]]<|/det|>
Some information.

<|ref|>image<|/ref|><|det|>[[100, 200, 500, 300]]<|/det|>

<|ref|>table<|/ref|><|det|>[[100, 350, 900, 400]]<|/det|>
<table><thead><tr><th>1</th></tr></thead></table>

<|ref|>equation<|/ref|><|det|>[[100, 450, 900, 470]]<|/det|>
\\[
\\frac{a}{b}
\\]"""


def test_it_is_a_dialect_with_the_published_prompts():
    dialect = GroundedDialect()
    assert isinstance(dialect, Dialect)
    assert dialect.page_prompt == "<|grounding|>Convert the document to markdown."
    assert dialect.crop_prompt(DRAFT.regions[0]) == "Free OCR."


def test_the_page_draft_is_the_whole_answer_in_the_targets_spelling():
    drafts = GroundedDialect().page_drafts(DRAFT, WIDTH, HEIGHT)
    assert drafts[0] == PAGE
    assert drafts[1].startswith("<|ref|>text<|/ref|><|det|>[[100, 20, 900, 30]]<|/det|>\nRunning head\n\n<|ref|>")
    assert drafts[-1] == "a\nb"


def test_a_page_is_read_back_as_it_was_drafted():
    blocks = GroundedDialect().parse(PAGE, WIDTH, HEIGHT)
    assert [block.category for block in blocks] == [region.category for region in DRAFT.regions[1:]]
    for block, region in zip(blocks, DRAFT.regions[1:], strict=True):
        assert block.bbox_from == "model" and block.bbox.rounded() == region.bbox.rounded()
    assert [block.text for block in blocks][:3] == ["## 1 A head", "Some information.", ""]


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("<|ref|>text<|/ref|><|det|>[[1, 2, 3", [(Category.TEXT, "text[[1, 2, 3")]),
        ("before <|ref|>title<|/ref|><|det|>[[0, 0, 999, 99]]<|/det|>\n# T \n\n",
         [(Category.TEXT, "before"), (Category.TITLE, "# T")]),
        ("<|ref|>stamp<|/ref|><|det|>[[5, 5, 5, 5]]<|/det|>\nPaid", [(Category.TEXT, "Paid")]),
        ("<|ref|>image<|/ref|><|det|>[[9, 9, 1, 1], [2, 2, 3, 3]]<|/det|>", [(Category.PICTURE, "")]),
        ("plain\n\n| a |\n| - |", [(Category.TEXT, "plain"), (Category.TABLE, "| a |\n| - |")]),
    ],
)  # fmt: skip
def test_answers_are_read_as_far_as_they_go(text, blocks):
    found = GroundedDialect().parse(text, WIDTH, HEIGHT)
    assert [(block.category, block.text) for block in found] == blocks


def test_crops_are_markdown():
    assert GroundedDialect().parse_crop(PAGE).startswith("## 1 A head\n\nSome information.\n\n<table>")
    assert GroundedDialect().parse_crop("a  \n\nb") == "a  \n\nb"


@given(st.lists(st.sampled_from(["<|ref|>", "<|/ref|>", "<|det|>", "[[1, 2, 3, 4]]", "<|/det|>", "w "]), max_size=20))
def test_nothing_raises(marks):
    GroundedDialect().parse("".join(marks), WIDTH, HEIGHT)


INLINE = """\
<|det|>title [100, 50, 900, 70]<|/det|>1 A head
<|det|>text [100, 100, 900, 120]<|/det|>Some information.
<|det|>image [100, 200, 500, 300]<|/det|>
<|det|>table [100, 350, 900, 400]<|/det|><table><thead><tr><th>1</th></tr></thead></table>
<|det|>equation [100, 450, 900, 470]<|/det|>\\[
\\frac{a}{b}
\\]"""


def test_pieces_on_one_line_with_their_boxes_are_drafted_and_read_back():
    dialect = InlineGroundedDialect()
    assert isinstance(dialect, Dialect)
    for one in (dialect, make_dialect("grounded-inline", page_prompt=None, crop_prompt=None)):
        assert one.page_prompt == one.crop_prompt(DRAFT.regions[0]) == "{image}document parsing."
    drafts = dialect.page_drafts(DRAFT, WIDTH, HEIGHT)
    assert drafts[0] == INLINE
    assert drafts[1].startswith("<|det|>text [100, 20, 900, 30]<|/det|>Running head\n<|det|>title")
    blocks = dialect.parse(INLINE, WIDTH, HEIGHT)
    assert [block.text for block in blocks][:3] == ["1 A head", "Some information.", ""]
    kinds = [Category.TITLE, Category.TEXT, Category.PICTURE, Category.TABLE, Category.FORMULA]
    assert [block.category for block in blocks] == kinds
    for block, region in zip(blocks, DRAFT.regions[1:], strict=True):
        assert block.bbox_from == "model" and block.bbox.rounded() == region.bbox.rounded()
    assert dialect.parse_crop(INLINE).startswith("1 A head\n\nSome information.\n\n<table>")
    cut = "<|det|>chart [1, 2, 3, 4]<|/det|>\n<|det|>image_footnote [1, 2, 3, 4]<|/det|>1962\n<|det|>te"
    assert [(b.category, b.text) for b in dialect.parse(cut, WIDTH, HEIGHT)] == [
        (Category.PICTURE, ""), (Category.FOOTNOTE, "1962\nte")
    ]  # fmt: skip


@given(st.lists(st.sampled_from(["<|det|>", "text ", "[1, 2, 3, 4]", "<|/det|>", "w ", "\n"]), max_size=20))
def test_nothing_raises_inline(marks):
    InlineGroundedDialect().parse("".join(marks), WIDTH, HEIGHT)


MARKED = """\
![image](309,90,691,516) A diagram of the parts.
![caption](400,555,591,566) Figure 1: The model.
![title](113,608,263,623) ## 2.2 Results
![text](112,640,882,698) The first version of
![text+](112,10,882,60) it was small [see](this).
![table](100,700,900,800)
<table><tr><td>1</td></tr></table>
![page_number](491,935,505,950) 3"""


def test_lightonocr_3_is_asked_with_a_word_and_its_boxes_are_read():
    """The example of lightonai/LightOnOCR's README, with a piece that goes on and a table behind its mark."""
    dialect = make_dialect("grounded-markdown")
    assert (dialect.page_prompt, dialect.crop_prompt(DRAFT.regions[0])) == ("grounding", "")
    blocks = dialect.parse(MARKED, 1000, 2000)
    assert [(block.category, block.text) for block in blocks] == [
        (Category.PICTURE, "A diagram of the parts."),
        (Category.CAPTION, "Figure 1: The model."),
        (Category.TITLE, "## 2.2 Results"),
        (Category.TEXT, "The first version of it was small [see](this)."),
        (Category.TABLE, "<table><tr><td>1</td></tr></table>"),
        (Category.PAGE_FOOTER, "3"),
    ]
    assert blocks[0].bbox.rounded() == (309, 180, 691, 1032)


def test_its_drafts_are_spelled_as_it_writes():
    page = make_dialect("grounded-markdown").page_drafts(DRAFT, 1000, 2000)[1]
    assert page.startswith("![header](100,20,900,30) Running head\n![section](100,50,900,70) ## 1 A head\n![text](")
    assert [block.text for block in make_dialect("grounded-markdown").parse(page, 1000, 2000)][:3] == [
        "Running head", "## 1 A head", "Some information.",
    ]  # fmt: skip


def test_a_pages_first_piece_may_say_that_it_goes_on():
    [block] = make_dialect("grounded-markdown").parse("![text+](1,1,9,9) on.", 10, 10)
    assert (block.category, block.text) == (Category.TEXT, "on.")
