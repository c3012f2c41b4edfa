"""A few forward passes at the first page: what a step of each tree size and a second row cost here.

They run over a scratch cache with meaningless tokens; only their time counts. Warm-up is part of it, so that the
first real step is as fast as the others.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from docspec.core import PageError
from docspec.hierarchy.costs import Costs
from docspec.targets.stepping.step import OutputFlags, chain

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import TargetModel

WIDTHS = (1, 16, 64)
PREFIX = 1024
"""Slots that the measured steps look back on."""

MARGINS = OutputFlags(margins=True)
"""What steps of a page are asked for: what is captured here is used there."""

REPEATS = 5

PAYS = 0.95
"""Share of a step's seconds below which another way of running it is quicker for more than chance."""

PATIENCE = 1.0
"""Seconds after which a width is not measured again."""


def calibrate(target: TargetModel, costs: Costs, kv_limit: int | None = None) -> float:
    """Fills ``costs.step`` and ``costs.row`` with the least of :data:`REPEATS`; returns the seconds that this took.

    Nothing is measured where two rows of 1,024 tokens take more than ``kv_limit`` bytes.
    """
    start = time.perf_counter()
    try:
        cache = target.kv.cache(2, PREFIX + max(WIDTHS), kv_limit)
    except PageError:
        return 0.0
    from docspec.targets.threads import decoding_threads

    with decoding_threads(target):
        if target.kv_spec.device.type != "cpu" and target.can_split and not target.split_from:
            choose_attention(target, cache)
        for width in WIDTHS:
            costs.note_step(width, _least(target, cache, 1, width))
        two = _least(target, cache, 2, 16)
    costs.row.add(max(0.0, two / costs.step_seconds(16) - 1))
    return time.perf_counter() - start


def choose_attention(target: TargetModel, cache: SlotCache, repeats: int = REPEATS) -> tuple[float, float]:
    """Has wide trees attend to their prefix and to themselves apart (:mod:`docspec.targets.split_attention`) where a
    step is quicker so; returns what a step takes with one mask over both, and apart, in seconds."""
    widest = max(WIDTHS)
    target.split_from = 0
    masked = _least(target, cache, 1, widest, repeats)
    target.split_from = widest
    apart = _least(target, cache, 1, widest, repeats)
    if not apart < PAYS * masked:
        target.split_from = 0
    return masked, apart


def _least(target: TargetModel, cache: SlotCache, rows: int, width: int, repeats: int = REPEATS) -> float:
    step = replace(chain(rows, width, PREFIX, PREFIX + width), flags=MARGINS)
    times: list[float] = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        target.steps.run(step, cache)
        times.append(time.perf_counter() - start)
        if sum(times) > PATIENCE and len(times) > 1:
            break
    return min(times[1:])
