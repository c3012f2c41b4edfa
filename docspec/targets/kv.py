"""The geometry of a target's key-value memory, and the trees that a step shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import torch

    from docspec.targets.recurrent.states import RecurrentSpec


@dataclass(frozen=True, slots=True)
class KVSpec:
    """Geometry of the key-value cache of one row: ``layers`` x 2 x slots x ``kv_heads`` x ``head_dim``. ``layers`` are
    those with attention; ``recurrent`` are the others, where there are any."""

    layers: int
    kv_heads: int
    head_dim: int
    dtype: torch.dtype
    device: torch.device
    recurrent: RecurrentSpec | None = None

    def bytes_per_slot(self) -> int:
        """Bytes of cache that one token of one row takes."""
        return self.layers * 2 * self.kv_heads * self.head_dim * self.dtype.itemsize


class Trees(NamedTuple):
    """The trees of a step, on the device: verified tokens before each ``(rows,)``, and which nodes may look at which
    (boolean ``(rows, tree, tree)``)."""

    lengths: torch.Tensor
    ancestry: torch.Tensor
