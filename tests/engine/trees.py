"""Ways through a tree, for tests."""

from __future__ import annotations


def path(tree, node):
    """The nodes from the root (excluded) down to ``node`` (included)."""
    return [*path(tree, tree.parents[node]), node] if node > 0 else []


def paths(tree):
    """Every root-to-node token sequence."""
    return {tuple(tree.tokens[n] for n in path(tree, node)) for node in range(1, len(tree))}
