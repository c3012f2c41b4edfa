"""Where the words of an output stand on the page: the values that :mod:`docspec.places` makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from docspec.core.geometry import BBox

How = Literal["exact", "aligned", "inferred", "block", "none"]
"""How a place is known. ``exact``: the page has this word there. ``aligned``: the page has another one there, and its
likeness or its neighbours say that the two are the same. ``inferred``: its place is that of its share of a stretch
between words that are known. ``block``: only the place of its block is known. ``none``: the page, whose words are
known, has nothing in this place."""

HOWS: tuple[How, ...] = ("exact", "aligned", "inferred", "block", "none")


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word of a block: what is shown of the characters ``start`` to ``end`` (exclusive) of the block's text, and its
    boxes in page-image pixels: one, several where the print breaks it, none if its place is not known. ``certainty``
    (0..1) is the share of such words that are right."""

    text: str
    start: int
    end: int
    how: How
    certainty: float
    boxes: tuple[BBox, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether the word has a place of its own."""
        return bool(self.boxes) and self.how in ("exact", "aligned", "inferred")


@dataclass(frozen=True, slots=True)
class PlacedCell:
    """A cell of a table: the characters of the block's text that it holds, its first row and column (from 0), how many
    of each it takes, and its box: that of the drawn cell if the draft has it, else the one around its words."""

    start: int
    end: int
    row: int
    column: int
    rows: int = 1
    columns: int = 1
    bbox: BBox | None = None
