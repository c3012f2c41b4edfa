"""What dots.ocr is shown and asked: pixels, sizes and the frame of the prompt as published."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from docspec.core.errors import ModelError
from docspec.targets.dots_ocr.processing import DotsOCRProcessing
from docspec.targets.families.dots_ocr import FAMILY
from tests.targets.dots_checkpoint import write_tiny_dots_ocr

from .tiny_dots_ocr import picture

MARKS = FAMILY.image_marks
pytestmark = pytest.mark.usefixtures("one_thread")


def test_the_prompt_is_framed_as_published(processing: DotsOCRProcessing) -> None:
    inputs = processing.encode(picture(84, 112), "Read <this>.")
    text = processing.tokenizer.decode(inputs["input_ids"][0])
    message = "<|img|>" + "<|imgpad|>" * 12 + "<|endofimg|>Read <this>."
    assert text == "<|user|>" + message + "<|endofuser|><|assistant|>"
    assert inputs["pixel_values"].shape == (48, 588)
    # What vLLM does: the tokenizer's own template over the message as one string, tokenised in one go.
    messages = [{"role": "user", "content": message}]
    served = processing.tokenizer.apply_chat_template(messages, return_dict=False)
    assert inputs["input_ids"][0].tolist() == served


def test_what_stands_for_the_image_in_a_prompt_is_shown_once(processing: DotsOCRProcessing) -> None:
    """Its own tool sends the marks of an image beside the image, and a server of docspec's says where that stood."""
    plain, behind = (processing.encode(picture(84, 112), prompt)["input_ids"] for prompt in ("Read.", "Read.{image}"))
    for prompt in ("{image}Read.", f"{MARKS}Read.", f"{{image}}{MARKS}Read."):
        assert torch.equal(processing.encode(picture(84, 112), prompt)["input_ids"], plain), prompt
    assert torch.equal(processing.encode(picture(84, 112), f"{{image}}Read.{MARKS}")["input_ids"], behind)
    text = processing.tokenizer.decode(behind[0])
    assert text.startswith("<|user|>Read.<|img|>") and text.endswith("<|endofimg|><|endofuser|><|assistant|>")


def test_pixels_are_those_of_the_published_image_processor(processing: DotsOCRProcessing) -> None:
    image = picture(333, 215)
    inputs = processing.encode(image, "")
    expected = processing.image_processor(images=image, return_tensors="pt")
    assert torch.equal(inputs["image_grid_thw"], expected["image_grid_thw"])
    torch.testing.assert_close(inputs["pixel_values"], expected["pixel_values"])


def test_model_size_is_the_size_in_which_boxes_are_written(processing: DotsOCRProcessing) -> None:
    assert processing.model_size(1700, 2200) == (1708, 2212)
    assert processing.model_size(20, 20) == (56, 56)
    width, height = processing.model_size(9000, 7000)
    assert width % 28 == height % 28 == 0 and 0.98 * 11_289_600 < width * height <= 11_289_600
    inputs = processing.encode(picture(150, 99), "")
    assert tuple(14 * side for side in reversed(inputs["image_grid_thw"][0, 1:].tolist())) == (
        processing.model_size(150, 99)
    )


def test_limits_of_the_image_are_the_published_ones(processing: DotsOCRProcessing) -> None:
    assert processing.pixel_limits == {"factor": 28, "min_pixels": 3136, "max_pixels": 11_289_600}


def test_a_narrow_image_has_the_size_of_the_image_processor(processing: DotsOCRProcessing) -> None:
    assert processing.model_size(400, 10) == (364, 28)
    assert processing.encode(picture(400, 10), "")["image_grid_thw"].tolist() == [[1, 2, 26]]


@pytest.mark.parametrize("size", [(0, 50), (8040, 40)])
def test_an_image_without_area_or_of_extreme_aspect_is_refused(
    processing: DotsOCRProcessing, size: tuple[int, int]
) -> None:
    with pytest.raises(ValueError, match=f"{size[0]} x {size[1]} pixels"):
        processing.model_size(*size)


def test_an_answer_ends_at_the_published_tokens(tmp_path: Path) -> None:
    directory = write_tiny_dots_ocr(tmp_path)
    published = DotsOCRProcessing.from_pretrained(directory)
    markers = published.tokenizer.convert_tokens_to_ids(["<|endoftext|>", "<|endofassistant|>"])
    assert published.eos_ids == tuple(markers)
    (directory / "generation_config.json").write_text('{"eos_token_id": 7}')
    assert DotsOCRProcessing.from_pretrained(directory).eos_ids == (7,)
    (directory / "generation_config.json").unlink()
    assert DotsOCRProcessing.from_pretrained(directory).eos_ids == tuple(markers)


def test_a_tokenizer_without_the_markers_is_refused_by_name(tmp_path: Path) -> None:
    directory = write_tiny_dots_ocr(tmp_path)
    for file in (directory / "tokenizer.json", directory / "tokenizer_config.json"):
        file.write_text(file.read_text().replace("<|imgpad|>", "<|image_pad|>"))
    with pytest.raises(ModelError, match=re.escape("no <|imgpad|>; is this a dots.ocr checkpoint?")):
        DotsOCRProcessing.from_pretrained(directory)


def test_naming_the_package_imports_no_torch() -> None:
    code = "import sys, docspec.targets.dots_ocr; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
