"""Whether there is anything on a page at all: models invent text for empty ones.

Ink is what differs from the paper around it, so that grey, coloured and unevenly lit paper is still paper;
specks and the dark edges of scans are not ink.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from docspec.core import PageDraft, PageImage

if TYPE_CHECKING:
    from PIL.Image import Image

FAINT = 14  # grey levels; a difference that could still be print
INK = 40  # grey levels; certainly print
MARGIN = 0.015  # of each side, where scanners leave shadows
SIDE = 1000  # pixels along a side of the image that is looked at, were it a square
CELL = 16  # pixels; a cell is about 4 mm of an A4 page
MIN_CELL = 8  # pixels of ink in one cell: half of a single small digit, more than dust


def is_blank(page: PageImage, draft: PageDraft | None = None) -> bool:
    """Whether the page is empty: no ink, and nothing faint either where the draft claims that there is
    text.
    """
    if draft is not None and not draft.is_empty:
        return densest_ink(page.image, FAINT) < MIN_CELL
    return densest_ink(page.image, INK) < MIN_CELL


def densest_ink(image: Image, contrast: float) -> int:
    """The most pixels, in any cell of a grid over the reduced image without its margins, that differ from
    their surroundings by more than ``contrast`` grey levels."""
    import numpy as np
    from PIL import Image as Pillow

    grey = image.convert("L")
    # Averaging removes single specks. By the area: by its length, a receipt would lose its letters.
    grey = grey.reduce(max(1, round(math.sqrt(grey.width * grey.height) / SIDE)))
    left, top = int(grey.width * MARGIN), int(grey.height * MARGIN)
    grey = grey.crop((left, top, grey.width - left, grey.height - top))
    coarse = grey.reduce((max(1, grey.width // 24), max(1, grey.height // 24)))
    paper = coarse.resize(grey.size, Pillow.Resampling.BILINEAR)
    difference = np.abs(np.asarray(grey, dtype=np.int16) - np.asarray(paper, dtype=np.int16))
    rows, columns = -(-grey.height // CELL), -(-grey.width // CELL)
    cells = np.zeros((rows * CELL, columns * CELL), dtype=np.int32)
    cells[: grey.height, : grey.width] = difference > contrast
    return int(cells.reshape(rows, CELL, columns, CELL).sum(axis=(1, 3)).max())
