"""One continuation a step in place of a tree: the likeliest one, within its limit, and the next best after a miss."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.transcripts import replay
from docspec.proposing.chains import grow_chain
from docspec.proposing.continuation import Continuation, Copy, Key
from docspec.proposing.rates import HitRates, Survival
from docspec.proposing.registry import make_proposer
from docspec.proposing.threshold import FLOOR
from tests.proposing.replays import END, Characters
from tests.proposing.test_grower import CHANCES, LIKELY, PIECES, UNLIKELY, Choices, copies

TEXT = "The quick brown fox jumps over the lazy dog, 1,843 times a day. "


def steps(output, drafts, chains, limit=32, name="cursor"):
    codec = Characters()
    tokens = [codec.tokenize(draft) for draft in drafts]
    proposer = make_proposer(name, codec, chains=chains)
    return replay(proposer, [*codec.tokenize(output), END], limit, tokens)[0]


@settings(deadline=None)
@given(PIECES, st.lists(CHANCES, min_size=1, max_size=3), st.integers(2, 60), st.floats(FLOOR, 0.5))
def test_any_chain_is_one_and_within_its_limit(pieces, chances, limit, least):
    suggested = [Continuation(Copy(tokens), 0, Key("any", prior), run) for tokens, prior, run in pieces]
    suggested.append(Continuation(Choices(chances), 0, LIKELY))
    tree, found = grow_chain(7, -1, suggested, HitRates(), Survival(), limit, least)
    assert tree.is_chain and 1 <= len(tree) <= limit and tree.tokens[0] == 7
    assert 0 <= tree.expected <= len(tree) - 1 + 1e-6
    assert {id(one) for one in suggested} <= {id(one) for _, one in found}
    assert all(0 <= node < len(tree) for node, _ in found)


@settings(deadline=None)
@given(st.lists(st.floats(0.01, 0.99), min_size=1, max_size=4), st.integers(2, 40))
def test_at_each_fork_the_likeliest_is_taken_as_long_as_it_is_reached(chances, limit):
    least = 0.02
    offered = [Continuation(Choices(chances), 0, None, 0, (), 1.0)]
    tree, _ = grow_chain(9, -1, offered, HitRates(), Survival(), limit, least)
    best = max(chances)
    assert all(chances[token] == best for token in tree.tokens[1:])
    expected = next(size for size in range(1, limit + 1) if size == limit or best**size <= least)
    assert len(tree) == expected


def test_the_likelier_of_two_is_taken_and_after_misses_the_other():
    rates = HitRates()
    suggested = copies([1] * 9, [2] * 9, keys=(LIKELY, UNLIKELY))
    assert set(grow_chain(0, -1, suggested, rates, Survival(), 9, FLOOR)[0].tokens[1:]) == {1}
    for _ in range(30):
        rates.count(LIKELY, False)
    assert set(grow_chain(0, -1, suggested, rates, Survival(), 9, FLOOR)[0].tokens[1:]) == {2}


def test_a_draft_that_is_right_is_written_in_few_steps():
    text = TEXT * 8
    assert steps(text, [text], True, limit=65) <= len(text) / 64 + 3


def test_a_chain_takes_up_what_it_had_not_taken():
    """Two drafts that differ in places: a chain misses now and then, and is back in the draft one step later."""
    right = TEXT * 6
    wrong = right.replace("fox", "cat").replace("lazy", "busy")
    chain, tree, plain = steps(right, [wrong, right], True), steps(right, [wrong, right], False), len(right)
    assert tree <= chain < plain / 6


def test_the_windows_chain_is_its_first_candidate():
    text = TEXT * 4
    assert steps(text, [text], True, name="window") == steps(text, [text], False, name="window")
    assert steps(text, ["nothing of it"], True, name="window") == len(text)
