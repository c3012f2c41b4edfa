from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.dialects.text import (
    clean,
    has_bullet,
    join_cells,
    join_lines,
    split_items,
    split_marker,
    straight_quotes,
    strip_heading,
)

SYLLABLES = """
con-sid-er-able par-tic-u-lar de-vel-op-ment im-por-tance rep-re-sen-ta-tion com-mit-tee gov-ern-ment
in-for-ma-tion nec-es-sary pos-si-bil-ity dif-fer-ence ex-pe-ri-ence knowl-edge re-mem-ber sig-nif-i-cant tem-per-a-ture
uni-ver-sity vol-un-teer ad-min-is-tra-tion cel-e-bra-tion the of a in water"""
"""Words as dictionaries part them."""


@settings(deadline=None)
@given(st.lists(st.sampled_from(SYLLABLES.split()), min_size=1, max_size=15), st.data())
def test_words_broken_at_line_ends_come_back_whole(parted: list[str], data: st.DataObject) -> None:
    lines = ""
    for word in parted:
        parts = word.split("-")
        cut = data.draw(st.integers(0, len(parts) - 1))  # 0: the word stands on one line
        lines += data.draw(st.sampled_from([" ", "\n"])) + "-\n".join(
            filter(None, ("".join(parts[:cut]), "".join(parts[cut:])))
        )
    assert join_lines(lines) == " ".join(parted).replace("-", "")


@settings(deadline=None)
@given(st.text())
def test_joining_never_fails_and_leaves_no_single_line_break(text: str) -> None:
    joined = join_lines(clean(text))
    assert "\n" not in joined.replace("\n\n", "")
    assert join_lines(joined) == joined


@pytest.mark.parametrize(
    ("printed", "joined"),
    [
        ("a broken infor-\nmation", "a broken information"),
        ("the Anglo-\nSaxon", "the Anglo-Saxon"),
        ("a well-known and well-\nknown word", "a well-known and well-known word"),
        ("INFOR-\nMATION", "INFORMATION"),
        ("from 2020-\n2024", "from 2020-2024"),
        ("a dash -\nthen", "a dash - then"),
        ("a pause—\nthen", "a pause—then"),
        ("soft\u00ad\nhyphen", "softhyphen"),
        ("漢字の\n文章", "漢字の文章"),
        ("ริมฝั่ง\nทุกคืน", "ริมฝั่งทุกคืน"),
        ("เมื่อปี\n1911", "เมื่อปี 1911"),
        ("他说：“好”\n然后走了", "他说：“好”然后走了"),
        ("建于1926年，在2009\n年重修", "建于1926年，在2009年重修"),
        ("使用 PDF 文件，以及 HTML\n文件", "使用 PDF 文件，以及 HTML 文件"),
        ("석탄을\n실은 열차", "석탄을 실은 열차"),
        ("at http://a.org/some-\npage.html or", "at http://a.org/some-page.html or"),
        ("and/or-\nso", "and/orso"),
        ("one\ntwo\n\nthree\nfour", "one two\n\nthree four"),
    ],
)
def test_a_line_end_is_read_as_a_person_would(printed: str, joined: str) -> None:
    assert join_lines(printed) == joined


def test_korean_words_that_a_line_may_have_broken_are_the_second_reading() -> None:
    assert join_lines("석\n탄을 실은", hyphens="keep") == "석탄을 실은"


def test_joiners_within_words_are_spelling() -> None:
    assert clean("می\u200cخوانند \u200bab") == "می\u200cخوانند ab"


def test_hyphens_can_be_kept_with_the_word_still_joined() -> None:
    assert join_lines("well-\nknown", hyphens="keep") == "well-known"


def test_cleaning_resolves_ligatures_and_odd_spaces_and_keeps_line_breaks() -> None:
    assert clean("\n o\ufb03ce\u00a0 door \r\nand\u200b\x00 floor\n") == "office door\nand floor"


def test_double_quotes_made_of_single_ones_become_one_character() -> None:
    assert clean("‘‘so’’ and ``so''") == "“so” and “so”"
    assert clean("5'' wide") == "5'' wide"


def test_a_number_is_no_bullet() -> None:
    assert has_bullet("• point")
    assert not has_bullet("1. point")


def test_printed_quotes_become_typewriter_quotes() -> None:
    assert straight_quotes("“it’s”") == '"it\'s"'


def test_heading_marks_are_removed_but_not_a_hash_in_the_text() -> None:
    assert strip_heading("## C# in depth") == "C# in depth"


@pytest.mark.parametrize(
    ("item", "marker", "body"),
    [
        ("• point", "•", "point"),
        ("•point", "•", "point"),
        ("- point", "-", "point"),
        ("12. point", "12.", "point"),
        ("(iv) point", "(iv)", "point"),
        ("[3] A. Author", "[3]", "A. Author"),
        ("-5 degrees", "", "-5 degrees"),
        ("plain", "", "plain"),
        ("1984 was a year", "", "1984 was a year"),
    ],
)
def test_list_markers_are_told_from_text(item: str, marker: str, body: str) -> None:
    assert split_marker(item) == (marker, body)


def test_items_of_one_region_are_separated_at_markers_of_the_first_items_kind() -> None:
    assert split_items("• one\n2. of it\n• two") == ["• one\n2. of it", "• two"]
    assert split_items("✧ one\nof it\n✧ two") == ["✧ one\nof it", "✧ two"]
    assert split_items("★five stars\n★four") == ["★five stars\n★four"], "a sign that touches its word is part of it"
    assert not has_bullet("✉ mail@example.org")
    assert split_items("no marker\n- dash") == ["no marker\n- dash"]
    assert split_items(" \n") == []


def test_a_word_that_is_cut_within_a_cell_comes_back_whole() -> None:
    html = (
        "<table><tr><td>data pro-\ncessing by ma-\nchines</td><td>pre-\n and well-known</td><td>-\n</td></tr></table>"
    )
    assert join_cells(html) == (
        "<table><tr><td>data processing by machines</td><td>pre- and well-known</td><td>-</td></tr></table>"
    )
    assert join_cells("<table><tr><td>a - b</td></tr></table>") == "<table><tr><td>a - b</td></tr></table>"
