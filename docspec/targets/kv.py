"""The contract of a target's key-value memory: what is asked of it, whoever owns the bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    import torch

    from docspec.targets.recurrent.states import RecurrentSpec, RecurrentStates


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


class KVCache(Protocol):
    """Keys and values of ``rows`` sequences; each has ``slots`` slots, the last of which takes padding.

    The next forward pass writes to the slots that ``begin_...`` told it: ``write_index`` counts through all rows. It
    looks at the rows of ``view_rows``. ``prompts`` ``(rows,)`` on the host holds how many tokens of each row are its
    prompt, ``seen_prompts`` those of the rows looked at, on the device. ``trees`` are known of a step that told them.
    """

    spec: KVSpec
    rows: int
    slots: int
    storage: torch.Tensor
    write_index: torch.Tensor
    prompts: torch.Tensor
    view_rows: slice
    trees: Trees | None

    @property
    def seen_prompts(self) -> torch.Tensor: ...

    def check(self) -> None:
        """Raises ``RuntimeError`` where the memory is another cache's by now."""
        ...

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

    def begin_static_step(
        self,
        write_index: torch.Tensor,
        rows: int,
        view_slots: int,
        prompts: torch.Tensor | None = None,
        trees: Trees | None = None,
    ) -> None:
        """Like :meth:`begin_step` with the addresses ``row * slots + slot`` ready in ``write_index`` ``(tokens,)`` and,
        where they are there, ``prompts`` of the rows and their ``trees`` on the device."""
        ...

    @property
    def recurrent(self) -> RecurrentStates:
        """The states of recurrent layers. Raises ``TypeError`` where there are none."""
        ...

    @property
    def memory(self) -> tuple[torch.Tensor, ...]:
        """What captured steps hold the addresses of."""
        ...

    def accepted(self, lengths: np.ndarray) -> np.ndarray:
        """How many nodes of the latest step recurrent states still have to take in so that they are behind ``lengths``
        ``(rows,)`` tokens; zeros where there are no such states."""
        ...

    def settle(self, lengths: np.ndarray, accepted: torch.Tensor, nodes: int) -> None:
        """Recurrent states take in what was ``accepted`` ``(rows,)``, before a step of ``nodes`` nodes a row behind
        ``lengths`` verified tokens. Every step is told of so, before it is run or replayed."""
        ...

    def reserve(self, nodes: int) -> None:
        """Makes room for what trees of ``nodes`` nodes would add to recurrent states."""
        ...

    def remember(self, lengths: Sequence[int]) -> None:
        """Where the first rows have ``lengths`` tokens, :meth:`recall` can bring them back to."""
        ...

    def recall(self) -> None:
        """Brings the first rows back to where they were remembered: recurrent states do not go back by themselves."""
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

    def reserve(self, slots: int) -> None:
        """Makes the memory of the next requests large enough for ``slots`` slots of all rows together."""
        ...

    def release(self) -> None:
        """Lets go of the memory; the next request makes it anew."""
        ...
