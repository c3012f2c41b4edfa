"""Pictures as levels of 0 to 255 become the processor's own numbers, to the bit."""

from __future__ import annotations

import pytest
import torch
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from docspec.core import ParseOptions
from docspec.targets.levels import PIXELS, levels_of
from docspec.targets.registry import load_target
from tests.exactness.checkpoints import FAMILIES, checkpoint, printed

OWN = {"deepseek_ocr", "deepseek_ocr2", "minicpm_ocr", "unlimited_ocr"}
"""Families whose pictures docspec prepares itself, or whose processor takes other arguments."""


@pytest.mark.parametrize("family", FAMILIES)
def test_the_numbers_of_every_family_are_those_of_its_processor(family, tmp_path):
    options = ParseOptions(model=str(checkpoint(family, tmp_path / family).path), device="cpu", dtype="float32")
    target = load_target(options).target
    pictures = [(printed(150, 90), "Read."), (printed(90, 130), "Read.")]
    own = [target.encode(*one).inputs for one in pictures]
    target.processing.for_device(torch.device("meta"))
    for prompt, expected in zip(target.encode_all(pictures), own, strict=True):
        for name, value in target._joined([prompt.inputs], prompt.length).items():
            assert torch.equal(value, expected[name].to(value.dtype)), name
        if family not in OWN:
            given = prompt.inputs[PIXELS]
            assert given.dtype == torch.uint8
            half = target.processing.pixels(given, torch.bfloat16)
            assert torch.equal(half, expected[PIXELS].to(torch.bfloat16))


class Brightened(Qwen2VLImageProcessorPil):
    """Numbers that depend on the picture."""

    def preprocess(self, images, **given):
        found = super().preprocess(images, **given)
        if given.get("do_normalize") is not False:
            found[PIXELS] = found[PIXELS] / found[PIXELS].mean()
        return found


def test_numbers_that_depend_on_more_than_a_level_are_left_to_the_processor():
    assert levels_of(Qwen2VLImageProcessorPil()) is not None
    assert levels_of(Brightened()) is None
    assert levels_of(None) is None


def test_on_a_processor_pictures_stay_as_they_are(tmp_path):
    options = ParseOptions(model=str(checkpoint("qwen2_vl", tmp_path / "one").path), device="cpu", dtype="float32")
    target = load_target(options).target
    assert target.encode(printed(150, 90), "Read.").inputs[PIXELS].dtype == torch.float32
