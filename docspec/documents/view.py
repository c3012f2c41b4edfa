"""How pages are shown: their resolution, the allowed changes to the page of the file, and their size in pixels within
the limits of memory and of the models' aspect ratios.

Every change that was made is an event of its page, and each can be turned off. The scale is lowered for huge pages;
very elongated pages get white paper on their right or lower side, which moves nothing. Small pages stay small.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from docspec.core import Event, ParseOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from PIL.Image import Image

    from docspec.core import PageImage
    from docspec.core.account import VisibleWord

    Witness = Callable[[PageImage], tuple[VisibleWord, ...]]

MAX_PIXELS = 25_000_000  # twice what document models read (dots.ocr: 11.3 million); 75 MB as RGB
MAX_SIDE = 30_000
MAX_ASPECT = 200  # image processors of the Qwen family refuse more


@dataclass(frozen=True, slots=True)
class View:
    """``dpi`` is for PDF pages. ``upright`` turns pages whose text runs sideways (event ``page_turned``), ``exif``
    follows the orientation that a camera noted (``exif_followed``), ``max_pixels`` is the size beyond which pages and
    images are reduced (``page_reduced``; ``None``: never). With ``sketched`` PDF pages are drawn in small at first, and
    in full size when their pixels are used. With ``hidden``, pages keep the words that nobody sees. A ``witness`` tells
    the words of a page's file before any are taken out of it.
    """

    dpi: float = 200.0
    upright: bool = True
    exif: bool = True
    max_pixels: int | None = MAX_PIXELS
    sketched: bool = False
    hidden: bool = False
    witness: Witness | None = None

    @classmethod
    def of(cls, options: ParseOptions, witness: Witness | None = None) -> View:
        """The view of a run's options."""
        limit = None if options.max_megapixels == 0 else round(1e6 * options.max_megapixels)
        hidden = options.hidden == "keep"
        return cls(options.dpi, not options.keep_rotation, not options.ignore_exif, limit, False, hidden, witness)


def fit_scale(width: float, height: float, wanted: float, max_pixels: int | None = MAX_PIXELS) -> float:
    """The largest scale, at most ``wanted``, by which ``width`` x ``height`` stays within the limits."""
    scale = min(wanted, MAX_SIDE / max(width, height))
    return scale if max_pixels is None else min(scale, math.sqrt(max_pixels / (width * height)))


def padded(image: Image) -> tuple[Image, tuple[Event, ...]]:
    """``image``, with white added on the right or below if it is too long for any image processor, and the event of
    that; small images are left to the image processor, which enlarges them as in the model's training."""
    from PIL import Image as Pillow

    least = math.ceil(max(image.size) / MAX_ASPECT)
    width, height = max(image.width, least), max(image.height, least)
    if (width, height) == image.size:
        return image, ()
    paper = Pillow.new("RGB", (width, height), "white")
    paper.paste(image, (0, 0))
    detail = f"{image.width} x {image.height} pixels are too elongated for models; white added to {width} x {height}"
    return paper, (Event("page_padded", detail),)


def reduced(factor: float, unit: str = "") -> tuple[Event, ...]:
    """The event of a page or image that is shown at ``factor`` (below 1) of the size that was asked for."""
    if factor >= 1 - 1e-9:
        return ()
    return (Event("page_reduced", f"shown at {factor:.0%} of its size{unit}, which memory and models bear"),)
