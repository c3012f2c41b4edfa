"""A hyphen at a line's end goes if the typesetter put it there, and stays if it belongs to its word."""

from __future__ import annotations

import pytest

from docspec.dialects.text import join_lines


@pytest.mark.parametrize(
    "word",
    [
        *("well-known", "X-ray", "T-shirts", "twenty-one", "ninety-ninth", "EU-wide", "US-based", "4th-grade"),
        *(
            "self-esteem",
            "non-hazardous",
            "long-term",
            "age-specific",
            "decision-making",
            "state-of-the-art",
            "in-depth",
        ),
        *("first-name@example.org.", "www.my-site.org/page", "https://ex.org/a-b", "my_long-name", "a.long-name.de"),
        *("Mexican-American", "1998-2004", "COVID-19", "e-mail"),
    ],
)
def test_a_hyphen_that_belongs_to_its_word_stays(word: str) -> None:
    head, _, tail = word.rpartition("-") if "@" not in word and "/" not in word else word.partition("-")
    assert join_lines(f"They speak of the {head}-\n{tail} and more") == f"They speak of the {word} and more"


@pytest.mark.parametrize(
    "word",
    [
        *("inter-national", "atten-tion", "pre-sent", "under-standing", "high-est", "self-ish", "short-age", "low-er"),
        *("Regie-rung", "Verwal-tung", "Nord-Süd-Verbin-dung", "dévelop-pement", "PARA-GRAPH", "thou-sand", "hus-band"),
        *("al-so", "wel-come", "non-sense", "nine-teen", "six-ty"),
    ],
)
def test_a_hyphen_that_cuts_a_word_goes(word: str) -> None:
    head, _, tail = word.rpartition("-")
    assert join_lines(f"They speak of the {head}-\n{tail} now") == f"They speak of the {head}{tail} now"


@pytest.mark.parametrize(
    "text", ["the pre-\nand post-war figures", "die Vor-\nund Nachteile", "short-\nor long-term plans"]
)
def test_a_suspended_hyphen_keeps_its_space(text: str) -> None:
    assert join_lines(text) == text.replace("\n", " ")


def test_the_text_itself_is_the_best_witness() -> None:
    assert join_lines("A co-operative and the co-\noperative") == "A co-operative and the co-operative"
    assert join_lines("Every work-hours plan of a work-\nhour") == "Every work-hours plan of a work-hour"
    assert join_lines("The longterm plan and the long-\nterm one") == "The longterm plan and the longterm one"
    assert join_lines("The husband and his hus-\nband") == "The husband and his husband"
    assert join_lines("thousand men of a thous-\nand miles") == "thousand men of a thousand miles"


def test_soft_hyphens_always_go_and_readings_may_keep_all() -> None:
    assert join_lines("soft\u00ad\nhyphen") == "softhyphen"
    assert join_lines("atten-\ntion", hyphens="keep") == "atten-tion"
