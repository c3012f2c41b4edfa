"""What parts a page into two from its top to its foot: a panel of colour at its side, or a rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from docspec.drafting.structure.tokens import PageTokens

BLEED, PANELS = 0.05, 2
"""Most share of the page's height above and below what parts a page into two, and most of these on a page."""


def beside_panels(page: PageTokens) -> list[NDArray[np.bool_]]:
    """Which tokens stand on the left of each edge of a filled panel and of each upright rule that run from the top of
    the page to its foot and through no token; none where more of these are the columns of a table."""
    boxes = np.array([token.box for token in page.tokens], np.float32)
    fills = np.asarray(page.fills, np.float32).reshape(-1, 4)
    found: list[NDArray[np.bool_]] = []
    for y0, y1, x in (*fills[:, [1, 3, 0]], *fills[:, [1, 3, 2]], *page.upright):
        left = boxes[:, 2] <= x + 1
        parts = left.any() and not left.all() and bool((left | (boxes[:, 0] >= x - 1)).all())
        whole = y0 <= BLEED * page.height and y1 >= (1 - BLEED) * page.height
        if whole and parts and not any((left == one).all() for one in found):
            found.append(left)
    return found if len(found) <= PANELS else []
