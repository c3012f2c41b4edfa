"""Image files as dots.ocr's own tool shows them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from docspec import ParseOptions, Parser
from docspec.core import PageImage
from docspec.core.page import smart_resize
from docspec.documents import PageFailure, open_document
from docspec.documents.images import through_pdf
from tests.targets.dots_checkpoint import write_tiny_dots_ocr


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        ((1240, 1754), (2576, 3668)),  # A4 at 150 dpi
        ((2480, 3508), (1848, 2632)),  # at 300 dpi a side would pass 4,500 pixels
        ((40, 30), (84, 56)),
    ],
)
def test_the_model_sees_the_published_size(size: tuple[int, int], shown: tuple[int, int]) -> None:
    scaled = through_pdf(PageImage(Image.new("RGB", size, "white"), 1, 1.0, "a.png"), 200)
    assert isinstance(scaled, PageImage)
    assert [event.kind for event in scaled.events] == ["image_scaled"]
    assert smart_resize(scaled.height, scaled.width) == (shown[1], shown[0])


def test_what_stands_on_the_page_stays_where_it_is() -> None:
    image = Image.new("RGB", (300, 200), "white")
    ImageDraw.Draw(image).rectangle((60, 40, 150, 90), fill=(200, 0, 0))
    scaled = through_pdf(PageImage(image, 3, 1.0, "a.png"), 200)
    assert isinstance(scaled, PageImage) and scaled.number == 3
    expected = image.resize(scaled.image.size, Image.Resampling.BILINEAR)
    difference = np.abs(np.asarray(expected, dtype=int) - np.asarray(scaled.image, dtype=int))
    assert (difference.max(axis=2) > 30).mean() < 0.02


def test_a_picture_that_cannot_be_scaled_fails_alone() -> None:
    failed = through_pdf(PageImage(Image.new("RGB", (0, 0)), 2, 1.0, "a.png"), 200)
    assert isinstance(failed, PageFailure)
    assert "a.png, page 2" in str(failed.error) and "--set image-scale=as-is" in str(failed.error)


def test_only_image_files_and_only_for_models_whose_tool_does_so(
    tmp_path: Path, lively_qwen: Path, printed_page: Image.Image
) -> None:
    printed_page.save(tmp_path / "page.png")
    printed_page.save(tmp_path / "page.pdf", resolution=72)
    dots = write_tiny_dots_ocr(tmp_path / "dots")
    width = printed_page.width

    def seen(model: Path, name: str, scale: str) -> int:
        options = ParseOptions(model=str(model), image_scale=scale, dpi=72, drafter="none")  # type: ignore[arg-type]
        with Parser(options) as parser, open_document(tmp_path / name) as document:
            [page] = parser.page_images(document)
            assert isinstance(page, PageImage)
            return page.width

    assert seen(dots, "page.png", "published") == pytest.approx(width * 200 / 96, abs=1)
    assert seen(dots, "page.png", "as-is") == seen(dots, "page.pdf", "published") == width
    assert seen(lively_qwen, "page.png", "published") == width
