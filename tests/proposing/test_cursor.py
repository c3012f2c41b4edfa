"""The cursor policy: valid trees, exact replays, and nothing lost where the draft is right or wrong."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.transcripts import copy_bound, replay
from docspec.engine.acceptance import ExactAcceptance, traverse
from docspec.proposing.registry import make_proposer
from docspec.targets.protocol import Scores
from tests.proposing.replays import END, row_of, steps, trees

few_tokens = st.lists(st.integers(0, 4), max_size=60)
many_tokens = st.lists(st.integers(0, 300), max_size=60)
sequences = few_tokens | many_tokens


def edited(tokens, rate, seed, vocab=5000):
    rng = random.Random(seed)
    result = []
    for token in tokens:
        if rng.random() >= rate:
            result.append(token)
        else:
            kind = rng.randrange(3)
            result.extend([[], [rng.randrange(vocab)], [rng.randrange(vocab), token]][kind])
    return result


def prose(size, seed=0, vocab=5000):
    """Tokens distributed unevenly, as those of a text are."""
    rng = random.Random(seed)
    return [int(rng.paretovariate(0.6)) % vocab for _ in range(size)]


@given(st.lists(sequences, max_size=4), sequences.filter(len), st.integers(2, 40))
@settings(deadline=None)
def test_every_tree_is_valid_within_its_budget_and_the_same_again(drafts, output, limit):
    assert trees(output, limit, drafts=drafts) == trees(output, limit, drafts=drafts)


@given(st.lists(sequences, max_size=4), sequences.filter(len), st.integers(2, 40))
@settings(deadline=None)
def test_a_replay_ends_with_the_transcript_whatever_the_drafts(drafts, output, budget):
    output = [*output, END]
    proposer, row = make_proposer(), row_of(output[:1], drafts)
    proposer.begin(row)
    for _ in range(len(output)):
        if len(row.output) >= len(output):
            break
        [tree] = proposer.propose([row], [budget])
        choices = [output[min(len(row.output) + depth, len(output) - 1)] for depth in tree.depths]
        outcome = traverse(tree, Scores(choices), ExactAcceptance())
        row.output += [*(tree.tokens[node] for node in outcome.path), outcome.token]
        proposer.accepted(row, tree, outcome)
    assert row.output == output


def test_a_perfect_draft_gives_about_a_whole_budget_a_step():
    output = prose(1500)
    assert steps(output, [output], 64) <= 1500 / 64 * 1.35


@pytest.mark.parametrize("kind", ["substitution", "insertion", "deletion"])
def test_one_difference_costs_one_step(kind):
    output = list(range(1000, 1060))
    draft = list(output)
    if kind == "substitution":
        draft[30] = 7
    elif kind == "insertion":
        draft.insert(30, 7)
    else:
        del draft[30]
    assert steps(output, [draft]) == 2
    assert steps(output, [draft], name="window") > 2


def test_two_differences_with_a_single_right_token_between_cost_two_steps():
    output = list(range(1000, 1060))
    draft = list(output)
    draft[30] = draft[32] = 7
    assert steps(output, [draft]) == 3


def test_a_rewriting_seen_before_is_foreseen():
    """The target writes every 7 as 1 7 2: after a few of them no step is lost."""
    words = [list(range(start, start + 9)) for start in range(1000, 3000, 100)]
    draft = [token for word in words for token in [*word, 7]]
    output = [token for word in words for token in [*word, 1, 7, 2]]
    assert steps(output, [draft]) < 14
    assert copy_bound([draft], [*output, END], 128) > 20


def test_regions_in_another_order_are_found_by_their_heads():
    regions = [list(range(start, start + 30)) for start in range(1000, 2000, 100)]
    order = [3, 1, 4, 0, 9, 7]
    output = [token for index in order for token in regions[index]]
    assert steps(output, regions) <= 2 * len(order)


def test_without_drafts_the_output_itself_is_looked_up():
    output = prose(40, seed=3) * 6
    assert steps(output, []) < 0.4 * len(output)


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.3])
def test_noisy_drafts_are_followed_better_than_with_a_window(rate):
    output = prose(1500, seed=1)
    draft = edited(output, rate, seed=2)
    cursor, window = steps(output, [draft]), steps(output, [draft], name="window")
    assert cursor < 0.8 * window
    assert cursor <= 2 * copy_bound([draft], [*output, END], 128)


def test_nodes_that_cost_more_are_proposed_less():
    output = prose(1500, seed=1)
    draft = edited(output, 0.1, seed=2)
    few, some, many = (
        drafted / steps
        for steps, drafted, *_ in (
            replay(make_proposer(price=price), [*output, END], 64, [draft]) for price in (0.1, 0.02, 0.0)
        )
    )
    assert few < 0.6 * some < 0.6 * many


def test_unrelated_drafts_do_no_harm():
    output, drafts = prose(300, seed=5), [[token + 10_000 for token in prose(2000, seed=6)]]
    assert steps(output, drafts) <= steps(output, []) + 3


def test_a_long_draft_costs_little_host_time_a_step():
    output = prose(4000, seed=8)
    drafts = [edited(output, 0.05, seed) for seed in range(4)]
    steps, _, _, seconds = replay(make_proposer(), [*output, END], 64, drafts)
    assert seconds / steps < 0.05


def test_a_hundred_equal_tokens_are_no_trap():
    start = time.thread_time()
    assert steps([3] * 2000, [[3] * 3000]) < 60
    assert time.thread_time() - start < 5
