"""Rewrites: what is learnt, where it is offered, when it is forgotten."""

from __future__ import annotations

import pytest

from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation, Key
from docspec.proposing.grower import grow
from docspec.proposing.rates import HitRates, Survival
from docspec.proposing.rewrites import Rewrites
from tests.engine.trees import paths
from tests.proposing.replays import row_of


@pytest.fixture
def context():
    return Context(row_of([], [[1, 5, 2, 3]]).request)


def test_a_known_rewrite_becomes_a_branch_beside_the_draft(context):
    rewrites = Rewrites(context)
    rewrites.learn(5, (8, 5, 9), 1)
    start = Continuation(context.drafts, context.drafts.starts[0], Key("here", 0.9))
    tree, _ = grow(0, -1, [start], HitRates(), Survival(), 64, 0.0025)
    assert {(1, 5, 2, 3), (1, 8, 5, 9, 2, 3)} <= paths(tree)


def test_what_is_kept_as_drafted_is_rewritten_no_more(context):
    rewrites = Rewrites(context)
    rewrites.learn(5, (8,), 1)
    assert 5 in rewrites.active
    rewrites.keep(5, 20)
    assert 5 not in rewrites.active


def test_a_rewrite_does_not_reach_beyond_the_end_of_its_draft(context):
    rewrites = Rewrites(context)
    rewrites.learn(3, (8,), 4)
    position = context.drafts.starts[0] + 3
    assert list(rewrites.at(position, 0.0)) == []
    assert context.drafts.following(position, 0, (5, 2), 0.0)
