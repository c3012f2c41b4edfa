"""The order of boxes is the best one for what is said of each two of them, whatever order they come in."""

from __future__ import annotations

from itertools import permutations
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.core import BBox, Category
from docspec.drafting.dividers import beside, divided, headed, kept_together
from docspec.drafting.frames import Bounds
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine
from docspec.drafting.order import in_order
from docspec.drafting.precedence import MOST, best_order, features_of, order_of, precedence

NO_HEADINGS = np.zeros((14, 14), bool)


def total(scores: np.ndarray, order: list[int] | tuple[int, ...]) -> float:
    return float(sum(scores[a, b] for at, a in enumerate(order) for b in order[at + 1 :]))


@given(st.integers(0, 10_000), st.integers(1, 40))
def test_an_order_that_all_pairs_agree_on_is_found(seed: int, count: int) -> None:
    wanted = list(range(count))
    Random(seed).shuffle(wanted)
    place = np.argsort(wanted)
    scores = np.sign(place[None] - place[:, None]) * np.random.default_rng(seed).uniform(0.1, 5, (count, count))
    scores = np.triu(scores) - np.triu(scores).T
    assert best_order(scores, range(count)) == wanted


@given(st.integers(0, 10_000), st.integers(2, 6))
@settings(max_examples=60)
def test_of_pairs_that_disagree_no_single_move_makes_the_order_better(seed: int, count: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(count, count))
    scores = scores - scores.T
    found = best_order(scores, range(count))
    assert sorted(found) == list(range(count))
    moves = [
        [*rest[:to], one, *rest[to:]]
        for one in found
        for rest in [[x for x in found if x != one]]
        for to in range(count)
    ]
    assert total(scores, found) >= max(total(scores, move) for move in moves) - 1e-3
    assert total(scores, found) <= max(total(scores, order) for order in permutations(range(count))) + 1e-6


def page(seed: int, count: int) -> tuple[list[LayoutBox], list[TextLine]]:
    chance = Random(seed)
    boxes, lines = [], []
    for _ in range(count):
        x, y, width = chance.uniform(0, 500), chance.uniform(0, 700), chance.uniform(20, 300)
        own = [BBox(x, y + 12 * row, x + width, y + 12 * row + 10) for row in range(chance.randint(1, 5))]
        boxes.append(LayoutBox(BBox.union(own), chance.choice(list(Category)), tuple(own)))
        lines += [TextLine(place, chance.choice(("Some text", "and more.", "2. It", "12,50"))) for place in own]
    return boxes, lines


@given(st.integers(0, 10_000), st.integers(2, 14))
@settings(max_examples=40)
def test_of_two_boxes_one_is_first_whoever_asks(seed: int, count: int) -> None:
    boxes, lines = page(seed, count)
    texts = {line.bbox: line.text for line in lines}
    for given_order in (True, False):
        scores = precedence()(*features_of(boxes, texts, [boxes[0].bbox.grown(3)], [boxes[-1].bbox], given_order))
        assert np.isfinite(scores).all()
        assert np.allclose(scores, -scores.T)


@given(st.integers(0, 10_000), st.integers(2, 14))
@settings(max_examples=40)
def test_without_a_given_order_the_boxes_may_come_in_any_one(seed: int, count: int) -> None:
    boxes, lines = page(seed, count)
    texts = {line.bbox: line.text for line in lines}
    scores = precedence()(*features_of(boxes, texts, (), (), False))
    shuffled = list(range(count))
    Random(seed).shuffle(shuffled)
    again = precedence()(*features_of([boxes[at] for at in shuffled], texts, (), (), False))
    assert np.allclose(again, scores[np.ix_(shuffled, shuffled)], atol=1e-3)


@given(st.integers(0, 10_000), st.sampled_from([0.3, 2.0, 10.0]))
@settings(max_examples=20)
def test_the_scale_of_a_page_does_not_matter(seed: int, factor: float) -> None:
    boxes, _ = page(seed, 8)
    larger = [
        LayoutBox(one.bbox.scaled(factor), one.category, tuple(m.scaled(factor) for m in one.members)) for one in boxes
    ]
    assert [larger.index(one) for one in in_order(larger, given=False)] == [
        boxes.index(one) for one in in_order(boxes, given=False)
    ]


@given(
    st.lists(
        st.tuples(st.floats(0, 60), st.floats(0, 60), st.floats(0, 40), st.floats(0, 40)).map(
            lambda one: BBox(one[0], one[1], one[0] + one[2], one[1] + one[3])
        ),
        min_size=1,
        max_size=12,
    )
)
@settings(max_examples=200)
def test_boxes_of_all_shapes_are_each_read_once(places: list[BBox]) -> None:
    boxes = [LayoutBox(place, Category.TEXT, (place,)) for place in places]
    ordered = in_order(boxes)
    assert sorted(map(id, ordered)) == sorted(map(id, boxes))


def test_columns_are_read_from_the_right_where_the_script_runs_so() -> None:
    left = LayoutBox.around(
        [TextLine(BBox(40, 80 + 12 * n, 280, 90 + 12 * n), "שלום עולם " * 4) for n in range(20)], Category.TEXT
    )
    right = LayoutBox.around(
        [TextLine(BBox(310, 80 + 12 * n, 550, 90 + 12 * n), "שלום עולם " * 4) for n in range(20)], Category.TEXT
    )
    assert in_order([left, right]) == [right, left]
    latin = [LayoutBox(one.bbox, one.category, one.members) for one in (right, left)]
    assert in_order(latin) == latin[::-1]


def test_pages_of_very_many_boxes_are_cut_along_white_space() -> None:
    boxes = [
        LayoutBox(BBox(x, y, x + 40, y + 8), Category.TEXT) for x in (0, 60) for y in range(0, 10 * (MOST // 2 + 1), 10)
    ]
    assert in_order(boxes[::-1]) == boxes


@given(st.integers(0, 10_000), st.integers(4, 14), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_what_stands_in_one_frame_is_read_together(seed: int, count: int, number: int) -> None:
    boxes, lines = page(seed, count)
    chance = Random(seed)
    frames = [
        BBox(x, y, x + chance.uniform(100, 500), y + chance.uniform(100, 600))
        for x, y in ((chance.uniform(0, 300), chance.uniform(0, 400)) for _ in range(number))
    ]
    texts = {line.bbox: line.text for line in lines}
    order = order_of(boxes, texts, Bounds(frames), False)
    assert sorted(order) == list(range(count))
    sides = np.array([(box.bbox.x0, box.bbox.y0, box.bbox.x1, box.bbox.y1) for box in boxes], np.float32)
    for held in kept_together(sides, Bounds(frames), NO_HEADINGS[:count, :count]):
        places = sorted(order.index(box) for box in held)
        assert places == list(range(places[0], places[0] + len(held)))


def test_frames_that_cross_or_cut_a_box_hold_nothing_together() -> None:
    sides = np.array([(0, 0, 10, 10), (0, 20, 10, 30), (0, 40, 10, 50), (20, 0, 30, 10)], np.float32)
    upper, lower, whole = BBox(-1, -1, 11, 31), BBox(-1, 19, 11, 51), BBox(-1, -1, 11, 51)
    assert kept_together(sides, Bounds([whole, upper]), NO_HEADINGS[:4, :4]) == [[0, 1], [0, 1, 2]]
    assert kept_together(sides, Bounds([upper, lower]), NO_HEADINGS[:4, :4]) == [], "they cross each other"
    assert kept_together(sides, Bounds([BBox(-1, -1, 11, 45)]), NO_HEADINGS[:4, :4]) == [], "a box stands on its edge"
    assert kept_together(sides, Bounds([BBox(-1, -1, 11, 11), BBox(-1, -1, 31, 51)]), NO_HEADINGS[:4, :4]) == [], (
        "one box, and all"
    )


def test_rules_part_what_stands_beside_above_and_below_them() -> None:
    head, side, left, right, low_left, low_right = range(6)
    boxes = [(0, 0, 100, 10), (0, 20, 28, 90), (32, 20, 64, 60), (68, 20, 100, 60), (32, 70, 64, 90), (68, 70, 100, 90)]
    sides = np.array(boxes, np.float32)
    bar, rule = BBox(30, 15, 30, 95), BBox(50, 65, 80, 65)
    text = [left, right, low_left, low_right]
    assert [own.tolist() for own in beside(sides, bar)] == [[side, *text], [side], text]
    assert beside(sides, BBox(40, 15, 40, 95)) == [], "it runs through boxes"
    assert beside(sides, BBox(110, 15, 110, 95)) == [], "nothing is on its right"
    columns = sides[[head, left, right, low_left, low_right]]
    assert list(divided(columns, [rule])) == [[0, 1, 2], [3, 4]]
    assert list(divided(columns, [BBox(32, 65, 64, 65)])) == [], "a rule in one column"
    assert list(divided(sides, [rule])) == [], "the text at the side goes on beside it"
    held = kept_together(sides, Bounds((), [rule], [bar]), NO_HEADINGS[:6, :6])
    assert held == [[side, *text], text]
    short = BBox(66, 15, 66, 62)
    held = kept_together(sides, Bounds((), (), [short, bar]), NO_HEADINGS[:6, :6])
    assert [left, right] in held and [side, left] not in held, "a short rule parts what stands beside the long one"


def test_a_heading_is_read_with_what_stands_right_below_it() -> None:
    first, second, table, other, wide = (
        (0, 0, 40, 10),
        (60, 0, 100, 10),
        (0, 25, 50, 90),
        (60, 25, 100, 60),
        (0, 0, 100, 10),
    )

    def found(boxes: list[tuple[int, ...]], *headings: bool) -> list[list[int]]:
        is_heading = np.array(headings)
        return list(headed(np.array(boxes, np.float32), is_heading[:, None] & ~is_heading))

    assert found([first, second, table, other], True, True, False, False) == [[0, 2], [1, 3]]
    assert found([wide, table, other], True, False, False) == [], "it stands above two columns"
    assert found([first, (0, 12, 40, 22), table], True, True, False) == [[1, 2]], "a heading below a heading"
    assert found([first, (0, 60, 50, 90)], True, False) == [], "too far away"
    label, value, below = (0, 0, 20, 10), (30, 0, 90, 10), (0, 25, 100, 90)
    assert found([label, value, below], True, True, False) == [], "what stands beside it belongs to it"
