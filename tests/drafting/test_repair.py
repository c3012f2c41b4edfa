"""Text as fonts spell it becomes text as people type it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.drafting.repair import letters_untold, repair


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("  two \u00a0 words\t", "two words"),
        ("o\uf001ce, \uf002at", "ofice, flat"),
        ("Home \uf002 About", "Home \uf002 About"),
        ("\uf0b7 item", "• item"),
        ("soft\u00adhyphen and\u200b nothing", "softhyphen and nothing"),
        ("a word that is cu\u00ad ", "a word that is cu\u00ad"),
        ("Milan Baˇsi´c and J´an Min´aˇc", "Milan Bašić and Ján Mináč"),
        ("Dani¨el, Fran¸cois", "Daniël, François"),
        ("cafe\u0301", "café"),
        ("x ˜ y stays, and so does 3´", "x ˜ y stays, and so does 3´"),
        ("می\u200cخوانند\u200c \u200cab\u200cc", "می\u200cخوانند abc"),
        ("विद्याार्थी", "विद्यार्थी"),
        ("plain ASCII `code`", "plain ASCII `code`"),
    ],
)
def test_certain_repairs_are_made_and_no_others(raw: str, expected: str) -> None:
    assert repair(raw) == expected


@given(st.text(max_size=60))
def test_repaired_text_is_composed_and_has_single_spaces(text: str) -> None:
    result = repair(text)
    assert unicodedata.normalize("NFC", result) == result
    assert "  " not in result
    assert result == result.strip()


@given(st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), max_size=60))
def test_ascii_is_left_alone(text: str) -> None:
    assert repair(text) == text


@pytest.mark.parametrize("text", ["市立図書館\xa0二〇二四年の報告", "Book\xa0ⅣⅤ of the laws", "x½¾y\xa0z"])
def test_numerals_that_are_no_letters_are_told(text: str) -> None:
    assert letters_untold(text) == 0
    assert letters_untold(f"{text}\nhar\ufffdour") == 1


def test_marks_of_columns_are_those_of_rows() -> None:
    assert repair("﹁はい﹂︵一︶︒﹃猫﹄︑︽東京︾︓︕︖︙︱") == "「はい」（一）。『猫』、《東京》：！？…—"


def test_the_arrow_that_quartz_tells_for_a_ligature_is_one_within_words_alone() -> None:
    assert repair("on-going e\u21b5orts di\u21b5er") == "on-going efforts differ"
    assert repair("press \u21b5 to go on") == "press \u21b5 to go on"


def test_radicals_are_the_characters_that_they_look_like() -> None:
    assert repair("⾒積⾦額 ⻑崎 ⽤ ⼯") == "見積金額 長崎 用 工"
    assert repair("⼀⼆三 乙") == "一二三 乙"
