"""Loops are stopped where they are loops, and only there."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from docspec.speculation.stopping import LoopGuard, longest_runs


def run(guard, tokens):
    """The tokens kept, or ``None`` if nothing was stopped."""
    for token in tokens:
        keep = guard.observe(token)
        if keep is not None:
            return keep
    return None


def test_a_loop_is_cut_back_to_its_first_cycle():
    start = list(range(100, 150))
    assert run(LoopGuard(), start + [1, 2, 3] * 200) == 53


def test_a_long_cycle_is_seen_too():
    cycle = list(range(60))
    assert run(LoopGuard(), cycle * 20) == 60


def test_text_without_loops_passes():
    rng = random.Random(0)
    assert run(LoopGuard(), rng.choices(range(50), k=5000)) is None


def test_what_the_draft_holds_is_no_loop():
    dots = [7] * 300
    assert run(LoopGuard(), dots) == 1
    assert run(LoopGuard([dots]), dots) is None
    assert run(LoopGuard([dots]), dots * 3) < 100


@given(st.lists(st.lists(st.integers(0, 2), max_size=30), max_size=3))
def test_longest_runs_equal_their_definition(sequences):
    expected = np.zeros(8, dtype=int)
    for tokens in sequences:
        for p in range(1, 9):
            run_length = 0
            for i in range(p, len(tokens)):
                run_length = run_length + 1 if tokens[i] == tokens[i - p] else 0
                expected[p - 1] = max(expected[p - 1], run_length)
    assert longest_runs(sequences, 8).tolist() == expected.tolist()


@given(st.integers(1, 64), st.integers(0, 40), st.integers(0, 200))
def test_every_cycle_is_cut_back_to_its_first_turn(cycle, before, seed):
    rng = random.Random(seed)
    turn = rng.sample(range(1000, 2000), cycle)
    kept = run(LoopGuard(), [*range(before), *turn * (1000 // cycle)])
    assert kept == before + cycle
