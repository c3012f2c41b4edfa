"""The cursor policy: valid trees, exact replays, and nothing lost where the draft is right or wrong."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.bench.copy_bound import copy_bound
from docspec.bench.transcripts import replay
from docspec.speculation.acceptance import ExactAcceptance, Scores, traverse
from docspec.speculation.cursor import CursorProposer
from docspec.speculation.proposer import WindowProposer

END = 10**6
few_tokens = st.lists(st.integers(0, 4), max_size=60)
many_tokens = st.lists(st.integers(0, 300), max_size=60)
sequences = few_tokens | many_tokens


def steps_of(proposer, output, budget=128):
    return replay(proposer, [*output, END], budget)[0]


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


@given(st.lists(sequences, max_size=4), sequences.filter(len), st.integers(1, 40))
@settings(deadline=None)
def test_every_tree_is_valid_and_within_its_budget(drafts, output, limit):
    proposer = CursorProposer(drafts)
    for written in range(1, len(output) + 1, 3):
        tree = proposer.propose(output[:written], limit)
        assert tree.tokens[0] == output[written - 1]
        assert len(tree) <= limit
        assert all(parent < node for node, parent in enumerate(tree.parents))
        assert all(tree.depths[node] == tree.depths[tree.parents[node]] + 1 for node in range(1, len(tree)))
        assert all(token >= 0 for token in tree.tokens)
        for node, children in enumerate(tree.children):
            assert all(
                tree.parents[child] == node and tree.tokens[child] == t for t, child in children.items()
            )
        assert tree.is_chain == all(parent == node - 1 for node, parent in enumerate(tree.parents))


@given(st.lists(sequences, max_size=4), sequences.filter(len), st.integers(1, 40))
@settings(deadline=None)
def test_a_replay_ends_with_the_transcript_whatever_the_drafts(drafts, output, budget):
    output = [*output, END]
    proposer, written = CursorProposer(drafts), [output[0]]
    for _ in range(len(output)):
        if len(written) >= len(output):
            break
        tree = proposer.propose(written, budget)
        choices = [output[min(len(written) + depth, len(output) - 1)] for depth in tree.depths]
        outcome = traverse(tree, Scores(choices), ExactAcceptance())
        proposer.observe(tree, outcome)
        written += [*(tree.tokens[node] for node in outcome.path), outcome.token]
    assert written == output


@given(st.lists(sequences, max_size=4), sequences.filter(len))
@settings(deadline=None)
def test_no_step_writes_less_than_plain_decoding(drafts, output):
    assert steps_of(CursorProposer(drafts), output) <= len(output)


@given(st.lists(sequences, max_size=4), sequences.filter(len), st.integers(2, 40))
@settings(deadline=None)
def test_the_same_input_gives_the_same_trees(drafts, output, limit):
    one, other = CursorProposer(drafts), CursorProposer(drafts)
    for written in range(1, len(output) + 1, 2):
        a, b = one.propose(output[:written], limit), other.propose(output[:written], limit)
        assert (a.tokens, a.parents) == (b.tokens, b.parents)


def test_a_perfect_draft_gives_about_a_whole_budget_a_step():
    output = prose(1500)
    assert steps_of(CursorProposer([output]), output, budget=64) <= 1500 / 64 * 1.35


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
    assert steps_of(CursorProposer([draft]), output) == 2
    assert steps_of(WindowProposer([draft]), output) > 2


def test_two_differences_with_a_single_right_token_between_cost_two_steps():
    output = list(range(1000, 1060))
    draft = list(output)
    draft[30] = draft[32] = 7
    assert steps_of(CursorProposer([draft]), output) == 3


def test_a_rewriting_seen_before_is_foreseen():
    """The target writes every 7 as 1 7 2: after a few of them no step is lost."""
    words = [list(range(start, start + 9)) for start in range(1000, 3000, 100)]
    draft = [token for word in words for token in [*word, 7]]
    output = [token for word in words for token in [*word, 1, 7, 2]]
    assert steps_of(CursorProposer([draft]), output) < 14
    assert copy_bound([draft], [*output, END], 128) > 20


def test_regions_in_another_order_are_found_by_their_heads():
    regions = [list(range(start, start + 30)) for start in range(1000, 2000, 100)]
    order = [3, 1, 4, 0, 9, 7]
    output = [token for index in order for token in regions[index]]
    assert steps_of(CursorProposer(regions), output) <= 2 * len(order)


def test_without_drafts_the_output_itself_is_looked_up():
    output = prose(40, seed=3) * 6
    assert steps_of(CursorProposer([]), output) < 0.4 * len(output)


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.3])
def test_noisy_drafts_are_followed_better_than_with_a_window(rate):
    output = prose(1500, seed=1)
    draft = edited(output, rate, seed=2)
    cursor, window = steps_of(CursorProposer([draft]), output), steps_of(WindowProposer([draft]), output)
    assert cursor < 0.8 * window
    assert cursor <= 2 * copy_bound([draft], [*output, END], 128)


def test_nodes_that_cost_more_are_proposed_less():
    output = prose(1500, seed=1)
    draft = edited(output, 0.1, seed=2)
    few, some, many = (
        drafted / steps
        for steps, drafted, _ in (
            replay(CursorProposer([draft], price=price), [*output, END], 64) for price in (0.1, 0.02, 0.0)
        )
    )
    assert few < 0.6 * some < 0.6 * many


def test_unrelated_drafts_do_no_harm():
    output, drafts = prose(300, seed=5), [[token + 10_000 for token in prose(2000, seed=6)]]
    assert steps_of(CursorProposer(drafts), output) <= steps_of(CursorProposer([]), output) + 3


def test_a_long_draft_costs_little_host_time_a_step():
    output = prose(4000, seed=8)
    drafts = [edited(output, 0.05, seed) for seed in range(4)]
    steps, _, seconds = replay(CursorProposer(drafts), [*output, END], 64)
    assert seconds / steps < 0.01


def test_a_hundred_equal_tokens_are_no_trap():
    start = time.thread_time()
    assert steps_of(CursorProposer([[3] * 3000]), [3] * 2000) < 60
    assert time.thread_time() - start < 5
