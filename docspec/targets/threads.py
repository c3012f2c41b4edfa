"""Chooses the number of threads of a step on a CPU.

The steps of a small model are a hundred short operations: distributing each over several threads costs more than it
saves, and many times more on a busy machine, where one thread is always waited for. Over the trees of many rows they
are long operations, as vision and prompts always are, and all threads pay. The number of tokens from which they pay is
measured once for every target.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator
from statistics import median
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import torch

from docspec.targets.kv_cache import SlotCache

if TYPE_CHECKING:
    from docspec.targets.protocol import TargetModel

SMALL = 2**20
"""Bytes of the KV cache of 64 tokens up to which a target counts as small; larger targets always use all threads."""

FEW = 1
MANY = 64
"""Tokens of the measured steps; values in between are interpolated linearly."""

REPEATS = 7

_needed: WeakKeyDictionary[TargetModel, tuple[int, float]] = WeakKeyDictionary()
"""For each measured target, the number of all threads and the tokens of a step from which they are faster than one."""


@contextlib.contextmanager
def decoding_threads(target: TargetModel) -> Iterator[None]:
    """Within this context torch uses the threads that suit one-token steps; measured first if necessary."""
    measure_threads(target)
    with using_threads(threads_for(target, 1)):
        yield


@contextlib.contextmanager
def using_threads(number: int) -> Iterator[None]:
    """Within this context torch uses ``number`` threads."""
    before = torch.get_num_threads()
    if number == before:
        yield
        return
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def threads_for(target: TargetModel, tokens: int) -> int:
    """Threads for a step over so many tokens of all rows: one, or all if ``target`` was measured and they pay; the
    present number if it was not measured."""
    if target not in _needed:
        return torch.get_num_threads()
    every, least = _needed[target]
    return every if tokens >= least else 1


def measure_threads(target: TargetModel) -> None:
    """Measures from how many tokens on steps of ``target`` need all threads, if it is small and on a CPU."""
    every = torch.get_num_threads()
    spec = target.kv_spec
    if target in _needed or every == 1 or spec.device.type != "cpu" or 64 * spec.bytes_per_slot() > SMALL:
        return
    gains = []
    try:
        for width in (FEW, MANY):
            alone = _step_seconds(target, 1, width)
            gains.append(alone - _step_seconds(target, every, width, patience=3 * REPEATS * alone))
    finally:
        torch.set_num_threads(every)
    _needed[target] = every, _crossing(*gains)


def _crossing(few: float, many: float) -> float:
    """The number of tokens at which the gain of all threads becomes positive, if it is ``few`` at :data:`FEW` tokens
    and ``many`` at :data:`MANY`; infinity if it never does."""
    if few >= 0 and many >= 0:
        return 0.0
    return FEW + (MANY - FEW) * -few / (many - few) if many > few else math.inf


@torch.inference_mode()
def _step_seconds(target: TargetModel, threads: int, width: int, patience: float = math.inf) -> float:
    """The median seconds of a few steps over a scratch cache; stops once they have taken ``patience`` seconds."""
    torch.set_num_threads(threads)
    cache = SlotCache(target.kv_spec, rows=1, slots=4 * width)
    indices = torch.arange(width).expand(1, -1)
    mask = torch.ones((1, width, width), dtype=torch.bool)
    times = []
    for _ in range(REPEATS + 1):
        start = time.perf_counter()
        cache.begin_step(indices, width)
        target.logits(target.hidden(torch.zeros((1, width), dtype=torch.long), indices, mask, cache))
        times.append(time.perf_counter() - start)
        if len(times) > 1 and sum(times) > patience:
            break
    return median(times[1:])
