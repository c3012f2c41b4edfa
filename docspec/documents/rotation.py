"""Turns a page the right way up: first by its ``/Rotate``, then by its own text.

Scanning and printing software leaves pages whose text runs up or down the sheet and tells viewers to show them
so. Models read upright pages, and layout analysis finds one giant table on sideways
ones.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

MIN_CHARACTERS = 40  # fewer are a stamp in the margin, not the text of the page
MIN_SHARE = 0.9


def make_upright(page: Any, by_text: bool = True) -> int:
    """Bake the rotation of a ``pymupdf.Page`` into its contents; returns the further degrees by which it was
    turned for its text (0 without ``by_text``).

    The page is changed in place and must belong to a private copy. Afterwards its ``rotation`` is 0.
    """
    _drop_cropbox(page)
    page.remove_rotation()
    turn = text_turn(page) if by_text else 0
    if turn:
        page.set_rotation(turn)
        page.remove_rotation()
    return turn


def _drop_cropbox(page: Any) -> None:
    """Make the visible part the whole sheet: PyMuPDF derotates by the media box and would lose the
    cropping.
    """
    sheet, visible = (page.mediabox, page.cropbox)  # y up; y down from the sheet's top
    box = (visible.x0, sheet.y1 - visible.y1, visible.x1, sheet.y1 - visible.y0)
    if any(abs(a - b) > 1e-3 for a, b in zip(box, sheet, strict=True)):
        page.set_mediabox(box)


def text_turn(page: Any) -> int:
    """Degrees clockwise (0, 90, 180 or 270) by which the page's text must be turned to run from left to
    right.

    Only a page whose text agrees almost entirely is turned; vertical writing (CJK) is left alone.
    """
    turns: Counter[int] = Counter()
    try:
        blocks = page.get_text("dict", flags=0)["blocks"]
    except Exception:  # contents that break off; drawing them reports the fault and keeps the rest
        return 0
    for block in blocks:
        for line in block.get("lines", ()):
            length = sum(len(span["text"].strip()) for span in line["spans"])
            turns[0 if line["wmode"] else _turn_of(*line["dir"])] += length
    if not turns or turns.total() < MIN_CHARACTERS:
        return 0
    turn, characters = turns.most_common(1)[0]
    return turn if characters >= MIN_SHARE * turns.total() else 0


def _turn_of(cosine: float, sine: float) -> int:
    """The turn that makes a line of direction (cosine, sine), y downwards, run to the right."""
    if abs(cosine) >= abs(sine):
        return 0 if cosine >= 0 else 180
    return 270 if sine > 0 else 90
