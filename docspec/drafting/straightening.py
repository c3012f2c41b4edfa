"""Straightens pictures of pages, and brings boxes from the straightened page back to the picture.

Turned pages are seen so by the target, too; from above and without their lean only with ``straighten``
(``PageDraft.seen`` and ``PageDraft.straight``).

Scans that lie on their side or stand on their head are found by their lines, of which the recogniser reads few surely,
or which are higher than wide: a sample of them, read both ways round, tells how the page lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from docspec.core import BBox, Event, PageDraft, PageImage
from docspec.core.scripts import scripts_of
from docspec.core.straightening import Projection, Straightening
from docspec.drafting.lines import TextLine

if TYPE_CHECKING:
    from docspec.drafting.recogniser import Recogniser

MARGIN = 0.1
"""Of the height of a line: white that its picture has around it. With more, parts of its neighbours are read."""

UPRIGHT = 1.5
"""Height over width from which on a line runs upwards; RapidOCR turns such lines, too."""

QUARTERS = (None, Image.Transpose.ROTATE_270, Image.Transpose.ROTATE_180, Image.Transpose.ROTATE_90)


def turned_image(image: Image.Image, turns: int) -> Image.Image:
    """``image`` turned clockwise by so many quarter turns."""
    way = QUARTERS[turns % 4]
    return image if way is None else image.transpose(way)


def straight_image(image: Image.Image, how: Straightening) -> Image.Image:
    """An RGB ``image`` straightened, white where it shows nothing."""
    if how.sheet is None:
        image = turned_image(image, how.turns)
        if not how.tilt:
            return image
        return image.rotate(how.tilt, resample=Image.Resampling.BICUBIC, fillcolor="white")
    import cv2

    size = how.size(*image.size)
    middle = Projection((1.0, 0.0, 0.5, 0.0, 1.0, 0.5, 0.0, 0.0, 1.0))  # OpenCV counts from the middles of pixels
    matrix = middle.then(how.projection(*image.size)).then(middle.inverse()).matrix
    pixels = cv2.warpPerspective(
        np.asarray(image.convert("RGB")),
        np.array(matrix).reshape(3, 3),
        size,
        flags=cv2.INTER_CUBIC,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(255, 255, 255),
    )
    return Image.fromarray(pixels)


def straight_page(page: PageImage, how: Straightening) -> PageImage:
    """``page`` straightened; where it changes, without the PDF page, which does not change."""
    return replace(page, image=straight_image(page.image, how), pdf_page=None) if how else page


def as_seen(page: PageImage, draft: PageDraft) -> PageImage:
    """``page`` as the target sees it."""
    return straight_page(page, draft.seen)


def as_printed(box: BBox, how: Straightening, page: PageImage) -> BBox:
    """The box of the straightened page on ``page``, large enough to hold all of it."""
    if how:
        box = how.projection(page.width, page.height).inverse().box(box)
    return box.clamped(page.width, page.height)


def straightened(page: PageImage, draft: PageDraft) -> tuple[PageImage, PageDraft]:
    """The page as the target sees it and its draft, straightened for the drafter: lines run to the right."""
    how = draft.straight
    if not how:
        return page, draft
    size, there = how.size(page.width, page.height), how.projection(page.width, page.height)
    regions = []
    for region in draft.regions:
        box = BBox.union(line.bbox for line in region.lines) if region.lines else there.resized(region.bbox)
        regions.append(replace(region, bbox=box.clamped(*size)))
    straight = replace(page, image=straight_image(page.image, how))
    return straight, replace(draft, regions=tuple(regions), straight=Straightening())


def straightening(draft: PageDraft) -> tuple[Event, ...]:
    """The events of a page that was turned or straightened."""
    events = []
    if turns := draft.seen.turns:
        way = "upside down" if turns == 2 else "sideways"
        detail = f"its recognised text runs {way}; turned by {90 * turns} degrees clockwise"
        events.append(Event("page_turned", detail))
    if draft.seen.sheet or draft.seen.tilt:
        what = "a sheet photographed in perspective" if draft.seen.sheet else f"{draft.seen.tilt:+.1f} degrees askew"
        events.append(Event("page_straightened", f"{what}; shown straight (straighten = true)"))
    elif draft.straight.sheet:
        detail = "a sheet photographed in perspective was recognised as from above; its boxes are in the photograph"
        events.append(Event("sheet_found", f"{detail} (--set straighten=true shows it to the model straight)"))
    return tuple(events)


def straight_line(grey: np.ndarray, quad: Any) -> Image.Image:
    """The part of a ``grey`` page within the quadrilateral ``quad`` and a margin, as an upright rectangle."""
    import cv2

    corners = np.asarray(quad, dtype=np.float32)
    across = corners[1] - corners[0] + corners[2] - corners[3]
    down = corners[3] - corners[0] + corners[2] - corners[1]
    width, height = float(np.linalg.norm(across)) / 2, float(np.linalg.norm(down)) / 2
    margin = MARGIN * min(width, height)
    right, below = margin * across / (2 * width or 1), margin * down / (2 * height or 1)
    grown = corners + np.array([-right - below, right - below, right + below, below - right])
    size = max(1, round(width + 2 * margin)), max(1, round(height + 2 * margin))
    upright = np.array([(0, 0), (size[0], 0), size, (0, size[1])], dtype=np.float32)
    turned = cv2.getPerspectiveTransform(grown.astype(np.float32), upright)
    line = cv2.warpPerspective(grey, turned, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    tall = size[1] >= UPRIGHT * size[0]
    return Image.fromarray(np.rot90(line) if tall else line)


SAMPLE = 6
"""Lines that are read both ways round."""

LEAST = 3
"""Fewer lines do not decide for a page."""

LETTERS = 6
"""Least characters of a line that show which way up it is."""

SIDEWAYS = 0.7
"""Share of a page's characters in such lines from which on it lies on its side."""

SURE = 0.9
"""Mean confidence (0..1) of the lines of pages that are the right way up."""

BETTER = 0.15
"""Least gain of confidence (0..1) for the other way round."""

UPWARDS = frozenset({"Han", "Kana", "Hangul"})
"""Scripts that are set from top to bottom."""


def turns_of(image: Image.Image, lines: Sequence[TextLine], recogniser: Recogniser) -> int:
    """The quarter turns, clockwise, that bring a page ``image`` upright; its ``lines`` were recognised as it lies."""
    total = sum(len(line.text) for line in lines)
    long = sorted(lines, key=lambda line: -max(line.bbox.width, line.bbox.height))
    sample = [line for line in long if len(line.text) >= LETTERS][:SAMPLE]
    if len(sample) < LEAST or not total:
        return 0
    tall = sum(len(line.text) for line in lines if line.bbox.height > UPRIGHT * line.bbox.width)
    if tall >= SIDEWAYS * total:
        scripts = scripts_of("".join(line.text for line in lines))
        if sum(scripts[name] for name in UPWARDS) > scripts.total() / 2:
            return 0
        ways = 1, 3
    elif sum(line.confidence * len(line.text) for line in lines) >= SURE * total:
        return 0
    else:
        ways = 0, 2
    scores = [fmean(_read(image, line.bbox, turns, recogniser) for line in sample) for turns in ways]
    if ways == (0, 2):
        return 2 if scores[1] >= scores[0] + BETTER else 0
    return ways[scores.index(max(scores))]


def _read(image: Image.Image, box: BBox, turns: int, recogniser: Recogniser) -> float:
    """The recogniser's confidence for a line after so many quarter turns."""
    part = box.grown(2).clamped(image.width, image.height).rounded()
    return recogniser.read_line(turned_image(image.crop(part), turns))[1]
