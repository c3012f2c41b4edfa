"""The page view is one safe file: marks stand where the spans are, nothing of a document becomes markup or script."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from docspec.core import Baseline, BBox, Block, Category, LeftOut, Provenance, Span
from docspec.core.places import PlacedWord
from docspec.core.safe_text import safe_text
from docspec.dialects.words import words_of
from docspec.reporting.htmlblocks import BlockHtml
from docspec.reporting.view import ViewRenderer, marking

HOSTILE = [
    "<script>window.broken=1</script>",
    "</script><script>window.broken=1</script>",
    '"><img src=x onerror=window.broken=1>',
    "<table><tr><td onclick=\"window.broken=1\"><a href='javascript:window.broken=1'>x</a></td></tr></table>",
    "<svg onload=window.broken=1>",
    "[a](javascript:window.broken=1) ![b](https://example.org/x.png)",
    "$\\href{javascript:window.broken=1}{x} \\style{background:url(https://example.org)}{y}$",
    "{{script}} {{style}} <!-- --> ]]> &lt;script&gt; \x1b[31m \x07 \u2028 \ud800",
    "<style>body{display:none}</style><base href=https://example.org/>",
]


def view(*pages: Any, source: str = "a.pdf") -> str:
    renderer = ViewRenderer()
    text = renderer.begin(source, "0" * 64) + "".join(renderer.page(page, {}) for page in pages)
    return safe_text(text + renderer.end())


def marked(text: str, *spans: Span, category: Category = Category.TEXT, words: Sequence[PlacedWord] = ()) -> str:
    return marking.marked(text, lambda signed: BlockHtml().render(Block(category, signed, gap="")), spans, words)


def test_marks_stand_around_their_words_in_rendered_markdown():
    text = "The **very old** harbour [lies](http://example.org) at `-5` m."
    end = text.index(" [lies"), text.index("m.")
    spans = [Span(0, 3, "agreed"), Span(6, end[0], "corrected", 'very "cold"'), Span(end[1], end[1], "draft", "deep")]
    assert marked(text, *spans) == (
        '<p>The <strong><mark class="corrected" data-span="1" data-draft="very &quot;cold&quot;">'
        "very old</mark></strong>"
        '<mark class="corrected" data-span="1" data-draft="very &quot;cold&quot;"> harbour</mark> '
        '<a href="http://example.org">lies</a> at <code>-5</code> '
        '<mark class="left" data-span="2" data-draft="deep"></mark>m.</p>'
    )


def test_marks_never_break_tables_and_formulas():
    table = "<table><tr><td>1</td><td>2</td></tr></table>"
    assert marked(table, Span(15, 26, "model"), category=Category.TABLE) == (
        '<div class="scroll"><table><tr><td><mark class="alone" data-span="0">1</mark></td>'
        '<td><mark class="alone" data-span="0">2</mark></td></tr></table></div>'
    )
    assert marked("so $a^{2}$ it", Span(4, 8, "corrected", "a2")) == (
        '<p>so <span class="math corrected" data-span="0" data-draft="a2">$a^{2}$</span> it</p>'
    )


def test_placed_words_are_told_in_the_rendered_text_and_change_nothing_of_it():
    text = "1. A _very old_ `x` \\*\n2. **harbour** $a^2$ of $5 or $6"
    words = [PlacedWord(found[0], *found.span(), "exact", 1.0) for found in re.finditer(r"\S+", text)]
    block = BlockHtml()

    def render(signed: str) -> str:
        return block.render(Block(Category.TEXT, signed, gap=""))

    html = marking.marked(text, render, (), words, 100)
    assert re.sub(r'<span data-place="\d+">(.*?)</span>| data-place="\d+"', r"\1", html) == render(text)
    assert '<em><span data-place="102">very</span> <span data-place="103">old</span></em>' in html
    assert '<span class="math" data-place="108">$a^2$</span>' in html


class Balanced(HTMLParser):
    """Every tag is closed in its turn, and no attribute is a script."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in ("br", "img", "hr", "input"):
            self.opened.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not any(name.startswith("on") for name, _ in attrs)  # <hr />: opens nothing

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.text(max_size=60), st.sampled_from(HOSTILE), st.text("*_`#|-<>$[]()\\ab1 \n", max_size=60)))
@example("---")
def test_whatever_is_marked_the_text_shown_is_the_same(text):
    spans = [Span(word.start, word.end, "corrected", "<b>") for word in words_of(text)]
    words = [PlacedWord(found[0], *found.span(), "exact", 1.0) for found in re.finditer(r"\S+", text)]
    for category in (Category.TEXT, Category.TABLE, Category.FORMULA):
        marks = marked(text, *spans, category=category, words=words)
        balanced = Balanced()
        balanced.feed(marks)
        assert balanced.opened == []
        assert not re.search("[\U000f0000-\U000ffffd]", marks) or re.search("[\U000f0000-\U000ffffd]", text)


def test_a_page_holds_its_image_boxes_marks_and_what_was_left_out(make_page):
    said = Provenance(
        ((Span(0, 1, "agreed"), Span(2, 6, "corrected", "ward")), ()),
        (LeftOut("Page 7", -1, BBox(1, 2, 30, 4), Category.PAGE_FOOTER), LeftOut("behind", 1)),
        (3, 1),
    )
    blocks = (Block(Category.TEXT, "a word", BBox(0, 0, 50, 9)), Block(Category.PICTURE, "", BBox(5, 5, 20, 20)))
    html = view(make_page(4, *blocks, provenance=said))
    assert html.index("Page 7") < html.index('data-block="0"') < html.index('data-block="1"') < html.index("behind")
    assert 'data-checks="3"' in html
    island = json.loads(re.search(r'class="data">(.*?)</script>', html)[1])  # type: ignore[index]
    assert island["boxes"] == [[0, 0, 50, 9], [5, 5, 20, 20]]
    assert island["left"] == [[1, 2, 30, 4], None]
    head, data = island["image"].split(",")
    assert head == "data:image/webp;base64" and base64.b64decode(data)[8:12] == b"WEBP"


def test_the_policy_allows_the_own_scripts_and_nothing_else(make_page):
    html = view(make_page(1, Block(Category.FORMULA, "a^2"), baseline=Baseline(41, 0.3, 2.0, 4.0, 3.0, True)))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]  # type: ignore[index]
    assert "unsafe" not in policy and "http" not in policy and policy.startswith("default-src 'none'")
    for kind in ("script", "style"):
        for body in re.findall(rf"<{kind}>(.*?)</{kind}>", html, re.DOTALL):
            digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy
    assert len(re.findall(r"<script>", html)) == 2
    assert " style=" not in re.sub(r"<(script|style)>.*?</\1>", "", html, flags=re.DOTALL), "the policy forbids it"


def test_formulas_bring_their_renderer_and_other_pages_do_not(make_page):
    assert len(view(make_page(1, Block(Category.TEXT, "no formula")))) < 60_000
    assert len(view(make_page(1, Block(Category.TEXT, "one: $a$")))) > 160_000


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_document_becomes_markup(make_page, text):
    clean = view(make_page(1, Block(Category.TEXT, "x")), source="x.pdf")
    page = make_page(
        1,
        *(Block(category, text) for category in Category),
        error=text,
        provenance=Provenance(tuple((Span(0, 1, "corrected", text),) for _ in Category), (LeftOut(text, 0),), (1,)),
    )
    html = view(page, source=f"{text}.pdf")

    class Tags(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.found: set[tuple[str, str]] = set()

        def handle_starttag(self, tag: str, attrs: Any) -> None:
            self.found |= {(tag, name) for name, _ in attrs} | {(tag, "")}

    seen = []
    for one in (clean, html):
        tags = Tags()
        tags.feed(one)
        seen.append(tags.found)
    new = seen[1] - seen[0]
    assert not [one for one in new if one[0] in ("script", "svg", "style", "base", "iframe", "object", "link", "meta")]
    assert not [one for one in new if one[1].startswith("on") or one[1] in ("src", "style")]
    assert "javascript:" not in "".join(re.findall(r'href="([^"]*)"', html))
    assert "\x1b" not in html and "\x07" not in html
