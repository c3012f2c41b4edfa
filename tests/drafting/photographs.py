"""Photographs of sheets, made on the spot: in perspective, on a table, in the shadow of something."""

from __future__ import annotations

from typing import Literal

import cv2
import numpy as np
from PIL import Image

from docspec.core.straightening import Corners

Table = Literal["wood", "dark", "grey"]

TURNED: Corners = ((0.22, 0.05), (0.93, 0.17), (0.78, 0.95), (0.06, 0.83))
FROM_BELOW: Corners = ((0.24, 0.10), (0.78, 0.06), (0.95, 0.93), (0.05, 0.90))
FROM_THE_SIDE: Corners = ((0.10, 0.05), (0.85, 0.20), (0.88, 0.85), (0.07, 0.96))


def photograph(sheet: Image.Image, corners: Corners, table: Table = "wood", shadow: float = 1.0) -> Image.Image:
    """``sheet`` with its corners at these shares of the picture, which is a fifth wider; what is right and below of a
    slanting edge has so much of the light (``shadow``)."""
    pixels = np.asarray(sheet.convert("RGB"))
    high, wide = pixels.shape[:2]
    frame = round(1.2 * wide), round(1.2 * high)
    noise = np.random.default_rng(5)
    y, x = np.mgrid[0 : frame[1], 0 : frame[0]]
    grain = 70 + 18 * np.sin(y / 23 + 3 * np.sin(x / 190)) if table == "wood" else {"dark": 40.0, "grey": 175.0}[table]
    ground = np.broadcast_to(np.asarray(grain)[..., None] + np.array([25, 5, -15]), (*frame[::-1], 3))
    source = np.array([(0, 0), (wide, 0), (wide, high), (0, high)], dtype=np.float32)
    placed = cv2.getPerspectiveTransform(source, (np.array(corners) * frame).astype(np.float32))
    lying = cv2.warpPerspective(pixels, placed, frame, flags=cv2.INTER_AREA)
    share = cv2.warpPerspective(np.ones((high, wide), np.float32), placed, frame)[..., None]
    light = cv2.GaussianBlur(np.where(0.6 * x / frame[0] + 0.5 * y / frame[1] > 0.55, shadow, 1.0), (0, 0), 15)
    seen = (ground * (1 - share) + lying * share) * light[..., None] + noise.normal(0, 4, (*frame[::-1], 1))
    return Image.fromarray(seen.clip(0, 255).astype(np.uint8))
