"""The geometry of a target's KV cache, and the trees of a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import torch

    from docspec.targets.recurrent.states import RecurrentSpec


@dataclass(frozen=True, slots=True)
class KVSpec:
    """The geometry of one row of the KV cache: ``layers`` x 2 x slots x ``kv_heads`` x ``head_dim``. ``layers`` are
    those with attention; ``recurrent`` describes the other layers, if there are any."""

    layers: int
    kv_heads: int
    head_dim: int
    dtype: torch.dtype
    device: torch.device
    recurrent: RecurrentSpec | None = None

    def bytes_per_slot(self) -> int:
        """Bytes of one token of one row."""
        return self.layers * 2 * self.kv_heads * self.head_dim * self.dtype.itemsize


class Trees(NamedTuple):
    """The trees of a step, on the device: the verified tokens before each ``(rows,)``, and the nodes that each node
    attends to (boolean ``(rows, tree, tree)``)."""

    lengths: torch.Tensor
    ancestry: torch.Tensor
