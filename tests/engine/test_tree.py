"""Prefix trees: merging, budget, ancestry; properties over arbitrary candidates."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from docspec.engine.tree import TokenTree
from docspec.proposing.window import merge
from tests.engine.trees import path, paths

candidates = st.lists(st.lists(st.integers(0, 3), max_size=12), max_size=6)


@given(candidates)
def test_the_tree_holds_exactly_the_prefixes_of_its_candidates(sequences):
    tree = merge(9, sequences, limit=1000)
    prefixes = {tuple(s[: i + 1]) for s in sequences for i in range(len(s))}
    assert paths(tree) == prefixes
    assert len(tree) == len(prefixes) + 1


@given(candidates, st.integers(1, 20))
def test_the_budget_is_kept_and_what_is_held_is_still_a_prefix(sequences, limit):
    tree = merge(9, sequences, limit)
    prefixes = {tuple(s[: i + 1]) for s in sequences for i in range(len(s))}
    assert len(tree) <= limit
    assert paths(tree) <= prefixes
    assert len(tree) == min(limit, len(prefixes) + 1)


@given(candidates)
def test_ancestry_is_the_path_to_the_root_and_nothing_else(sequences):
    tree = merge(9, sequences, limit=40)
    mask = tree.ancestry()
    for node in range(len(tree)):
        assert set(np.flatnonzero(mask[node])) == {0, node, *path(tree, node)}


@given(candidates)
def test_depth_is_the_length_of_the_path(sequences):
    tree = merge(9, sequences, limit=40)
    assert tree.depths == [len(path(tree, node)) for node in range(len(tree))]


@given(candidates)
def test_a_chain_is_recognised_and_only_a_chain(sequences):
    tree = merge(9, sequences, limit=40)
    assert tree.is_chain == all(parent == node - 1 for node, parent in enumerate(tree.parents))


def test_siblings_never_carry_the_same_token():
    tree = TokenTree(5)
    assert tree.child(0, 7) == tree.child(0, 7) == 1
    assert tree.extend(0, [7, 8], 10) == tree.extend(0, [7, 8], 10) == 2
    assert len(tree) == 3


def test_the_budget_is_shared_by_depth_not_taken_by_the_first_candidate():
    tree = merge(0, [[1] * 50, [2] * 50], limit=11)
    assert tree.tokens.count(1) == tree.tokens.count(2) == 5
