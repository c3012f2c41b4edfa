"""Image sizes that the Qwen2-VL family of vision towers accepts, as pure arithmetic.

Adapters resize with it and the layout dialect scales boxes with it, so both must agree to the pixel.
"""

from __future__ import annotations

import math

DOTS_FACTOR = 28
"""Patch 14 x merge 2: both sides of a dots.ocr image are multiples of it (Qwen3-VL: 32)."""
DOTS_MIN_PIXELS = 3_136
DOTS_MAX_PIXELS = 11_289_600
MAX_ASPECT = 200


def smart_resize(
    height: int,
    width: int,
    factor: int = DOTS_FACTOR,
    min_pixels: int = DOTS_MIN_PIXELS,
    max_pixels: int = DOTS_MAX_PIXELS,
) -> tuple[int, int]:
    """The size ``(height, width)`` that the model sees of an image of ``height`` x ``width`` pixels.

    Both sides become multiples of ``factor``, the area lies within ``[min_pixels, max_pixels]`` and the
    aspect is kept as far as that allows. Gives the numbers of the Qwen2-VL image processor, which makes the
    image that the model sees (halves round to even; qwen-vl-utils and dots.ocr's own tool differ where a side
    is under half a factor). Raises ``ValueError`` for an empty image or an aspect over 200.
    """
    if height < 1 or width < 1:
        raise ValueError(f"an image of {width} x {height} pixels has no size to fit")
    if max(height, width) > MAX_ASPECT * min(height, width):
        raise ValueError(f"an image of {width} x {height} pixels is narrower than 1:{MAX_ASPECT}")
    rows = round(height / factor) * factor
    columns = round(width / factor) * factor
    if rows * columns > max_pixels:
        scale = math.sqrt(height * width / max_pixels)
        rows = max(factor, math.floor(height / scale / factor) * factor)
        columns = max(factor, math.floor(width / scale / factor) * factor)
    elif rows * columns < min_pixels:
        scale = math.sqrt(min_pixels / (height * width))
        rows = math.ceil(height * scale / factor) * factor
        columns = math.ceil(width * scale / factor) * factor
    return rows, columns
