"""Measures the bandwidth of the device's memory, the limit of a verification step of one row."""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from docspec.targets.adapter import TransformersTarget

ELEMENTS = {"cuda": 2**28, "mps": 2**26}
"""Float32 elements of each of the three arrays; far more than any cache holds."""

ELEMENTS_ELSEWHERE = 2**24


def measure_bandwidth(device: torch.device, repeats: int = 9) -> float:
    """Bytes a second of ``c = a + 2 b`` over large arrays (a triad: two read, one written), the median of
    ``repeats``."""
    a, b, c = torch.ones((3, ELEMENTS.get(device.type, ELEMENTS_ELSEWHERE)), device=device)
    rates = []
    for _ in range(repeats + 1):
        _wait(device)
        start = time.perf_counter()
        torch.add(a, b, alpha=2, out=c)
        _wait(device)
        rates.append(3 * a.nbytes / (time.perf_counter() - start))
    return median(rates[1:])


def step_bytes(target: TransformersTarget, rows: int, prefix: int) -> int:
    """Bytes that a step must read at least: every decoder weight once, and the keys and values of ``prefix`` tokens of
    each row."""
    return target.decoder_bytes + rows * prefix * target.kv_spec.bytes_per_slot()


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()
