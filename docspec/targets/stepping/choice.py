"""Which way of running steps works here: the quickest one that does, and the reason why it is not a quicker one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from docspec.core import ModelError
from docspec.core.options import Graphs
from docspec.targets.stepping.bucketed import BucketedSteps, CaptureError
from docspec.targets.stepping.captures import Compiled, CudaGraphs
from docspec.targets.stepping.eager import EagerSteps
from docspec.targets.stepping.step import StepBatch, StepReport, StepRunner, Verdict

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import TargetModel

RANKS = 3
"""Likeliest tokens of each node that are told for recycling. On a CPU they cost next to nothing beside a step; inside
a captured step a search through a vocabulary of 150,000 does, so that there the argmax stays alone."""

Candidate = Callable[["TargetModel", str], StepRunner]
"""Makes a runner for a target, given the reason why it is taken."""


def cuda_graphs(target: TargetModel, reason: str) -> StepRunner:
    return BucketedSteps(target, CudaGraphs(), reason)


def compiled(target: TargetModel, reason: str) -> StepRunner:
    return BucketedSteps(target, Compiled(), reason)


def make_steps(target: TargetModel, wanted: Graphs) -> StepRunner:
    """The runner for ``wanted``: ``auto`` tries CUDA graphs, then compiling, on CUDA, and is eager elsewhere.

    ``cuda`` and ``compile`` are tried first and fall back like ``auto``. Raises :class:`docspec.core.ModelError` for
    CUDA graphs on another device.
    """
    on_cuda = target.kv_spec.device.type == "cuda"
    if wanted == "cuda" and not on_cuda:
        raise ModelError(
            f"--graphs cuda needs a CUDA device, this is {target.kv_spec.device}; use --device cuda"
        )
    if wanted == "off":
        return EagerSteps(target)
    if wanted == "auto" and not on_cuda:
        reason = f"buckets would only cost time on {target.kv_spec.device.type}"
        return EagerSteps(target, reason, ranks=RANKS)
    candidates: list[Candidate] = [compiled] if wanted == "compile" else [cuda_graphs, compiled]
    return FirstThatWorks(target, [*candidates, EagerSteps])


class FirstThatWorks:
    """Uses the first of ``candidates`` whose captures succeed; the last one must always work."""

    def __init__(self, target: TargetModel, candidates: list[Candidate]) -> None:
        self._target = target
        self._left = list(candidates)
        self._runner = self._left.pop(0)(target, "the quickest that works here")

    @property
    def dense(self) -> bool:
        return self._runner.dense

    @property
    def report(self) -> StepReport:
        return self._runner.report

    def geometry(self, rows: int, slots: int) -> tuple[int, int]:
        return self._runner.geometry(rows, slots)

    def run(self, step: StepBatch, cache: SlotCache, scored: bool) -> Verdict:
        try:
            return self._runner.run(step, cache, scored)
        except CaptureError as error:
            self._fall_back(error)
            return self.run(step, cache, scored)

    def advance(self, token: int, position: int, length: int, cache: SlotCache) -> int:
        try:
            return self._runner.advance(token, position, length, cache)
        except CaptureError as error:
            self._fall_back(error)
            return self.advance(token, position, length, cache)

    def _fall_back(self, error: CaptureError) -> None:
        """A step may be run again: it writes the same keys and values to the same slots."""
        failed = self._runner.report
        earlier = f"{failed.reason}; " if " failed: " in failed.reason else ""
        self._runner = self._left.pop(0)(self._target, f"{earlier}{failed.mode} failed: {error}")
