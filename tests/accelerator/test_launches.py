"""What a step launches is counted where it runs: a graph on the simulated device holds the operations that are told of
the device without memory."""

from __future__ import annotations

from collections import Counter

import pytest
import torch

from benchmarks.launches import KINDS, as_on_a_gpu, launches
from benchmarks.random_weights import random_target
from docspec.core import ParseOptions
from docspec.targets.merged_products import GROUPS
from docspec.targets.registry import load_target
from docspec.targets.stepping.step import chain
from tests.exactness.checkpoints import FAMILIES, checkpoint

LAYER = {"attention": 1, "rotation": 10, "keys written": 2, "gates": 2, "residuals": 2}
"""Operations of a layer of most decoders by their kinds; norms and products differ."""


def test_a_device_launches_what_is_counted_without_memory(device: object) -> None:
    counted = [
        launches(random_target("tiny", torch.device(where), torch.float32, "off"), 16, 100)
        for where in ("meta", "openreg:0")
    ]
    assert counted[0] == counted[1]


@pytest.mark.parametrize("family", ["dots_ocr", "qwen3_vl", "paddleocr_vl", "hunyuan_vl"])
def test_a_captured_step_holds_the_operations_that_are_counted(device, family, tmp_path) -> None:
    """And few beside them: the step's outputs are stacked, and what a capture is checked by."""
    path = checkpoint(family, tmp_path / family).path
    options = ParseOptions(model=str(path), device="openreg:0", dtype="float32", graphs="cuda")
    target = load_target(options).target
    expected = launches(target, 16, 100)
    assert set(expected) <= set(KINDS)
    layers = target.kv_spec.layers
    assert {kind: expected[kind] / layers for kind in LAYER} == LAYER
    cache, tapes = target.kv.cache(1, 600), []
    honest = device.CUDAGraph.capture_end
    device.CUDAGraph.capture_end = lambda self: (honest(self), tapes.append(self._tape))
    try:
        for _ in range(3):
            target.steps.run(chain(1, 16, 100, 116), cache)
    finally:
        device.CUDAGraph.capture_end = honest
    [tape] = tapes
    held: Counter[str] = Counter(str(func.overloadpacket) for func, *_ in tape)
    made = sum(held.values()) - sum(held[name] for name in ("aten.empty", "aten.empty_strided", "aten.empty_like"))
    assert 0 <= made - expected.total() < 25, (made, expected)


OTHERWISE = {"glm_ocr", "minicpm_ocr", "qwen3_5"}
"""Families that turn neighbours instead of halves, or a part of a head."""


def saved(decoder: torch.nn.Module) -> int:
    """Products that are not made, because another one makes theirs."""
    names = [name for group in GROUPS for name in group[1:]]
    parts = (getattr(module, name, None) for module in decoder.modules() for name in names)
    return sum("forward" in vars(part) for part in parts if part is not None)


ADD_OTHERWISE = {"glm_ocr", "granite_docling", "minicpm_ocr", "qwen3_5"}
"""Families whose layers have further norms, or factors of what they add."""

NORMALISED_BEHIND = {"hunyuan_vl"}
"""Families that normalise keys behind the rotation: those are copied."""


def test_which_families_have_which_operations_in_one_kernel(tmp_path) -> None:
    for family in FAMILIES:
        options = ParseOptions(model=str(checkpoint(family, tmp_path / family).path), device="cpu", dtype="float32")
        plain = launches(load_target(options).target, 16, 100)
        with as_on_a_gpu() as own:
            target = load_target(options).target
            fused = launches(target, 16, 100, split=not target.no_split) + own
        turned = target.kv_spec.layers
        assert fused["rotation"] == (plain["rotation"] if family in OTHERWISE else turned), family
        assert plain["rotation"] >= 10 * turned or family in OTHERWISE, family
        copied = plain["keys written"] if family in OTHERWISE else turned if family in NORMALISED_BEHIND else 0
        assert fused["keys written"] == copied, family
        assert target.kernels["sums"] == (0 if family in ADD_OTHERWISE else turned), family
        assert fused["residuals"] == plain["residuals"] - 2 * target.kernels["sums"], family
        assert fused["products"] == plain["products"] - saved(target.decoder), family
