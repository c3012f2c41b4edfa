"""Cuts very long or wide images into pieces that a detector of lines can see without shrinking them to nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PIL import Image

MAX_ASPECT, TILE_ASPECT = 2.5, 1.5  # of an image that is read whole, and of its pieces
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
    """The end of the piece from ``start``: the emptiest row (or column) of its last third, so that no line is cut in
    half, or the image's end."""
    end = image.height if tall else image.width
    if end - start <= length * 1.3:
        return end
    first, last = start + length * 2 // 3, start + length
    box = (0, first, image.width, last) if tall else (first, 0, last, image.height)
    grey = np.asarray(image.crop(box).convert("L"), dtype=np.float32)
    variation = grey.std(axis=1 if tall else 0)
    empty = np.flatnonzero(variation <= variation.min() + 1.0)
    return first + int(empty[len(empty) // 2]) if len(empty) else last
