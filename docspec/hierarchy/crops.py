"""Crops of regions for the target: slightly larger than the region and padded to the patch grid, never stretched.

Resizing a thin line to the patch grid would change its aspect ratio by a third; white padding does not.
"""

from __future__ import annotations

from PIL import Image

from docspec.core import BBox

MARGIN = 4
"""Pixels added around a region."""

MAX_ASPECT = 30.0
"""Longer side over shorter side beyond which the shorter one is padded."""


def crop(image: Image.Image, bbox: BBox, factor: int) -> Image.Image | None:
    """The part of ``image`` inside ``bbox`` on a white canvas whose sides are multiples of ``factor`` pixels.

    At least two factors high and wide. ``None`` where the box has no pixels on the page.
    """
    left, top, right, bottom = bbox.grown(MARGIN).clamped(image.width, image.height).rounded()
    width, height = right - left, bottom - top
    if width < 2 or height < 2:
        return None
    canvas_width = _padded(max(width, height / MAX_ASPECT), factor)
    canvas_height = _padded(max(height, width / MAX_ASPECT), factor)
    canvas = Image.new("RGB", (canvas_width, canvas_height), "white")
    canvas.paste(image.crop((left, top, right, bottom)), ((canvas_width - width) // 2, (canvas_height - height) // 2))
    return canvas


def _padded(size: float, factor: int) -> int:
    return max(2, -(-int(size) // factor)) * factor
