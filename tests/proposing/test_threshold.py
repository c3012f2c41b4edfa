"""The least chance of a node follows the rate at which tokens are written, and how far promises are kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from docspec.proposing.threshold import FLOOR, PRIOR_RATE, Promises, Threshold, WritingRate


def threshold_of(price: float = 0.0) -> Threshold:
    return Threshold(WritingRate(price), Promises())


def test_nodes_that_cost_nothing_need_hardly_a_chance():
    threshold = threshold_of()
    threshold.note(64, 40, 40)
    assert threshold.least == FLOOR


def test_before_anything_was_written_the_prior_holds():
    assert threshold_of(0.03).least == 0.03 * PRIOR_RATE


def test_a_row_that_goes_fast_asks_more_of_a_node():
    slow, fast = threshold_of(0.03), threshold_of(0.03)
    for _ in range(20):
        slow.note(32, 1, 1)
        fast.note(32, 20, 20)
    assert slow.least < threshold_of(0.03).least < fast.least


def test_the_rate_is_that_of_the_price_at_present():
    """Long trees that cost nearly nothing, and then a full batch: a node of the next tree may still be worth it."""
    rate = WritingRate(0.01)
    for _ in range(400):
        rate.note(32, 28)
    rate.price = 0.4
    assert 0.4 < rate.least(1.0) < 1.0


def test_promises_that_are_not_kept_count_for_less():
    honest, boastful = threshold_of(0.03), threshold_of(0.03)
    for _ in range(200):
        honest.note(32, 5, 5)
        boastful.note(32, 5, 15)
    assert 2.5 * honest.least < boastful.least < 3.01 * honest.least


@given(st.floats(0.003, 0.5), st.lists(st.tuples(st.integers(1, 64), st.integers(0, 63)), max_size=40))
def test_a_node_is_never_asked_for_less_than_it_costs_at_plain_speed(price, steps):
    threshold = threshold_of(price)
    for nodes, accepted in steps:
        accepted = min(nodes - 1, accepted)
        threshold.note(nodes, accepted, float(accepted))
    assert threshold.least >= max(FLOOR, price) * (1 - 1e-9)


@given(st.integers(2, 64), st.floats(0.001, 0.2))
def test_the_least_chance_is_that_at_which_the_rate_stands_still(nodes, price):
    """A node with that chance leaves tokens per cost as they are: the condition for their maximum."""
    threshold = threshold_of(price)
    for _ in range(20_000):
        threshold.note(nodes, nodes - 1, nodes - 1.0)
    rate = nodes / (1 + price * (nodes - 1))
    after = (nodes + threshold.least) / (1 + price * nodes)
    if rate > 1 and threshold.least > FLOOR:
        assert abs(after - rate) < 1e-2 * rate


def test_a_row_that_keeps_no_promise_pays_for_it_more_than_its_kind_and_not_for_ever():
    rate, kind = WritingRate(0.03), Promises()
    good, bad, new = (Threshold(rate, kind) for _ in range(3))
    for _ in range(6):
        good.note(32, 20, 20)
        bad.note(32, 0, 20)
    assert good.least < new.least < 0.3 * bad.least
    for _ in range(6):
        bad.note(32, 20, 20)
    assert bad.least < 1.6 * good.least


def test_what_formulas_promised_says_nothing_of_prose():
    rate, formulas, prose = WritingRate(0.03), Promises(), Promises()
    formula = Threshold(rate, formulas)
    before = rate.least(1.0)
    for _ in range(6):
        formula.note(1, 0, 20)
    assert Threshold(rate, formulas).least > 10 * rate.least(1.0)
    assert Threshold(rate, prose).least == rate.least(1.0) <= before
