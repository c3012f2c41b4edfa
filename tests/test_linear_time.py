"""Whatever a model writes, reading it takes time in proportion to its length: every pass over an answer, with pieces of syntax that
begin something and never end it, repeated, at two lengths. Four kilobytes of empty lines once took minutes.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from docspec.core import Block, Category, PageResult
from docspec.core.choices import DIALECTS
from docspec.dialects import make_dialect
from docspec.hierarchy.answers import guarded
from docspec.ledger.outputs import markdown_words
from docspec.reporting.doubtful_tables import with_doubtful_tables
from docspec.reporting.formats import document_text
from docspec.reporting.renderer import Layout

PIECES = (
    *("\n", " ", "\t", " \n", "\r", "\u200b", "<!--", "<!-- ", "![", "[", "](", "[a](", "](a", "[^", "[^a-p1", "[a]: "),
    *(
        "$",
        "$$",
        "$a",
        "\\(",
        "\\[",
        "<b",
        "<b ",
        "<",
        "<b>",
        "<ul>",
        "<ul><li>",
        "<table>",
        "<td>a",
        "<tr><td>",
        "<i><td>",
    ),
    *(
        "<table><tr>",
        "<math>",
        "> ",
        "- ",
        "- - ",
        "1. 1. ",
        "\n- ",
        "\n> ",
        "\n  ",
        "\n```",
        "``` ",
        "~~~\n",
        "`",
        "*",
        "* * ",
    ),
    *(
        "-",
        "---",
        "|",
        "| ",
        "|---",
        "\\",
        "&",
        "&a",
        "#",
        "# ",
        "{",
        '"',
        "_",
        "=",
        "(",
        "x",
        "a ",
        "é",
        "{\\",
        '{"a":',
    ),
)
LENGTH = 6000
MOST = 3.0
"""Most time that twice the length takes; quadratic passes take four times as much."""
UNMEASURED = 0.03
"""Seconds below which a difference is the clock's."""


def _page(text: str) -> PageResult:
    return with_doubtful_tables(PageResult("a", 1, "verified", text, (Block(Category.TEXT, text),), 600, 800))


PASSES: dict[str, Callable[[str], object]] = {
    "account": markdown_words,
    "loop guard": guarded,
    **{
        name: lambda text, name=name: document_text([_page(text)], name, Layout())
        for name in ("md", "html", "json", "chunks", "docling", "dots")
    },  # type: ignore[misc]
    **{f"{name} crop": make_dialect(name).parse_crop for name in DIALECTS},
    **{f"{name} page": lambda text, name=name: make_dialect(name).parse(text, 1000, 1400) for name in DIALECTS},  # type: ignore[misc]
}


def _seconds(read: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    read(text)
    return time.process_time() - began


@pytest.mark.parametrize("name", PASSES)
def test_twice_the_answer_takes_about_twice_the_time(name: str) -> None:
    slow = {}
    for piece in PIECES:
        once, twice = (piece * (LENGTH * times // len(piece)) for times in (1, 2))
        first, second = _seconds(PASSES[name], once), _seconds(PASSES[name], twice)
        if second > MOST * first + UNMEASURED:  # once more, for the case that a collection of garbage came between
            first, second = (min(_seconds(PASSES[name], text) for _ in range(3)) for text in (once, twice))
        if second > MOST * first + UNMEASURED:
            slow[piece] = (round(first, 3), round(second, 3))
    assert not slow


@pytest.mark.parametrize("piece", ["\n", " ", "\t", " \n", "\u00a0", ".", "|", "-"])
def test_runs_of_blanks_and_single_marks_are_loops(piece: str) -> None:
    text, loop = guarded("Total 12" + piece * 6000 + "End of the form.")
    assert loop is not None
    assert text.startswith("Total 12") and len(text) < 200


def test_an_answer_of_empty_lines_keeps_its_words() -> None:
    text = "Total 12" + "\n" * 4000 + "End of the form."
    assert markdown_words(text).split() == ["Total", "12", "End", "of", "the", "form."]
