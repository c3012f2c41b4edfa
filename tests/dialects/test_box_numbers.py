"""Box numbers predicted from what the target wrote before: offsets, flush edges, scale, and the limits of each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.dialects.box_numbers import BoxNumbers

BOXES = [(140 + 7 * n, 100 + 90 * n, 900 + 11 * n, 160 + 90 * n) for n in range(8)]
coordinates = st.integers(0, 4000)
boxes = st.tuples(coordinates, coordinates, coordinates, coordinates)


def taught(move, count=6):
    numbers = BoxNumbers()
    for box in BOXES[:count]:
        numbers.learn(box, move(box))
    return numbers


def best(numbers, edge, drafted):
    return numbers.ranked(edge, drafted)[0][0]


def test_nothing_seen_the_drafted_number_is_the_likeliest():
    assert best(BoxNumbers(), 0, 300) == 300


def test_a_constant_offset_is_learnt_edge_by_edge():
    numbers = taught(lambda b: (b[0] - 4, b[1] - 6, b[2] + 3, b[3] + 1))
    assert [best(numbers, edge, 1500) for edge in range(4)] == [1496, 1494, 1503, 1501]


def test_an_edge_printed_flush_gets_the_number_written_before():
    numbers = taught(lambda b: (b[0] - 4, *b[1:]))
    numbers.learn((400, 10, 500, 20), (391, 10, 500, 20))
    assert best(numbers, 0, 401) == 391
    assert best(numbers, 0, 600) == 596


def test_another_scale_is_found_from_two_boxes():
    numbers = taught(lambda b: tuple(round(0.72 * n) for n in b), count=2)
    assert abs(best(numbers, 2, 1800) - 1296) <= 2
    assert numbers.is_near(BOXES[5], tuple(round(0.72 * n) for n in BOXES[5]))


def test_a_box_elsewhere_is_not_near():
    numbers = taught(lambda b: b)
    assert numbers.is_near(BOXES[7], BOXES[7])
    assert not numbers.is_near(BOXES[7], BOXES[2])


def test_more_seen_makes_the_number_surer():
    few, many = (taught(lambda b: (b[0] - 4, *b[1:]), count).ranked(0, 2000)[0][1] for count in (1, 8))
    assert few < many


@given(st.lists(st.tuples(boxes, boxes), max_size=20), st.integers(0, 3), coordinates)
def test_shares_are_probabilities_in_descending_order(pairs, edge, drafted):
    numbers = BoxNumbers()
    for there, written in pairs:
        numbers.learn(there, written)
    ranked = numbers.ranked(edge, drafted)
    shares = [share for _, share in ranked]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) <= 1 + 1e-9
    assert all(number >= 0 and share > 0 for number, share in ranked)
    assert dict(ranked) == pytest.approx(numbers.shares(edge, drafted))
