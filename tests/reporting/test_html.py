"""HTML output is readable, complete and harmless whatever the model wrote."""

from __future__ import annotations

from html import escape
from html.parser import HTMLParser
from typing import Any

import pytest

from docspec.core import Block, Category
from docspec.core.formulas import bare_formula
from docspec.reporting.html import HtmlRenderer
from docspec.reporting.htmltable import sanitised_table
from docspec.reporting.renderer import Layout

from ..patience import within

_VOID = {"meta", "img", "br", "hr"}


class Tags(HTMLParser):
    """Collects tags and attributes; fails on tags that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.links: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> while open are {self.open}"
        self.open.pop()


def tags_of(html: str) -> Tags:
    tags = Tags()
    tags.feed(html)
    tags.close()
    assert not tags.open
    return tags


def document(pages: list[Any], figures: dict[int, str] | None = None) -> str:
    renderer = HtmlRenderer(Layout())
    body = "".join(renderer.page(page, figures or {}) for page in pages)
    return renderer.begin("<odd>.pdf", "") + body + renderer.end()


def test_page_has_semantic_elements_and_is_well_formed(make_page: Any) -> None:
    blocks = [
        Block(Category.TITLE, "Annual *report*"),
        Block(Category.SECTION_HEADER, "### Detail"),
        Block(Category.LIST_ITEM, "- one\n- two"),
        Block(Category.FORMULA, "$$a<b$$"),
        Block(Category.TABLE, "| a | b |\n|---|---|\n| 1 | 2 |"),
        Block(Category.FOOTNOTE, "note"),
    ]
    html = document([make_page(5, *blocks)])
    assert tags_of(html).seen >= {"section", "h1", "em", "h3", "ul", "li", "table", "th"}
    assert 'id="page-5"' in html and "a&lt;b" in html and "<title>&lt;odd&gt;.pdf</title>" in html


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "![t](https://example.com/tracker.png)",
        "<svg/onload=alert(1)>",
    ],
)
@pytest.mark.parametrize("category", [Category.TEXT, Category.TITLE, Category.CAPTION, Category.PICTURE])
def test_text_cannot_bring_scripts_or_foreign_pictures(make_page: Any, category: Category, attack: str) -> None:
    tags = tags_of(document([make_page(1, Block(category, attack))]))
    assert not tags.seen & {"script", "img", "svg", "iframe"}
    assert tags.links == ["#page-1"]


def test_table_keeps_structure_and_loses_everything_else() -> None:
    table = (
        '<html><body><table onclick="x()"><thead><tr><th colspan="2" style="a">A</th></tr></thead><tbody>'
        "<tr><td>1 &lt; 2<script>x()</script></td><td><a href='javascript:1'>b</a><br></td></tr></tbody>"
        "</table></body></html>"
    )
    assert sanitised_table(table) == (
        '<table><thead><tr><th colspan="2">A</th></tr></thead><tbody>'
        "<tr><td>1 &lt; 2&lt;script&gt;x()&lt;/script&gt;</td><td><a>b</a><br></td></tr></tbody></table>"
    )


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("<table><tr><td>a<td>b<tr><td>c", "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>"),
        ("<table><tr><td>cut o", "<table><tr><td>cut o</td></tr></table>"),
        ("<table><tr><td>x</b></td></tr></table>", "<table><tr><td>x</td></tr></table>"),
        (
            "<table><tr><td><table><tr><td>in</td></tr></table></td><td>out</td></tr></table>",
            "<table><tr><td><table><tr><td>in</td></tr></table></td><td>out</td></tr></table>",
        ),
        ('<table><tr><td colspan="99999999">a', '<table><tr><td colspan="1000">a</td></tr></table>'),
    ],
)
def test_broken_tables_are_closed(broken: str, whole: str) -> None:
    assert sanitised_table(broken) == whole


def test_neighbouring_list_items_make_one_list(make_page: Any) -> None:
    items = [Block(Category.LIST_ITEM, f"- {word}") for word in ("one", "two", "three")]
    html = document([make_page(1, *items)])
    assert (html.count("<ul>"), html.count("<li>")) == (1, 3)


def test_failed_page_says_so_in_its_place(make_page: Any) -> None:
    html = document([make_page(2, status="failed", error="no <memory>", text="")])
    assert "Page 2 could not be read: no &lt;memory&gt;" in html


def test_picture_is_shown_from_its_link(make_page: Any, make_picture: Any) -> None:
    assert '<img src="data:image/png;base64,AA" alt="">' in document(
        [make_page(1, make_picture())], {0: "data:image/png;base64,AA"}
    )


@pytest.mark.parametrize(
    ("formula", "element"),
    [
        (r"$R/\text{Ann}_R(x_i)$", "<mtext>Ann</mtext>"),
        (r"$\{\lambda_g\}_{g \in R}$", "<mi>λ</mi>"),
        (r"$a*b*c < d$", "<mo>&lt;</mo>"),
        (r"$5\$$", "<mn>5</mn>"),
        (r"$$\sum_{i=1}^k c_i$$", 'display="block"'),
        (r"\(x_1 \ne y_1\)", "<msub><mi>x</mi><mn>1</mn></msub>"),
        (r"\[\vec{x}_a + \frac{1}{\sqrt{y}}\]", "<mfrac>"),
    ],
)
def test_formula_within_a_line_is_mathml_with_its_latex(make_page: Any, formula: str, element: str) -> None:
    html = document([make_page(1, Block(Category.TEXT, f"We have _one_ {formula} and _two_."))])
    assert '<em>one</em> <span class="math"><math ' in html and "</math></span> and <em>two</em>" in html
    latex = escape(bare_formula(formula), quote=False)
    assert element in html and f'<annotation encoding="application/x-tex">{latex}</annotation>' in html


@pytest.mark.parametrize(
    "formula",
    [
        r"$\unknown{x} + 1$",
        r"$\href{javascript:alert(1)}{x}$",
        r"$\newcommand{\a}{xx}\a\a$",
        "$" + "{" * 1500 + "x" + "}" * 1500 + "$",
        "$" + "x + " * 2000 + "x$",
        r"$x % y$",
    ],
)
def test_formula_that_mathml_would_lose_is_shown_as_written(make_page: Any, formula: str) -> None:
    with within(2):
        html = document([make_page(1, Block(Category.TEXT, f"We have _one_ {formula} and _two_."))])
    assert f'<em>one</em> <span class="math">{escape(formula)}</span> and <em>two</em>' in html


def test_thousands_of_formulas_in_a_block_cost_no_time(make_page: Any) -> None:
    with within(3):
        html = document([make_page(1, Block(Category.TEXT, "$x$ " * 24_000))])
    assert html.count('<span class="math">$x$</span>') == 24_000


def test_formula_that_stands_alone_is_mathml_with_its_number(make_page: Any) -> None:
    html = document([make_page(1, Block(Category.FORMULA, r"$$E = mc^2 \tag{3}$$"))])
    assert '<div class="formula"><math display="block"' in html and "<mtext>(3)</mtext>" in html
    tags_of(html)


def test_simple_tags_are_shown_and_others_stay_text(make_page: Any) -> None:
    text = "x<SUP>2 &lt; 3</SUP><br/>y <b>a<i>c</i> <sub onload=x>z</sub>"
    html = document([make_page(1, Block(Category.TEXT, text))])
    assert "x<sup>2 &lt; 3</sup><br>y &lt;b&gt;a<i>c</i> &lt;sub onload=x&gt;z&lt;/sub&gt;" in html
    tags_of(html)


@pytest.mark.parametrize("prices", ["$5 or $6", "US$5 and US$6 a piece", "$ 5 and 6$", "a $ b", r"\$5 and 6$"])
def test_prices_are_no_formulas(make_page: Any, prices: str) -> None:
    assert 'class="math"' not in document([make_page(1, Block(Category.TEXT, prices))])


@pytest.mark.parametrize("opening", ["$x", r"\(", r"\[x"])
def test_formulas_that_never_end_cost_no_time(make_page: Any, opening: str) -> None:
    with within(2):
        document([make_page(1, Block(Category.TEXT, opening * 20_000))])
