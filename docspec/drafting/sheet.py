"""Finds the sheet in a photograph: a quadrilateral brighter than the table that it lies on.

Everything happens on a small copy of the picture. Outlines are sought at edges and at thresholds of brightness and of
colour; one is the sheet if a step from dark to bright runs along all four of its sides. A frame that is drawn on paper
has no such step, a scan has no table, and a sheet that lies straight needs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from PIL import Image

from docspec.core.straightening import Corners, Projection
from docspec.drafting.recogniser import Recogniser
from docspec.drafting.straightening import straight_line, turned_image

SIDE = 640
"""Pixels of the longer side of the small copy; a sheet's corners are found to a pixel of it."""

LEAST_SIDE = 200
"""Pixels; a smaller picture shows no sheet with its table."""

LEAST_AREA = 0.2
"""Least share of the picture that a sheet covers."""

STEP = 12.0
"""Least step of brightness, of 255, from the table to the sheet."""

ALONG = 0.85
"""Least share of each side along which there is such a step."""

CLEAR, NEAR = 3.0, 6.0
"""Pixels of the small copy from a side to the first and to the last place where brightness is taken."""

SAMPLES = 48
"""Places along a side."""

BORDER = 2.0
"""Pixels of the small copy: a side so near to the edge of the picture has no table behind it."""

INSET = 1.5
"""Pixels of the small copy by which the corners are taken inwards, so that nothing of the table looks like a rule."""

SKEWED = 0.012
"""Least distance of a corner from that of an upright rectangle, as a share of the picture's longer side. Straighter
sheets need no straightening."""

MOST_BESIDE, LEGIBLE, LETTERS = 12, 0.8, 3
"""Of so many lines beside the sheet one is print from such a confidence (0..1) and so many letters on; the detector
takes the grain of wood for lines, too."""

ROUNDNESS = (0.012, 0.02, 0.03, 0.05)
"""Tolerances, in lengths of an outline, within which it is a quadrilateral."""


def sheet_in(image: Image.Image) -> Corners | None:
    """The corners of the sheet in a photograph, as shares of its width and height, from the upper left one clockwise;
    ``None`` for other pictures."""
    factor = max(1, max(image.size) // SIDE)
    reduced = image.convert("RGB").reduce(factor)
    if min(image.size) < LEAST_SIDE or not _has_table(np.asarray(reduced.convert("L"))):
        return None
    import cv2

    reduced.thumbnail((SIDE, SIDE))
    pixels = np.asarray(reduced)
    height, width = pixels.shape[:2]
    grey: Any = cv2.GaussianBlur(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), (5, 5), 0)
    outlines = [quad for mask in _masks(pixels, grey) if (quad := _quadrilateral(mask)) is not None]
    fitted = [_fitted(quad, grey) for quad in outlines]
    sheets = [quad for quad in fitted if _is_sheet(quad, grey)]
    if not sheets:
        return None
    sheet = max(sheets, key=_area)  # a smaller one ends where a shadow begins
    inner = sheet + INSET * np.sign(sheet.mean(axis=0) - sheet)
    return _corners((inner + 0.5) / (width, height)) if _is_skewed(sheet) else None


def lone_sheet_in(image: Image.Image, recogniser: Recogniser) -> Corners | None:
    """:func:`sheet_in` if nothing is printed beside it: then all of the picture must be read."""
    corners = sheet_in(image)
    if corners is None:
        return None
    sheet, grey = Projection.onto(corners).inverse(), np.asarray(image.convert("L"))
    beside = []
    for quad in recogniser.find_lines(image):
        x, y = sheet.point(*(np.mean(quad, axis=0) / image.size).tolist())
        if not (0 <= x <= 1 and 0 <= y <= 1):
            beside.append(straight_line(grey, quad))
    read = recogniser.read_lines([turned_image(line, turns) for line in beside[:MOST_BESIDE] for turns in (0, 2)])
    printed = any(sure >= LEGIBLE and sum(map(str.isalnum, text)) >= LETTERS for text, sure in read)
    return None if printed else corners


def _has_table(grey: np.ndarray) -> bool:
    """Whether the rim of a picture is darker than what is inside; it is paper in scans."""
    rim = np.concatenate([grey[:3].ravel(), grey[-3:].ravel(), grey[:, :3].ravel(), grey[:, -3:].ravel()])
    return float(np.quantile(grey, 0.8) - np.median(rim)) >= STEP


def _masks(pixels: np.ndarray, grey: Any) -> Iterator[Any]:
    """Boolean pictures (0 and 255), in one of which the sheet may be a single patch."""
    import cv2

    around = np.ones((9, 9), np.uint8)
    saturation: Any = cv2.GaussianBlur(cv2.cvtColor(pixels, cv2.COLOR_RGB2HSV)[..., 1], (5, 5), 0)
    for channel, kind in ((grey, cv2.THRESH_BINARY), (saturation, cv2.THRESH_BINARY_INV)):
        _, bright = cv2.threshold(channel, 0, 255, kind | cv2.THRESH_OTSU)
        yield cv2.morphologyEx(bright, cv2.MORPH_CLOSE, around)
    for low in (20, 60):
        edges = cv2.dilate(cv2.Canny(grey, low, 3 * low), np.ones((3, 3), np.uint8))
        yield cv2.morphologyEx(edges, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))


def _quadrilateral(mask: Any) -> np.ndarray | None:
    """The four corners of the largest patch of ``mask``, float ``(4, 2)`` from the upper left one clockwise, if its
    outline is a large quadrilateral."""
    import cv2

    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if not outlines:
        return None
    hull: Any = cv2.convexHull(max(outlines, key=cv2.contourArea))
    if cv2.contourArea(hull) < LEAST_AREA * mask.size:
        return None
    length = cv2.arcLength(hull, True)
    for share in ROUNDNESS:
        corners = cv2.approxPolyDP(hull, share * length, True)
        if len(corners) == 4:
            return _ordered(corners[:, 0].astype(np.float64))
    return None


def _area(quad: np.ndarray) -> float:
    import cv2

    return cv2.contourArea(quad.astype(np.float32))


def _ordered(corners: np.ndarray) -> np.ndarray:
    """``corners`` from the upper left one clockwise."""
    middle = corners.mean(axis=0)
    angles = np.arctan2(*(corners - middle).T[::-1])
    clockwise = corners[np.argsort(angles)]
    first = int(np.argmin(clockwise.sum(axis=1)))
    return np.roll(clockwise, -first, axis=0)


def _sides(quad: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Of each side, from the upper one clockwise: places along it, ``(SAMPLES, 2)``, and the direction inwards."""
    shares = np.linspace(0.04, 0.96, SAMPLES)[:, None]
    for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        along = (end - start) / (np.linalg.norm(end - start) or 1.0)
        yield start + shares * (end - start), np.array([-along[1], along[0]])


def _brightness(grey: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The brightness at ``places`` (x and y in the last axis); NaN outside the picture."""
    columns, rows = np.round(places[..., 0]).astype(int), np.round(places[..., 1]).astype(int)
    inside = (columns >= 0) & (columns < grey.shape[1]) & (rows >= 0) & (rows < grey.shape[0])
    levels = grey[rows.clip(0, grey.shape[0] - 1), columns.clip(0, grey.shape[1] - 1)].astype(np.float64)
    return np.where(inside, levels, np.nan)


def _is_sheet(quad: np.ndarray, grey: np.ndarray) -> bool:
    """Whether all along its four sides ``quad`` is brighter than what surrounds it."""
    height, width = grey.shape
    if (quad.min(axis=0) < BORDER).any() or (quad.max(axis=0) > (width - BORDER, height - BORDER)).any():
        return False
    steps = np.arange(CLEAR, NEAR + 1)[:, None, None]
    for places, inwards in _sides(quad):
        inside = _brightness(grey, places + steps * inwards).max(axis=0)  # print at the edge is dark
        outside = _brightness(grey, places - steps * inwards).min(axis=0)
        if np.mean(inside - outside >= STEP) < ALONG:
            return False
    return True


def _fitted(quad: np.ndarray, grey: np.ndarray) -> np.ndarray:
    """``quad`` with its sides moved to where the step of brightness is steepest."""
    import cv2

    reach = np.arange(-NEAR, NEAR + 1)
    lines = []
    for places, inwards in _sides(quad):
        profile = _brightness(grey, places + reach[:, None, None] * inwards)
        steepest = np.nan_to_num(profile[2:] - profile[:-2], nan=-1.0).argmax(axis=0)
        edge = (places + reach[1:-1][steepest][:, None] * inwards).astype(np.float32)
        x, y, px, py = cv2.fitLine(edge, cv2.DIST_HUBER, 0, 0.01, 0.01)[[0, 1, 2, 3], 0].tolist()
        lines.append((y, -x, y * px - x * py))  # a x + b y = c
    corners = []
    for (a, b, c), (d, e, f) in zip(lines[-1:] + lines[:-1], lines, strict=True):
        whole = a * e - b * d
        if abs(whole) < 1e-6:
            return quad
        corners.append(((c * e - b * f) / whole, (a * f - c * d) / whole))
    return np.array(corners)


def _is_skewed(quad: np.ndarray) -> bool:
    """Whether a corner of ``quad`` lies beside that of an upright rectangle."""
    (left, top), (right, bottom) = np.sort(quad, axis=0)[:2].mean(axis=0), np.sort(quad, axis=0)[2:].mean(axis=0)
    upright = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
    return float(np.abs(quad - upright).max()) >= SKEWED * SIDE


def _corners(quad: np.ndarray) -> Corners:
    first, second, third, fourth = ((float(x), float(y)) for x, y in quad)
    return first, second, third, fourth
