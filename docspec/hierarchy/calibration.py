"""Measures the cost of a step for several tree sizes and for a second row, with a few forward passes at the first page.

The passes run over a scratch cache with meaningless tokens; only their time counts. They also warm up the device, so
that the first real step is as fast as later ones.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from docspec.core import PageError
from docspec.hierarchy.planner import Costs
from docspec.targets.stepping.step import OutputFlags, chain

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import TargetModel

WIDTHS = (1, 16, 64)
PREFIX = 1024
"""Slots of the prefix in the measured steps."""

MARGINS = OutputFlags(margins=True)
"""The output flags of the steps of a page: a step that is captured here is reused there."""

REPEATS = 5

PAYS = 0.95
"""One way of running a step counts as faster than another if it takes less than this share of its time."""

PATIENCE = 1.0
"""Seconds after which a width is not measured again."""


def calibrate(target: TargetModel, costs: Costs, kv_limit: int | None = None) -> float:
    """Fills ``costs.step`` and ``costs.row`` with the fastest of :data:`REPEATS` steps; returns the seconds of all
    measurements.

    Nothing is measured if two rows of 1,024 tokens take more than ``kv_limit`` bytes.
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
    """Splits the attention of wide trees into prefix and tree (:mod:`docspec.targets.split_attention`) if that makes a
    step faster. Returns the seconds of a step with one mask over both, and with split attention."""
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
