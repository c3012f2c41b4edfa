"""What stands in a table and is in no cell of the grid that was found is not lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pymupdf

from docspec.core import BBox
from docspec.drafting.printed import Word
from docspec.results import ParsedDocument

XS = ((0.0, 30.0), (30.0, 160.0), (100.0, 160.0))
"""A head over the last two columns makes the second one as wide as both."""


def word(text: str, x: float, y: float) -> Word:
    return Word(BBox(x, y, x + 5 * len(text), y + 10), text)


def test_heads_in_a_frame_of_their_own_above_the_grid_are_those_of_the_table(
    parsed: Callable[..., ParsedDocument],
) -> None:
    """As programs for reports draw them: the words that also stand below must not be missed."""
    edges, heads = (50, 110, 290, 360, 430, 500), ("No.", "Offence", "Code", "Kind", "Term")
    rows = [
        [str(n), f"Offence of kind {n}", f"1-0{n}34", "Felony" if n % 2 else "Misd.", f"{5 * n}Y"] for n in range(1, 9)
    ]

    def draw(page: Any) -> None:
        page.draw_rect(pymupdf.Rect(50, 60, 500, 90))
        for x, head in zip(edges, heads, strict=False):
            page.insert_text((x + 4, 78), head, fontsize=10, fontname="hebo")
        for number, row in enumerate(rows):
            y = 104 + 22 * number
            for x, after, text in zip(edges, edges[1:], row, strict=False):
                page.draw_rect(pymupdf.Rect(x, y, after, y + 22))
                page.insert_text((x + 4, y + 15), text, fontsize=10)

    written = parsed(draw).to_markdown()
    for text in (*heads, *(cell for row in rows for cell in row)):
        assert text in written
    assert written.count("Offence") == 1 + len(rows)
