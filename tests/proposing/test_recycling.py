"""Token recycling: what the target held likely before is proposed again, and never changes more than that."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.engine.acceptance import ExactAcceptance, VerifyOutcome, traverse
from docspec.proposing.context import Context
from docspec.proposing.recycling import Recycling
from docspec.proposing.registry import make_proposer
from docspec.targets.protocol import Scores
from tests.proposing.replays import END, check, row_of

tokens = st.integers(0, 8)
sequences = st.lists(tokens, max_size=50)


def wandering(size, seed=0, vocab=60):
    """A Markov chain with two likely successors of each token, and these successors."""
    rng = random.Random(seed)
    successors = [rng.sample(range(vocab), 2) for _ in range(vocab)]
    output = [0]
    for _ in range(size):
        output.append(rng.choice(successors[output[-1]]))
    return output, successors


def steps(output, top_of, budget=32, drafts=()):
    """Steps that write ``output`` where ``top_of(token)`` are the target's likeliest tokens after it."""
    output = [*output, END]
    proposer, row, count = make_proposer(), row_of(output[:1], drafts), 0
    proposer.begin(row)
    while len(row.output) < len(output):
        [tree] = proposer.propose([row], [budget])
        choices = [output[min(len(row.output) + depth, len(output) - 1)] for depth in tree.depths]
        top = [top_of(token) for token in tree.tokens]
        outcome = traverse(tree, Scores(choices, top=top if any(top) else ()), ExactAcceptance())
        row.output += [*(tree.tokens[node] for node in outcome.path), outcome.token]
        proposer.accepted(row, tree, outcome)
        count += 1
    assert row.output == output
    return count


def test_the_likeliest_successors_are_known_by_two_tokens_or_by_one():
    recycling = Recycling(Context(row_of([]).request))
    recycling.learn([5, 6, 7], [-1, 0, 0], 4, [[6, 7], [1, 2], [3, 4]])
    assert recycling.after(4, 5)[0] == [6, 7]
    assert recycling.after(5, 6)[0] == [1, 2]
    assert recycling.after(9, 7)[0] == [3, 4]
    assert not recycling.after(9, 9)[0]
    assert recycling.after(5, 6)[1][0].prior > recycling.after(9, 6)[1][0].prior


def test_a_rank_that_is_right_more_often_becomes_likelier():
    output, firsts = [3 * position % 7 for position in range(400)], []
    proposer, row = make_proposer("recycling"), row_of(output[:2])
    proposer.begin(row)
    while len(row.output) < 300:
        [tree] = proposer.propose([row], [2])
        firsts += [(token - tree.tokens[0]) % 7 for token in tree.tokens[1:]]
        top = [[(token + 1) % 7, (token + 3) % 7] for token in tree.tokens]
        choices = [output[len(row.output) + depth] for depth in tree.depths]
        outcome = traverse(tree, Scores(choices, top=top), ExactAcceptance())
        row.output += [*(tree.tokens[node] for node in outcome.path), outcome.token]
        proposer.accepted(row, tree, outcome)
    assert firsts[0] == 1 and set(firsts[-50:]) == {3}


def test_second_choices_save_steps():
    output, successors = wandering(600)
    recycled = steps(output, successors.__getitem__)
    assert recycled < 0.85 * steps(output, lambda token: ())


def test_choices_that_say_nothing_cost_little():
    """A negative control: the gain comes from what the target held likely."""
    output, _ = wandering(600)
    rng = random.Random(1)
    assert steps(output, lambda token: [rng.randrange(60) for _ in range(2)]) < 1.1 * steps(output, lambda token: ())


def test_with_a_perfect_draft_they_take_no_places_that_count():
    output, successors = wandering(600)
    with_them = steps(output, successors.__getitem__, drafts=[output])
    assert with_them <= steps(output, lambda token: (), drafts=[output]) + 2


@given(sequences.filter(len), st.lists(sequences, max_size=3), st.integers(2, 24), st.integers(0, 99))
@settings(deadline=None)
def test_trees_stay_valid_and_deterministic_whatever_was_likely(output, drafts, limit, seed):
    rng = random.Random(seed)
    rows = [row_of(output[:1], drafts) for _ in range(2)]
    proposer = make_proposer()
    for row in rows:
        proposer.begin(row)
    for _ in range(0, len(output) - 1, 2):
        tree, again = proposer.propose(rows, [limit, limit])
        assert (tree.tokens, tree.parents) == (again.tokens, again.parents)
        check(tree, limit)
        top = [[rng.randrange(9) for _ in range(3)] for _ in tree.tokens]
        for row, own in zip(rows, (tree, again), strict=True):
            row.output += output[len(row.output) : len(row.output) + 1]
            proposer.accepted(row, own, VerifyOutcome((), row.output[-1], top))
