"""MiniCPM-OCR's views of small pictures, which MiniCPM-V's image processor does not know."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw
from transformers.models.minicpmv4_6.image_processing_pil_minicpmv4_6 import MiniCPMV4_6ImageProcessorPil

from docspec.targets.minicpm_processor import MiniCPMOcrImages

SIZES = {"patch_size": 14, "scale_resolution": 448, "downsample_mode": "4x"}


def small(words: str = "") -> Image.Image:
    image = Image.new("RGB", (196, 112), "white")
    for y in range(2, 100, 9):
        ImageDraw.Draw(image).text((2, y), words, fill="black", font_size=8)
    return image


def views(image, **settings):
    """In patches of 14 pixels: rows and columns of each view."""
    made = MiniCPMOcrImages(**SIZES, **settings)(images=[image], return_tensors="pt")
    patches = made["target_sizes"].prod(-1).sum()
    assert made["pixel_values"].shape == (1, 3, 14, 14 * patches)
    return made["target_sizes"].tolist()


@pytest.mark.parametrize(
    ("upsize", "words", "expected"),
    [
        ("never", "", [[8, 14]]),  # as it is
        ("always", "", [[24, 42]]),  # as many pixels as the resolution squared
        ("adaptive", "", [[8, 14]]),  # nothing small is printed on it
        ("adaptive", "small dense print of many letters here", [[24, 42]]),
    ],
)
def test_small_pictures_are_enlarged_as_the_checkpoint_says(upsize, words, expected):
    assert views(small(words), small_image_upsize=upsize) == expected


def test_slices_of_large_pictures_are_those_of_minicpm_v_unless_their_print_is_large():
    large = Image.fromarray(np.random.default_rng(0).integers(0, 256, (900, 700, 3), dtype=np.uint8))
    theirs = MiniCPMV4_6ImageProcessorPil(**SIZES)(images=[large], return_tensors="pt")
    ours = MiniCPMOcrImages(**SIZES)(images=[large], return_tensors="pt")
    assert ours["pixel_values"].equal(theirs["pixel_values"])
    assert ours["target_sizes"].equal(theirs["target_sizes"]) and len(ours["target_sizes"]) > 2
    empty = Image.new("RGB", (700, 900), "white")
    cheaper = views(empty, small_image_upsize="adaptive")
    assert sum(a * b for a, b in cheaper) <= sum(a * b for a, b in views(empty, small_image_upsize="always"))
