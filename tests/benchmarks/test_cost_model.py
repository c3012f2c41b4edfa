"""What a step should cost on paper: counted on the model, and each part answers to what it is made of."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from benchmarks.cli import app
from benchmarks.cli.step_paper import COMPARED_PREFIXES, COMPARED_SIZES, compare
from benchmarks.cost_model import MACHINES, Machine, cost, fused_shape_of, shape_of
from benchmarks.random_weights import random_target

META = torch.device("meta")


@pytest.fixture(scope="module")
def shape():
    return shape_of(random_target("tiny", META, torch.bfloat16, "off"))


def test_operations_are_those_that_a_step_launches(shape):
    """A layer's dozens, whatever the device; a model of twice the layers has about twice as many."""
    layers = random_target("tiny", torch.device("cpu"), torch.float32, "off").decoder.config.num_hidden_layers
    assert 10 * layers < shape.launched < 100 * layers
    larger = shape_of(random_target("qwen3-vl-2b", META, torch.bfloat16, "off"))
    each = (larger.launched - shape.launched) / (28 - layers)
    assert 10 < each < 60
    assert larger.weight_bytes == pytest.approx(2 * 1.72e9, rel=0.1)
    assert larger.kv_bytes == 28 * 2 * 8 * 128 * 2


def test_parts_grow_with_what_they_are_made_of(shape):
    machine = MACHINES[0]
    one, many = cost(shape, machine, 1, 1, 1000), cost(shape, machine, 8, 64, 1000)
    assert one.weights == many.weights and one.launches == many.launches
    assert many.arithmetic == pytest.approx(512 * one.arithmetic)
    half = cost(shape, replace(machine, bandwidth=machine.bandwidth / 2), 1, 1, 1000)
    assert half.weights == 2 * one.weights
    assert one.graphed < one.plain, "a small model's step is its launches"
    slow = Machine("slow", 1e9, 1e12, 1)
    assert cost(shape, slow, 1, 64, 1000).plain == pytest.approx(cost(shape, slow, 1, 64, 1000).graphed, rel=0.5), (
        "where the device is slow, launches hide behind it"
    )


def test_fused_operations_are_few_and_keys_that_are_split_keep_a_device_busy(shape):
    make = partial(random_target, "tiny", META, torch.bfloat16, "off")
    fused = fused_shape_of(make)
    layers = fused.layers
    assert fused.split and shape.operations["rotation"] == 10 * layers and fused.operations["rotation"] == layers
    assert shape.operations["norms"] == 6 * fused.operations["norms"]
    assert shape.operations["gates"] == 2 * fused.operations["gates"] == 2 * layers
    assert fused.operations["products"] == shape.operations["products"] - 3 * layers
    assert not any(fused.operations.get(kind, 0) for kind in ("keys written", "residuals"))
    machine = MACHINES[0]
    before, after = (cost(one, machine, 1, 1, 6000) for one in (shape, fused))
    assert after.keys_values < before.keys_values / 10 and after.gaps < before.gaps


def test_layers_that_need_masks_keep_them_on_paper_too():
    fused = fused_shape_of(partial(random_target, "unlimited-ocr", META, torch.bfloat16, "off"))
    assert not fused.split


def test_steps_are_compared_in_markdown():
    done = CliRunner().invoke(app, ["step", "--compare", "--random", "tiny"])
    assert done.exit_code == 0, done.output
    rows = [line for line in done.output.splitlines() if line.startswith("| tiny")]
    assert len(rows) == 2 + 3


def test_the_documentation_has_what_the_command_prints():
    page = (Path(__file__).parents[2] / "docs" / "gpu.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in compare(COMPARED_SIZES, COMPARED_PREFIXES).splitlines() if line.startswith("| ")]
    assert len(rows) == 2 + 8 + 12 and not set(rows) - set(page)


def test_experts_that_a_token_does_not_use_are_not_multiplied():
    shape = shape_of(random_target("qwen3-vl-30b-a3b", META, torch.bfloat16, "off"))
    assert shape.weight_bytes > 50e9
    assert 2e9 < shape.weights < 5e9


def test_the_command_says_what_it_assumes_and_measures_nothing(tmp_path):
    file = tmp_path / "paper.json"
    done = CliRunner().invoke(app, ["step", "--explain", "--random", "tiny", "--json", str(file)])
    assert done.exit_code == 0, done.output
    assert "NOT MEASURED" in done.output and "Assumed" in done.output
    rows = json.loads(file.read_text())["rows"]
    assert len(rows) == 3 * len(MACHINES)
    assert all(row["graphed"] > 0 for row in rows)
