"""Cutting very long or wide images into pieces that a text detector can see without shrinking them to
nothing.

The cuts go through the emptiest row (or column) near the wanted place, so that no line is cut in half.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PIL import Image

MAX_ASPECT = 2.5
TILE_ASPECT = 1.5
MIN_LENGTH = 1500  # pixels; shorter images are read whole whatever their shape


def tiles(image: Image.Image) -> Iterator[tuple[Image.Image, int, int]]:
    """Pieces of ``image`` in order, each with its left and top in pixels; the whole image if it is no
    strip.
    """
    width, height = image.size
    if max(width, height) <= max(MAX_ASPECT * min(width, height), MIN_LENGTH):
        yield image, 0, 0
        return
    tall = height > width
    start, end = 0, max(width, height)
    while start < end:
        stop = _cut(image, tall, start, int(max(TILE_ASPECT * min(width, height), MIN_LENGTH / 2)))
        box = (0, start, width, stop) if tall else (start, 0, stop, height)
        yield image.crop(box), box[0], box[1]
        start = stop


def _cut(image: Image.Image, tall: bool, start: int, length: int) -> int:
    """The end of the piece from ``start``: the emptiest place of its last third, or the image's end."""
    end = image.height if tall else image.width
    if end - start <= length * 1.3:
        return end
    first, last = start + length * 2 // 3, start + length
    box = (0, first, image.width, last) if tall else (first, 0, last, image.height)
    grey = np.asarray(image.crop(box).convert("L"), dtype=np.float32)
    variation = grey.std(axis=1 if tall else 0)
    empty = np.flatnonzero(variation <= variation.min() + 1.0)
    return first + int(empty[len(empty) // 2]) if len(empty) else last
