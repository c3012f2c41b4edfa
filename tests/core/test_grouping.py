"""Neighbours in groups: level rows, and runs that go on."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from docspec.core import BBox
from docspec.core.geometry import in_rows, runs_of


def test_rows_go_from_top_to_bottom_and_from_left_to_right() -> None:
    places = {"b": BBox(50, 1, 60, 11), "a": BBox(0, 0, 10, 10), "d": BBox(20, 21, 30, 29), "c": BBox(0, 20, 10, 30)}
    assert in_rows(places, places.__getitem__) == [["a", "b"], ["c", "d"]]


def test_what_shares_less_than_half_of_its_height_is_in_another_row() -> None:
    places = {"a": BBox(0, 0, 10, 10), "b": BBox(20, 6, 30, 16)}
    assert in_rows(places, places.__getitem__) == [["a"], ["b"]]


@given(st.lists(st.integers(0, 3)))
def test_runs_part_where_a_thing_does_not_go_on(numbers: list[int]) -> None:
    runs = runs_of(numbers, lambda before, after: after >= before)
    assert [number for run in runs for number in run] == numbers
    assert all(run == sorted(run) for run in runs)
    assert all(first[-1] > second[0] for first, second in pairwise(runs))
