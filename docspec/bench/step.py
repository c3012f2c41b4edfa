"""Milliseconds of a verification step over tree sizes and rows, beside the limit of the device's memory; bandwidth, and
the attention of one layer, are measured by themselves too.

Eager steps and captured ones take turns in the same run over the same cache. A step is what decoding runs: one copy to
the device, the forward pass, argmax, and the copy back that waits for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from docspec.core.errors import is_out_of_memory, release_memory
from docspec.targets.kv import Trees
from docspec.targets.stepping.eager import EagerSteps, view_of
from docspec.targets.stepping.step import StepBatch, StepRunner, chain
from docspec.targets.threads import decoding_threads
from docspec.targets.tree_attention import tree_attention, unavailable

if TYPE_CHECKING:
    from docspec.targets.adapter import TransformersTarget
    from docspec.targets.kv import KVSpec
    from docspec.targets.kv_cache import SlotCache

TREES = (1, 8, 16, 32, 64, 128)
ROWS = (1, 4, 16)
PATIENCE = 4.0
"""Seconds after which a size is not measured again, once it was measured three times."""

ELEMENTS = {"cuda": 2**28, "mps": 2**26}
"""Float32 elements of each of the three arrays that bandwidth is measured with; far more than any cache holds."""

ELEMENTS_ELSEWHERE = 2**24

KERNELS = {"memory-efficient": SDPBackend.EFFICIENT_ATTENTION, "plain": SDPBackend.MATH}
"""The attention kernels that take a mask."""


@dataclass(frozen=True, slots=True)
class StepTime:
    """One way of running one size: milliseconds, median with the 10th and 90th percentile.

    ``floor`` is the time that reading weights and keys and values once takes at the measured bandwidth.
    """

    rows: int
    tree: int
    mode: str
    median: float
    low: float
    high: float
    repeats: int
    floor: float

    @property
    def of_floor(self) -> float:
        return self.median / self.floor


@dataclass(frozen=True, slots=True)
class Omitted:
    """A size that could not be measured."""

    rows: int
    tree: int
    why: str


def measure_bandwidth(device: torch.device, repeats: int = 9) -> float:
    """Bytes a second of ``c = a + 2 b`` over large arrays (a triad: two read, one written), the median of
    ``repeats``."""
    a, b, c = torch.ones((3, ELEMENTS.get(device.type, ELEMENTS_ELSEWHERE)), device=device)
    return 3 * a.nbytes / _seconds(lambda: torch.add(a, b, alpha=2, out=c), device, repeats, 1)


def measure_attention(spec: KVSpec, heads: int, prefix: int, tree: int) -> dict[str, float | None]:
    """Milliseconds of one layer's attention of a folded tree of ``tree`` nodes behind ``prefix`` tokens, by each of
    :data:`KERNELS` and by :mod:`docspec.targets.tree_attention`; ``None`` where a kernel refuses or is not there."""
    groups, slots = heads // spec.kv_heads, -(-(prefix + tree) // 128) * 128
    made = {"dtype": spec.dtype, "device": spec.device}
    query = torch.randn(1, spec.kv_heads, groups * tree, spec.head_dim, **made)  # type: ignore[arg-type]
    key, value = torch.randn(2, 1, spec.kv_heads, slots, spec.head_dim, **made)  # type: ignore[call-overload]
    mask = torch.zeros(1, 1, groups * tree, slots, **made)  # type: ignore[arg-type]
    trees = Trees(
        torch.tensor([prefix], device=spec.device), torch.ones(1, tree, tree, dtype=torch.bool, device=spec.device)
    )
    nodes = query.view(1, heads, tree, spec.head_dim)

    def milliseconds(run: Callable[[], object]) -> float | None:
        try:
            return 1e3 * _seconds(run, spec.device, 20, 3)
        except RuntimeError:
            return None

    times = {}
    for name, kernel in KERNELS.items():
        with sdpa_kernel(kernel):
            times[name] = milliseconds(lambda: scaled_dot_product_attention(query, key, value, attn_mask=mask))
    can_split = not unavailable(spec.device)
    times["split"] = milliseconds(lambda: tree_attention(nodes, key, value, trees)) if can_split else None
    return times


def _seconds(run: Callable[[], object], device: torch.device, repeats: int, warm: int) -> float:
    """The median of ``repeats`` runs on the device, after ``warm`` ones."""
    wait = torch.get_device_module(device).synchronize
    times = []
    for _ in range(warm + repeats):
        wait()
        start = time.perf_counter()
        run()
        wait()
        times.append(time.perf_counter() - start)
    return median(times[warm:])


def step_bytes(target: TransformersTarget, rows: int, prefix: int) -> int:
    """Bytes that a step must read at least: every decoder weight once, and the keys and values of ``prefix`` tokens of
    each row."""
    return target.decoder_bytes + rows * prefix * target.kv_spec.bytes_per_slot()


def measure(
    target: TransformersTarget,
    bandwidth: float,
    prefix: int = 1024,
    trees: Sequence[int] = TREES,
    rows: Sequence[int] = ROWS,
    repeats: int = 20,
    patience: float = PATIENCE,
) -> Iterator[StepTime | Omitted]:
    """Every size in turn, ``prefix`` verified tokens before each tree; ``bandwidth`` in bytes a second. A size is not
    measured again after ``patience`` seconds.

    ``target.steps`` is measured, and eager steps too where it is something else.
    """
    captured = target.steps
    for count in rows:
        for tree in trees:
            try:
                cache = target.kv.cache(*captured.geometry(count, prefix + max(trees) + 1))
                cache.storage.normal_()  # memory that was never written to costs less to read
                step = chain(count, tree, prefix, view_of(prefix + tree, cache.slots))
                times = _interleaved(target, _runners(target, captured), step, cache, repeats, patience)
            except RuntimeError as error:
                if not is_out_of_memory(error):
                    raise
                target.kv.release()
                release_memory()
                yield Omitted(count, tree, "out of memory")
                continue
            floor = 1e3 * step_bytes(target, count, prefix) / bandwidth
            for mode, spent in times.items():
                yield StepTime(count, tree, mode, *_spread(spent), len(spent), floor)


def _runners(target: TransformersTarget, captured: StepRunner) -> list[StepRunner]:
    return [captured] if captured.report.mode == "eager" else [EagerSteps(target), captured]


def _interleaved(
    target: TransformersTarget,
    runners: Sequence[StepRunner],
    step: StepBatch,
    cache: SlotCache,
    repeats: int,
    patience: float,
) -> dict[str, list[float]]:
    """Seconds of ``repeats`` runs of each way, after two that are not counted: the second is captured."""
    times: dict[str, list[float]] = {}
    with decoding_threads(target):
        for runner in (*runners, *runners):
            runner.run(step, cache)
        start = time.perf_counter()
        for turn in range(repeats):
            for runner in runners:
                before = time.perf_counter()
                runner.run(step, cache)
                times.setdefault(runner.report.mode, []).append(time.perf_counter() - before)
            if turn >= 2 and time.perf_counter() - start > patience:
                break
    return times


def _spread(seconds: Sequence[float]) -> tuple[float, float, float]:
    """Median, 10th and 90th percentile in milliseconds."""
    ordered = sorted(1e3 * value for value in seconds)
    last = len(ordered) - 1
    return median(ordered), ordered[round(0.1 * last)], ordered[round(0.9 * last)]
