"""docspec's inputs against transformers' own: the same file through both, image loading included.

Everywhere: the image processor that can be built here over transformers' ``load_image``. Where torchvision is at hand
also the checkpoint's ``AutoProcessor``, and the PIL image processor against the torchvision one.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image, ImageDraw
from transformers import AutoImageProcessor, AutoProcessor
from transformers.image_utils import load_image

from docspec.documents import open_document
from docspec.documents.view import fit_scale
from docspec.targets.dots_ocr.processing import DotsOCRProcessing
from docspec.targets.own_processor import OwnProcessor
from docspec.targets.processing import Processing

needs_torchvision = pytest.mark.skipif(
    importlib.util.find_spec("torchvision") is None, reason="AutoProcessor of Qwen3-VL needs torchvision"
)

SIZES = [(333, 215), (640, 480), (61, 47), (20, 20), (1000, 30), (50, 700), (620, 877)]
MODES = ["RGBA", "L", "P", "1", "CMYK", "EXIF"]
LEVELS = 25
"""Largest difference of a pixel between the two image processors, in grey levels of 255: one or two where both sides
shrink or both grow, more where one shrinks and the other grows."""


def printed(width: int, height: int) -> Image.Image:
    image = Image.new("RGB", (width, height), (250, 248, 240))
    draw = ImageDraw.Draw(image)
    for y in range(3, height, 18):
        draw.text((3, y), "The tide fills the harbour twice a day. " * (width // 200 + 1), fill=(40, 0, y % 90))
    return image


def written(directory: Path, case: object) -> Path:
    """An image file of a size, or of 400 x 300 pixels in a mode."""
    if isinstance(case, tuple):
        printed(*case).save(directory / "page.png")
        return directory / "page.png"
    file = directory / ("page.jpg" if case in ("CMYK", "EXIF") else "page.png")
    exif = Image.Exif()
    exif[0x0112] = 6 if case == "EXIF" else 1
    image = printed(400, 300)
    (image if case == "EXIF" else image.convert(str(case))).save(file, exif=exif)
    return file


def shown(file: Path) -> Image.Image:
    """The page as docspec opens it."""
    with open_document(file) as document:
        [page] = document.pages()
        return page.image  # type: ignore[union-attr]


def levels(processing: Processing, one: torch.Tensor, other: torch.Tensor) -> float:
    """Largest difference in grey levels."""
    assert one.shape == other.shape
    return float((one - other).abs().max()) * max(processing.image_processor.image_std) * 255


@pytest.fixture(scope="module")
def families(lively_qwen: Path, checkpoint: Path) -> dict[str, tuple[Path, Processing]]:
    return {
        "qwen3_vl": (lively_qwen, OwnProcessor.from_pretrained(str(lively_qwen))),
        "dots_ocr": (checkpoint, DotsOCRProcessing.from_pretrained(checkpoint)),
    }


@pytest.mark.parametrize("case", [*SIZES, *MODES], ids=str)
def test_pixels_are_those_of_transformers_own_loading(families, tmp_path, case):
    file = written(tmp_path, case)
    image = shown(file)
    for _, processing in families.values():
        own = processing.image_processor(images=[load_image(str(file))], return_tensors="pt")
        inputs = processing.encode(image, "Read.")
        assert inputs["image_grid_thw"].equal(own["image_grid_thw"])
        assert inputs["pixel_values"].equal(own["pixel_values"])


def test_transparent_paper_is_white(families, tmp_path):
    """transformers drops transparency, so that clear paper is whatever colour stands behind it, mostly black; the
    models' own tools (qwen-vl-utils, dots.ocr) lay it on white, and so does docspec."""
    clear = printed(400, 300).convert("RGBA")
    clear.putalpha(Image.fromarray(np.uint8(255) - np.asarray(clear.convert("L"))))
    clear.save(tmp_path / "page.png")
    paper = Image.new("RGB", clear.size, "white")
    paper.paste(clear, mask=clear.getchannel("A"))
    for _, processing in families.values():
        own = processing.image_processor(images=[paper], return_tensors="pt")
        inputs = processing.encode(shown(tmp_path / "page.png"), "Read.")
        assert inputs["pixel_values"].equal(own["pixel_values"])


def test_beyond_what_image_processors_take_an_image_is_padded_or_reduced(families, tmp_path):
    """1 x 400 pixels are refused by the image processors and shown on 2 x 400; 12,000 x 9,000 are reduced first, to
    the same grid."""
    printed(400, 1).save(tmp_path / "thin.png")
    assert shown(tmp_path / "thin.png").size == (400, 2)
    scale = fit_scale(12_000, 9_000, 1.0)
    assert scale < 0.5
    for _, processing in families.values():
        patches = processing.image_processor.get_number_of_image_patches
        assert patches(9_000, 12_000) == patches(round(9_000 * scale), round(12_000 * scale))
        with pytest.raises(ValueError, match="aspect ratio"):
            processing.image_processor(images=[load_image(str(tmp_path / "thin.png"))])
        assert processing.encode(shown(tmp_path / "thin.png"), "Read.")["image_grid_thw"].prod() > 0


@needs_torchvision
@pytest.mark.parametrize("case", [*SIZES, *MODES], ids=str)
def test_inputs_are_those_of_auto_processor(families, tmp_path, case):
    file = written(tmp_path, case)
    path, processing = families["qwen3_vl"]
    assert processing.backend == "torchvision"
    content = [{"type": "image", "image": load_image(str(file))}, {"type": "text", "text": "Read."}]
    expected = AutoProcessor.from_pretrained(path).apply_chat_template(
        [{"role": "user", "content": content}],
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
        add_generation_prompt=True,
    )
    inputs = processing.encode(shown(file), "Read.")
    assert inputs.keys() == expected.keys()
    for name, value in expected.items():
        assert inputs[name].equal(value), name


@needs_torchvision
@pytest.mark.parametrize("case", [*SIZES, *MODES], ids=str)
def test_the_pil_image_processor_gives_the_same_grids_and_nearly_the_same_pixels(families, tmp_path, case):
    image = shown(written(tmp_path, case))
    for path, processing in families.values():
        pil = AutoImageProcessor.from_pretrained(path, backend="pil")(images=[image], return_tensors="pt")
        inputs = processing.encode(image, "Read.")
        assert inputs["image_grid_thw"].equal(pil["image_grid_thw"])
        assert levels(processing, inputs["pixel_values"], pil["pixel_values"]) <= LEVELS
