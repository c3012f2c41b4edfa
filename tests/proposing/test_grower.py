"""Trees by expected value: what chances say is where the nodes go."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.proposing.continuation import Continuation, Copy, Key
from docspec.proposing.grower import grow
from docspec.proposing.rates import RUN_CAP, HitRates, Survival
from docspec.proposing.threshold import FLOOR
from tests.proposing.replays import check

LIKELY, UNLIKELY, SURE = Key("likely", 0.8), Key("unlikely", 0.5), Key("sure", 0.9)


def copies(*tokens, keys):
    return [Continuation(Copy(own), 0, key) for own, key in zip(tokens, keys, strict=True)]


def grown(suggested, limit=64, rates=None, least=FLOOR):
    return grow(0, -1, suggested, rates or HitRates(), Survival(), limit, least)[0]


def test_the_likelier_continuation_gets_more_nodes_and_the_other_some():
    tree = grown(copies([1] * 60, [2] * 60, keys=(LIKELY, UNLIKELY)), limit=60)
    assert len(tree) == 60
    assert tree.tokens.count(1) > 1.1 * tree.tokens.count(2) > 0


def test_a_kind_that_is_always_wrong_gets_fewer_nodes():
    rates = HitRates()
    before = grown(copies([1] * 60, [2] * 60, keys=(LIKELY, UNLIKELY)), 40).tokens.count(1)
    for _ in range(30):
        rates.count(LIKELY, False)
    after = grown(copies([1] * 60, [2] * 60, keys=(LIKELY, UNLIKELY)), 40, rates).tokens.count(1)
    assert after < before / 2


def test_what_is_not_worth_its_place_is_not_added():
    rates = HitRates()
    for _ in range(2000):
        rates.count(UNLIKELY, False)
    assert len(grown(copies([2] * 60, keys=(UNLIKELY,)), rates=rates)) == 1


def test_continuations_that_agree_share_their_nodes():
    tree = grown(copies([1, 2, 3, 4], [1, 2, 3, 5], keys=(SURE, LIKELY)))
    assert sorted(tree.tokens[1:]) == [1, 2, 3, 4, 5]


class Choices:
    """A text in which each of two tokens may follow the other, with the chances given."""

    tokens = ()

    def __init__(self, chances):
        self.chances = chances

    def end(self, position):
        return position

    def pause(self, position, most):
        return position

    def following(self, position, run, before, least):
        return [Continuation(self, 0, None, 0, (token,), share) for token, share in enumerate(self.chances)]


CHANCES = st.floats(0.0, 1.0)
PIECES = st.lists(st.tuples(st.lists(st.integers(0, 3), max_size=30), CHANCES, st.integers(0, 200)), max_size=6)


@given(PIECES, st.lists(CHANCES, min_size=1, max_size=3), st.integers(2, 60), st.floats(FLOOR, 0.5))
def test_any_tree_is_within_its_limit_and_its_siblings_are_distinct(pieces, chances, limit, least):
    suggested = [Continuation(Copy(tokens), 0, Key("any", prior), run) for tokens, prior, run in pieces]
    suggested.append(Continuation(Choices(chances), 0, LIKELY))
    tree, found = grow(7, -1, suggested, HitRates(), Survival(), limit, least)
    check(tree, limit)
    assert 0 <= tree.expected <= len(tree) - 1 + 1e-6
    assert {id(one) for one in suggested} <= {id(one) for _, one in found}


@given(st.lists(st.floats(0.01, 0.99), min_size=1, max_size=4), st.integers(2, 40))
def test_nodes_come_in_the_order_of_their_chances(chances, limit):
    """Single tokens behind each other: the tree holds the likeliest products, and no node below the least chance."""
    least = 0.02
    tree, _ = grow(9, -1, [Continuation(Choices(chances), 0, None, 0, (), 1.0)], HitRates(), Survival(), limit, least)
    reached = [1.0]
    for node in range(1, len(tree)):
        reached.append(reached[tree.parents[node]] * chances[tree.tokens[node]])
    assert reached[1:] == sorted(reached[1:], reverse=True)
    assert all(chance > least for chance in reached[1:])


@given(st.integers(0, RUN_CAP), st.floats(0.01, 1.0), st.floats(0.002, 0.9))
def test_the_worthwhile_tokens_are_those_above_the_stop(run, chance, stop):
    survival = Survival()
    count = survival.worthwhile(chance, run, stop)
    assert count == 0 or survival.later(chance, run, count - 1) >= stop * 0.999
    assert survival.later(chance, run, count) < stop * 1.001


def test_going_on_gets_likelier_with_the_run():
    survival = Survival()
    chances = [survival.onward(run) for run in range(300)]
    assert chances == sorted(chances)
    assert survival.later(0.8, 5, 2) == pytest.approx(0.8 * chances[6] * chances[7])


@pytest.mark.parametrize(("run", "right"), [(0, 1), (0, 200), (3, 5), (17, 40), (128, 9)])
def test_runs_are_counted_token_by_token(run, right):
    bulk, single = Survival(), Survival()
    for _ in range(16):
        bulk.count(run, right, True)
        for step in range(right):
            single.count(run + step, 1, False)
        single.count(run + right, 0, True)
    for survival in (bulk, single):
        survival.count(0, 0, False)
        survival._weigh()
    assert [bulk.onward(n) for n in range(140)] == pytest.approx([single.onward(n) for n in range(140)], abs=0.02)


@given(st.lists(st.booleans(), max_size=300))
def test_a_rate_stays_a_probability_and_follows_what_happens(hits):
    rates = HitRates()
    for hit in hits:
        rates.count(LIKELY, hit)
    assert 0 < rates.rate(LIKELY) < 1
    for _ in range(100):
        rates.count(LIKELY, True)
    assert rates.rate(LIKELY) > 0.9
