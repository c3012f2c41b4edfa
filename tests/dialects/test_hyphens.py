"""A hyphen at a line's end goes if the typesetter put it there, and stays if it belongs to its word."""

from __future__ import annotations

import pytest

from docspec.dialects.hyphens import _lexicon_of
from docspec.dialects.lexicon import lexicon_of
from docspec.dialects.spelling import list_items
from docspec.dialects.text import join_lines


@pytest.mark.parametrize(
    "word",
    [
        *("well-known", "X-ray", "T-shirts", "twenty-one", "ninety-ninth", "EU-wide", "US-based", "4th-grade"),
        *(
            "self-esteem",
            "long-term",
            "age-specific",
            "decision-making",
            "state-of-the-art",
            "in-depth",
            "wide-ranging",
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
        *("Verwal-tung", "dévelop-pement", "PARA-GRAPH", "thou-sand", "hus-band"),
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
    assert join_lines("In [astro-ph/1] and [astro-\nph/2]") == "In [astro-ph/1] and [astro-ph/2]"
    assert list_items("- [astro-\nph/2]", ("- ",), around="[astro-ph/1]") == ["- [astro-ph/2]"]
    assert join_lines("The husband and his hus-\nband") == "The husband and his husband"
    assert join_lines("thousand men of a thous-\nand miles") == "thousand men of a thousand miles"


def test_soft_hyphens_always_go_and_readings_may_keep_all() -> None:
    assert join_lines("soft\u00ad\nhyphen") == "softhyphen"
    assert join_lines("atten-\ntion", hyphens="keep") == "atten-tion"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("the pre- and on-\ntreatment sample", "the pre- and on-treatment sample"),
        ("left- or right-\nhanded people", "left- or right-handed people"),
        ("low- and high-\nheeled shoes", "low- and high-heeled shoes"),
        ("they re-\nentered the room", "they re-entered the room"),
        ("the pre-\nemptive strike", "the pre-emptive strike"),
        ("Vor- und Nach-\nteile", "Vor- und Nachteile"),
    ],
)
def test_a_compound_after_one_that_is_cut_short_and_a_doubled_vowel_keep_the_hyphen(text: str, whole: str) -> None:
    assert join_lines(text) == whole


@pytest.mark.parametrize(
    "word", ["chat-optimized", "Medical-Industrial", "trace-compilation", "village-teacher", "user-supplied"]
)
def test_two_words_that_make_none_are_a_compound(word: str) -> None:
    head, _, tail = word.partition("-")
    assert join_lines(f"This is the {head}-\n{tail} of it") == f"This is the {word} of it"
    assert join_lines(f"The {head}-\n{tail}", around=f"The {head}-\n{tail} {head}{tail}") == f"The {head}{tail}"


@pytest.mark.parametrize("word", ["pri-or", "behavi-or"])
def test_the_end_of_a_word_is_no_conjunction(word: str) -> None:
    head, _, tail = word.partition("-")
    assert join_lines(f"In the {head}-\n{tail} state of it") == f"In the {head}{tail} state of it"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("Die Daten und die Bank der Daten-\nbank sind es", "Die Daten und die Bank der Datenbank sind es"),
        (
            "Das ist die Regie-\nrung und der Nord-Süd-Verbin-\ndung",
            "Das ist die Regierung und der Nord-Süd-Verbindung",
        ),
        ("Das ist die Druck-\nmaschine für die Stadt", "Das ist die Druckmaschine für die Stadt"),
        ("La sal y la pica de la sal-\npica", "La sal y la pica de la salpica"),
        ("Les villes dont celui-\nci est le maire", "Les villes dont celui-ci est le maire"),
        ("Le rendez-\nvous est dans la ville", "Le rendez-vous est dans la ville"),
        ("La ville dans le gouverne-\nment et les routes", "La ville dans le gouvernement et les routes"),
    ],
)
def test_each_language_has_its_own_way(text: str, whole: str) -> None:
    assert join_lines(text) == whole


def test_a_lexicon_is_read_when_a_line_end_asks_for_it() -> None:
    lexicon_of.cache_clear()
    _lexicon_of.cache_clear()
    join_lines("A co-operative and the co-\noperative of it")
    assert lexicon_of.cache_info().currsize == 0
    assert join_lines("the atten-\ntion of it") == "the attention of it"
    assert lexicon_of.cache_info().currsize == 1


@pytest.mark.parametrize("word", ["else-where", "under-stand", "every-thing"])
def test_words_that_begin_longer_ones_are_no_parts_of_a_compound(word: str) -> None:
    head, _, tail = word.partition("-")
    assert join_lines(f"It is {head}-\n{tail}", around=f"{head} and {tail}") == f"It is {head}{tail}"


def test_a_hyphen_between_two_compounds_stays() -> None:
    text = "They search the least-significant-\nset-bit and more"
    assert join_lines(text) == "They search the least-significant-set-bit and more"
