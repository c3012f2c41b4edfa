"""Random weights of published sizes: as many parameters as were published, steps that run, memory looked at first."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch
from PIL import Image
from typer.testing import CliRunner

from benchmarks import random_weights
from benchmarks.cli import app
from benchmarks.published_sizes import SIZES
from benchmarks.random_weights import PUBLISHED, random_target
from docspec.bench.step import StepTime, measure
from docspec.core import ModelError
from docspec.targets.families import families

CPU = torch.device("cpu")


@pytest.mark.parametrize("name", SIZES)
def test_there_are_as_many_parameters_as_published(name):
    size = SIZES[name]
    [published] = [one for one in families()[size.model_type].checkpoints if one.name == size.published]
    model = random_target(name, torch.device("meta"), torch.bfloat16).model
    billions = sum(weight.numel() for weight in model.parameters()) / 1e9
    if name == "glm-ocr":  # "0.4B + 0.5B": its publishers do not count the two matrices of the vocabulary
        billions -= 2 * model.lm_head.weight.numel() / 1e9
    assert billions == pytest.approx(published.billions, rel=0.12)


@pytest.fixture
def narrow(monkeypatch):
    """Configurations with one layer of a kind and a small vocabulary, every other size as published."""

    def made(name):
        text = {**SIZES[name].text, "num_hidden_layers": 1, "vocab_size": 512, "pad_token_id": None}
        vision = {**SIZES[name].vision, "depth": 1, "num_hidden_layers": 1}
        monkeypatch.setitem(SIZES, "narrow", replace(SIZES[name], text=text, vision=vision))
        return random_target("narrow", CPU, torch.bfloat16, "off")

    return made


@pytest.mark.parametrize("name", ["mineru2.5", "granite-docling-258m", "unlimited-ocr", "ovisocr2"])
def test_a_family_is_stepped_and_shows_a_page_where_its_images_are_qwens(narrow, name):
    target = narrow(name)
    [found] = measure(target, 1e9, prefix=16, trees=(2,), rows=(1,), repeats=1)
    assert isinstance(found, StepTime) and found.median > 0
    image = Image.new("RGB", (64, 64))
    if SIZES[name].model_type in random_weights.IMAGES:
        assert target.encode(image, "").inputs["pixel_values"].numel() > 0
    else:
        with pytest.raises(ModelError, match="can be stepped"):
            target.encode(image, "")


def test_weights_that_do_not_fit_are_not_made(monkeypatch):
    monkeypatch.setattr(random_weights, "free_memory", lambda device: 3 * 2**30)
    with pytest.raises(ModelError, match=r"qwen3-vl-2b with random weights needs 4\.0 GiB .* 3\.0 GiB are free"):
        random_target("qwen3-vl-2b", CPU, torch.bfloat16)
    with pytest.raises(ModelError, match=r"no configuration is called 'none'; choose among .*glm-ocr"):
        random_target("none", CPU, torch.bfloat16)


def test_published_sizes_have_their_published_numbers_of_weights():
    billions = {"qwen3-vl-2b": 2.13, "qwen3-vl-8b": 8.77, "dots.ocr": 3.04}
    for name, expected in billions.items():
        with torch.device("meta"):
            model = PUBLISHED[name].model(PUBLISHED[name].config(None))
        assert sum(weight.numel() for weight in model.parameters()) / 1e9 == pytest.approx(expected, abs=0.01)


def test_a_vocabulary_grows_where_the_tokenizer_needs_it():
    assert random_target("tiny", CPU, torch.float32, vocabulary=1000).model.lm_head.weight.shape[0] == 1024
    assert random_target("tiny", CPU, torch.float32, vocabulary=7).model.lm_head.weight.shape[0] == 400


def test_unknown_sizes_are_refused_with_the_known_ones():
    with pytest.raises(ModelError, match="qwen3-vl-2b"):
        random_target("gpt", CPU, torch.float32)


def test_the_command_prints_a_table_and_writes_json(tmp_path):
    file = tmp_path / "step.json"
    arguments = "step --random tiny --device cpu --prefix 30 --tree 1 --tree 4 --rows 1 --repeats 2 --json"
    result = CliRunner().invoke(app, [*arguments.split(), str(file)], catch_exceptions=False)
    assert result.exit_code == 0
    assert "RANDOM WEIGHTS" in result.output
    found = json.loads(file.read_text(encoding="utf-8"))
    assert found["schema"] == "docspec.bench.step/1"
    assert found["random_weights"] is True
    assert found["bandwidth_bytes_per_second"] > 0
    assert [(row["rows"], row["tree"], row["mode"]) for row in found["rows"]] == [(1, 1, "eager"), (1, 4, "eager")]
    assert found["steps"]["mode"] == "eager"


def test_a_size_must_be_known():
    result = CliRunner().invoke(app, ["step", "--random", "qwen9"])
    assert isinstance(result.exception, ModelError) and "qwen3-vl-2b" in str(result.exception)
