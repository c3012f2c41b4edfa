"""``python -m benchmarks step``: every size is measured beside its floor, and random weights are declared."""

from __future__ import annotations

import json

import pytest
import torch
from typer.testing import CliRunner

from benchmarks.cli import app
from benchmarks.random_weights import random_target
from docspec.bench.step import Omitted, StepTime, measure, measure_bandwidth, step_bytes
from docspec.targets.stepping.bucketed import BucketedSteps
from docspec.targets.stepping.eager import EagerSteps
from tests.no_capture import NoCapture

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def target():
    return random_target("tiny", CPU, torch.float32)


def test_every_size_is_measured_in_every_way(target):
    target.steps = BucketedSteps(target, NoCapture())
    found = list(measure(target, 1e9, prefix=40, trees=(1, 8), rows=(1, 3), repeats=3))
    target.steps = EagerSteps(target)
    assert all(isinstance(one, StepTime) for one in found)
    assert [(one.rows, one.tree, one.mode) for one in found] == [
        (rows, tree, mode) for rows in (1, 3) for tree in (1, 8) for mode in ("eager", "static")
    ]
    for one in found:
        assert 0 < one.low <= one.median <= one.high
        assert one.repeats == 3
        assert one.floor == pytest.approx(1e3 * step_bytes(target, one.rows, 40) / 1e9)


def test_a_step_reads_the_decoder_and_the_head_once_and_no_vision(target):
    weights = {name: value.nbytes for name, value in target.model.named_parameters()}
    vision = sum(size for name, size in weights.items() if "visual" in name)
    assert target.decoder_bytes == sum(weights.values()) - vision  # embeddings are tied to the head
    untied = random_target("dots.ocr", torch.device("meta"), torch.bfloat16)
    table = 151_936 * 1536 * 2
    tower = sum(w.nbytes for name, w in untied.model.named_parameters() if "vision" in name)
    assert untied.decoder_bytes == sum(w.nbytes for w in untied.model.parameters()) - tower - table


def test_memory_that_runs_out_costs_one_size(target, monkeypatch):
    honest = EagerSteps.run

    def tight(self, step, cache):
        if step.rows == 3:
            raise RuntimeError("CUDA out of memory. Tried to allocate 3 GiB")
        return honest(self, step, cache)

    monkeypatch.setattr(EagerSteps, "run", tight)
    found = list(measure(target, 1e9, prefix=40, trees=(1,), rows=(1, 3, 2), repeats=1))
    assert [type(one) for one in found] == [StepTime, Omitted, StepTime]


def test_bandwidth_is_a_positive_number():
    assert measure_bandwidth(CPU, repeats=1) > 1e6


def test_the_command_measures_a_checkpoint(lively_qwen, tmp_path):
    file = tmp_path / "step.json"
    arguments = f"step --model {lively_qwen} --device cpu --prefix 30 --tree 2 --rows 1 --repeats 1 --json {file}"
    result = CliRunner().invoke(app, arguments.split(), catch_exceptions=False)
    assert result.exit_code == 0
    assert "RANDOM WEIGHTS" not in result.output
    found = json.loads(file.read_text(encoding="utf-8"))
    assert found["schema"] == "docspec.bench.step/1" and found["random_weights"] is False
    assert [(row["rows"], row["tree"]) for row in found["rows"]] == [(1, 2)]
