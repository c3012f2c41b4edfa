"""Falling back to plain decoding: never much slower, quickly back, and never a different output."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.engine.request import NeverStop, Request
from docspec.engine.row import Row
from docspec.engine.scheduler import node_limits
from docspec.hierarchy.planner import PROBE, RETRY, STRETCHES, Pacing
from docspec.targets.protocol import Prompt

PLAIN = 6e-3
TREE = 12e-3


def replay(gains, tokens, plain=PLAIN, tree=TREE, told=PLAIN):
    """Decodes ``tokens`` tokens; ``gains(position)`` are those that a tree would bring there. Returns the seconds,
    the plain tokens and the number of trees."""
    now, trees = 0.0, 0
    pacing = Pacing(told, clock=lambda: now)
    row = Row(Request(Prompt({}, 1), (), tokens), 1, 0, frozenset(), NeverStop(), [0])
    while len(row.output) < tokens:
        allowed = pacing.limit(row, 64) > 1
        trees += allowed
        now += tree if allowed else plain
        row.output += [0] * (1 + gains(len(row.output)) if allowed else 1)
    return now, row.counts.plain_tokens, trees


def test_good_drafts_are_never_left():
    _, plain, trees = replay(lambda at: 4, 1000)
    assert plain == 0
    assert trees == pytest.approx(200, abs=1)


def test_hopeless_drafts_cost_a_few_percent():
    seconds, plain, trees = replay(lambda at: 0, 1000)
    assert seconds / (1000 * PLAIN) < 1.04
    assert plain > 950
    assert trees == PROBE + RETRY * 6  # stretches of 16, 32, 64, 128, 256, 256 tokens, and the last one's start


def test_without_pacing_they_would_double_the_time():
    """The control: the same replay with a plain step that is said to be endlessly slow never falls back."""
    seconds, plain, _ = replay(lambda at: 0, 1000, told=1e9)
    assert plain == 0
    assert seconds / (1000 * PLAIN) == pytest.approx(2, rel=0.01)


def test_a_bad_stretch_is_left_behind_soon():
    seconds, plain, _ = replay(lambda at: 0 if 400 <= at < 500 else 5, 1000)
    best = 100 * PLAIN + 900 / 6 * TREE
    assert plain < 100 + STRETCHES[3]
    assert seconds < best + (PROBE * 3 + STRETCHES[2]) * TREE


def test_a_wrong_first_figure_is_put_right():
    """Told that plain steps are twice as fast as they are, it tries them once and learns."""
    _, plain, trees = replay(lambda at: 2, 3000, told=PLAIN / 2)
    assert 0 < plain < 300
    assert trees > 800


def test_steps_with_other_rows_tell_nothing_of_a_row_alone():
    now = 0.0
    pacing = Pacing(PLAIN, clock=lambda: now)
    row, other = (Row(Request(Prompt({}, 1), (), 9999), 1, 0, frozenset(), NeverStop(), [0]) for _ in range(2))
    for _ in range(100):  # a tree never pays: it comes to plain stretches
        plain = node_limits([row], 64, 10_000, pacing) == [1]
        now += PLAIN if plain else TREE
        row.output += [0]
        if plain and len(row.output) % 7 == 0:
            node_limits([row, other], 64, 10_000, pacing)
            now += 50.0
            row.output += [0] * 5
    assert pacing.plain_seconds == pytest.approx(PLAIN)


@given(st.integers(0, 2**32), st.floats(0.0, 6.0), st.floats(1.0, 3.0))
def test_never_notably_slower_than_plain(seed, gain, dearer):
    rng = random.Random(seed)
    seconds, _, _ = replay(lambda at: int(rng.expovariate(1 / (gain + 1e-9))), 2000, tree=PLAIN * dearer)
    assert seconds < 2000 * PLAIN * (1.01 + 0.03 * dearer)
