"""Uneven light on a photographed page: shadows are taken out by dividing by the brightness of the paper.

Recognisers lose lines in deep shadow, and find others in its edges, without being unsure. So a page is read again with
even light if the paper under its lines is of unequal brightness, and the reading with more sure letters is kept.
Tesseract, which loses half of a line that the edge of a shadow crosses, gets lines in even light at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from PIL import Image

from docspec.core import BBox, Event, PageDraft, PageImage, Region
from docspec.core.straightening import Straightening
from docspec.drafting.ink import unread_regions
from docspec.drafting.lines import TextLine
from docspec.drafting.recogniser import PageReader, Reading
from docspec.drafting.straightening import as_printed

SIDE = 400
"""Pixels of the longer side of the map of the paper's brightness, about."""

LETTER = 15
"""Pixels of that map: darker spots that are smaller are print."""

SMOOTH = 2.5
"""Pixels of that map over which brightness is averaged."""

UNEVEN = 0.75
"""Most brightness of the darkest lines' paper beside that of the brightest. Grey panels in print are brighter."""

DARK = 0.6
"""Least brightness of most of a line beside that of its paper; lines of white letters are darker."""

PIECES = 4
"""Parts of a line that are looked at one by one: the edge of a shadow may cross all lines."""

TENTH = 0.1
"""Share of the letters that stand on the darkest, and on the brightest, paper."""

DARKEST = 8.0
"""Least brightness, of 255, that is enlarged; below is noise."""

WHITE = 235.0
"""Brightness of the evened paper."""

NOISY = 2.0
"""Gain of brightness from which on noise is taken out before it is enlarged."""

GAIN = 1.005
"""Least ratio of sure letters with even light to those without for which the first are kept."""


def _small(image: Image.Image) -> Any:
    return np.asarray(image.convert("L").reduce(max(1, max(image.size) // SIDE)))


def _paper(small: Any) -> np.ndarray:
    """The brightness (0..255) of the paper of a ``small`` grey picture, float32."""
    import cv2

    paper = cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones((LETTER, LETTER), np.uint8))
    return cv2.GaussianBlur(paper.astype(np.float32), (0, 0), SMOOTH)


def is_uneven(image: Image.Image, lines: Sequence[tuple[BBox, str]]) -> bool:
    """Whether the paper under the ``lines`` of an ``image``, by their letters, is of unequal brightness."""
    if not lines:
        return False
    small = _small(image)
    paper = _paper(small)
    scale = paper.shape[1] / image.width
    levels: list[float] = []
    for box, text in lines:
        left, top, right, bottom = box.scaled(scale).clamped(paper.shape[1] - 1, paper.shape[0] - 1).rounded()
        grey, ground = (own[top : bottom + 1, left : right + 1] for own in (small, paper))
        if np.median(grey / np.maximum(ground, 1.0)) <= DARK:  # the letters are the bright part
            continue
        ends = np.linspace(left, right + 1, PIECES + 1).round().astype(int).tolist()
        pieces = [paper[top : bottom + 1, start:end] for start, end in pairwise(ends) if start < end]
        levels += [float(np.median(piece)) for piece in pieces for _ in range(max(1, len(text) // PIECES))]
    if not levels:
        return False
    dark, bright = np.quantile(levels, [TENTH, 1 - TENTH])
    return bool(dark < UNEVEN * bright)


def evened(image: Image.Image) -> Image.Image:
    """The RGB ``image`` with paper of one brightness."""
    import cv2

    paper = cv2.resize(_paper(_small(image)), image.size, interpolation=cv2.INTER_LINEAR)
    gain = (WHITE / np.maximum(paper, DARKEST))[..., None]
    pixels: Any = np.asarray(image.convert("RGB"))
    pixels = np.where(gain < NOISY, pixels, cv2.medianBlur(pixels, 3))
    return Image.fromarray((pixels * gain).clip(0, 255).astype(np.uint8))


def read_evenly(page: PageImage, reading: Reading, reader: PageReader) -> tuple[PageImage, Reading] | None:
    """``page`` in even light, and its ``reading`` or, where ``reader`` is surer of more, that in even light; ``None``
    if the light is even."""
    lean = Straightening(tilt=reading.tilt)
    if not is_uneven(page.image, [(as_printed(line.bbox, lean, page), line.text) for line in reading.lines]):
        return None
    even = replace(page, image=evened(page.image))
    if reading.recogniser.evens_light:
        return even, reading
    again = reader.read(even)
    if sure_letters(again.lines) < GAIN * sure_letters(reading.lines):
        return even, reading
    detail = "it lies in uneven light; recognised with its shadows taken out"
    return even, replace(again, events=(*again.events, Event("light_evened", detail)))


def ink_left(page: PageImage, draft: PageDraft) -> list[Region]:
    """The print outside the regions of ``draft`` (:func:`unread_regions`), on ``page`` as the drafter saw it: shadows
    are no ink."""
    return unread_regions(evened(page.image) if draft.evened else page.image, draft.regions)


def sure_letters(lines: Sequence[TextLine]) -> float:
    """The letters of ``lines``, each as much as the recogniser is sure of it."""
    return sum(line.confidence * len("".join(line.text.split())) for line in lines)
