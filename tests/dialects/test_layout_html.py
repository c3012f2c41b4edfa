"""Layout in HTML: drafts as Chandra writes pages, and its answers read back."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.core import BBox, Category, PageDraft, Region
from docspec.dialects.dialect import Dialect
from docspec.dialects.layout_html import LayoutHtml2Dialect, LayoutHtmlDialect

WIDTH, HEIGHT = 1024, 2048

DRAFT = PageDraft(
    (
        Region(BBox(100, 40, 900, 60), Category.PAGE_HEADER, ("Running head",)),
        Region(BBox(100, 100, 900, 140), Category.SECTION_HEADER, ("1 A & B",)),
        Region(BBox(100, 200, 900, 240), Category.TEXT, ("Some infor-\nmation on $a < b$.",)),
        Region(BBox(100, 300, 900, 320), Category.LIST_ITEM, ("• one",)),
        Region(BBox(120, 330, 900, 340), Category.LIST_ITEM, ("2. two",)),
        Region(BBox(100, 400, 500, 600), Category.PICTURE),
        Region(BBox(100, 700, 900, 800), Category.TABLE, ("<table><tr><td>1</td></tr></table>",)),
        Region(BBox(100, 900, 900, 940), Category.FORMULA, ("$$\\frac{a}{b} < 1$$",)),
    ),
    page_texts=("a\nb",),
)

PAGE = """\
<div data-bbox="100 20 900 30" data-label="Page-Header"><p>Running head</p></div>
<div data-bbox="100 50 900 70" data-label="Section-Header"><h2>1 A &amp; B</h2></div>
<div data-bbox="100 100 900 120" data-label="Text"><p>Some information on <math>a &lt; b</math>.</p></div>
<div data-bbox="100 150 900 170" data-label="List-Group"><ul><li>one</li><li>2. two</li></ul></div>
<div data-bbox="100 200 500 300" data-label="Image"></div>
<div data-bbox="100 350 900 400" data-label="Table"><table><thead><tr><th>1</th></tr></thead></table></div>
<div data-bbox="100 450 900 470" data-label="Equation-Block"><math display="block">\\frac{a}{b} &lt; 1</math></div>"""


def test_it_is_a_dialect_with_the_published_prompts():
    """By their hashes, taken of datalab-to/chandra's ``prompts.py`` with its scale of 1,024."""
    dialect = LayoutHtmlDialect()
    assert isinstance(dialect, Dialect)
    hashes = [
        hashlib.sha256(prompt.encode()).hexdigest()[:16]
        for prompt in (dialect.page_prompt, dialect.crop_prompt(DRAFT.regions[0]))
    ]
    assert hashes == ["3cdbeed4e2b12e40", "f12a69225d90832f"]


def test_chandra_2_is_asked_with_its_own_prompts():
    """By their hashes, taken of what its ``prompts.py`` makes of its lists of tags and attributes."""
    dialect = LayoutHtml2Dialect()
    assert isinstance(dialect, Dialect)
    hashes = [
        hashlib.sha256(prompt.encode()).hexdigest()[:16]
        for prompt in (dialect.page_prompt, dialect.crop_prompt(DRAFT.regions[0]))
    ]
    assert hashes == ["025935f3e1de1acd", "5bddc652e7f39d5c"]


def test_chandra_2_writes_and_reads_places_of_a_thousand():
    page = LayoutHtml2Dialect().page_drafts(DRAFT, 1000, 2000)[0]
    assert page.startswith('<div data-bbox="100 20 900 30" data-label="Page-Header">')
    blocks = LayoutHtml2Dialect().parse(page, 1000, 2000)
    assert [block.bbox.rounded() for block in blocks][:2] == [(100, 40, 900, 60), (100, 100, 900, 140)]


def test_what_chandra_2_has_more_of_is_read():
    """Chemistry is kept as it is spelled, diagrams are pictures, an empty page has nothing on it."""
    answer = (
        '<div data-bbox="10 10 900 90" data-label="Chemical-Block"><chem>C[C@H](N)C(=O)O</chem></div>'
        '<div data-bbox="10 100 900 190" data-label="Bibliography"><p>[1] A. <i>B</i>.</p></div>'
        '<div data-bbox="10 200 900 290" data-label="Diagram"><img alt="Steps"/><pre>graph TD; A--&gt;B</pre></div>'
    )
    blocks = LayoutHtml2Dialect().parse(answer, 1000, 1000)
    assert [(block.category, block.text) for block in blocks] == [
        (Category.TEXT, "`C[C@H](N)C(=O)O`"),
        (Category.TEXT, "[1] A. *B*."),
        (Category.PICTURE, "![Steps]()\n\ngraph TD; A-->B"),
    ]
    assert LayoutHtml2Dialect().parse('<div data-bbox="0 0 1000 1000" data-label="Blank-Page"></div>', 9, 9) == ()


def test_the_page_draft_is_the_whole_answer_in_the_targets_spelling():
    drafts = LayoutHtmlDialect().page_drafts(DRAFT, WIDTH, HEIGHT)
    assert drafts[0] == PAGE
    assert "<table><tr><td>1</td></tr></table>" in drafts
    assert drafts[-1] == "a\nb"


def test_what_was_written_for_crops_comes_first():
    outputs = ["", "<h3>1 A &amp; B</h3>", *[""] * 6]
    page = LayoutHtmlDialect().page_drafts(DRAFT, WIDTH, HEIGHT, outputs)[0]
    assert page == PAGE.replace("<h2>1 A &amp; B</h2>", "<h3>1 A &amp; B</h3>")


def test_a_page_is_read_back_as_it_was_drafted():
    blocks = LayoutHtmlDialect().parse(PAGE, WIDTH, HEIGHT)
    assert [(block.category, block.text) for block in blocks] == [
        (Category.PAGE_HEADER, "Running head"),
        (Category.SECTION_HEADER, "## 1 A & B"),
        (Category.TEXT, "Some information on $a < b$."),
        (Category.LIST_ITEM, "- one\n- 2. two"),
        (Category.PICTURE, ""),
        (Category.TABLE, "<table><thead><tr><th>1</th></tr></thead></table>"),
        (Category.FORMULA, "$$\\frac{a}{b} < 1$$"),
    ]
    assert blocks[0].bbox_from == "model" and blocks[0].bbox.rounded() == (100, 40, 900, 60)
    assert blocks[3].bbox.rounded() == (100, 300, 900, 340)


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ('<div data-bbox="1 2 3', [(Category.TEXT, '<div data-bbox="1 2 3')]),
        ('<div data-bbox="[10, 10, 500, 90]" data-label="Text"><p>In <b>bold</b>',
         [(Category.TEXT, "In **bold**")]),
        ('before<div data-label="Footnote" data-bbox="5 5 5 5"><p>1<sup>a</sup></p></div>',
         [(Category.TEXT, "before"), (Category.FOOTNOTE, "1<sup>a</sup>")]),
        ('<div data-bbox="1 1 9 9" data-label="List-Group"><ol><li><p>a</p></li><li>b<ul><li>c</li></ul></ol></div>',
         [(Category.LIST_ITEM, "1. a\n2. b\n  - c")]),
        ('<div data-bbox="1 1 9 9" data-label="Form"><p><input type="checkbox" checked> yes<br>no</p></div>',
         [(Category.TEXT, "☑  yes\nno")]),
        ('<div data-bbox="1 1 9 9" data-label="Figure"><img alt="A map."/></div>',
         [(Category.PICTURE, "![A map.]()")]),
        ("<h1>T</h1><p>a &amp; b</p>", [(Category.TITLE, "# T"), (Category.TEXT, "a & b")]),
        ("plain words", [(Category.TEXT, "plain words")]),
    ],
)  # fmt: skip
def test_answers_are_read_as_far_as_they_go(text, blocks):
    found = LayoutHtmlDialect().parse(text, WIDTH, HEIGHT)
    assert [(block.category, block.text) for block in found] == blocks


def test_crops_become_markdown():
    dialect = LayoutHtmlDialect()
    assert dialect.parse_crop("<p>a</p><table><tr><td>1</td></tr></table><p>b") == (
        "a\n\n<table><tr><td>1</td></tr></table>\n\nb"
    )
    assert dialect.parse_crop(PAGE).startswith("Running head\n\n## 1 A & B\n\n")


@given(
    st.lists(
        st.sampled_from(
            ['<div data-bbox="', "1 2 3 4", '" data-label="Text">', "</div>", "<li>", "<math>", "<![", "&", "w "]
        ),
        max_size=20,
    )
)
def test_nothing_raises(marks):
    LayoutHtmlDialect().parse("".join(marks), WIDTH, HEIGHT)
