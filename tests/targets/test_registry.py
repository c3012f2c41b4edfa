"""Every way in which a model name can be wrong gives one line that says what to do."""

from __future__ import annotations

import importlib.util
import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from docspec.core import ModelError, ParseOptions, UsageError
from docspec.targets import registry
from docspec.targets.attention import FOLDED
from docspec.targets.registry import load_target, locate, pick_device, pick_dtype
from docspec.targets.rules import NgramBan


@pytest.fixture
def copy(lively_qwen, tmp_path):
    return shutil.copytree(lively_qwen, tmp_path / "model")


def failure(model, **options) -> str:
    with pytest.raises(ModelError) as caught:
        load_target(ParseOptions(model=str(model), **options))
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_directory_without_weights_is_named(copy):
    (copy / "model.safetensors").unlink()
    assert "no weights" in failure(copy)


def test_a_directory_that_is_no_model_is_named(tmp_path):
    assert "config.json" in failure(tmp_path)


def test_another_architecture_is_refused_with_those_that_work(copy):
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**config, "model_type": "llama"}))
    message = failure(copy)
    assert "llama" in message
    assert "qwen3_vl" in message
    assert "dots_ocr" in message


def test_missing_weights_are_counted_not_invented(copy):
    weights = load_file(copy / "model.safetensors")
    dropped = next(name for name in weights if "layers.0" in name)
    del weights[dropped]
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    assert dropped.split(".")[-2] in failure(copy)


def test_weights_without_a_place_are_named(copy):
    weights = load_file(copy / "model.safetensors")
    extra = {"model.visual.spare.weight": torch.zeros(2), "mtp.head.weight": torch.zeros(3)}
    save_file(weights | extra, copy / "model.safetensors", metadata={"format": "pt"})
    info = load_target(ParseOptions(model=str(copy))).info
    assert info.left_out == tuple(sorted(extra))
    assert "2 weights of the checkpoint are not part of qwen3_vl" in info.remarks[-1]
    assert "model.visual.spare.weight" in info.remarks[-1]


def test_weights_of_another_shape_are_named(copy):
    weights = load_file(copy / "model.safetensors")
    name = next(name for name in weights if "layers.0.mlp.up_proj" in name)
    weights[name] = weights[name][:-1].contiguous()
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    assert "layers.0.mlp.up_proj" in failure(copy)


def test_broken_weights_are_one_line(copy):
    (copy / "model.safetensors").write_bytes(b"not safetensors at all")
    assert "cannot be loaded" in failure(copy)


def test_a_broken_card_is_named(copy):
    (copy / "docspec.json").write_text("{")
    assert "docspec.json" in failure(copy)


def test_a_published_generation_configuration_is_followed_or_named(copy):
    said = {"eos_token_id": 2, "repetition_penalty": 1.05, "do_sample": True, "temperature": 0.7, "num_beams": 3}
    (copy / "generation_config.json").write_text(json.dumps(said))
    (copy / "docspec.json").write_text('{"dialect": "markdown", "no_repeat_ngrams": {"size": 9, "window": 40}}')
    loaded = load_target(ParseOptions(model=str(copy)))
    rules = loaded.target.rules
    assert (rules.repetition_penalty, rules.eos) == (1.05, (2,))
    assert rules.ngrams == (NgramBan(9, 40),)
    sampled, searched = (line for line in loaded.info.remarks if "docspec decodes greedily" in line)
    assert "temperature 0.7" in sampled and "3 beams" in searched


def test_a_missing_directory_is_not_looked_up_on_the_hub(monkeypatch):
    monkeypatch.setattr(registry, "_from_hub", lambda *_: pytest.fail("asked the hub"))
    for name in ("./nowhere", "/nowhere/at/all", "nowhere", "a/b/c"):
        with pytest.raises(ModelError, match="no such directory"):
            locate(name)


def test_a_hub_that_cannot_be_reached_gives_the_ways_out(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelError) as caught:
        locate("Qwen/Qwen3-VL-2B-Instruct", offline=True)
    message = str(caught.value)
    assert "Qwen/Qwen3-VL-2B-Instruct" in message
    assert "--offline" in message
    assert "local directory" in message


def test_the_bundled_reader_is_what_auto_means(monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "BUNDLED", tmp_path)
    with pytest.raises(ModelError, match="bundled"):
        locate("auto")
    (tmp_path / "config.json").write_text("{}")
    assert locate("auto") == locate("mini") == str(tmp_path)


def test_devices_that_are_not_there_are_refused():
    with pytest.raises(UsageError, match="--device tpu9: unknown"):
        pick_device("tpu9")
    if not torch.cuda.is_available():
        with pytest.raises(ModelError, match="CUDA"):
            pick_device("cuda:1")


def test_auto_precision_is_float32_on_the_cpu_and_half_on_accelerators():
    assert pick_dtype("auto", torch.device("cpu")) is torch.float32
    assert pick_dtype("auto", torch.device("cuda")) is torch.bfloat16
    assert pick_dtype("float16", torch.device("cpu")) is torch.float16


def test_random_weights_say_so(lively_qwen):
    info = load_target(ParseOptions(model=str(lively_qwen))).info
    assert info.random
    assert info.model_type == "qwen3_vl"
    assert info.parameters > 100_000
    assert info.left_out == ()
    assert info.processing.startswith("torchvision" if importlib.util.find_spec("torchvision") else "pil")


def test_groups_are_folded_in_the_decoder_unless_another_attention_is_asked_for(lively_qwen):
    folded = load_target(ParseOptions(model=str(lively_qwen)))
    assert folded.target.attention == FOLDED and folded.info.attention == "folded"
    assert folded.target.model.config.vision_config._attn_implementation == "sdpa"
    for name in ("sdpa", "eager"):
        assert load_target(ParseOptions(model=str(lively_qwen), attention=name)).info.attention == name
