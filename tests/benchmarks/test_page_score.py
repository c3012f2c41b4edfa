"""Block matching, text distance and reading order against values worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.matching import Match, edits, match_blocks
from benchmarks.page_score import order_distance, score
from docspec.core import Block, Category
from docspec.dialects.markdown_blocks import parse_blocks

PARAGRAPHS = [
    "The ferry left the harbour at noon",
    "Nobody on the quay had seen it go",
    "Three gulls sat upon the lighthouse",
    "A dog barked twice and was silent",
]
TABLE = "| ab | cd |\n| --- | --- |\n| ef | gh |"


def scored(paragraphs, truth=tuple(PARAGRAPHS)):
    return score(parse_blocks("\n\n".join(paragraphs)), parse_blocks("\n\n".join(truth)))


def test_the_same_page_is_right_in_every_measure():
    found = scored([*PARAGRAPHS, TABLE], [*PARAGRAPHS, TABLE])
    assert (found.page, found.text, found.order, found.teds, found.teds_structure) == (0, 0, 0, 1, 1)


def test_nothing_is_wrong_in_every_measure():
    found = scored([], [*PARAGRAPHS, TABLE])
    assert (found.page, found.text, found.order, found.teds, found.teds_structure) == (1, 1, 1, 0, 0)


def test_swapped_blocks_cost_order_and_no_text():
    a, b, c, d = PARAGRAPHS
    assert scored([b, a, c, d]).text == 0
    assert scored([b, a, c, d]).order == pytest.approx(2 / 4)  # 1,0,2,3: one deletion and one insertion
    assert scored([d, a, b, c]).order == pytest.approx(2 / 4)
    assert scored([d, c, b, a]).order == pytest.approx(4 / 4)  # all four places hold another block


def test_a_missing_block_costs_its_text_and_its_place():
    found = scored(PARAGRAPHS[:3])
    letters = [len(text.replace(" ", "")) for text in PARAGRAPHS]
    assert found.text == pytest.approx(letters[3] / sum(letters))
    assert found.order == pytest.approx(1 / 4)


def test_an_invented_block_costs_its_text_and_no_order():
    invented = "zzzz qqqq 1234 5678"
    found = scored([*PARAGRAPHS, invented])
    letters = sum(len(text.replace(" ", "")) for text in PARAGRAPHS)
    assert found.text == pytest.approx(16 / (letters + 16))
    assert found.order == 0


def test_one_wrong_letter_is_one_edit_and_punctuation_and_marks_are_none():
    wrong = [PARAGRAPHS[0].replace("ferry", "fezry"), *PARAGRAPHS[1:]]
    letters = sum(len(text.replace(" ", "")) for text in PARAGRAPHS)
    assert scored(wrong).text == pytest.approx(1 / letters)
    marked = ["# " + PARAGRAPHS[0] + "!", "- " + PARAGRAPHS[1] + ".", *PARAGRAPHS[2:]]
    assert scored(marked).text == 0


def test_merged_and_split_paragraphs_still_count_as_read():
    a, b, c, d = PARAGRAPHS
    assert scored([f"{a} {b}", c, d]).text == 0
    assert scored([f"{a} {b}", c, d]).order == 0
    assert scored(PARAGRAPHS, [f"{a} {b}", c, d]).text == 0
    assert scored([" ".join(PARAGRAPHS)]).text == 0


def test_a_missing_table_is_zero_and_one_too_many_costs_nothing():
    assert scored([*PARAGRAPHS], [*PARAGRAPHS, TABLE]).teds == 0
    other = TABLE.replace("ab", "zz")
    found = scored([*PARAGRAPHS, other, TABLE], [*PARAGRAPHS, TABLE])
    assert found.teds == 1
    assert scored([TABLE, other], [other, TABLE]).teds == 1


def test_a_truth_without_tables_has_no_teds_and_furniture_does_not_count():
    assert scored(PARAGRAPHS).teds is None
    blocks = parse_blocks("\n\n".join(PARAGRAPHS))
    head = Block(Category.PAGE_HEADER, "Chapter One")
    assert score([head, *blocks], blocks).text == 0


texts = st.lists(st.text("abcde", min_size=1, max_size=12), max_size=6)


@given(texts, texts)
def test_every_block_is_in_exactly_one_match(truth, output):
    matches = match_blocks(truth, output)
    assert sorted(index for match in matches for index in match.truth) == list(range(len(truth)))
    assert sorted(index for match in matches for index in match.output) == list(range(len(output)))
    assert 0 <= order_distance(matches) <= 1
    for match in matches:
        distance, longest = edits(match, truth, output)
        assert 0 <= distance <= longest


@given(st.permutations(range(5)))
def test_order_is_zero_only_for_the_order_of_the_truth(places):
    matches = [Match((place,), (at,)) for at, place in enumerate(places)]
    assert (order_distance(matches) == 0) == (list(places) == sorted(places))
