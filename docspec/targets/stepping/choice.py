"""Selects the fastest way of running steps that works here, with the reason if it is not the fastest one of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from docspec.core import ModelError
from docspec.core.choices import Graphs
from docspec.targets.stepping.bucketed import BucketedSteps, CaptureError
from docspec.targets.stepping.captures import Compiled, CudaGraphs, can_capture
from docspec.targets.stepping.eager import EagerSteps
from docspec.targets.stepping.step import Choice, PendingToken, StepBatch, StepOutput, StepReport, StepRunner

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import TargetModel

Candidate = Callable[["TargetModel", str], StepRunner]
"""Makes a runner for a target, given the reason for its selection."""


def cuda_graphs(target: TargetModel, reason: str) -> StepRunner:
    """Steps in captured CUDA graphs, one for each bucket of (rows, tree); a run raises
    :class:`docspec.targets.stepping.bucketed.CaptureError` where a bucket cannot be captured."""
    return BucketedSteps(target, CudaGraphs(), reason)


def compiled(target: TargetModel, reason: str) -> StepRunner:
    """Steps compiled by ``torch.compile``, one for each bucket of (rows, tree); runs raise as those of
    :func:`cuda_graphs`."""
    return BucketedSteps(target, Compiled(), reason)


def make_steps(target: TargetModel, graphs: Graphs) -> StepRunner:
    """The runner for ``graphs``: ``auto`` tries CUDA graphs on devices that have them, and is eager elsewhere.

    ``cuda`` and ``compile`` are tried first and fall back to eager steps. Compilation happens on request only: it takes
    tens of seconds for each of dozens of buckets. Raises :class:`docspec.core.ModelError` for graphs on a device
    without them.
    """
    captures = can_capture(target.kv_spec.device)
    if graphs == "cuda" and not captures:
        raise ModelError(f"graph-mode cuda needs a CUDA device, this is {target.kv_spec.device}; use --device cuda")
    if graphs == "off":
        return EagerSteps(target)
    if graphs == "auto" and not captures:
        reason = f"buckets would only cost time on {target.kv_spec.device.type}"
        return EagerSteps(target, reason)
    return FirstThatWorks(target, [compiled if graphs == "compile" else cuda_graphs, EagerSteps])


@contextmanager
def as_they_come(target: TargetModel) -> Iterator[None]:
    """Within this context steps run eagerly; captures of other steps are dropped."""
    usual = target.steps
    usual.forget()
    target.kv.reserve(0)
    target.steps = EagerSteps(target, "memory ran out")
    try:
        yield
    finally:
        target.steps = usual


class FirstThatWorks:
    """Uses the first of ``candidates`` whose captures succeed; the last one must always work.

    A step whose capture ran out of memory is run by the last one; later steps are run as before.
    """

    def __init__(self, target: TargetModel, candidates: list[Candidate]) -> None:
        self._target = target
        self._left = list(candidates)
        self._runner = self._left.pop(0)(target, "the quickest that works here")
        self._spare = candidates[-1](target, "no memory for a capture")
        self._spared = 0

    @property
    def dense(self) -> bool:
        return self._runner.dense

    @property
    def report(self) -> StepReport:
        report = self._runner.report
        if not self._spared:
            return report
        spared = f"{self._spared} steps as they come for lack of memory"
        return replace(report, reason=f"{report.reason}; {spared}")

    def geometry(self, rows: int, slots: int) -> tuple[int, int]:
        return self._runner.geometry(rows, slots)

    def padded(self, nodes: int, reach: int, slots: int) -> tuple[int, int]:
        return self._runner.padded(nodes, reach, slots)

    def run(self, step: StepBatch, cache: SlotCache) -> StepOutput:
        try:
            return self._runner.run(step, cache)
        except CaptureError as error:
            return self._instead(error).run(step, cache)

    def advance(self, pending: PendingToken, cache: SlotCache) -> Choice:
        try:
            return self._runner.advance(pending, cache)
        except CaptureError as error:
            return self._instead(error).advance(pending, cache)

    def forget(self) -> None:
        self._runner.forget()

    def _instead(self, error: CaptureError) -> StepRunner:
        """The runner for a step whose capture failed. The step can be run again: it writes the same keys and values to
        the same slots."""
        if error.for_now:
            self._spared += 1
            return self._spare
        failed = self._runner.report
        earlier = f"{failed.reason}; " if " failed: " in failed.reason else ""
        self._runner = self._left.pop(0)(self._target, f"{earlier}{failed.mode} failed: {error}")
        return self
