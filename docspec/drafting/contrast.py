"""The contrast of pixels with the ground that they are printed on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def contrast_of(grey: Any) -> Any:
    """The distance of each pixel of ``grey``, a signed array (rows, columns) of 0..255, from the commonest grey."""
    return np.abs(grey - ground_of(np.bincount(grey.ravel(), minlength=256)))


def ground_of(histogram: Sequence[int] | np.ndarray) -> int:
    """The commonest grey of a picture, whose ``histogram`` counts the pixels of 256 levels; four of them are one."""
    fours = np.asarray(histogram).reshape(64, 4).sum(axis=1)
    return int(fours.argmax()) * 4 + 2
