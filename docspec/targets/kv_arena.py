"""One block of memory for all KV caches of a target, with a limit and its size in bytes.

Stage 1, Stage 2, the baseline and the calibration use it in turn; each requests rows and slots and gets a
:class:`SlotCache` over the same storage. The storage grows to the largest request and is not moved otherwise, so that
captured graphs with its address stay valid from page to page.
"""

from __future__ import annotations

import torch

from docspec.core import Failure, PageError
from docspec.core.errors import is_out_of_memory
from docspec.targets.kv import KVSpec
from docspec.targets.kv_cache import SlotCache
from docspec.targets.recurrent.states import RecurrentStates

MIB = 2**20

MAX_SHAPES = 32
"""Caches of different shapes that are remembered; they have no memory of their own."""


class KVArena:
    """Owns the storage ``(layers, 2, capacity, kv_heads, head_dim)``; only the cache returned last is valid."""

    def __init__(self, spec: KVSpec) -> None:
        self.spec = spec
        self._storage: torch.Tensor | None = None
        self._states: RecurrentStates | None = None
        self._caches: dict[tuple[int, int], SlotCache] = {}
        self._current: SlotCache | None = None
        self._reserved = 0

    @property
    def nbytes(self) -> int:
        states = 0 if self._states is None else self._states.nbytes
        return states + (0 if self._storage is None else self._storage.nbytes)

    def cache(self, rows: int, slots: int, limit: int | None = None) -> SlotCache:
        """A cache of ``rows`` rows of ``slots`` tokens each; the cache returned before must not be used any more.

        Raises :class:`docspec.core.PageError` if it would take more than ``limit`` bytes.
        """
        needed = rows * (slots + 1)
        allowed = max(needed, self._reserved) if limit is None else limit // self.spec.bytes_per_slot()
        if needed > allowed:
            raise PageError(
                f"{rows} x {slots} tokens need a KV buffer of {needed * self.spec.bytes_per_slot() / MIB:,.0f} MiB "
                f"and kv-memory allows {allowed * self.spec.bytes_per_slot() / MIB:,.0f}; raise it, "
                "or lower --max-tokens or --dpi",
                Failure.TOO_LARGE,
            )
        storage = self._storage
        if storage is None or storage.shape[2] < needed:
            self.release()  # let go of the old storage before the new one is made
            self._storage = storage = self._room(needed, allowed)
        if self.spec.recurrent is not None and (self._states is None or self._states.rows < rows):
            self._states = None
            self._caches.clear()
            self._states = RecurrentStates(self.spec.recurrent, rows, self.spec.dtype, self.spec.device)
        known = self._caches.get((rows, slots))
        if known is None:
            if len(self._caches) >= MAX_SHAPES:
                self._caches.clear()
            with torch.inference_mode(False):  # rows are moved outside of it too
                known = SlotCache(self.spec, rows, slots, storage, self.is_current, self._states)
            self._caches[rows, slots] = known
        if self.spec.dtype == torch.float16:
            storage.zero_()  # it overflows: what is not finite would reach other rows through a masked slot
        self._current = known
        return known

    def is_current(self, cache: SlotCache) -> bool:
        """Whether ``cache`` is the one that was returned last."""
        return self._current is cache

    def reserve(self, slots: int) -> None:
        """Allocates the storage for ``slots`` slots at once if the limit allows it, so that steps captured over it are
        not lost to a larger request. The reservation is dropped if there is not enough memory."""
        self._reserved = slots

    def release(self) -> None:
        """Frees the memory; the next request allocates it again."""
        self._storage = None
        self._states = None
        self._current = None
        self._caches.clear()

    def _room(self, needed: int, allowed: int) -> torch.Tensor:
        """Storage for the reserved slots, otherwise for those ``needed``."""
        wanted = max(needed, min(self._reserved, allowed))
        try:
            return self._allocate(wanted)
        except RuntimeError as error:
            if wanted == needed or not is_out_of_memory(error):
                raise
        self._reserved = 0
        return self._allocate(needed)

    def _allocate(self, capacity: int) -> torch.Tensor:
        spec = self.spec
        shape = (spec.layers, 2, capacity, spec.kv_heads, spec.head_dim)
        with torch.inference_mode(False):
            return torch.zeros(shape, dtype=spec.dtype, device=spec.device)
