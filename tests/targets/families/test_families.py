"""Every family: inputs are its own processor's, and the logits of trees the model's own (:mod:`tests.exactness` has the
tokens)."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path

import pytest
import torch
from PIL import Image
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from transformers import AutoImageProcessor, AutoProcessor, AutoTokenizer

from docspec.bench.generate import generated as generated_for_comparison
from docspec.core import ModelError, ParseOptions
from docspec.targets.own_processor import OwnProcessor
from docspec.targets.registry import load_target
from docspec.targets.tree_check import check_trees
from tests.exactness.checkpoints import CASES, printed
from tests.targets.families.checkpoint import Case, write


@pytest.fixture(scope="module", params=CASES)
def case(request) -> Case:
    return import_module(f"tests.targets.families.{request.param}").CASE


@pytest.fixture(scope="module")
def path(case, tmp_path_factory) -> Path:
    return write(case, tmp_path_factory.mktemp("families") / case.model_type)


@pytest.fixture(scope="module")
def target(path):
    return load_target(ParseOptions(model=str(path), dtype="float32", device="cpu")).target


@pytest.fixture(scope="module")
def pictures(case) -> list[Image.Image]:
    """A page and two crops of it."""
    return [printed(width * case.zoom, height * case.zoom) for width, height in (case.shape, (96, 32), (48, 64))]


def test_pixels_get_the_models_precision(path, pictures):
    """Towers that take what they are given multiply it with weights of 16 bits."""
    target = load_target(ParseOptions(model=str(path), dtype="bfloat16", device="cpu")).target
    prompt = target.encode(pictures[0], "Read.")
    filled = target.prefill([prompt], target.kv.cache(1, prompt.length + 1), [0])[0]
    assert filled.logits.dtype == torch.bfloat16
    assert filled.logits.isfinite().all()
    assert generated_for_comparison(target, prompt.inputs, 1)[0]


def test_many_crops_are_encoded_as_each_alone(case, target, pictures):
    """Ids, pixels and grids to the bit, in the order asked; and images of one size do share a call."""
    turned = [picture.transpose(Image.Transpose.ROTATE_180) for picture in pictures]
    asked = [(picture, "Read.") for picture in (*pictures, *turned, pictures[0])] + [(pictures[1], "Read it.")]
    each = [target.encode(*one) for one in asked]
    for _ in range(2):  # the second time it is known whether inputs can be parted
        for found, alone in zip(target.encode_all(asked), each, strict=True):
            assert found.length == alone.length and found.inputs.keys() == alone.inputs.keys()
            for name, value in alone.inputs.items():
                assert torch.equal(found.inputs[name], value), name
    own = isinstance(target.processing, OwnProcessor)
    assert getattr(target.processing, "_parts", None) is (True if own else None)


def test_inputs_that_cannot_be_parted_are_made_one_by_one(target, pictures, monkeypatch):
    if not isinstance(target.processing, OwnProcessor):
        pytest.skip("makes them one by one")
    turned = pictures[0].transpose(Image.Transpose.ROTATE_180)
    asked = [(picture, "Read.") for picture in (pictures[0], pictures[0], turned)]
    expected = [target.encode(*one).inputs for one in asked]
    honest = OwnProcessor._processed

    def mixed(self, images, prompt):
        inputs = honest(self, images, prompt)
        return {name: value.flip(0) for name, value in inputs.items()} if images[1:] else inputs

    monkeypatch.setattr(OwnProcessor, "_processed", mixed)
    monkeypatch.setattr(target.processing, "_parts", None)
    for one, alone in zip(target.encode_all(asked), expected, strict=True):
        assert all(torch.equal(one.inputs[name], value) for name, value in alone.items())
    assert target.processing._parts is False


def test_logits_of_trees_are_the_models_own(case, target):
    """Also where the class scales them after its head."""
    check_trees(target)
    if case.family.logits is not None:
        scaled, target._logits = target._logits, None
        with pytest.raises(ModelError, match="cannot be verified by trees"):
            check_trees(target)
        target._logits = scaled


def own_inputs(case: Case, path: str, picture: Image.Image) -> dict[str, torch.Tensor]:
    """What the checkpoint's processor makes, without any code of docspec."""
    if case.own_inputs is not None:
        return case.own_inputs(Path(path), picture)
    prompt = [{"role": "user", "content": [{"type": "image", "image": picture}, {"type": "text", "text": "Read."}]}]
    settings = {"tokenize": True, "return_dict": True, "return_tensors": "pt", "add_generation_prompt": True}
    try:
        processor = AutoProcessor.from_pretrained(path)
    except (ImportError, ValueError):  # it wants to read videos, too: image processor, template and tokenizer by hand
        tokenizer = AutoTokenizer.from_pretrained(path)
        pixels = AutoImageProcessor.from_pretrained(path)(images=[picture], return_tensors="pt")
        text = tokenizer.apply_chat_template(prompt, tokenize=False, add_generation_prompt=True)
        mark = case.image_mark
        text = text.replace(mark, (mark * case.image_tokens).join(case.frame))
        inputs = tokenizer(text, return_tensors="pt")
        ids = inputs["input_ids"]
        typed = {"mm_token_type_ids": (ids == tokenizer.convert_tokens_to_ids(mark)).long()}
        found = {**inputs, **pixels, **(typed if "mm_token_type_ids" in case.inputs else {})}
        return {name: value for name, value in found.items() if name in {*case.inputs, "input_ids", "attention_mask"}}
    if case.template is not None:
        return dict(processor.apply_chat_template(prompt, **settings))
    if case.model_type == "got_ocr2":  # frames the prompt itself
        return dict(processor(picture, return_tensors="pt"))
    return dict(processor(images=picture, text=f"{case.image_mark}\nRead.", return_tensors="pt"))


def test_inputs_are_those_of_the_checkpoints_own_processor(case, target, pictures):
    path = target.model.config._name_or_path
    ours = target.encode(pictures[0], " OCR: " if case.model_type == "got_ocr2" else "Read.").inputs
    theirs = own_inputs(case, path, pictures[0])
    assert ours.keys() - {"attention_mask"} == theirs.keys() - {"attention_mask"} == {*case.inputs, "input_ids"}
    for name, value in theirs.items():
        assert ours[name].equal(value.to(ours[name].dtype)), name
    shown = (ours["input_ids"] == target.processing.tokenizer.convert_tokens_to_ids(case.image_mark)).sum()
    assert shown == case.image_tokens


PUBLISHED = json.loads((Path(__file__).parent / "published_names.json").read_text())


@pytest.mark.parametrize("name", PUBLISHED)
def test_weights_have_the_names_of_published_ones(name, tmp_path):
    """Where an index of published weights could be had, or a list of those that another program asks them for: all its
    names, layers apart, and no other. What stands ``beside`` them is loaded where it is there, or not missed."""
    path = write(import_module(f"tests.targets.families.{name}").CASE, tmp_path)
    with safe_open(path / "model.safetensors", "pt") as weights:
        names = {re.sub(r"\.\d+(?=\.)", ".N", name) for name in weights.keys()}  # noqa: SIM118 (no dictionary)
    beside = set(PUBLISHED[name].get("beside", ()))
    assert names == set(PUBLISHED[name]["names"]) - beside
    if beside:
        loaded = load_target(ParseOptions(model=str(with_more(path, beside)), device="cpu"))
        assert loaded.info.left_out == ()


def with_more(path: Path, names: set[str]) -> Path:
    """The checkpoint with tensors of these names, of the size of its embeddings, and of other values."""
    weights = load_file(path / "model.safetensors")
    table = next(weight for name, weight in weights.items() if "embed_tokens" in name)
    more = {name: table.flip(0).contiguous() for name in names}
    save_file(weights | more, path / "model.safetensors", metadata={"format": "pt"})
    return path


def test_a_published_head_is_used_though_the_class_takes_the_embeddings_for_it(tmp_path):
    """PaddleOCR-VL's class says that they are one; a file may hold both."""
    path = write(import_module("tests.targets.families.paddleocr_vl").CASE, tmp_path)
    model = load_target(ParseOptions(model=str(with_more(path, {"lm_head.weight"})), device="cpu")).target.model
    table = model.get_input_embeddings().weight
    assert model.get_output_embeddings().weight.equal(table.flip(0))
