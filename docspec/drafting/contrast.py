"""How far pixels stand out from the ground that they are printed on."""

from __future__ import annotations

from typing import Any

import numpy as np


def contrast_of(grey: Any) -> Any:
    """How far each pixel of ``grey``, a signed array (rows, columns) of 0..255, lies from the commonest grey."""
    ground = int(np.bincount((grey >> 2).ravel(), minlength=64).argmax()) * 4 + 2
    return np.abs(grey - ground)
