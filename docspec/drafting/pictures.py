"""Pictures by elimination: large patches of ink that no region of text explains.

PyMuPDF's layout model looks at text lines only, so photographs, charts and drawings escape it, and a scan
has no image objects to ask for. The pixels have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageStat

from docspec.core import BBox, Category, Region
from docspec.drafting.blank import INK, in_cells
from docspec.drafting.ink import is_decoration
from docspec.drafting.order import index_in_order

SIDE = 960  # pixels of the reduced image
CELLS = 96  # of the longer side of the page; ink within one empty cell of other ink belongs to it
MIN_SIDE = 0.05  # of the page's shorter side; thinner patches are rules and frames
MAX_ASPECT = 6.0  # longer patches are rules, bands of colour and shadows of scanners
MAX_PICTURES = 12  # more are the texture of a photographed sheet
MIN_RULE_DOWN, MIN_RULE_ACROSS = 0.3, 0.6  # of the page; longer thin lines separate and belong to nothing
THICK = 6  # pixels of the reduced image; a rule is thinner
LINES = 70  # usual lines of text on the longer side of a page
MAX_TEXT = 0.25  # share of a patch that text may cover; more is a frame around text


def with_pictures(image: Image.Image, regions: Sequence[Region], share: float = 1.0) -> list[Region]:
    """``regions`` (pixels, reading order) and, at their places, Picture regions for all other print; ``image`` may be
    that ``share`` of the page in size."""
    result = list(regions)
    for patch in find_pictures(image, [region.bbox.scaled(share) for region in regions]):
        bbox = patch.scaled(1 / share)
        result.insert(index_in_order(bbox, [region.bbox for region in result]), Region(bbox, Category.PICTURE))
    return result


def find_pictures(image: Image.Image, known: Sequence[BBox]) -> list[BBox]:
    """Boxes, in pixels, of the patches of ink outside the ``known`` boxes, from top to bottom."""
    factor = max(1, max(image.size) // SIDE)
    grey = image.convert("L").reduce(factor)
    mask = _ink_outside(grey, [box.scaled(1 / factor) for box in known])
    side = max(1, round(max(mask.shape) / CELLS))
    pictures = []
    for box in _patches(mask, side):
        left, top, right, bottom = box.rounded()
        patch = np.s_[top:bottom, left:right]
        if is_decoration(np.asarray(grey)[patch], mask[patch], max(mask.shape) / LINES):
            continue
        box = box.scaled(factor).clamped(image.width, image.height)
        text = sum(common.area for other in known if (common := box.intersection(other)) is not None)
        thin, long = sorted((box.width, box.height))
        if thin >= MIN_SIDE * min(image.size) and long <= MAX_ASPECT * thin and text <= MAX_TEXT * box.area:
            pictures.append(box)
    return sorted(pictures, key=lambda box: (box.y0, box.x0)) if len(pictures) <= MAX_PICTURES else []


def _ink_outside(grey: Image.Image, known: Sequence[BBox]) -> NDArray[np.bool_]:
    """The pixels of a ``grey`` image that differ from the commonest grey, with ``known`` boxes wiped out."""
    [paper] = ImageStat.Stat(grey).median
    mask = np.asarray(grey.point([255 * (abs(level - paper) > INK) for level in range(256)])).astype(bool)
    for box in known:
        x0, y0, x1, y1 = box.grown(1).clamped(mask.shape[1], mask.shape[0]).rounded()
        mask[y0 : y1 + 1, x0 : x1 + 1] = False
    if not mask.any():
        return mask
    return _without_rules(_without_rules(mask, MIN_RULE_DOWN).T, MIN_RULE_ACROSS).T


def _without_rules(mask: NDArray[np.bool_], length: float) -> NDArray[np.bool_]:
    """``mask`` without vertical lines thinner than :data:`THICK` pixels and longer than that share of its height."""
    import cv2

    if mask.shape[1] <= THICK:
        return _without_long(mask, mask, length)
    across, border = np.ones((1, THICK), np.uint8), cv2.BORDER_CONSTANT
    # windows of an even width have no middle: what erosion counts from the left, dilation counts from the right
    left, right = (THICK // 2, 0), (THICK - 1 - THICK // 2, 0)
    marks: NDArray[np.uint8] = mask.astype(np.uint8)
    runs = np.asarray(cv2.erode(marks, across, anchor=left, borderType=border, borderValue=(0.0,)))
    wide = np.asarray(cv2.dilate(runs, across, anchor=right, borderType=border, borderValue=(0.0,)))
    return _without_long(mask, mask & ~wide.astype(bool), length)


def _without_long(mask: NDArray[np.bool_], thin: NDArray[np.bool_], length: float) -> NDArray[np.bool_]:
    """``mask`` without those columns of its ``thin`` lines of which that share is inked."""
    thin = thin.copy()
    thin[:, thin.sum(axis=0) < length * mask.shape[0]] = False
    return np.asarray(mask & ~thin)


def _patches(mask: NDArray[np.bool_], side: int) -> Iterator[BBox]:
    """The boxes around the ink in patches of inked cells of ``side`` pixels, which hang together across at most one
    empty cell."""
    import cv2

    inked: Any = (in_cells(mask, side).mean(axis=(1, 3)) > 0.02).astype(np.uint8)
    grown = cv2.dilate(np.pad(inked, (0, 1)), np.ones((2, 2), np.uint8), anchor=(1, 1))  # two cells apart touch
    count, labels = cv2.connectedComponents(grown, connectivity=8)
    for number in range(1, count):
        rows, columns = ((labels[:-1, :-1] == number) & (inked > 0)).nonzero()
        top, left = int(rows.min()) * side, int(columns.min()) * side
        ys, xs = mask[top : (int(rows.max()) + 1) * side, left : (int(columns.max()) + 1) * side].nonzero()
        yield BBox(float(xs.min()), float(ys.min()), float(xs.max()) + 1, float(ys.max()) + 1).shifted(left, top)
