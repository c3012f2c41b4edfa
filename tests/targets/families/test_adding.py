"""A new architecture is one file; a type that nobody described is tried, and refused where trees would be wrong."""

from __future__ import annotations

import json
import shutil
import sys
from importlib import import_module

import pytest
import torch
from PIL import Image

from docspec.core import ModelError, ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.targets import families
from docspec.targets.registry import load_target
from docspec.targets.tree_check import check_trees
from tests.targets.families.checkpoint import write

TOY = '''
"""A reader like Qwen3-VL whose logits are capped."""

from functools import wraps

import torch
from transformers import AutoConfig, Qwen3VLConfig, Qwen3VLForConditionalGeneration

from docspec.targets.model_profile import ModelProfile
from docspec.targets.family import Family


class ToyConfig(Qwen3VLConfig):
    model_type = "toy_reader"


class ToyReader(Qwen3VLForConditionalGeneration):
    config_class = ToyConfig

    @wraps(Qwen3VLForConditionalGeneration.forward)
    def forward(self, *args, **kwargs):
        output = super().forward(*args, **kwargs)
        output.logits = capped(output.logits)
        return output


def capped(logits, text=None):
    return 9 * torch.tanh(logits / 3)


AutoConfig.register("toy_reader", ToyConfig, exist_ok=True)
FAMILY = Family(
    model_types=("toy_reader",),
    architecture=f"{__name__}:ToyReader",
    processor="Qwen3VLProcessor",
    card=ModelProfile("markdown", prompt="What does it say?"),
    logits=capped,
)
'''


def options(model, **more) -> ParseOptions:
    return ParseOptions(model=str(model), dtype="float32", device="cpu", **more)


@pytest.fixture
def fresh(monkeypatch):
    """Families are looked for again, before and after."""
    families.families.cache_clear()
    yield
    monkeypatch.undo()
    families.families.cache_clear()


def test_a_toy_architecture_is_one_file_of_less_than_forty_lines(tmp_path, lively_qwen, monkeypatch, fresh):
    assert len(TOY.strip().splitlines()) < 40
    (tmp_path / "families").mkdir()
    (tmp_path / "families" / "toy.py").write_text(TOY)
    monkeypatch.setattr(families, "__path__", [*families.__path__, str(tmp_path / "families")])
    monkeypatch.delitem(sys.modules, "docspec.targets.families.toy", raising=False)
    model = shutil.copytree(lively_qwen, tmp_path / "model")
    config = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(json.dumps({**config, "model_type": "toy_reader"}))

    (model / "docspec.json").unlink()
    loaded = load_target(options(model))
    target = loaded.target
    assert loaded.card.prompt == "What does it say?"
    check_trees(target)
    prompt = target.encode(Image.effect_noise((160, 96), 90).convert("RGB"), "What does it say?")
    with torch.inference_mode():
        ids = target.model.generate(**prompt.inputs, do_sample=False, max_new_tokens=24)
    expected = tuple(token for token in ids[0, prompt.length :].tolist() if token not in target.eos_ids)
    [output], _ = make_decoder(target, ParseOptions()).speculate([Request(prompt, (expected[3:],), 24)])
    assert output.tokens == expected
    target._logits = None
    with pytest.raises(ModelError, match="cannot be verified by trees"):
        check_trees(target)


@pytest.fixture
def nameless(monkeypatch, tmp_path):
    """A checkpoint whose type no family knows."""

    def make(name: str):
        path = write(import_module(f"tests.targets.families.{name}").CASE, tmp_path / name)
        known = {kind: family for kind, family in families.families().items() if kind != name}
        monkeypatch.setattr(families, "families", lambda: known)
        return path

    return make


def test_an_unknown_type_is_tried_with_a_dialect_and_a_prompt(nameless):
    path = nameless("idefics3")
    with pytest.raises(ModelError, match=r"'idefics3' are not known .*--set dialect=NAME and --set prompt=TEXT"):
        load_target(options(path, dialect="markdown"))
    loaded = load_target(options(path, dialect="markdown", prompt="Read it."))
    assert (loaded.card.dialect, loaded.card.prompt, loaded.card.crop_prompt) == ("markdown", "Read it.", "Read it.")
    (path / "docspec.json").write_text('{"dialect": "doctags", "prompt": "Read."}')
    assert load_target(options(path)).card.dialect == "doctags"


def test_an_unknown_type_with_other_logits_than_its_heads_is_refused(nameless):
    with pytest.raises(ModelError, match="GraniteDoclingForConditionalGeneration cannot be verified by trees"):
        load_target(options(nameless("granite_docling"), dialect="doctags", prompt="Read."))
