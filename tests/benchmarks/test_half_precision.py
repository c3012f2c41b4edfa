"""How often half precision departs from its own plain decoding is counted, and what would make it depart is seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from benchmarks import half_precision
from benchmarks.half_precision import TREES, checkpoints, deep, departures, in_vllm, weighed
from docspec.targets.adapter import TransformersTarget


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    [(name, folder, pictures)] = checkpoints(tmp_path_factory.mktemp("half"), ["qwen3_vl"])
    assert len(pictures) == half_precision.PICTURES
    return name, str(folder), pictures[:2]


def test_strict_trees_are_plain_decoding_and_cost_choices(asked):
    found, plain = departures(*asked, budget=24)
    assert found.by_way["strict"] == 0 and 0 < found.redecided < found.tokens
    assert (found.outputs, found.tokens) == (2, sum(map(len, plain)))
    assert set(found.by_way) == {"beside others", "strict", *(f"tree of {size}" for size in TREES)}


def test_logits_that_go_by_the_shape_of_a_step_are_seen(asked, monkeypatch):
    """In trees; strict ones make every close choice again, and what is close is measured."""
    honest = TransformersTarget.logits

    def moved(self, hidden):
        logits = honest(self, hidden)
        return logits + (hidden.shape[1] > 1) * (torch.arange(logits.shape[-1]) % 2).to(logits)

    monkeypatch.setattr(TransformersTarget, "logits", moved)
    found, _ = departures(*asked, budget=24)
    assert all(found.by_way[f"tree of {size}"] == 2 for size in TREES)
    assert found.by_way["strict"] == 0


def test_limits_on_margins_find_every_choice_that_differs():
    found = weighed(deep(2, 128, 500), width=16)
    assert found.missed == (0, 0)
    assert found.differ <= min(found.rounded, found.exact) <= found.positions


def test_vllms_answers_are_compared_with_its_own(tmp_path):
    answers = {"alone": [[1, 2], [3]], "together": [[1, 2], [4]], "drafts, alone": [[1], [4]]}
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho '{json.dumps({'qwen3_vl': answers})}'\n")
    python.chmod(0o755)
    tasks = tmp_path / "tasks.json"
    found = in_vllm(python, [("qwen3_vl", Path("folder"), [], [[5] * 40])], 8, tasks)
    assert found == {"qwen3_vl": {"alone": 0, "together": 1, "drafts, alone": 2}}
    [drafts] = json.loads(tasks.read_text())["qwen3_vl"]["drafts"]
    assert 0 < sum(token != 5 for token in drafts) < 20
    python.write_text("#!/bin/sh\necho no memory >&2; exit 1\n")
    with pytest.raises(RuntimeError, match="no memory"):
        in_vllm(python, [], 8, tasks)
