"""Crooked pages: boxes on the page as it was scanned, and on the page turned upright about its middle."""

from __future__ import annotations

import math
from dataclasses import replace

from PIL import Image

from docspec.core import BBox, PageDraft, PageImage


def turned(x: float, y: float, degrees: float, width: int, height: int) -> tuple[float, float]:
    """A point turned clockwise (y downwards) about the middle of a page of ``width`` x ``height``."""
    angle = math.radians(degrees)
    dx, dy = x - width / 2, y - height / 2
    return (
        width / 2 + dx * math.cos(angle) - dy * math.sin(angle),
        height / 2 + dx * math.sin(angle) + dy * math.cos(angle),
    )


def as_printed(box: BBox, tilt: float, page: PageImage) -> BBox:
    """The box on the crooked page, large enough to hold the whole turned box."""
    return leaning(box, tilt, page.width, page.height).clamped(page.width, page.height)


def leaning(box: BBox, tilt: float, width: int, height: int) -> BBox:
    """The box around the corners of ``box``, turned clockwise by ``tilt`` degrees about the middle of an image."""
    if not tilt:
        return box
    corners = [turned(x, y, tilt, width, height) for x in (box.x0, box.x1) for y in (box.y0, box.y1)]
    return BBox.union(BBox(x, y, x, y) for x, y in corners)


def straightened(page: PageImage, draft: PageDraft) -> tuple[PageImage, PageDraft]:
    """The page and its draft turned upright by the draft's tilt."""
    tilt = draft.tilt
    if not tilt:
        return page, draft
    image = page.image.rotate(tilt, resample=Image.Resampling.BICUBIC, fillcolor="white")
    regions = []
    for region in draft.regions:
        box = region.bbox
        if region.lines:
            box = BBox.union(line.bbox for line in region.lines)
        else:
            x, y = turned(box.center_x, box.center_y, -tilt, page.width, page.height)
            box = BBox(x - box.width / 2, y - box.height / 2, x + box.width / 2, y + box.height / 2)
        regions.append(replace(region, bbox=box.clamped(page.width, page.height)))
    return replace(page, image=image), replace(draft, regions=tuple(regions), tilt=0.0)
