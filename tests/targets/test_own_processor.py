"""Prompts and pixels as a checkpoint's own processor makes them, without torchvision."""

from __future__ import annotations

import json
import shutil
import time

import pytest
from PIL import Image
from transformers.processing_utils import ProcessorMixin

from docspec.core import ModelError
from docspec.targets.chat_template import find_template, render
from docspec.targets.own_processor import OwnProcessor


@pytest.fixture(scope="module")
def processing(lively_qwen):
    return OwnProcessor.from_pretrained(str(lively_qwen))


@pytest.fixture
def copy(lively_qwen, tmp_path):
    return shutil.copytree(lively_qwen, tmp_path / "model")


def test_there_is_one_image_token_for_each_merged_patch(processing):
    inputs = processing.encode(Image.new("RGB", (320, 96), "white"), "Read.")
    patches = int(inputs["image_grid_thw"].prod())
    is_image = inputs["input_ids"] == processing.processor.image_token_id
    assert int(is_image.sum()) == patches // 4 == 10 * 3
    assert inputs["pixel_values"].shape[0] == patches
    assert inputs["mm_token_type_ids"].bool().equal(is_image)
    assert inputs["attention_mask"].all()


def test_the_prompt_is_the_chat_template_around_image_and_instruction(processing):
    ids = processing.encode(Image.new("RGB", (64, 64)), "Read this.")["input_ids"][0].tolist()
    text = processing.tokenizer.decode(ids)
    assert text.startswith("<|vision_start|><|image_pad|>")
    assert text.endswith("<|vision_end|>Read this.\n")


def test_the_template_is_the_one_that_auto_processor_takes(copy, processing):
    """The processor's own files come before the tokenizer's, whichever of them there are."""

    def write(name, text):
        values = {"chat_template": text}
        if name == "tokenizer_config.json":
            values = json.loads((copy / name).read_text()) | values
        (copy / name).write_text(text if name.endswith("jinja") else json.dumps(values))

    (copy / "chat_template.jinja").unlink()
    for name in ("tokenizer_config.json", "chat_template.jinja", "chat_template.json", "processor_config.json"):
        write(name, f"from {name}")
        loaded = processing.tokenizer.__class__.from_pretrained(str(copy))
        assert find_template(str(copy), loaded) == (f"from {name}", name)
        if name != "tokenizer_config.json":
            said, _ = ProcessorMixin.get_processor_dict(str(copy), local_files_only=True)
            assert said["chat_template"] == f"from {name}"


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}", "did not end"),
        ("{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}", "fails"),
        ("{% for message in %}", "fails"),
        ("{{ raise_exception('no images, please') }}", "no images, please"),
        ("{{ 'x' * 300000 }}", "300000 characters"),
        ("{{ messages[0].content[1].text }}", "0 image tokens"),
        ("<|image_pad|><|image_pad|>", "2 image tokens"),
    ],
)
def test_a_template_that_does_not_work_is_one_line_when_the_model_is_loaded(
    copy, processing, template, says, monkeypatch
):
    monkeypatch.setattr(render, "__defaults__", (0.2,))
    (copy / "chat_template.jinja").write_text(template)
    began = time.monotonic()
    with pytest.raises(ModelError) as caught:
        OwnProcessor.from_pretrained(str(copy))
    assert says in str(caught.value) and "chat_template.jinja" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert time.monotonic() - began < 20


def test_sizes_are_multiples_of_the_factor(processing):
    assert processing.factor == processing.pixel_limits["factor"] == 32
    assert processing.pixel_limits["min_pixels"] <= 64 * 64
