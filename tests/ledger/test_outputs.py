"""The readers of finished outputs: what is shown, and nothing of the syntax."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.core import Block, Category, PageResult
from docspec.ledger.atoms import atoms_of, folded, keys_of
from docspec.ledger.outputs import markdown_words
from docspec.reporting.formats import document_text
from docspec.reporting.renderer import Layout
from docspec.reporting.tables import csv_of
from tests.ledger.shown import csv_words, html_words, json_words


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("# Title of *it*", "title of it"),
        ("**bold** text_with_bars", "bold text with bars"),
        ("ex**am**ple", "example"),
        ("![A caption](a.figures/page-1-1.png)\n\nwords", "words"),
        ("[a link](https://example.org/x_(y)) after", "a link after"),
        (r"Health \[2009-10 to 2012-13](Revised) page", "health 2009 10 to 2012 13 revised page"),
        (r"[of \[two](https://example.org/a) and (b](c)", "of two and b c"),
        ("a [b\n\nc](d)", "a b c d"),
        ("<https://example.org/a>", "https example org a"),
        ("1,357[^1] and 1,357<sup>1</sup>", "1,357 1 and 1,357 1"),
        ("[^2-p3]: A note", "2 a note"),
        (r"\+ 5 and \*stars\*", "+ 5 and stars"),
        ("+ 5 is an item", "5 is an item"),
        ("| a | b |\n| --- | --: |\n| 1 | 2 |", "a b 1 2"),
        ("<table><tr><td>one</td><td>two<br>three</td></tr></table>", "one two three"),
        ("x < y and a &lt; b", "x y and a b"),
        ("Tom &amp; Co", "tom & co"),
        ("```python\nprint(1)\n```", "print 1"),
        ("one\n\n```\n# <a> & *b* <!-- c -->\n```\n\n*two*", "one # a & b c two"),
        (r"\<a>\<b/>", "a b"),
        ("<!-- docspec: page 3 could not be read -->\n\nrest", "rest"),
        (r"$$\frac{a}{b} = \alpha x_1$$", "a b = αx 1"),
        ("it costs $5 or $6", "it costs $ 5 or $ 6"),
        ("| Tallow ($/cwt) | Oil ($/gal) |", "tallow $ cwt oil $ gal"),
        ("<tr><td>Oil ($/gal)</td><td>Fat ($/cwt)</td></tr>", "oil $ gal fat $ cwt"),
        ("~~900.00~~ 1,150.00", "900.00 1,150.00"),
        ("- item\n  1. nested", "item 1 nested"),
    ],
)
def test_markdown_is_read_as_it_is_shown(markdown: str, shown: str) -> None:
    assert keys_of(markdown_words(markdown)) == shown.split()


@given(st.text(alphabet=st.sampled_from("ab1 .,*_#[]()<>&;$\\`~|!-\n^é"), max_size=60))
def test_every_character_keeps_its_place(markdown: str) -> None:
    """So an atom's place is its place in the output."""
    shown = markdown_words(markdown)
    assert len(shown) == len(markdown)
    for atom in atoms_of(shown):
        assert folded(shown[atom.start : atom.end]) == atom.key


@given(st.lists(st.text(alphabet=st.characters(categories=["L", "Nd"]), min_size=1, max_size=8), max_size=12))
def test_printed_words_are_in_markdown_and_html(words: list[str]) -> None:
    """Whatever a page prints, the words of a paragraph are read back from what the writers make of it."""
    block = Block(Category.TEXT, " ".join(words), words="text layer")
    page = PageResult("a.pdf", 1, "ok", blocks=(block,))
    printed = keys_of(" ".join(words))
    assert keys_of(markdown_words(document_text([page], "md", Layout()))) == printed
    number = ["page", "1"]  # the heading of the page, which HTML has
    assert keys_of(html_words(document_text([page], "html", Layout()))) == [*number, *printed]


def test_html_shows_no_script_and_no_name_of_a_picture() -> None:
    page = '<html><head><title>no</title><style>p {}</style></head><body><p>one<b>two</b></p><img alt="no">three</body>'
    assert keys_of(html_words(page)) == ["onetwo", "three"]


def test_html_shows_the_numbers_of_its_lists() -> None:
    page = '<ol start="4"><li>four<ul><li>in it</li></ul></li><li>five</li></ol>'
    assert keys_of(html_words(page)) == ["4", "four", "in", "it", "5", "five"]


def test_json_and_csv_have_the_words_of_their_blocks_and_cells() -> None:
    document = {"pages": [{"blocks": [{"text": "One **two**"}, {"text": "<table><tr><td>3</td></tr></table>"}]}]}
    assert keys_of(json_words(json.dumps(document))) == ["one", "two", "3"]
    assert keys_of(csv_words(csv_of([["a, b", "=1"], ["2", ""]]))) == ["a", "b", "=", "1", "2"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Min´aˇc", "Mináč"),
        ("ﬁnd", "find"),
        ("exam\u00adple", "example"),
        ("STRASSE", "straße"),
        ("𝑥", "x"),
        ("םולש", "שלום"),
        ("cafe\u0301", "café"),
    ],
)
def test_one_word_in_two_spellings_has_one_key(one: str, other: str) -> None:
    assert keys_of(one) == keys_of(other)


@pytest.mark.parametrize(
    ("markdown", "keys"),
    [
        ("\\&amp; \\&lt; 18", ["&", "amp", "&", "lt", "18"]),
        ("!\\[20](x) and \\[19](y)", ["20", "x", "and", "19", "y"]),
        ("\\[19] of [the list](http://a.b)", ["19", "of", "the", "list"]),
        ("①Zeta", ["1", "zeta"]),
    ],
)
def test_what_is_escaped_is_shown(markdown: str, keys: list[str]) -> None:
    assert keys_of(markdown_words(markdown)) == keys


def test_marks_of_several_notes_are_those_that_are_printed() -> None:
    assert keys_of("boats2,3") == keys_of("boats²,³") == ["boats", "2,3"]


@pytest.mark.parametrize(("one", "other"), [("1,357", "1,3571"), ("1.5", "15"), ("12", "1 2"), ("H2O", "H20")])
def test_another_number_has_another_key(one: str, other: str) -> None:
    assert keys_of(one) != keys_of(other)


@pytest.mark.parametrize(("text", "keys"), [("a === 12 ====", ["a", "12"]), ("a = 12", ["a", "=", "12"]), ("====", [])])
def test_a_line_typed_with_signs_is_no_word(text: str, keys: list[str]) -> None:
    assert keys_of(text) == keys
