"""How many threads decoding takes on a CPU.

The steps of a small model are a hundred short operations: handing each out to several threads costs more than it
saves, and on a busy machine, where one of them is always waited for, many times more. Vision and prompts are long
operations and keep all threads. Which number is better is measured, once for every target.
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
"""Bytes of key-value cache of 64 tokens up to which a target counts as small: more always pays for its threads."""

WIDTH = 16
"""Tokens of the measured steps."""

REPEATS = 7

_chosen: WeakKeyDictionary[TargetModel, int] = WeakKeyDictionary()


@contextlib.contextmanager
def decoding_threads(target: TargetModel) -> Iterator[None]:
    """Within it torch uses the number of threads that suits the steps of ``target``."""
    with using_threads(threads_for(target)):
        yield


@contextlib.contextmanager
def using_threads(number: int) -> Iterator[None]:
    """Within it torch uses ``number`` threads."""
    before = torch.get_num_threads()
    if number == before:
        yield
        return
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def threads_for(target: TargetModel) -> int:
    """One, or as many as torch would use: what decodes faster."""
    every = torch.get_num_threads()
    spec = target.kv_spec
    if every == 1 or spec.device.type != "cpu" or 64 * spec.bytes_per_slot() > SMALL:
        return every
    if target not in _chosen:
        try:
            alone = _step_seconds(target, 1)
            together = _step_seconds(target, every, patience=3 * REPEATS * alone)
        finally:
            torch.set_num_threads(every)
        _chosen[target] = 1 if alone <= together else every
    return _chosen[target]


@torch.inference_mode()
def _step_seconds(target: TargetModel, threads: int, patience: float = math.inf) -> float:
    """The median of a few steps over a scratch cache, of fewer once they have taken ``patience`` seconds."""
    torch.set_num_threads(threads)
    cache = SlotCache(target.kv_spec, rows=1, slots=4 * WIDTH)
    places = torch.arange(WIDTH).expand(1, -1)
    mask = torch.ones((1, WIDTH, WIDTH), dtype=torch.bool)
    times = []
    for _ in range(REPEATS + 1):
        start = time.perf_counter()
        cache.begin_step(places, WIDTH)
        target.logits(target.hidden(torch.zeros((1, WIDTH), dtype=torch.long), places, mask, cache))
        times.append(time.perf_counter() - start)
        if len(times) > 1 and sum(times) > patience:
            break
    return median(times[1:])
