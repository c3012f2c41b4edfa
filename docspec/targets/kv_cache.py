"""The static KV cache, addressed by slots: one buffer for all layers.

Rows of one batch may have different lengths, a tree may be written anywhere, and accepting a path is one gather and one
scatter. A row's verified tokens always occupy slots ``0..length-1``; a tree is written after them; the last slot of
each row takes padding and is never read. transformers calls the classes below: each attention layer passes its keys and
values to ``update`` and gets those that it attends to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat

import numpy as np
import torch
from transformers.cache_utils import Cache, CacheLayerMixin

from docspec.targets.kv import KVSpec, Trees
from docspec.targets.recurrent.states import RecurrentStates
from docspec.targets.staging import uploaded


class SlotLayer(CacheLayerMixin):
    """One layer of the buffer, as a cache layer of transformers."""

    is_compileable = False

    def __init__(self, owner: SlotCache, buffer: torch.Tensor, storage: torch.Tensor) -> None:
        super().__init__()
        self._owner = owner
        self._buffer = buffer  # (2, rows, slots, kv_heads, head_dim)
        self._flat = storage  # (2, capacity, kv_heads, head_dim), which begins with the buffer
        self._written: tuple[torch.Tensor, torch.Tensor] | None = None
        self.is_initialized = True

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        return None

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: object, **kwargs: object
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Writes ``(rows, kv_heads, tokens, head_dim)`` to the slots chosen by the owner; returns the keys and values
        in view."""
        owner = self._owner
        written, self._written = self._written, None
        for room, states, there in zip(self._flat, (key_states, value_states), written or (None, None), strict=True):
            if there is None or not _is_the_same(states, there):
                room.index_copy_(0, owner.write_index, states.transpose(1, 2).flatten(0, 1))
        if owner.prefilling:
            return key_states, value_states
        seen = self._buffer[:, owner.view_rows, : owner.view_slots]
        return seen[0].transpose(1, 2), seen[1].transpose(1, 2)

    @property
    def room(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """All keys and all values ``(capacity, kv_heads, head_dim)``, and the slots ``(tokens,)`` of those to come."""
        return self._flat[0], self._flat[1], self._owner.write_index

    def wrote(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        """Has the next :meth:`update` copy only what is not one of these, which are in their slots already."""
        self._written = key_states, value_states

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return query_length, 0

    def get_seq_length(self) -> int:
        return 0

    def get_max_length(self) -> int:
        return self._owner.slots


def _is_the_same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors are the same numbers in memory."""
    return one.shape == other.shape and one.stride() == other.stride() and one.data_ptr() == other.data_ptr()


class NoSlots(SlotLayer):
    """The entry of a recurrent layer, which has no keys and values (its states are in :attr:`SlotCache.recurrent`)."""

    def __init__(self) -> None:
        CacheLayerMixin.__init__(self)
        self.is_initialized = True

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: object, **kwargs: object
    ) -> tuple[torch.Tensor, torch.Tensor]:
        raise TypeError("a recurrent layer has no keys and values")

    def get_max_length(self) -> int:
        return -1


class SlotCache(Cache):
    """Keys and values of ``rows`` sequences of up to ``slots`` tokens each, and the states of ``recurrent`` layers.

    The buffer is part of ``storage`` ``(layers, 2, capacity, kv_heads, head_dim)``, the states are in ``recurrent``
    (default: memory of its own); ``is_valid`` tells whether the cache may still use this memory.
    """

    def __init__(
        self,
        spec: KVSpec,
        rows: int,
        slots: int,
        storage: torch.Tensor | None = None,
        is_valid: Callable[[SlotCache], bool] | None = None,
        recurrent: RecurrentStates | None = None,
    ) -> None:
        self.spec = spec
        self.rows = rows
        self.slots = slots + 1  # the last one takes padding
        if storage is None:
            shape = (spec.layers, 2, rows * self.slots, spec.kv_heads, spec.head_dim)
            storage = torch.zeros(shape, dtype=spec.dtype, device=spec.device)
        self.storage = storage
        self.buffer = storage[:, :, : rows * self.slots].unflatten(2, (rows, self.slots))
        self._is_valid = is_valid
        self.prefilling = False
        self.write_index = torch.zeros(0, dtype=torch.long, device=spec.device)
        self.prompts = torch.zeros(rows, dtype=torch.long)  # on the host: captured steps hold no address of one cache
        self.view_rows = slice(rows)
        self.view_slots = self.slots
        self.trees: Trees | None = None
        self._seen_prompts: torch.Tensor | None = None
        if spec.recurrent is not None and recurrent is None:
            recurrent = RecurrentStates(spec.recurrent, rows, spec.dtype, spec.device)
        self._recurrent = recurrent
        indices = () if spec.recurrent is None else spec.recurrent.layers
        attending = map(SlotLayer, repeat(self), self.buffer, storage)
        layers = [NoSlots() if layer in indices else next(attending) for layer in range(spec.layers + len(indices))]
        super().__init__(layers=layers)

    @property
    def recurrent(self) -> RecurrentStates:
        """The states of recurrent layers. Raises ``TypeError`` where there are none."""
        if self._recurrent is None:
            raise TypeError("this cache was made for a decoder without recurrent layers")
        return self._recurrent

    @property
    def padding_slot(self) -> int:
        """The slot that takes padding."""
        return self.slots - 1

    @property
    def nbytes(self) -> int:
        return self.buffer.nbytes

    @property
    def seen_prompts(self) -> torch.Tensor:
        """:attr:`prompts` of the rows in view, on the device."""
        if self._seen_prompts is None:
            self._seen_prompts = self.prompts[self.view_rows].to(self.spec.device)
        return self._seen_prompts

    def check(self) -> None:
        """Raises ``RuntimeError`` if the memory belongs to another cache by now."""
        if self._is_valid is not None and not self._is_valid(self):
            raise RuntimeError("this KV buffer's memory was handed on to another one")

    def begin_prefills(self, rows: Sequence[int], lengths: Sequence[int]) -> None:
        """Prepares a forward pass over the prompts of ``rows``, padded on the right to the longest one, in slots
        ``0..``.

        Under causal attention no token attends to the padding after it; its keys go to the last slots.
        """
        longest = max(lengths)
        if longest >= self.slots:
            raise ValueError(f"a prompt of {longest} tokens does not fit {self.slots - 1} slots")
        self.check()
        self.prefilling = True
        self.trees = None
        slots = np.arange(longest) + np.zeros((len(rows), 1), dtype=np.int64)
        slots[slots >= np.array(lengths)[:, None]] = self.padding_slot
        slots += np.array(rows)[:, None] * self.slots
        self.prompts[list(rows)] = torch.tensor(lengths)
        self.view_rows, self._seen_prompts = slice(rows[0], rows[0] + len(rows)), None
        self.write_index = torch.from_numpy(slots.ravel()).to(self.spec.device)
        if self._recurrent is not None:
            self._recurrent.begin_prefills(rows, lengths)

    def begin_piece(self, row: int, start: int, stop: int) -> None:
        """Prepares a forward pass over the tokens ``start`` to ``stop`` of the prompt of ``row``, which attend to
        earlier ones."""
        self.check()
        self.prefilling = False
        self.trees = None
        first = row * self.slots
        self.write_index = torch.arange(first + start, first + stop, device=self.spec.device)
        self.view_rows, self.view_slots, self._seen_prompts = slice(row, row + 1), stop, None
        if self._recurrent is not None:
            self._recurrent.begin_piece(row, start, stop)

    @property
    def memory(self) -> tuple[torch.Tensor, ...]:
        """The tensors whose addresses captured steps hold."""
        return self.storage, *(() if self._recurrent is None else self._recurrent.memory)

    def unsettled(self, lengths: np.ndarray) -> np.ndarray:
        """How many nodes of the last step the recurrent states must still add to be after ``lengths`` ``(rows,)``
        tokens."""
        return np.zeros_like(lengths) if self._recurrent is None else self._recurrent.unsettled(lengths)

    def settle(self, lengths: np.ndarray, accepted: torch.Tensor, nodes: int) -> None:
        """Adds the ``accepted`` nodes to the recurrent states, before a step of ``nodes`` nodes per row after
        ``lengths`` tokens."""
        if self._recurrent is not None:
            self._recurrent.settle(lengths, accepted, nodes)

    def reserve(self, nodes: int) -> None:
        """Makes room in the log of recurrent states for trees of ``nodes`` nodes."""
        if self._recurrent is not None:
            self._recurrent.reserve(nodes)

    def remember(self, lengths: Sequence[int]) -> None:
        """Saves the recurrent states of the first rows after ``lengths`` tokens, for :meth:`recall`."""
        if self._recurrent is not None:
            self._recurrent.remember(lengths)

    def recall(self) -> None:
        """Restores the first rows to the saved state; their keys and values are still there."""
        if self._recurrent is not None:
            self._recurrent.recall()

    def take(self, other: SlotCache) -> None:
        """Copies the rows of ``other``, a smaller cache, to the first rows."""
        self.buffer[:, :, : other.rows, : other.padding_slot] = other.buffer[:, :, :, : other.padding_slot]
        self.prompts[: other.rows] = other.prompts
        if self._recurrent is not None:
            self._recurrent.take(other.recurrent)

    def begin_step(self, slots: torch.Tensor, view_slots: int) -> None:
        """Prepares a forward pass that writes token ``[r, t]`` to slot ``slots[r, t]`` and has ``view_slots`` slots in
        view.

        ``slots`` is ``(rows_in_use, tokens)``; rows in use are the first ones of the buffer.
        """
        rows = slots.shape[0]
        if self._recurrent is not None:
            roots = slots[:, 0]
            lengths = roots.cpu().numpy()
            accepted = torch.from_numpy(self._recurrent.unsettled(lengths)).to(slots.device)
            self._recurrent.settle(lengths, accepted, slots.shape[1])
        offsets = torch.arange(rows, device=slots.device).unsqueeze(1) * self.slots
        self.begin_static_step((slots + offsets).flatten(), rows, view_slots)

    def begin_static_step(
        self,
        write_index: torch.Tensor,
        rows: int,
        view_slots: int,
        prompts: torch.Tensor | None = None,
        trees: Trees | None = None,
    ) -> None:
        """Like :meth:`begin_step`, with the addresses ``row * slots + slot`` in ``write_index`` ``(tokens,)`` and, if
        available, :attr:`prompts` of the rows and their ``trees`` on the device."""
        self.check()
        self.prefilling = False
        self.trees = trees
        self.write_index = write_index
        self.view_rows, self.view_slots, self._seen_prompts = slice(rows), view_slots, prompts
        if self._recurrent is not None:
            self._recurrent.begin_step(write_index.view(rows, -1) % self.slots)

    def compact(self, moves: list[tuple[int, list[int], int]]) -> None:
        """Keeps accepted paths: each ``(row, slots, to)`` moves ``slots`` to ``to, to+1, ...`` of that row.

        It is one gather and one scatter for all rows and layers.
        """
        sources = [row * self.slots + slot for row, slots, _ in moves for slot in slots]
        if not sources:
            return
        targets = [row * self.slots + to + i for row, slots, to in moves for i in range(len(slots))]
        flat = self.buffer.flatten(2, 3)
        logged = [] if self._recurrent is None else self._recurrent.moved(moves)
        index = uploaded(torch.tensor([sources, targets, *logged]), self.spec.device)
        flat.index_copy_(2, index[1], flat.index_select(2, index[0]))
        if self._recurrent is not None:
            self._recurrent.compact(*index[2:])

    def move_row(self, source: int, target: int, length: int) -> None:
        """Copies the first ``length`` slots of row ``source`` to row ``target``, the place of a finished row."""
        self.buffer[:, :, target, :length] = self.buffer[:, :, source, :length]
        self.prompts[target] = self.prompts[source]
        if self._recurrent is not None:
            self._recurrent.move_row(source, target)
