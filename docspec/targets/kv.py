"""The contract of a target's key-value memory: what is asked of it, whoever owns the bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class KVSpec:
    """Geometry of the key-value cache of one row: ``layers`` x 2 x slots x ``kv_heads`` x ``head_dim``."""

    layers: int
    kv_heads: int
    head_dim: int
    dtype: torch.dtype
    device: torch.device

    def bytes_per_slot(self) -> int:
        """Bytes of cache that one token of one row takes."""
        return self.layers * 2 * self.kv_heads * self.head_dim * self.dtype.itemsize


class KVCache(Protocol):
    """Keys and values of ``rows`` sequences; each has ``slots`` slots, the last of which takes padding.

    The next forward pass writes to the slots that ``begin_...`` told it: ``write_index`` counts through all rows. It
    looks at the rows of ``view_rows``. ``prompts`` ``(rows,)`` holds how many tokens of each row are its prompt.
    """

    spec: KVSpec
    rows: int
    slots: int
    storage: torch.Tensor
    write_index: torch.Tensor
    prompts: torch.Tensor
    view_rows: slice

    @property
    def padding_slot(self) -> int:
        """The slot of each row that padding writes to."""
        ...

    def begin_prefills(self, rows: Sequence[int], lengths: Sequence[int]) -> None:
        """The next forward pass is the prompts of ``rows``, padded on the right to the longest one. Raises
        ``ValueError`` if that does not fit."""
        ...

    def begin_piece(self, row: int, start: int, stop: int) -> None:
        """The next forward pass is tokens ``start`` to ``stop`` of the prompt of ``row``; it sees the earlier ones."""
        ...

    def begin_step(self, slots: torch.Tensor, view_slots: int) -> None:
        """The next forward pass writes token ``[r, t]`` to slot ``slots[r, t]`` and looks at ``view_slots`` slots."""
        ...

    def begin_static_step(self, write_index: torch.Tensor, rows: int, view_slots: int) -> None:
        """Like :meth:`begin_step` with the addresses ``row * slots + slot`` ready in ``write_index`` ``(tokens,)``."""
        ...

    def compact(self, moves: list[tuple[int, list[int], int]]) -> None:
        """Keeps accepted paths: for each ``(row, slots, to)`` moves ``slots`` to ``to, to+1, ...`` of that row."""
        ...

    def move_row(self, source: int, target: int, length: int) -> None:
        """Copies the first ``length`` slots of row ``source`` over row ``target``."""
        ...


class KVMemory(Protocol):
    """Where a target's caches come from; the one handed out last is the valid one."""

    @property
    def nbytes(self) -> int:
        """Bytes held at present."""
        ...

    def cache(self, rows: int, slots: int, limit: int | None = None) -> KVCache:
        """A cache of ``rows`` rows of ``slots`` tokens each. Raises :class:`docspec.core.PageError` if it would take
        more than ``limit`` bytes."""
        ...

    def release(self) -> None:
        """Lets go of the memory; the next request makes it anew."""
        ...
