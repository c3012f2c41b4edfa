"""Compares places on the pictures of pages: whether one shows a single colour, or the same as another."""

from __future__ import annotations

from typing import Any

import numpy as np

from docspec.core import BBox

CONTRAST = 12
"""Of 255: two colours that differ less are one to the eye."""

SAME = 0.5
"""Least correlation of a word with a picture over it that shows the same word."""


def patch(pixels: Any, box: BBox, scale: float) -> Any:
    """The pixels of the middle of ``box``, without what touches it from above and below."""
    inner = BBox(box.x0, box.y0 + 0.2 * box.height, box.x1, box.y1 - 0.2 * box.height).scaled(scale)
    left, top, right, bottom = inner.clamped(pixels.shape[1], pixels.shape[0]).rounded()
    return pixels[top : max(bottom, top + 1), left : max(right, left + 1)]


def ground_of(pixels: Any, box: BBox, scale: float) -> Any | None:
    """The one colour of ``box``; ``None`` if it shows several."""
    own = patch(pixels, box, scale).reshape(-1, 3)
    return None if np.ptp(own, axis=0).max() >= CONTRAST else np.median(own, axis=0)


def looks_alike(pixels: Any, without: Any, box: BBox, scale: float) -> bool:
    """Whether two pictures of a page are the same in ``box``."""
    difference = patch(pixels, box, scale).astype(int) - patch(without, box, scale)
    return int(np.abs(difference).max(initial=0)) < CONTRAST


def says_the_same(pixels: Any, bare: Any, box: BBox, scale: float) -> bool:
    """Whether the picture over a word shows the word: as much as two prints of it are alike."""
    if bare.shape != pixels.shape:
        return True
    over = patch(pixels, box, scale).mean(axis=2)
    step = max(1.0, 0.08 * box.height * scale) / scale  # points: such prints lie a little beside the file's words
    moves = [(x * step, y * step) for x in range(-4, 5) for y in range(-2, 3)]
    return any(_correlation(over, patch(bare, _moved(box, x, y), scale).mean(axis=2)) > SAME for x, y in moves)


def _correlation(one: Any, other: Any) -> float:
    if one.shape != other.shape or not one.std() or not other.std():
        return 0.0
    return float(np.corrcoef(one.ravel(), other.ravel())[0, 1])


def _moved(box: BBox, x: float, y: float) -> BBox:
    """``box`` moved by ``x`` and ``y``."""
    return BBox(box.x0 + x, box.y0 + y, box.x1 + x, box.y1 + y)
