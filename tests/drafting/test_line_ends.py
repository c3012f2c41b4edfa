"""Lines that stay lines though no rule knows why: verses, keys, sentences of their own; and prose, whose lines are
joined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pymupdf
import pytest

from docspec.core import BBox, Category, PrintedLine, Region
from docspec.drafting.line_ends import with_line_ends
from docspec.results import ParsedDocument

from .conftest import PROSE, SECOND

Parsed = Callable[..., ParsedDocument]

KEYS = ("FY = Financial year that ends in March", "RPK = paid kilometres", "ASK = kilometres that can be sold")
VERSES = (
    "The boats came in before the light was gone;",
    "Nobody asked who stood upon the quay,",
    "And those who knew were silent, every one,",
    "For nothing could be said against the sea.",
)
WISHES = (
    '"Look at her go, there she falls!"',
    '"He grows like a weed, and his arms are too long."',
    '"Only nine, and what a question to ask."',
)


@pytest.mark.parametrize("lines", [KEYS, VERSES, WISHES], ids=["keys", "verses", "sentences"])
def test_lines_of_their_own_stay_lines(parsed: Parsed, lines: tuple[str, ...]) -> None:
    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 60, 535, 130), PROSE, fontsize=11)
        page.insert_text((60, 170), "\n".join(lines), fontsize=11, fontname="tiro")
        page.insert_textbox(pymupdf.Rect(60, 290, 535, 360), SECOND, fontsize=11)

    written = [line.rstrip("\\") for line in parsed(draw).to_markdown().splitlines() if line.strip()]
    at = written.index(lines[0])
    assert written[at : at + len(lines)] == list(lines)
    assert len(written) == len(lines) + 2, "prose is joined"


@pytest.mark.parametrize("width", [90, 130, 180, 250, 400])
@pytest.mark.parametrize("align", [0, 1, 3], ids=["ragged", "centred", "justified"])
def test_prose_is_joined_however_wide_its_column_is(parsed: Parsed, width: int, align: int) -> None:
    text = f"{PROSE} {SECOND}"

    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 60, 60 + width, 800), text, fontsize=10, fontname="tiro", align=align)

    assert len([line for line in parsed(draw).to_markdown().splitlines() if line.strip()]) == 1


def test_entries_that_the_layout_takes_for_one_item_are_texts_of_their_own() -> None:
    """An entry with a mark stays whole."""
    entries = [
        ("Hosler, J. S. & Smith, B. H. 2000 Blocking and the", "detection of odor components in blends."),
        ("Laska, M. & Hudson, R. 1992 Ability to discriminate", "between related odor mixtures. 17, 403-415."),
        ("Pavlov, I. P. 1927 Conditioned reflexes and what", "the nerves have to do with them."),
    ]
    lines = [
        PrintedLine(BBox(60 + 10 * at, 100 + 12 * n, 300 - 60 * at, 110 + 12 * n), text, size=9)
        for n, (at, text) in enumerate((at, text) for entry in entries for at, text in enumerate(entry))
    ]

    def parts(*own: PrintedLine) -> list[list[str]]:
        text = "\n".join(line.text for line in own)
        box = BBox.union(line.bbox for line in own)
        region = Region(box, Category.LIST_ITEM, (text,), lines=own, words="text layer")
        return [[line.text for line in part.lines] for part in with_line_ends([region])]

    assert parts(*lines) == [list(entry) for entry in entries]
    marked = replace(lines[0], text="[1] " + lines[0].text)
    assert len(parts(marked, *lines[1:])) == 1
