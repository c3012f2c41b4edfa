"""Whether there is anything on a page at all: models invent text for empty ones.

Ink is what differs from the paper around it, so that grey, coloured and unevenly lit paper is still paper;
specks and the dark edges of scans are not ink.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from docspec.core import PageDraft, PageImage

if TYPE_CHECKING:
    from PIL.Image import Image

FAINT = 14  # grey levels; a difference that could still be print
INK = 40  # grey levels; certainly print
MARGIN = 0.015  # of each side, where scanners leave shadows
MIN_SHARE = 2.5e-5  # of the pixels; half of a single digit on an A4 page
SIDE = 600  # pixels of the image that is looked at


def is_blank(page: PageImage, draft: PageDraft | None = None) -> bool:
    """Whether the page is empty: no ink, and nothing faint either where the draft claims that there is
    text.
    """
    if draft is not None and not draft.is_empty:
        return ink_share(page.image, FAINT) < MIN_SHARE
    return ink_share(page.image, INK) < MIN_SHARE


def ink_share(image: Image, contrast: float) -> float:
    """Share (0..1) of the pixels that differ from their surroundings by more than ``contrast`` grey levels."""
    import numpy as np
    from PIL import Image as Pillow

    grey = image.convert("L")
    grey = grey.reduce(max(1, max(grey.size) // (2 * SIDE)))  # averaging removes single specks
    left, top = int(grey.width * MARGIN), int(grey.height * MARGIN)
    grey = grey.crop((left, top, max(left + 1, grey.width - left), max(top + 1, grey.height - top)))
    coarse = grey.reduce((max(1, grey.width // 24), max(1, grey.height // 24)))
    paper = coarse.resize(grey.size, Pillow.Resampling.BILINEAR)
    difference = np.abs(np.asarray(grey, dtype=np.int16) - np.asarray(paper, dtype=np.int16))
    return float((difference > contrast).mean())
