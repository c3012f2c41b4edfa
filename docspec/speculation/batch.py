"""One step's trees laid out for a single forward pass (equation 7): tokens, positions, slots, attention mask.

Rows are padded to a common tree size taken from a short list of buckets, so that shapes repeat. A tree is
written right behind its row's verified tokens; padding goes to the cache's bin, where nothing looks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from docspec.speculation.tree import TokenTree
from docspec.targets.stepping.eager import view_of
from docspec.targets.stepping.step import StepBatch

TREE_BUCKETS = (1, 2, *range(4, 33, 4), *range(40, 65, 8), *range(80, 129, 16), 192, 256)
"""Tree sizes that a step is padded to, in tokens: few enough to capture a graph for each, close enough together
that padding stays cheap where nothing is captured."""


def bucket(size: int) -> int:
    """The smallest bucket that holds ``size`` tokens; beyond the list, the next multiple of the largest one."""
    for candidate in TREE_BUCKETS:
        if size <= candidate:
            return candidate
    largest = TREE_BUCKETS[-1]
    return -(-size // largest) * largest


def linearise(
    trees: Sequence[TokenTree], lengths: Sequence[int], rope_deltas: Sequence[int], slots: int
) -> StepBatch:
    """Lays ``trees`` out behind prefixes of ``lengths`` verified tokens in a cache of ``slots`` slots a row.

    The last slot is the bin. A node's rotary position is prefix + depth + rope delta: siblings share it, and it is
    not the slot number. Raises ``ValueError`` if a tree does not fit.
    """
    rows = len(trees)
    width = bucket(max(len(tree) for tree in trees))
    reach = max(length + len(tree) for tree, length in zip(trees, lengths, strict=True))
    if reach >= slots:
        raise ValueError(f"{reach} tokens do not fit a cache of {slots - 1} slots")

    tokens = np.zeros((rows, width), dtype=np.int64)
    positions = np.zeros((rows, width), dtype=np.int64)
    parents = np.zeros((rows, width), dtype=np.int64)
    targets = np.full((rows, width), slots - 1, dtype=np.int64)
    ancestry = np.zeros((rows, width, width), dtype=bool)
    for row, (tree, length, delta) in enumerate(zip(trees, lengths, rope_deltas, strict=True)):
        size = len(tree)
        tokens[row, :size] = tree.tokens
        positions[row, :size] = tree.depths
        positions[row, :size] += length + delta
        parents[row, 1:size] = tree.parents[1:]
        targets[row, :size] = np.arange(length, length + size)
        ancestry[row, :size, :size] = tree.ancestry()
    view = view_of(reach, slots)
    return StepBatch(tokens, positions, targets, parents, np.array(lengths), ancestry, view)
