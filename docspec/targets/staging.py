"""Copies the arrays of a step to the device in one asynchronous copy.

Each separate copy costs a launch, and a copy from ordinary memory blocks the host. So the arrays of a step are
concatenated in pinned memory, copied once, and viewed on the device as the original tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

import numpy as np
import torch

ALIGNMENT = 16
"""Arrays begin at multiples of this many bytes."""


def can_pin(device: torch.device) -> bool:
    """Whether copies to ``device`` are faster from pinned memory; an Apple GPU shares the host's memory."""
    return device.type not in ("cpu", "mps")


def uploaded(values: torch.Tensor, device: torch.device) -> torch.Tensor:
    """``values`` on ``device``, copied asynchronously where possible."""
    if not can_pin(device):
        return values.to(device)
    return values.pin_memory().to(device, non_blocking=True)


class Staging:
    """Pinned memory of the host and the same amount on ``device``, at addresses that change only when it grows.

    The host's memory is overwritten by every :meth:`put`: synchronise with the device before the next one.
    """

    def __init__(self, device: torch.device, nbytes: int = 1 << 16) -> None:
        self._device = device
        self._make(nbytes)

    def _make(self, nbytes: int) -> None:
        with torch.inference_mode(False):
            self._host = torch.zeros(nbytes, dtype=torch.uint8, pin_memory=can_pin(self._device))
            self._there = torch.zeros_like(self._host, device=self._device)

    @property
    def address(self) -> int:
        """Its address on the device."""
        return self._there.data_ptr()

    def put(self, arrays: Sequence[np.ndarray]) -> list[torch.Tensor]:
        """``arrays`` on the device, each in its shape and type, at offsets that depend only on their sizes."""
        needed = sum(map(_room, arrays))
        if needed > len(self._host):
            self._make(1 << (needed - 1).bit_length())
        host, end, found = self._host.numpy(), 0, []
        for array in arrays:
            flat = np.ascontiguousarray(array)
            host[end : end + flat.nbytes] = flat.reshape(-1).view(np.uint8)
            kind = torch.from_numpy(flat[:0].reshape(-1)).dtype
            found.append(self._there[end : end + flat.nbytes].view(kind).view(array.shape))
            end += _room(flat)
        if end:
            self._there[:end].copy_(self._host[:end], non_blocking=True)
        return found


def put_groups(
    put: Callable[[list[np.ndarray]], list[torch.Tensor]], groups: Sequence[Sequence[np.ndarray]]
) -> list[list[torch.Tensor]]:
    """The ``groups`` of arrays on the device, ``put`` there in one call."""
    found = iter(put([array for group in groups for array in group]))
    return [list(islice(found, len(group))) for group in groups]


def _room(array: np.ndarray) -> int:
    return -(-array.nbytes // ALIGNMENT) * ALIGNMENT
