"""How many threads a step takes on a CPU.

The steps of a small model are a hundred short operations: handing each out to several threads costs more than it
saves, and on a busy machine, where one of them is always waited for, many times more. Over the trees of many rows they
are long operations, as vision and prompts always are, and want all threads. From how many tokens on is measured, once
for every target.
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

FEW, MANY = 1, 64
"""Tokens of the measured steps; what lies between is taken to be on a line."""

REPEATS = 7

_needed: WeakKeyDictionary[TargetModel, tuple[int, float]] = WeakKeyDictionary()
"""All threads, and the tokens of a step from which on they are faster than one, of each target that was measured."""


@contextlib.contextmanager
def decoding_threads(target: TargetModel) -> Iterator[None]:
    """Within it torch uses the threads that suit steps of one token; measured where that was not yet done."""
    measure_threads(target)
    with using_threads(threads_for(target, 1)):
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


def threads_for(target: TargetModel, tokens: int) -> int:
    """For a step over so many tokens of all rows: one, or as many as torch would use where ``target`` was measured. As
    many as torch uses now where it was not."""
    if target not in _needed:
        return torch.get_num_threads()
    every, least = _needed[target]
    return every if tokens >= least else 1


def measure_threads(target: TargetModel) -> None:
    """Finds out from how many tokens on steps of ``target`` want all threads, if it is small and on a CPU."""
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
    """The tokens from which on there is a gain, if it is ``few`` over :data:`FEW` of them and ``many`` over
    :data:`MANY`; infinity where none grows."""
    if few >= 0 and many >= 0:
        return 0.0
    return FEW + (MANY - FEW) * -few / (many - few) if many > few else math.inf


@torch.inference_mode()
def _step_seconds(target: TargetModel, threads: int, width: int, patience: float = math.inf) -> float:
    """The median of a few steps over a scratch cache, of fewer once they have taken ``patience`` seconds."""
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
