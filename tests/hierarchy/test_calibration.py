"""What the first page measures: at the length of a page's prompt, and without what happens only once."""

from __future__ import annotations

import itertools
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
import torch

from docspec.core import ParseOptions
from docspec.hierarchy import calibration
from docspec.hierarchy.calibration import _least, prefix_of
from docspec.hierarchy.planner import Costs
from docspec.targets import threads
from docspec.targets.registry import load_target
from docspec.targets.stepping.bucketed import BucketedSteps
from docspec.targets.stepping.step import StepBatch, chain
from docspec.targets.tree_attention import MOST_NODES
from tests.no_capture import NoCapture


def target_of(device: str, factor: int, most_pixels: int = 0, max_length: int = 32_768) -> SimpleNamespace:
    sight = SimpleNamespace(factor=factor, most_pixels=most_pixels)
    return SimpleNamespace(kv_spec=SimpleNamespace(device=torch.device(device)), sight=sight, max_length=max_length)


@pytest.mark.parametrize(
    ("target", "tokens"),
    [
        (target_of("meta", 28), 4934),  # dots.ocr: 1654 x 2339 pixels of A4 at 200 dpi, 28 x 28 of them a token
        (target_of("meta", 32), 3778),
        (target_of("meta", 28, most_pixels=1_003_520), 1280),
        (target_of("meta", 28, max_length=2048), 1983),
        (target_of("meta", 32, most_pixels=200_000), 1024),
        (target_of("cpu", 28), 1024),
    ],
)
def test_steps_are_measured_behind_as_many_tokens_as_a_page_has(target: SimpleNamespace, tokens: int) -> None:
    assert prefix_of(target) == tokens  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["cuda", "eager"])
def test_compiling_and_capturing_do_not_count(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on the H200, where seven seconds of compilation made a step seem slow that takes three milliseconds."""
    clock = [0.0]
    first = [7.0, 0.1] if mode == "cuda" else [7.0]
    spent = itertools.chain(first, itertools.repeat(0.003))
    monkeypatch.setattr(calibration.time, "perf_counter", lambda: clock[0])

    class Steps:
        report = SimpleNamespace(mode=mode)

        def run(self, step: object, cache: object) -> None:
            clock[0] += next(spent)

    assert _least(SimpleNamespace(steps=Steps()), None, 1, 64, 5000) == pytest.approx(0.003)  # type: ignore[arg-type]


def test_a_page_s_own_length_lies_between_the_measured_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock on which a step takes 1 ms, 0.2 ms for each thousand tokens before it, and 1 % of that a node."""
    clock = [0.0]
    monkeypatch.setattr(calibration.time, "perf_counter", lambda: clock[0])

    class Steps:
        report = SimpleNamespace(mode="cuda")

        def run(self, step: StepBatch, cache: object) -> None:
            alone = 1e-3 + 2e-7 * int(step.lengths[0])
            clock[0] += alone * (1 + 0.01 * (step.width - 1)) * (1 + 0.5 * (step.rows - 1))

    target = target_of("meta", 28)
    target.steps, target.split, target.no_split = Steps(), False, "not here"
    target.kv = SimpleNamespace(cache=lambda rows, slots, limit: None)
    monkeypatch.setattr(threads, "decoding_threads", lambda target: nullcontext())
    costs = Costs()
    calibration.calibrate(target, costs)  # type: ignore[arg-type]
    assert sorted(costs.step) == [1024, 4934]
    for prefix in (1024, 3000, 4934, 12_000):
        assert costs.step_seconds(1, prefix) == pytest.approx(1e-3 + 2e-7 * prefix)
        assert costs.node_price(prefix) == pytest.approx(0.01)
    assert costs.step_seconds(1) == costs.step_seconds(1, 4934)
    assert costs.row.value == pytest.approx(0.5)


@pytest.mark.parametrize("buckets", [False, True])
def test_steps_of_many_nodes_have_masks(lively_qwen, buckets, monkeypatch) -> None:
    """Where keys are split, up to the number of nodes for which that was measured to be faster."""
    target = load_target(ParseOptions(model=str(lively_qwen), device="cpu", dtype="float32")).target
    if buckets:
        target.steps = BucketedSteps(target, NoCapture())
    masked, honest = [], target.hidden

    def hidden(tokens, positions, mask, cache):
        masked.append(mask is not None)
        return honest(tokens, positions, torch.ones((*tokens.shape, cache.view_slots), dtype=torch.bool), cache)

    monkeypatch.setattr(target, "hidden", hidden)
    target.split = True
    for rows, width in ((1, 64), (4, MOST_NODES // 4), (4, MOST_NODES // 4 + 1), (1, 2 * MOST_NODES)):
        target.steps.run(chain(rows, width, 10, 10 + width), target.kv.cache(rows, 700))
    assert masked == [False, False, True, True]
