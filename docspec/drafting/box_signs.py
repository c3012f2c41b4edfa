"""Boxes to tick in fonts whose names do not tell their signs: the print shows if a box is empty, ticked or crossed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from docspec.core import BBox
from docspec.documents.mupdf import mupdf

BOXES = re.compile("[\uf0a8\uf0fd\uf0fe\uf06f\uf071\uf052\uf053\uf054]")
"""Codes of boxes in fonts of symbols."""

PIXELS = 48.0
"""Height of a sign that is looked at."""
SIDE, FRAME, EMPTY, CROSSED = 0.2, 0.7, 0.03, 0.6
"""Width of a side over that of the box, least ink of a side, most ink in an empty box, least ink on each diagonal."""

Sign = tuple[BBox, str]
"""A place on the page, in points, and the sign that is printed there."""


def box_signs(page: Any) -> list[Sign]:
    """The boxes of a ``pymupdf.Page`` among the characters that are called so."""
    signs = []
    for span in page.get_texttrace():
        for code, _, _, box in span["chars"]:
            if BOXES.match(chr(code)) and (sign := _sign(page, BBox(*box))):
                signs.append((BBox(*box), sign))
    return signs


def with_boxes(text: str, place: BBox, signs: Sequence[Sign]) -> str:
    """``text``, printed in ``place``, with the ``signs`` there for its codes, from left to right."""
    own = sorted((box.x0, sign) for box, sign in signs if place.has_center_of(box))
    if len(own) != len(BOXES.findall(text)):
        return text
    left = iter(own)
    return BOXES.sub(lambda _: next(left)[1], text)


def _sign(page: Any, place: BBox) -> str | None:
    """The box that is printed in ``place``; ``None`` if no box is."""
    scale = PIXELS / max(place.height, 0.5)
    clip = (place.x0, place.y0, place.x1, place.y1)
    pixels = page.get_pixmap(matrix=mupdf().Matrix(scale, scale), clip=clip, alpha=False, colorspace="gray")
    ink = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width) < 128
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if len(rows) < 8 or len(columns) < 8:
        return None
    ink = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    high, wide = round(SIDE * ink.shape[0]), round(SIDE * ink.shape[1])
    sides = ink[:high].any(axis=0), ink[-high:].any(axis=0), ink[:, :wide].any(axis=1), ink[:, -wide:].any(axis=1)
    if min(side.mean() for side in sides) < FRAME:
        return None
    inside = ink[high:-high, wide:-wide]
    if inside.mean() < EMPTY:
        return "☐"
    steps = np.linspace(0, 1, 24)
    down = (steps * (inside.shape[0] - 1)).astype(int)
    across = (steps * (inside.shape[1] - 1)).astype(int)
    diagonals = inside[down, across].mean(), inside[down, across[::-1]].mean()
    return "☒" if min(diagonals) >= CROSSED else "☑"
