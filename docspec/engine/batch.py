"""One step's trees laid out for a single forward pass (equation 7): tokens, positions, slots, attention mask.

A tree is written right behind its row's verified tokens. Rows are padded to a common size; padding is written to the
cache's last slot, which no token attends to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from docspec.engine.tree import TokenTree
from docspec.targets.protocol import CHOICES_ONLY, Behind, OutputFlags, StepBatch

if TYPE_CHECKING:
    from docspec.targets.protocol import RowRules


def linearise(
    trees: Sequence[TokenTree],
    lengths: Sequence[int],
    rope_deltas: Sequence[int],
    slots: int,
    padded: Callable[[int, int, int], tuple[int, int]],
    rules: tuple[RowRules | None, ...] = (),
    flags: OutputFlags = CHOICES_ONLY,
    behind: Sequence[Behind] = (),
) -> StepBatch:
    """Lays ``trees`` out behind prefixes of ``lengths`` verified tokens in a cache of ``slots`` slots a row.

    A node's rotary position is prefix + depth + rope delta: siblings share it, and it is not the slot number.
    ``padded`` says how large trees and views are made (:meth:`docspec.targets.protocol.StepRunner.padded`). Raises
    ``ValueError`` if a tree does not fit.
    """
    rows = len(trees)
    reach = max(length + len(tree) for tree, length in zip(trees, lengths, strict=True))
    if reach >= slots:
        raise ValueError(f"{reach} tokens do not fit a cache of {slots - 1} slots")
    width, view = padded(max(len(tree) for tree in trees), reach, slots)

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
    verified = np.array(lengths)
    return StepBatch(tokens, positions, targets, parents, verified, ancestry, view, rules, flags, tuple(behind))
