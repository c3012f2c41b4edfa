"""Milliseconds of a verification step of a published size: captured and eager, by prefix, rows and nodes, in every way
of attending, beside what reading weights, keys and values once would take.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch

from benchmarks.device.attention_ways import attending, ways_of
from benchmarks.device.context import Context, guarded
from benchmarks.device.sizes import built
from docspec.bench.step import measure_bandwidth, step_bytes
from docspec.hierarchy import calibration
from docspec.hierarchy.planner import Costs
from docspec.targets.adapter import TransformersTarget
from docspec.targets.stepping.eager import EagerSteps, view_of
from docspec.targets.stepping.step import OutputFlags, chain

PREFIXES = (6000, 1024)
TREES = (64, 1, 16, 8, 32, 128)
ROWS = (1, 4, 16)
"""All with what matters most first, should time run out."""


@dataclass(frozen=True, slots=True)
class Size:
    """One step to measure."""

    prefix: int
    rows: int
    tree: int
    way: str
    eager: bool = False


def run(context: Context, name: str) -> None:
    target = built(context, name)
    bandwidth = measure_bandwidth(context.device, 3)
    with guarded(context, "calibration"):
        calibrated(context, name, target)
    sizes = plan(ways_of(target), *((64,), (1, 8), (1, 2)) if context.tiny else (PREFIXES, TREES, ROWS))
    with torch.inference_mode():  # room for all at once; and memory that was never written costs less to read
        target.kv.cache(max(s.rows for s in sizes), max(s.prefix for s in sizes) + 256).storage.normal_()
    for way, group in _by_way(sizes):
        if not context.has(2):
            break
        with attending(target, way):
            for size in group:
                if not context.has(2):
                    break
                with guarded(context, f"step {way} {size.rows} x {size.tree} behind {size.prefix}"):
                    _measure(context, name, target, size, bandwidth)
    report = target.steps.report
    each = 1e3 * report.warmup_seconds / max(1, report.captured)
    about = {"mode": report.mode, "why": report.reason, "captured": report.captured, "ms_each": each}
    context.emit("captures", model=name, **about, **context.memory())


def calibrated(context: Context, name: str, target: TransformersTarget) -> None:
    """What docspec's own calibration finds, as at the first page."""
    costs = Costs()
    seconds = calibration.calibrate(target, costs)
    context.emit(
        "calibrated",
        model=name,
        seconds=seconds,
        split=target.split,
        no_split=target.no_split,
        kernels=target.kernels,
        row=costs.row.value,
        step_ms={
            prefix: {width: 1e3 * seconds for width, seconds in widths.items()} for prefix, widths in costs.step.items()
        },
        node_price=costs.node_price(),
        mode=target.steps.report.mode,
        why=target.steps.report.reason,
    )


def plan(ways: tuple[str, ...], prefixes: tuple[int, ...], trees: tuple[int, ...], rows: tuple[int, ...]) -> list[Size]:
    """One row in the first way, then the others and eager steps where prompts are longest, then more rows."""
    own, *others = ways
    longest = prefixes[0]
    return [
        *(Size(prefix, 1, tree, own) for prefix in prefixes for tree in trees),
        *(Size(longest, count, tree, way) for way in others for count in rows[:2] for tree in trees[:2]),
        *(Size(longest, 1, tree, own, eager=True) for tree in trees[:2]),
        *(Size(prefix, count, tree, own) for count in rows[1:] for prefix in prefixes for tree in trees),
    ]


def _by_way(sizes: list[Size]) -> list[tuple[str, list[Size]]]:
    """Neighbours of one way together: captures are lost when the way changes."""
    groups: list[tuple[str, list[Size]]] = []
    for size in sizes:
        if not groups or groups[-1][0] != size.way:
            groups.append((size.way, []))
        groups[-1][1].append(size)
    return groups


def _measure(context: Context, name: str, target: TransformersTarget, size: Size, bandwidth: float) -> None:
    cache = target.kv.cache(*target.steps.geometry(size.rows, size.prefix + 129))
    view = view_of(size.prefix + size.tree, cache.slots)
    step = replace(chain(size.rows, size.tree, size.prefix, view), flags=OutputFlags(margins=True))
    runner = EagerSteps(target) if size.eager else target.steps
    with torch.inference_mode():
        for _ in range(2):
            runner.run(step, cache)  # the second is captured
        wall = context.wall(lambda: runner.run(step, cache), 3 if size.eager or context.tiny else 10)
        replay = None if size.eager else last_replay(target)
        device = None if replay is None else context.events(replay, 3)
    context.emit(
        "step",
        model=name,
        way=size.way,
        mode=runner.report.mode,
        prefix=size.prefix,
        rows=size.rows,
        tree=size.tree,
        wall_ms=wall,
        device_ms=device,
        floor_ms=1e3 * step_bytes(target, size.rows, size.prefix) / bandwidth,
    )


def last_replay(target: TransformersTarget) -> Any:
    """What replays the captured step that ran last; ``None`` where none is captured."""
    runner = getattr(target.steps, "_runner", target.steps)
    buckets = getattr(runner, "_buckets", None)
    return next(reversed(buckets.values())).replay if buckets else None
