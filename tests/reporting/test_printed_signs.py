"""What is printed is no Markdown: whatever a line begins with or holds, a reader of Markdown shows its words."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from docspec.core import BBox, Category, PageResult, PrintedLine, Region
from docspec.drafting.bullets import with_signs
from docspec.hierarchy.regions.evidence import known_text
from docspec.hierarchy.regions.regions_read import RegionsRead
from docspec.reporting.markdown import MarkdownRenderer
from docspec.reporting.renderer import Layout

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
WORDS = ["a", "Two", "5", "word", "a_b_c", "x<y", "5+", "+5", "#5", "a|b", "12:30"]
BLOCKS = ["+", "-", "*", "1.", "1)", "12.", "#", "##", ">", "|", "---", "===", "***", "___", "=", "-----", "|---|", ":"]
INLINE = ["*a*", "_b_", "__c__", "`d`", "<tag>", "</b>", "<!-- x -->", "[x](y)", "[r]", "[r]: http://a", "~~s~~", "~~"]
OTHERS = ["&amp;", "\\*", "$5$", "![i](j)", "[^1]", "[ ]", "[x]", "<a@b.de>", "<http://x.y>", "    ", "\t"]
LINES = st.lists(st.sampled_from(WORDS + BLOCKS + INLINE + OTHERS), min_size=1, max_size=4).map(" ".join)
KINDS = st.sampled_from([Category.TEXT, Category.SECTION_HEADER, Category.CAPTION, Category.FOOTNOTE])


def region(category: Category, lines: list[str], y: float = 0) -> Region:
    printed = tuple(PrintedLine(BBox(50, y + 20 * n, 500, y + 20 * n + 12), text, 10) for n, text in enumerate(lines))
    box = BBox.union(line.bbox for line in printed)
    return Region(box, category, ("\n".join(lines),), 1.0, printed, words="text layer")


def written(*regions: Region) -> str:
    known = {number: known_text(one) for number, one in enumerate(regions)}
    blocks = RegionsRead(regions, (), {}, known).blocks(lambda output: "")
    renderer = MarkdownRenderer(Layout())
    page = PageResult("page.pdf", 1, "ok", read="regions", blocks=blocks, width=600, height=800)
    return renderer.page(page, {}) + renderer.end()


def letters_shown(markdown: str) -> str:
    return "".join(html.unescape(re.sub(r"<[^>]*>", "", READER.render(markdown))).split())


@given(st.lists(st.tuples(KINDS, st.lists(LINES.filter(str.strip), min_size=1, max_size=3)), min_size=1, max_size=3))
@settings(deadline=None, max_examples=300)
def test_every_printed_character_is_shown(drawn: list[tuple[Category, list[str]]]) -> None:
    regions = [region(category, lines, 100 * number) for number, (category, lines) in enumerate(drawn)]
    printed = "".join("".join(lines) for _, lines in drawn)
    shown = letters_shown(written(*regions))
    expected = "".join(printed.split())
    around = Category.CAPTION, Category.FOOTNOTE
    if any(category in around for category, _ in drawn):  # a paragraph is joined around them
        shown, expected = "".join(sorted(shown)), "".join(sorted(expected))
    assert shown == expected


@pytest.mark.parametrize(
    "texts",
    [
        ["+ 5 degrees were measured on the roof.", "- 3 degrees were measured in the garden.", "+ 120 units came in."],
        ["- 4.50 EUR discount", "- 12 EUR returned"],
        ["+ $ 1,200 from sales", "− 300 to suppliers"],
    ],
)
def test_signs_before_numbers_are_no_bullets(texts: list[str]) -> None:
    drafted = with_signs([region(Category.LIST_ITEM, [text], 30 * n) for n, text in enumerate(texts)])
    assert [one.category for one in drafted] == [Category.TEXT] * len(texts)
    shown = [html.unescape(re.sub("<[^>]*>", "", line)) for line in READER.render(written(*drafted)).splitlines()]
    assert shown == texts
    together = with_signs([region(Category.LIST_ITEM, texts)])
    assert [one.texts[0] for one in together] == texts


@pytest.mark.parametrize("bullet", ["-", "–", "+"])
def test_bullets_before_numbers_and_words_are_bullets(bullet: str) -> None:
    texts = [f"{bullet} 3 eggs", f"{bullet} flour and salt", f"{bullet} 2 cups of milk"]
    drafted = with_signs([region(Category.LIST_ITEM, [text], 30 * n) for n, text in enumerate(texts)])
    shown = READER.render(written(*drafted))
    assert shown.count("<li>") == 3 and "flour and salt" in shown
    assert (bullet == "+") == ("+ 3 eggs" in written(*drafted)), "a printed plus stays one"


@pytest.mark.parametrize("text", ["# 5 and # 6", "## 12", "#"])
def test_printed_number_signs_stay_in_text_and_headings(text: str) -> None:
    for category in (Category.TEXT, Category.SECTION_HEADER):
        assert letters_shown(written(region(category, [text]))) == "".join(text.split())
    assert letters_shown(written(region(Category.TEXT, ["word", text]))) == "word" + "".join(text.split())
