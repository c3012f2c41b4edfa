"""The words of an invisible text layer, page by page: what is handed to the child that writes it."""

from __future__ import annotations

from dataclasses import dataclass

from docspec.core import BBox
from docspec.core.straightening import NOTHING, Straightening


@dataclass(frozen=True, slots=True)
class LayerWord:
    """A word of the layer: its box, and the way its letters run (1: rightwards, -1: leftwards, 2: down, -2: up).
    ``is_kept``: its page keeps its own layer, and the word is written only if that lacks it in its ``boxes``."""

    text: str
    bbox: BBox
    way: int = 1
    is_kept: bool = False
    boxes: tuple[BBox, ...] = ()


@dataclass(frozen=True, slots=True)
class LayerPage:
    """A page's number, its size in pixels as it was read, what had been done to its picture before, and the lines of
    its layer. ``replaces``: invisible text that the page has is taken out."""

    number: int
    width: int
    height: int
    lines: tuple[tuple[LayerWord, ...], ...]
    seen: Straightening = NOTHING
    replaces: bool = True
