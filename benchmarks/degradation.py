"""Page images made worse before recognition: fewer pixels, blur, JPEG's artefacts. Sizes stay, so that boxes do."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageFilter

from docspec.core import PageImage

if TYPE_CHECKING:
    from PIL.Image import Image as PILImage


def lower_resolution(image: PILImage, share: float) -> PILImage:
    """``image`` with ``share`` (0..1) of its pixels per inch, scaled up again."""
    small = (max(1, round(image.width * share)), max(1, round(image.height * share)))
    return image.resize(small, Image.Resampling.LANCZOS).resize(image.size, Image.Resampling.BICUBIC)


def blurred(image: PILImage, radius: float) -> PILImage:
    """``image`` under a Gaussian blur of ``radius`` pixels (its standard deviation)."""
    return image.filter(ImageFilter.GaussianBlur(radius))


def noisy(image: PILImage, sigma: float) -> PILImage:
    """``image`` with Gaussian noise of ``sigma`` grey levels (0..255), the same at every run."""
    pixels = np.asarray(image.convert("RGB"), dtype=float)
    grain = np.random.default_rng(0).normal(0.0, sigma, pixels.shape[:2])[..., None]
    return Image.fromarray(np.clip(pixels + grain, 0, 255).astype(np.uint8))


def compressed(image: PILImage, quality: float) -> PILImage:
    """``image`` through JPEG of that quality (1..95)."""
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=round(quality))
    return Image.open(buffer).convert("RGB")


DEGRADATIONS: dict[str, Callable[[PILImage, float], PILImage]] = {
    "resolution": lower_resolution,
    "blur": blurred,
    "jpeg": compressed,
}
"""What can be done to a page image, by name."""


def degraded_page(page: PageImage, kind: str, value: float) -> PageImage:
    """``page`` as a worse scan without its PDF page. Raises ``KeyError`` for an unknown ``kind``."""
    return replace(page, image=DEGRADATIONS[kind](page.image, value), pdf_page=None)
