"""One step's trees laid out for a single forward pass (equation 7): tokens, positions, slots, attention mask.

Rows are padded to a common tree size taken from a short list of buckets, so that shapes repeat. A tree is
written right behind its row's verified tokens; padding goes to the cache's bin and looks only at slot 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from docspec.speculation.tree import TokenTree

TREE_BUCKETS = (1, 2, *range(4, 33, 4), *range(40, 65, 8), *range(80, 129, 16), 192, 256)
"""Tree sizes that a step is padded to, in tokens: few enough to capture a graph for each, close enough together
that padding stays cheap where nothing is captured."""

VIEW_STEP = 128
"""The slots that attention looks at are a multiple of this (or the whole buffer)."""


def bucket(size: int) -> int:
    """The smallest bucket that holds ``size`` tokens; beyond the list, the next multiple of the largest one."""
    for candidate in TREE_BUCKETS:
        if size <= candidate:
            return candidate
    largest = TREE_BUCKETS[-1]
    return -(-size // largest) * largest


@dataclass(frozen=True, slots=True)
class StepBatch:
    """Host arrays of one step: ``tokens``, ``positions``, ``slots``, ``parents`` ``(rows, tree)``;
    ``mask`` ``(rows, tree, view_slots)``, true where a token may look."""

    tokens: np.ndarray
    positions: np.ndarray
    slots: np.ndarray
    parents: np.ndarray
    mask: np.ndarray

    @property
    def view_slots(self) -> int:
        return int(self.mask.shape[2])


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
    view = min(-(-reach // VIEW_STEP) * VIEW_STEP, slots)

    tokens = np.zeros((rows, width), dtype=np.int64)
    positions = np.zeros((rows, width), dtype=np.int64)
    parents = np.zeros((rows, width), dtype=np.int64)
    targets = np.full((rows, width), slots - 1, dtype=np.int64)
    mask = np.zeros((rows, width, view), dtype=bool)
    for row, (tree, length, delta) in enumerate(zip(trees, lengths, rope_deltas, strict=True)):
        size = len(tree)
        tokens[row, :size] = tree.tokens
        positions[row, :size] = tree.depths
        positions[row, :size] += length + delta
        parents[row, 1:size] = tree.parents[1:]
        targets[row, :size] = np.arange(length, length + size)
        mask[row, :size, :length] = True
        mask[row, :size, length : length + size] = tree.ancestry()
        mask[row, size:, 0] = True
    return StepBatch(tokens, positions, targets, parents, mask)
