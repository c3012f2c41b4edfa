"""Acceptance on hand-computed log-probabilities: equation 10 and the greedy walk."""

from __future__ import annotations

import math

import pytest

from docspec.engine.acceptance import ExactAcceptance, RelaxedAcceptance, make_rule, traverse
from docspec.engine.tree import TokenTree
from docspec.targets.protocol import Scores


def test_tau_three_quarters_accepts_what_equation_10_says():
    rule = RelaxedAcceptance(0.75)
    best = math.log(0.5)  # -0.693: the limit is -0.693 / 0.75 = -0.924, a probability of 0.397
    assert rule.tolerates(best, math.log(0.398))
    assert not rule.tolerates(best, math.log(0.396))
    assert rule.tolerates(math.log(0.6), math.log(0.507))  # limit: exp(ln(0.6) / 0.75) = 0.5061
    assert not rule.tolerates(math.log(0.6), math.log(0.505))
    assert not rule.tolerates(math.log(0.9), math.log(0.09))


def test_a_certain_target_tolerates_nothing_but_its_own_choice():
    rule = RelaxedAcceptance(0.75)
    assert rule.tolerates(0.0, 0.0)  # 0/0: the choice itself, or its equal
    assert not rule.tolerates(0.0, -1e-9)
    assert not rule.tolerates(0.0, -math.inf)


def test_tau_one_accepts_ties_that_exact_acceptance_does_not():
    tree = TokenTree(1)
    tree.extend(0, [8], 10)
    scores = Scores(choice=[7, 0], best=[math.log(0.5), 0.0], drafted=[0.0, math.log(0.5)])
    assert traverse(tree, scores, RelaxedAcceptance(1.0)).path == (1,)
    assert traverse(tree, scores, ExactAcceptance()).path == ()


@pytest.mark.parametrize("tau", [0.0, -0.5, 1.01])
def test_tau_outside_its_range_is_refused(tau):
    with pytest.raises(ValueError, match="tau"):
        make_rule(tau)


def test_the_exact_walk_follows_the_argmax_and_adds_the_targets_own_token():
    tree = TokenTree(1)
    tree.extend(0, [2, 3, 4], 10)
    tree.extend(0, [2, 5], 10)
    #          root  2  3  4  5
    scores = Scores(choice=[2, 5, 9, 9, 6])
    outcome = traverse(tree, scores, ExactAcceptance())
    assert [tree.tokens[node] for node in outcome.path] == [2, 5]
    assert outcome.token == 6


def test_the_relaxed_walk_prefers_the_argmax_child_and_else_the_likeliest():
    tree = TokenTree(1)
    for token in (2, 3, 4):
        tree.extend(0, [token], 10)
    low, high = math.log(0.40), math.log(0.42)
    best = math.log(0.5)
    preferred = Scores(choice=[4, 0, 0, 0], best=[best] + [0.0] * 3, drafted=[0.0, low, high, best])
    assert traverse(tree, preferred, RelaxedAcceptance(0.75)).path == (3,)
    likeliest = Scores(choice=[9, 0, 0, 0], best=[best] + [0.0] * 3, drafted=[0.0, low, high, math.log(0.01)])
    assert traverse(tree, likeliest, RelaxedAcceptance(0.75)).path == (2,)
    none = Scores(choice=[9, 0, 0, 0], best=[best] + [0.0] * 3, drafted=[0.0] + [math.log(0.3)] * 3)
    assert traverse(tree, none, RelaxedAcceptance(0.75)).path == ()
