"""Every pass over a model's answer takes time that grows with its length, whatever the model wrote.

A loop of any piece of any format must not hang a page: a pattern that looks from each of n places to the end of the
text takes a second for a page and an hour for a runaway. The processor's time for twice the text is compared with
that for the text, so no limit depends on the machine or on its load.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from docspec.core import BBox, Block, Category, PageDraft, PageImage, PageResult, Region
from docspec.core.account import VisibleWord
from docspec.core.choices import DIALECTS
from docspec.dialects import make_dialect
from docspec.hierarchy.answers import TextGuard, guarded
from docspec.hierarchy.grading import graded
from docspec.hierarchy.page import strange_marks
from docspec.ledger import PageOutput, account_for
from docspec.ledger.atoms import keys_of
from docspec.ledger.outputs import markdown_words
from docspec.ledger.units import units_of
from docspec.places import locate, with_places
from docspec.reporting.formats import document_text
from docspec.reporting.renderer import PLACED, SUFFIXES, Layout
from docspec.reporting.tables import grids, with_doubtful_tables
from docspec.reporting.view import ViewRenderer
from docspec.retrieval import passages
from docspec.targets.model_profile import ModelProfile

Pass = Callable[[str], Any]

SIZE = 16_000
"""Characters of the longer text, far more than a page has."""
CHEAP = 0.002
"""Seconds of processor time for the longer text below which even a pass that grew with its square would take 8 s for a
megabyte."""
RATIO, TRIES = 3.0, 6

COMMON = ["\n", " ", "\n  ", " \n", "\t", "\r\n", ".", "_", "a", "1 ", "word ", "a\n\n"]
MARKDOWN = [
    *("<!--", "<!--a", "[", "]", "[a](", "![", "![a](", "*", "* ", "**a", "_a ", "> ", "- ", "  - a\n", "1. ", "#"),
    *("# a\n", "~~", "a**b", "`", "` `` ", "```\n", "~~~", "|", "|a", "|---", "| --- ", "|a|\n|-|\n", "|\n", "| |\n"),
    *("[^", "[^1]", "[a]: b\n", "[a]: <", "<http:", "\\", "&amp;", "&a", "- \n", "a|b\n-|-\n", "===\n", "(a) "),
]
FORMULAS = ["$", "$a", "$$", "$$a", "\\(", "\\[", "\\{", "\\begin{", "\\begin{equation}\n", "\\\\", "{", "}", "^{", "&"]
TAGS = [
    *("<", "</", "<<", "<a ", "<a b='", '<a b="', "<td>", "<table>", "</table>", "<table></table>", "<table><tr><td>"),
    *("<tr>", "<thead>", "<div>", "<div ", "<ol><li>", "<ul>", "<p>", "<b>", "<sup>", "<img src=", "<script>", "<!x>"),
    *("<td colspan=9 rowspan=9>", '<div data-bbox="1 2 3 4" data-label="Text">'),
]
LAYOUTS = [
    *('"', "[{", '{"bbox":[', '{"category":"Text","text":"', "{}", "\\n", "\\u", "<think>", "</think>"),
    *(
        "<|ref|>",
        "<|det|>",
        "<|det|>[[",
        "<|det|>text [1, 2, 3, 4]<|/det|>",
        "text[[1, 2, 3, 4]]\n",
        "![text](1,2,3,4)",
    ),
    *("<loc_1>", "<loc_1><loc_2><loc_3><loc_4>", "<otsl>", "<fcel>", "<fcel>a<nl>", "<ucel>", "<lcel>", "<caption>"),
    *("<text>", "<text><formula>", "<picture>", "<picture><caption>", "<ordered_list>", "<doctag>", "<page_break>"),
]
PIECES = [*COMMON, *MARKDOWN, *FORMULAS, *TAGS, *LAYOUTS]

WORDS = [
    VisibleWord(word, at % 50 * 20.0, at // 50 * 12.0, at % 50 * 20 + 18.0, at // 50 * 12 + 10.0)
    for at, word in enumerate(["a", "b", "1", "word", "the", "12", "ab", "Total"] * 60)
]


def page(text: str, category: Category = Category.TEXT, gap: str | None = None) -> PageResult:
    return PageResult("a.pdf", 1, "ok", text, (Block(category, text, BBox(0, 0, 9, 9), gap=gap),), 100, 100)


def account(text: str) -> None:
    account_for(WORDS, PageOutput(markdown_words(text), page(text).blocks), "text layer")


SHEET = PageImage(Image.new("RGB", (1000, 1400), "white"), 1, 1.0, "a.pdf", words=tuple(WORDS))
DRAFT = PageDraft((Region(BBox(0, 0, 1000, 1400), Category.TEXT, (" ".join(word.text for word in WORDS),)),))


def placed(text: str) -> PageResult:
    return with_places(page(text), SHEET, DRAFT)


def placed_in(format: Any) -> Pass:
    return lambda text: document_text([placed(text)], format, Layout())


def joined(text: str) -> None:
    """Two pages, each with a table: it may go on."""
    pages = [replace(page(text, Category.TABLE), number=number) for number in (1, 2)]
    document_text(pages, "md", Layout())


def viewed(text: str) -> None:
    renderer = ViewRenderer()
    renderer.begin("a.pdf", "")
    renderer.page(page(text), {})
    renderer.end()


def streamed(text: str) -> None:
    guard = TextGuard()
    for at in range(0, len(text), 16):
        guard.take(text[at : at + 16])


def written(format: Any, category: Category, gap: str | None) -> Pass:
    return lambda text: document_text([page(text, category, gap)], format, Layout())


def passes() -> dict[str, Pass]:
    every: dict[str, Pass] = {}
    for name in DIALECTS:
        dialect = make_dialect(name)
        every[f"{name}: a page"] = lambda text, dialect=dialect: dialect.parse(text, 1000, 1400)
        every[f"{name}: a crop"] = dialect.parse_crop
    every |= {"words": markdown_words, "atoms": keys_of, "account": account, "loops": guarded, "stream": streamed}
    every["units"] = units_of
    every["doubtful tables"] = lambda text: with_doubtful_tables(page(text, Category.TABLE))
    every |= {"places": placed, "quotes": lambda text: locate(page(text), "word the 12 ab"), "view": viewed}
    every |= {"joined tables": joined, "grids": lambda text: grids(page(text, Category.TABLE).blocks[0])}
    every["grade"] = lambda text: graded(page(text), DRAFT, ModelProfile("markdown"))
    every["strange marks"] = lambda text: strange_marks(page(text).blocks, DRAFT.regions)
    every["passages"] = lambda text: list(passages([page(text)]))
    for format in SUFFIXES:
        if format != "pdf":  # consists of the places alone, and of the document's own pages
            every[f"{format}: a page"] = written(format, Category.TEXT, "\n")
            every[f"{format}: a table"] = written(format, Category.TABLE, None)
    for format in PLACED:
        if format != "pdf":
            every[f"{format}: words with places"] = placed_in(format)
    for category in (Category.TITLE, Category.LIST_ITEM, Category.FORMULA):
        every[f"html: {category.value}"] = written("html", category, None)
        every[f"md: {category.value}"] = written("md", category, None)
    return every


PASSES = passes()


def seconds(run: Pass, piece: str, size: int) -> float:
    """The processor's time for a text of ``piece`` again and again."""
    text = "Total 12 " + (piece * (size // len(piece) + 1))[:size] + " end."
    gc.collect(0)
    gc.disable()
    try:
        began = time.thread_time()
        run(text)
        return time.thread_time() - began
    finally:
        gc.enable()


def is_linear(run: Pass, piece: str) -> bool:
    whole = seconds(run, piece, SIZE)
    if whole <= CHEAP:
        return True
    half = seconds(run, piece, SIZE // 2)
    for _ in range(TRIES):
        if whole <= RATIO * half:
            return True
        whole, half = min(whole, seconds(run, piece, SIZE)), max(half, seconds(run, piece, SIZE // 2))
    return False


@pytest.mark.parametrize("name", PASSES)
def test_a_loop_of_any_piece_is_read_in_time_that_grows_with_it(name: str) -> None:
    slow = [piece for piece in PIECES if not is_linear(PASSES[name], piece)]
    assert not slow


@pytest.mark.parametrize("name", PASSES)
@settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(pieces=st.lists(st.sampled_from(PIECES), min_size=2, max_size=4))
def test_a_loop_of_several_pieces_is_read_in_time_that_grows_with_it(name: str, pieces: list[str]) -> None:
    assert is_linear(PASSES[name], "".join(pieces))


def test_a_long_line_behind_a_displayed_formula_is_read_in_time_that_grows_with_it() -> None:
    def run(text: str) -> None:
        markdown_words("$$a$$\n" + text)

    short, long = (min(seconds(run, "word ", size) for _ in range(TRIES)) for size in (SIZE // 2, 4 * SIZE))
    assert long <= RATIO**3 * short, "eight times the text"


NESTED: dict[str, Callable[[int], str]] = {
    "quotes": lambda depth: "> " * depth + "a",
    "a staircase of quotes": lambda depth: "\n".join("> " * level + "a" for level in range(int(depth**0.5))),
    "a staircase of lists": lambda depth: "\n".join("  " * level + "- a" for level in range(int(depth**0.5))),
    "items": lambda depth: "- " * depth + "a",
    "tables": lambda depth: "<table><tr><td>" * (depth // 8),
}


@pytest.mark.parametrize("name", ["html: a page", "html: a table", "md: a page", "docling: a table", "words"])
@pytest.mark.parametrize("nest", NESTED)
def test_what_is_nested_without_end_is_read_in_time_that_grows_with_it(name: str, nest: str) -> None:
    short, long = (NESTED[nest](depth) for depth in (16_000, 32_000))

    def took(text: str) -> float:
        began = time.thread_time()
        PASSES[name](text)
        return time.thread_time() - began

    whole, half = took(long), took(short)
    for _ in range(TRIES):
        if whole <= max(CHEAP, RATIO * half * len(long) / (2 * len(short))):
            return
        whole, half = min(whole, took(long)), max(half, took(short))
    pytest.fail(f"{whole:.2f} s for {len(long):,} characters, {half:.2f} s for {len(short):,}")
