"""Measures the cost of a step for several tree sizes and for a second row, with a few forward passes at the first page.

On an accelerator a step is measured behind few tokens and behind as many as a page has: between, its cost is
interpolated (:meth:`docspec.hierarchy.planner.Costs.step_seconds`). The passes run over a scratch cache with
meaningless tokens; only their time counts. They also warm up the device, so that the first real step is as fast as
later ones.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from docspec.core import PageError
from docspec.hierarchy.planner import Costs
from docspec.targets.family import image_tokens
from docspec.targets.stepping.step import OutputFlags, chain

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import TargetModel

WIDTHS = (1, 16, 64)
PREFIX = 1024
"""Tokens before the measured steps; on a CPU no others, where longer ones would take longer than they tell."""

PAGE = 1654 * 2339
"""Pixels of an A4 page at 200 dpi; elsewhere its image tokens are before measured steps, too."""

SHAPES = ((1, 1), (1, max(WIDTHS)), (2, 16))
"""Rows and nodes of the steps by which the attention is chosen: plain decoding, a wide tree, and several pages."""

MARGINS = OutputFlags(margins=True)
"""The output flags of the steps of a page: a step that is captured here is reused there."""

REPEATS = 5

PAYS = 0.95
"""One way of running a step counts as faster than another if it takes less than this share of its time."""

PATIENCE = 1.0
"""Seconds after which a width is not measured again."""


def prefix_of(target: TargetModel) -> int:
    """The most tokens before steps that are measured: about the prompt of a page."""
    if target.kv_spec.device.type == "cpu":
        return PREFIX
    return max(PREFIX, min(image_tokens(target.sight, PAGE), target.max_length - max(WIDTHS) - 1))


def calibrate(target: TargetModel, costs: Costs, kv_limit: int | None = None) -> float:
    """Fills ``costs.step`` and ``costs.row`` with the fastest of :data:`REPEATS` steps; returns the seconds of all
    measurements.

    Nothing is measured if two rows of a page take more than ``kv_limit`` bytes.
    """
    start = time.perf_counter()
    prefix = prefix_of(target)
    try:
        cache = target.kv.cache(2, prefix + max(WIDTHS), kv_limit)
    except PageError:
        return 0.0
    from docspec.targets.threads import decoding_threads

    with decoding_threads(target):
        if not (target.split or target.no_split):
            choose_attention(target, cache, prefix)
        for length in sorted({PREFIX, prefix}):
            for width in WIDTHS:
                costs.note_step(width, _least(target, cache, 1, width, length), length)
        two = _least(target, cache, 2, 16, prefix)
    costs.row.add(max(0.0, two / costs.step_seconds(16) - 1))
    return time.perf_counter() - start


def choose_attention(target: TargetModel, cache: SlotCache, prefix: int, repeats: int = REPEATS) -> tuple[float, float]:
    """Has steps attend by :mod:`docspec.targets.tree_attention` if that makes them faster. Returns the seconds of steps
    of :data:`SHAPES` with masks, and with split keys."""
    spent = []
    for target.split in (False, True):
        spent.append(sum(_least(target, cache, rows, width, prefix, repeats) for rows, width in SHAPES))
    masked, split = spent
    target.split = split < PAYS * masked
    return masked, split


def _least(target: TargetModel, cache: SlotCache, rows: int, width: int, prefix: int, repeats: int = REPEATS) -> float:
    """The fastest of ``repeats`` steps; those before it in which kernels are compiled and the step is captured do not
    count, however long they take."""
    step = replace(chain(rows, width, prefix, prefix + width), flags=MARGINS)
    for _ in range(1 if target.steps.report.mode == "eager" else 2):
        target.steps.run(step, cache)
    times: list[float] = []
    while len(times) < repeats and sum(times) < PATIENCE:
        start = time.perf_counter()
        target.steps.run(step, cache)
        times.append(time.perf_counter() - start)
    return min(times)
