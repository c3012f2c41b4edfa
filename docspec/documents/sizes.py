"""How large a page becomes in pixels: as asked, but never more than memory or the models' aspect limits bear.

The scale is lowered for huge pages; thin pages get white paper on their right or lower side, which moves
nothing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_PIXELS = 25_000_000  # twice what document models read (dots.ocr: 11.3 million); 75 MB as RGB
MAX_SIDE = 30_000
MIN_SIDE = 64  # two patches after merging, for the coarsest model
MAX_ASPECT = 180  # the Qwen image processors refuse 200


def fit_scale(width: float, height: float, wanted: float) -> float:
    """The largest scale, at most ``wanted``, by which ``width`` x ``height`` stays within the limits."""
    scale = min(wanted, MAX_SIDE / max(width, height))
    return min(scale, math.sqrt(MAX_PIXELS / (width * height)))


def padded(image: Image) -> Image:
    """``image`` with white added on the right or below until it is neither too thin nor too elongated."""
    from PIL import Image as Pillow

    least = max(MIN_SIDE, math.ceil(max(image.size) / MAX_ASPECT))
    width, height = max(image.width, least), max(image.height, least)
    if (width, height) == image.size:
        return image
    paper = Pillow.new("RGB", (width, height), "white")
    paper.paste(image, (0, 0))
    return paper
