"""Prompts and pixels as Qwen-VL expects them, without torchvision."""

from __future__ import annotations

import json
import shutil

import pytest
from PIL import Image

from docspec.targets.qwen_processing import QwenProcessing


@pytest.fixture(scope="module")
def processing(lively_qwen):
    image_token = json.loads((lively_qwen / "config.json").read_text())["image_token_id"]
    return QwenProcessing.from_pretrained(str(lively_qwen), image_token, local_files_only=True)


def test_there_is_one_image_token_for_each_merged_patch(processing):
    inputs = processing.encode(Image.new("RGB", (320, 96), "white"), "Read.")
    patches = int(inputs["image_grid_thw"].prod())
    is_image = inputs["input_ids"] == processing.image_token_id
    assert int(is_image.sum()) == patches // 4 == 10 * 3
    assert inputs["pixel_values"].shape[0] == patches
    assert inputs["mm_token_type_ids"].bool().equal(is_image)
    assert inputs["attention_mask"].all()


def test_the_prompt_is_the_chat_template_around_image_and_instruction(processing):
    ids = processing.encode(Image.new("RGB", (64, 64)), "Read this.")["input_ids"][0].tolist()
    text = processing.tokenizer.decode(ids)
    assert text.startswith("<|im_start|>user\n<|vision_start|><|image_pad|>")
    assert text.endswith("<|vision_end|>Read this.<|im_end|>\n<|im_start|>assistant\n")


def test_a_template_kept_beside_the_processor_is_found(lively_qwen, processing, tmp_path):
    copy = shutil.copytree(lively_qwen, tmp_path / "model")
    template = (copy / "chat_template.jinja").read_text()
    (copy / "chat_template.jinja").unlink()
    (copy / "chat_template.json").write_text(json.dumps({"chat_template": template}))
    moved = QwenProcessing.from_pretrained(str(copy), processing.image_token_id, local_files_only=True)
    image = Image.new("RGB", (64, 64))
    assert moved.encode(image, "Read.")["input_ids"].equal(processing.encode(image, "Read.")["input_ids"])


def test_sizes_are_multiples_of_the_factor(processing):
    assert processing.factor == processing.pixel_limits["factor"] == 32
    assert processing.pixel_limits["min_pixels"] <= 64 * 64
