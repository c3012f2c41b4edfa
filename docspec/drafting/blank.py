"""Whether there is anything on a page at all: models invent text for empty ones.

A page is empty only where nothing stands on it: no text layer, no draft, and no ink that could be told from the paper.
Ink differs from the paper around it by more than the paper itself varies, so that grey, coloured and unevenly
lit paper of a scan is still paper; single specks and the dark edges of scans are not ink. In doubt the page is not
empty, and the model is asked.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from docspec.core import PageDraft, PageImage
from docspec.documents.painting import images_of, text_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

INK = 40  # grey levels; certainly print
FLAT = 2  # levels that rendering and compression add to a single colour
FAINT = 3.0  # levels; print in grey 250 on white
NOISE = 6.0  # times the variation of the paper, which even a large sheet does not reach by chance in a cluster
COARSEST = 15.0  # levels that paper varies by; a surface that varies more is no paper
QUARTILE = 0.4506  # of the difference of two equal normal variables, in their standard deviations
MARGIN = 0.015  # of each side, where scanners leave shadows
SIDE = 1000  # pixels along a side of the reduced image, were it a square
CELL = 16  # pixels; a cell is about 4 mm of an A4 page
TINY = 64 * 64
"""Pixels of a picture that is small enough for a letter to fill it: no paper around it tells ink from noise."""
MIN_CELL = 8  # pixels of ink in one cell: half of a single small digit, more than dust


def is_blank(page: PageImage, draft: PageDraft | None = None) -> bool:
    """Whether the page is empty: no draft of it, no text layer, nothing drawn and nothing in its picture."""
    return (draft is None or draft.is_empty) and not _has_text(page) and not has_ink(page)


def has_ink(page: PageImage) -> bool:
    """Whether anything can be seen on the page. Only pictures have paper and noise; all that a PDF draws counts."""
    extrema: Any = page.image.getextrema()
    if all(high - low <= FLAT for low, high in extrema):
        return False
    if page.pdf_page is not None and not images_of(page.pdf_page):
        return True
    if page.image.width * page.image.height <= TINY:
        return True
    return densest_ink(page.image) >= MIN_CELL


def _has_text(page: PageImage) -> bool:
    if page.pdf_page is None:
        return False
    return bool(text_of(page.pdf_page).strip())


def densest_ink(image: Image) -> int:
    """The most pixels, in any cell of a grid over the reduced image without its margins, that differ from their
    surroundings, in any colour, by more than the paper varies."""
    import numpy as np

    # Averaging removes single specks. By the area: by its length, a receipt would lose its letters.
    small = image.reduce(max(1, round(math.sqrt(image.width * image.height) / SIDE)))
    left, top = int(small.width * MARGIN), int(small.height * MARGIN)
    small = small.crop((left, top, small.width - left, small.height - top))
    ink = np.zeros((small.height, small.width), dtype=bool)
    for channel in small.convert("RGB").split():
        ink |= np.abs(_from_paper(channel)) > max(FAINT, NOISE * min(COARSEST, _variation(channel)))
    return int(in_cells(ink, CELL).sum(axis=(1, 3)).max())


def in_cells(mask: NDArray[np.bool_], side: int) -> NDArray[np.bool_]:
    """The pixels of ``mask`` in cells of ``side`` x ``side`` as (rows, side, columns, side), the last ones padded."""
    import numpy as np

    padded = np.pad(mask, [(0, -length % side) for length in mask.shape])
    return padded.reshape(padded.shape[0] // side, side, padded.shape[1] // side, side)


def _variation(channel: Image) -> float:
    """The standard deviation of the paper, in levels, from the flattest quarter of neighbours: even a page full of
    print has that much paper."""
    import numpy as np

    levels = np.asarray(channel, dtype=np.int16)[::3]
    steps = np.abs(levels[:, 2:] - levels[:, :-2])
    return float(np.quantile(steps, 0.25)) / QUARTILE if steps.size else 0.0


def _from_paper(channel: Image) -> NDArray[np.int16]:
    """The difference of each pixel from the paper around it, in levels."""
    import numpy as np
    from PIL import Image as Pillow

    coarse = channel.reduce((max(1, channel.width // 24), max(1, channel.height // 24)))
    paper = coarse.resize(channel.size, Pillow.Resampling.BILINEAR)
    return np.asarray(channel, dtype=np.int16) - np.asarray(paper, dtype=np.int16)
