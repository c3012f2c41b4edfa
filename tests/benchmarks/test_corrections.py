"""What counts as an echoed error is exactly that."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.corrections import corrupt, survivors
from benchmarks.page_score import distance, normalise

TRUTH = "# The tides\n\nTwice a day the harbour fills, and twice a day it empties again: 12 feet of water."


def test_an_output_that_copies_the_draft_keeps_every_error_and_the_truth_keeps_none():
    drafted, wrong = corrupt(TRUTH, 0.2, seed=3)
    assert len(wrong) > 5
    assert len(wrong) >= survivors(TRUTH, wrong, drafted) >= 0.8 * len(wrong)  # a few look like shifts
    assert survivors(TRUTH, wrong, TRUTH) == 0
    assert survivors(TRUTH, wrong, "") == 0


def test_another_error_at_the_same_place_is_not_an_echo():
    _, wrong = corrupt(TRUTH, 0.2, seed=3)
    other = "".join("¤" if index in wrong else char for index, char in enumerate(TRUTH))
    assert survivors(TRUTH, wrong, other) == 0


@given(st.text(max_size=80), st.integers(0, 9))
def test_only_letters_and_digits_change_and_always_into_others(text, seed):
    drafted, wrong = corrupt(text, 0.5, seed)
    assert len(drafted) == len(text)
    for index, (before, after) in enumerate(zip(text, drafted, strict=True)):
        assert (before != after) == (index in wrong)
        assert before.isalnum() or before == after


def test_markdown_marks_do_not_count():
    assert normalise("# A\n\n- b\n\n| x | y |\n| --- | --- |\n| 1 | 2 |") == "A b x y 1 2"
    assert normalise("<table><tr><td>x</td><td>y</td></tr></table>") == "x y"
    assert distance("abcd", "abxd") == 0.25
    assert distance("", "") == 0.0
