"""The quickest way of running steps that works is taken, and the report says why it is not a quicker one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from docspec.core import ModelError, ParseOptions
from docspec.targets.registry import load_target
from docspec.targets.stepping.bucketed import BucketedSteps
from docspec.targets.stepping.captures import Compiled, check
from docspec.targets.stepping.choice import FirstThatWorks, make_steps
from docspec.targets.stepping.eager import EagerSteps
from docspec.targets.stepping.step import OutputFlags, PendingToken, chain
from tests.no_capture import NoCapture


@pytest.fixture(scope="module")
def target(lively_qwen):
    return load_target(ParseOptions(model=str(lively_qwen), device="cpu")).target


class Broken(NoCapture):
    """A capture that runs the step and then fails, as one that meets an operation it cannot capture."""

    def __init__(self, mode: str, why: str) -> None:
        self.mode, self._why = mode, why

    def capture(self, step):
        super().capture(step)
        raise RuntimeError(f"{self._why}\nand a long trace")


def broken(mode, why):
    return lambda target, reason: BucketedSteps(target, Broken(mode, why), reason)


def test_a_cpu_runs_steps_as_they_come(target):
    assert make_steps(target, "auto").report.mode == "eager"
    assert "cpu" in make_steps(target, "auto").report.reason
    assert make_steps(target, "off").report.mode == "eager"


def test_cuda_graphs_on_a_cpu_are_refused_in_one_line(target, lively_qwen):
    with pytest.raises(ModelError, match="needs a CUDA device"):
        make_steps(target, "cuda")
    with pytest.raises(ModelError, match="needs a CUDA device"):
        load_target(ParseOptions(model=str(lively_qwen), device="cpu", graphs="cuda"))


def test_what_fails_is_left_for_the_next_with_its_reason(target):
    candidates = [broken("cuda", "no capture here"), broken("compile", "no compiler"), EagerSteps]
    steps = FirstThatWorks(target, candidates)
    assert not steps.dense
    cache, step = target.kv.cache(1, 100), chain(1, 5, 10, 15)
    expected = EagerSteps(target).run(step, cache)
    for _ in range(4):  # what is used once is not captured
        assert steps.run(step, cache) == expected
    assert steps.dense
    assert steps.report.mode == "eager"
    assert steps.report.reason == (
        "cuda failed: RuntimeError: no capture here; compile failed: RuntimeError: no compiler"
    )
    steps = FirstThatWorks(target, candidates)
    for _ in range(4):
        assert steps.advance(PendingToken(3, 10, 10), cache) == EagerSteps(target).advance(
            PendingToken(3, 10, 10), cache
        )
    assert steps.report.mode == "eager"


class Crowded(NoCapture):
    """A capture that runs out of memory as often as it is told."""

    def __init__(self, times: int, error: Exception) -> None:
        self.left, self._error, self.tried = times, error, 0

    def capture(self, step):
        self.tried += 1
        self.left -= 1
        if self.left >= 0:
            raise self._error
        return super().capture(step)


def ended(error):
    """How a capture that was left by ``error`` fails where it is ended."""
    try:
        raise error
    except RuntimeError:
        try:
            raise RuntimeError("operation failed due to a previous error during capture")
        except RuntimeError as last:
            return last


NO_ROOM = torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")


@pytest.mark.parametrize("error", [NO_ROOM, MemoryError(), ended(NO_ROOM)])
def test_a_step_that_ran_out_of_memory_demotes_no_other(target, error):
    crowded = Crowded(1, error)
    steps = FirstThatWorks(target, [lambda t, why: BucketedSteps(t, crowded, why), EagerSteps])
    cache, plain = target.kv.cache(1, 100), EagerSteps(target)
    large, small = chain(1, 20, 10, 30), chain(1, 5, 10, 15)
    for step in (large, large, small, small):
        assert steps.run(step, cache) == plain.run(step, cache)
    assert (steps.report.mode, steps.report.captured, crowded.tried) == ("static", 1, 2)
    assert steps.run(large, cache) == plain.run(large, cache)
    assert crowded.tried == 2, "not tried again where it ran out of memory"
    assert steps.report.reason.endswith("; 2 steps as they come for lack of memory")
    another = target.kv.cache(1, 300)
    for _ in range(2):
        assert steps.run(large, another) == plain.run(large, another)
    assert (crowded.tried, steps.report.mode) == (3, "static"), "another cache, another chance"


def test_what_works_is_kept(target):
    steps = FirstThatWorks(
        target, [broken("cuda", "no"), lambda t, why: BucketedSteps(t, NoCapture(), why), EagerSteps]
    )
    cache = target.kv.cache(1, 100)
    for width in (1, 1, 1, 5, 5, 20, 20):
        steps.run(chain(1, width, 10, 10 + width), cache)
    assert steps.report.mode == "static"
    assert steps.report.captured == 3
    assert steps.report.reason == "cuda failed: RuntimeError: no"


def test_errors_of_a_step_itself_are_not_taken_for_failed_captures(target):
    steps = FirstThatWorks(target, [EagerSteps, EagerSteps])
    old = target.kv.cache(1, 100)
    target.kv.cache(1, 101)
    with pytest.raises(RuntimeError, match="handed on"):
        steps.run(chain(1, 1, 5, 6), old)


@pytest.mark.parametrize("apart", [0.5, float("nan")])
def test_a_capture_that_answers_otherwise_is_not_trusted(apart):
    class Step:
        peak = torch.tensor([[1.0, 2.0, torch.nan]])
        real = np.array([[True, True, False]])  # what padding gives is nobody's answer

    check(Step(), Step.peak + 0.01)
    with pytest.raises(RuntimeError, match="differ"):
        check(Step(), Step.peak + apart)


def test_steps_can_be_traced_for_compiling_and_answer_like_eager_ones(target):
    steps = BucketedSteps(target, Compiled(backend="eager"))  # code generation alone takes minutes
    cache = target.kv.cache(2, 600)
    cache.buffer.normal_(generator=torch.Generator().manual_seed(1))
    for rows, width in ((1, 1), (1, 1), (2, 8), (2, 8), (1, 1)):
        step = chain(rows, width, 100, 100 + width)
        assert steps.run(step, cache) == EagerSteps(target).run(step, cache)
    assert steps.report.captured == 2


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("scored", [False, True])
def test_captured_steps_answer_like_eager_ones_on_cuda(lively_qwen, scored):
    target = load_target(ParseOptions(model=str(lively_qwen), device="cuda", dtype="float32")).target
    cache = target.kv.cache(4, 1023)
    cache.buffer.normal_()
    for rows, width in ((1, 1), (2, 8), (3, 20), (1, 1), (2, 5), (3, 20), (2, 8)):
        step = replace(chain(rows, width, 300, 300 + width), flags=OutputFlags(scores=scored))
        expected = EagerSteps(target).run(step, cache)
        assert target.steps.run(step, cache).choice == expected.choice
    assert target.steps.report.mode == "cuda"
    assert target.steps.report.captured == 3
