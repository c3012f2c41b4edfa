"""The inputs of a step on the device, laid out on the host and copied at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from docspec.targets.kv import Trees
from docspec.targets.stepping.step import StepBatch

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache


class Inputs(NamedTuple):
    """``tokens``, ``positions``, ``indices`` (cache addresses counted through all rows) and ``parents`` are ``(rows,
    tree)``; ``lengths``, ``prompts`` and ``accepted`` (nodes of the previous step, ``SlotCache.accepted``) are
    ``(rows,)``; ``ancestry`` is ``(rows, tree, tree)``; see :class:`StepBatch`."""

    tokens: torch.Tensor
    positions: torch.Tensor
    indices: torch.Tensor
    parents: torch.Tensor
    lengths: torch.Tensor
    prompts: torch.Tensor
    accepted: torch.Tensor
    ancestry: torch.Tensor

    @property
    def trees(self) -> Trees:
        return Trees(self.lengths, self.ancestry)

    def mask(self, view: int) -> torch.Tensor:
        """Boolean ``(rows, tree, view)`` like :attr:`StepBatch.mask`, made on the device; padding attends to slots that
        exist."""
        rows, tree = self.tokens.shape
        offset = torch.arange(view, device=self.tokens.device) - self.lengths.unsqueeze(1)  # from the row's tree
        node = offset.clamp(0, tree - 1).unsqueeze(1).expand(rows, tree, view)
        in_tree = ((offset >= 0) & (offset < tree)).unsqueeze(1)
        return (offset < 0).unsqueeze(1) | (in_tree & self.ancestry.gather(2, node))


def laid(step: StepBatch, cache: SlotCache, rows: int = 0, tree: int = 0) -> tuple[np.ndarray, ...]:
    """The arrays of :class:`Inputs` for ``step`` over ``cache``, padded to ``rows`` and ``tree``.

    Padding is written to its row's last slot, nothing attends to it, and it attends to one slot.
    """
    own, width = step.tokens.shape
    rows, tree = rows or own, tree or width
    grids = np.zeros((4, rows, tree), dtype=np.int64)
    offsets = np.arange(rows)[:, None] * cache.slots
    grids[2] = offsets + cache.padding_slot
    for grid, values in zip(
        grids, (step.tokens, step.positions, step.slots + offsets[:own], step.parents), strict=True
    ):
        grid[:own, :width] = values
    lengths = np.ones(rows, dtype=np.int64)
    lengths[:own] = step.lengths
    prompts = np.zeros(rows, dtype=np.int64)
    prompts[:own] = cache.prompts[:own]
    accepted = np.zeros(rows, dtype=np.int64)
    accepted[:own] = cache.unsettled(step.lengths)
    ancestry = np.zeros((rows, tree, tree), dtype=bool)
    ancestry[:own, :width, :width] = step.ancestry
    return *grids, lengths, prompts, accepted, ancestry
