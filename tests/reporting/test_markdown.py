"""Blocks become Markdown that keeps what the target wrote."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from docspec.core import BBox, Block, Category
from docspec.core.marks import Mark
from docspec.dialects import make_dialect
from docspec.reporting.html import HtmlRenderer
from docspec.reporting.markdown import MarkdownRenderer, block_markdown, page_markdown
from docspec.reporting.renderer import Layout

SAMPLES = Path(__file__).parents[2] / "samples"
TEXT = Block(Category.TEXT, "A sentence.")
HEADER = Block(Category.PAGE_HEADER, "Running head")
FOOTER = Block(Category.PAGE_FOOTER, "12")


def document(pages: list[Any], layout: Layout | None = None) -> str:
    renderer = MarkdownRenderer(layout or Layout())
    return renderer.begin("a.pdf", "") + "".join(renderer.page(page, {}) for page in pages) + renderer.end()


def test_page_headers_and_footers_are_dropped_unless_asked_for(make_page: Any) -> None:
    page = make_page(1, HEADER, TEXT, FOOTER)
    assert page_markdown(page, {}, Layout()) == "A sentence."
    assert page_markdown(page, {}, Layout(keep_furniture=True)) == "Running head\n\nA sentence.\n\n12"


def test_a_head_that_is_all_the_text_of_its_page_is_no_running_head(make_page: Any) -> None:
    """A letter of two lines came out empty; a page number or a figure's running head still is none of the text."""
    picture = Block(Category.PICTURE, "")
    assert page_markdown(make_page(1, HEADER, FOOTER), {}, Layout()) == "Running head"
    assert page_markdown(make_page(1, HEADER, picture), {}, Layout()) == "Running head"
    assert page_markdown(make_page(1, FOOTER, picture), {}, Layout()) == ""
    assert page_markdown(make_page(1, HEADER, Block(Category.TABLE, "| 12 |")), {}, Layout()) == "| 12 |"


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (Block(Category.TITLE, "Report\nof 1998"), "# Report of 1998"),
        (Block(Category.SECTION_HEADER, "Methods"), "## Methods"),
        (Block(Category.SECTION_HEADER, "### Methods"), "### Methods"),
        (Block(Category.FORMULA, "E = mc^2"), "$$\nE = mc^2\n$$"),
        (Block(Category.FORMULA, "$$\nE = mc^2\n$$"), "$$\nE = mc^2\n$$"),
        (Block(Category.FORMULA, "$$E = mc^2$$"), "$$E = mc^2$$"),
        (Block(Category.FORMULA, "\\[ x \\]"), "$$\nx\n$$"),
        (Block(Category.TABLE, "<table>\n\n<tr><td>1</td></tr>\n</table>"), "<table>\n<tr><td>1</td></tr>\n</table>"),
        (Block(Category.TABLE, "| a |\n|---|\n| 1 |"), "| a |\n|---|\n| 1 |"),
        (Block(Category.TEXT, "    indented code\n"), "    indented code"),
        (Block(Category.TEXT, "   "), ""),
        (Block(Category.PICTURE, ""), ""),
    ],
)
def test_a_block_gets_only_what_its_category_demands(block: Block, expected: str) -> None:
    assert block_markdown(block) == expected


def cut_out(text: str, category: Category = Category.TEXT) -> Block:
    """A block that a layout cut out of a page."""
    return Block(category, text, BBox(0, 0, 9, 9), "draft")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([cut_out("The ship")], [cut_out("sails."), cut_out("Next.")], "The ship sails.\n\nNext.\n"),
        ([cut_out("The har-")], [cut_out("bour fills.")], "The harbour fills.\n"),
        ([cut_out("A Franco-")], [cut_out("German pact.")], "A Franco-German pact.\n"),
        ([cut_out("A Franco\u00ad")], [cut_out("German pact.")], "A Franco\u00adGerman pact.\n"),
        ([cut_out("It ends.")], [cut_out("and begins.")], "It ends.\n\nand begins.\n"),
        ([cut_out("The ship")], [cut_out("Sails.")], "The ship\n\nSails.\n"),
        ([cut_out("The har-")], [cut_out("2 boats")], "The har-\n\n2 boats\n"),
        ([cut_out("The har-")], [], "The har-\n"),
        ([cut_out("The ship")], [HEADER, cut_out("sails.")], "The ship sails.\n"),
        ([cut_out("The ship"), FOOTER], [cut_out("sails.")], "The ship sails.\n"),
        (
            [cut_out("The ship"), cut_out("1 a note", Category.FOOTNOTE)],
            [cut_out("sails.")],
            "The ship sails.\n\n1 a note\n",
        ),
        ([cut_out("The ship")], [cut_out("sails", Category.SECTION_HEADER)], None),
        ([Block(Category.TEXT, "The ship", gap="")], [Block(Category.TEXT, "sails.", gap="")], None),
        ([Block(Category.TEXT, "The ship", BBox(0, 0, 9, 9), "model")], [cut_out("sails.")], None),
    ],
)
def test_a_paragraph_that_a_page_breaks_off_is_made_whole(
    make_page: Any, first: list[Block], second: list[Block], expected: str | None
) -> None:
    """Only where a layout cut the blocks out; what a model wrote for a whole page stays as it is (``None``)."""
    pages = [make_page(1, *first), make_page(2, *second)]
    apart = "\n\n".join(filter(None, (page_markdown(page, {}, Layout()) for page in pages))) + "\n"
    assert document(pages) == (apart if expected is None else expected)
    separated = document(pages, Layout(page_separator="---"))
    assert separated.split("\n---\n")[0].strip() == page_markdown(pages[0], {}, Layout())
    three = document([pages[0], make_page(2), pages[1]])
    assert three == apart, "a page stands between"


def test_the_rest_of_a_paragraph_may_break_off_again(make_page: Any) -> None:
    pages = [make_page(n + 1, cut_out(text)) for n, text in enumerate(["One two", "three fo-", "ur five."])]
    assert document(pages) == "One two three four five.\n"


def test_list_items_stay_together_and_other_blocks_apart(make_page: Any) -> None:
    items = [Block(Category.LIST_ITEM, "- one"), Block(Category.LIST_ITEM, "- two")]
    page = make_page(1, *items, TEXT, text="[layout JSON]")
    assert page_markdown(page, {}, Layout()) == "- one\n- two\n\nA sentence."


def test_list_cells_stay_apart_where_markdown_does_not_know_their_markers(make_page: Any) -> None:
    items = [Block(Category.LIST_ITEM, f"({n}) item") for n in (1, 2)]
    assert page_markdown(make_page(1, *items), {}, Layout()) == "(1) item\n\n(2) item"


@pytest.mark.parametrize("truth", sorted(SAMPLES.glob("*.md")), ids=lambda path: path.stem)
def test_what_a_markdown_model_wrote_is_written_word_for_word(make_page: Any, truth: Path) -> None:
    text = truth.read_text(encoding="utf-8").strip()
    blocks = make_dialect("markdown").parse(text, 1000, 1400)
    assert page_markdown(make_page(1, *blocks, text=text), {}, Layout(keep_furniture=True)) == text


def test_a_picture_is_linked_and_keeps_its_description(make_page: Any) -> None:
    box = BBox(0, 0, 9, 9)
    page = make_page(
        3, Block(Category.PICTURE, "", box, "model"), Block(Category.PICTURE, "![a map](x.png)", box, "model")
    )
    links = {0: "figures/page-3-1.png", 1: "figures/page-3-2.png"}
    assert page_markdown(page, links, Layout()) == (
        "![page-3-1](figures/page-3-1.png)\n\n![a map](figures/page-3-2.png)"
    )


PICTURE = Block(Category.PICTURE, "", BBox(0, 0, 9, 9), "draft")


def test_pictures_of_a_layout_are_linked_where_the_page_is_read_by_regions(make_page: Any) -> None:
    caption = cut_out("**Fig. 2.** Tides at [Oban](https://oban.example), *p* < 0.05. And more.", Category.CAPTION)
    page = make_page(4, PICTURE, caption, cut_out("Words."), PICTURE, read="regions")
    links = {0: "a%20b.figures/page-4-1.png", 3: "a%20b.figures/page-4-2.png"}
    linked = page_markdown(page, links, Layout())
    assert linked.startswith("![Fig. 2. Tides at Oban, p < 0.05](a%20b.figures/page-4-1.png)\n\n" + caption.text)
    assert linked.endswith("\n\nWords.\n\n![page-4-2](a%20b.figures/page-4-2.png)")
    unlinked = f"{caption.text}\n\nWords."
    assert page_markdown(page, links, Layout(plain_markdown=True)) == unlinked
    assert page_markdown(page, {}, Layout()) == unlinked
    assert page_markdown(replace(page, read="page"), links, Layout()) == unlinked


def test_a_caption_describes_one_picture(make_page: Any) -> None:
    captions = [cut_out(f"Figure [{n}", Category.CAPTION) for n in (1, 2)]
    page = make_page(1, PICTURE, captions[0], PICTURE, captions[1], PICTURE, read="regions")
    found = page_markdown(page, {index: f"{index}.png" for index in (0, 2, 4)}, Layout())
    shown = [inline.children or [] for inline in MarkdownIt().parse(found) if inline.type == "inline"]
    pictures = [(one.attrs["src"], one.content) for parts in shown for one in parts if one.type == "image"]
    assert pictures == [("0.png", "Figure \\[1"), ("2.png", "Figure \\[2"), ("4.png", "4")]


def test_a_paragraph_goes_on_around_pictures(make_page: Any) -> None:
    """A figure at the end of a page or at the top of the next one follows the paragraph that it interrupts."""
    pages = [
        make_page(1, cut_out("The ship"), PICTURE, read="regions"),
        make_page(2, PICTURE, cut_out("sails."), cut_out("Next"), PICTURE, read="regions"),
        make_page(3, cut_out("Other."), PICTURE, read="regions"),
    ]
    links = [{1: "1.png"}, {0: "2.png", 3: "3.png"}, {1: "4.png"}]
    renderer = MarkdownRenderer(Layout())
    parts = [renderer.page(page, link) for page, link in zip(pages, links, strict=True)]
    pieces = ["The ship sails.", "![1](1.png)", "![2](2.png)", "Next", "![3](3.png)", "Other.", "![4](4.png)"]
    assert "".join([*parts, renderer.end()]) == "\n\n".join(pieces) + "\n"
    renderer = MarkdownRenderer(Layout(page_separator="---"))
    parts = [renderer.page(page, link) for page, link in zip(pages, links, strict=True)]
    assert (
        "".join([*parts, renderer.end()])
        == "\n\n---\n\n".join(page_markdown(page, link, Layout()) for page, link in zip(pages, links, strict=True))
        + "\n"
    )
    renderer = MarkdownRenderer(Layout())
    assert renderer.page(pages[0], links[0]) + renderer.end() == "The ship\n\n![1](1.png)\n"


def test_a_failed_page_leaves_a_comment_that_cannot_be_closed_early(make_page: Any) -> None:
    page = make_page(2, status="failed", error="model said -->\nstop", text="")
    assert page_markdown(page, {}, Layout()) == ("<!-- docspec: page 2 could not be read: model said - -> stop -->")


def test_a_separator_stands_between_pages_only(make_page: Any) -> None:
    pages = [make_page(1, TEXT), make_page(2, TEXT), make_page(3)]
    assert document(pages) == "A sentence.\n\nA sentence.\n"
    assert document(pages, Layout(page_separator="---")) == "A sentence.\n\n---\n\nA sentence.\n\n---\n"


def test_a_separator_that_names_the_page_stands_before_every_page(make_page: Any) -> None:
    text = document([make_page(4, TEXT), make_page(7, TEXT)], Layout(page_separator="<!-- page {page} {x} -->"))
    assert text == "<!-- page 4 {x} -->\n\nA sentence.\n\n<!-- page 7 {x} -->\n\nA sentence.\n"


def test_raw_keeps_separators_and_failures(make_page: Any) -> None:
    pages = [make_page(1, TEXT, text="<think>\n"), make_page(2, status="failed", error="no memory", text="")]
    assert document(pages, Layout(raw=True, page_separator="--")) == (
        "<think>\n\n--\n\n<!-- docspec: page 2 could not be read: no memory -->\n"
    )


@pytest.mark.parametrize(
    ("how", "link", "expected"),
    [
        ("block", True, "![Flow curves](1.png)\n\n> 10 · \\*Flow\\* · 1990\n\nFlow curves"),
        ("inline", True, "![Flow curves: 10; \\*Flow\\*; 1990](1.png)\n\nFlow curves"),
        ("none", True, "![Flow curves](1.png)\n\nFlow curves"),
        ("inline", False, "> 10 · \\*Flow\\* · 1990\n\nFlow curves"),
        ("none", False, "Flow curves"),
    ],
)
def test_words_in_a_picture_are_no_text_of_the_page(make_page: Any, how: str, link: bool, expected: str) -> None:
    picture = replace(cut_out("10\n*Flow*\n1990", Category.PICTURE), words="recognition")
    page = make_page(1, picture, cut_out("Flow curves", Category.CAPTION), read="regions")
    layout = Layout(picture_text=how)  # type: ignore[arg-type]
    assert page_markdown(page, {0: "1.png"} if link else {}, layout) == expected
    shown = HtmlRenderer(layout).page(page, {0: "1.png"} if link else {})
    assert ("1990" in shown) is (how != "none")


def test_a_formula_in_a_picture_stays_one(make_page: Any) -> None:
    text = "*Flow*\nrate $k_{1}^{*}$"
    mark = Mark("formula", text.index("$"), len(text))
    picture = replace(cut_out(text, Category.PICTURE), words="text layer", marks=(mark,))
    page = make_page(1, picture, read="regions")
    assert page_markdown(page, {}, Layout()) == "> \\*Flow\\* · rate $k_{1}^{*}$"


def test_what_a_model_wrote_of_a_picture_stays_as_it_is(make_page: Any) -> None:
    page = make_page(1, cut_out("A chart\nof flows", Category.PICTURE), read="regions")
    for how in ("block", "inline", "none"):
        assert page_markdown(page, {}, Layout(picture_text=how)) == "A chart\nof flows"  # type: ignore[arg-type]
