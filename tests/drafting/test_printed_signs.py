"""Signs without Unicode are read from their print where that is plain: dashes and dots, nothing else."""

from __future__ import annotations

import pymupdf
import pytest

from docspec.drafting.page_lines import page_lines

BAR = "50 220 680 60 re f"
DISC = "400 60 m 510 60 600 150 600 260 c 600 370 510 460 400 460 c 290 460 200 370 200 260 c 200 150 290 60 400 60 c f"
SMALL_DISC = "0.35 0 0 0.35 250 170 cm " + DISC
"""Outlines in thousandths of the size of the type."""


def _page(outline: str, number: str = "0.9393", before: str = "", size: float = 9.0) -> pymupdf.Page:
    """A page with ``before``, then a glyph of a font whose codes nothing explains, then ``number`` beside it."""
    document = pymupdf.open()
    page = document.new_page(width=300, height=200)
    page.insert_text((40, 40), "A line of other words", fontsize=size)
    glyph, font = document.get_new_xref(), document.get_new_xref()
    document.update_object(glyph, "<<>>")
    document.update_stream(glyph, f"780 0 0 -200 780 800 d1 {outline}".encode())
    document.update_object(
        font,
        "<</Type/Font/Subtype/Type3/FontBBox[0 -200 780 800]/FontMatrix[.001 0 0 .001 0 0]"
        f"/CharProcs<</C0 {glyph} 0 R>>/Encoding<</Type/Encoding/Differences[3/C0]>>"
        "/FirstChar 3/LastChar 3/Widths[780]/Resources<<>>>>",
    )
    resources = int(document.xref_get_key(page.xref, "Resources")[1].split()[0])
    document.xref_set_key(resources, "Font/Signs", f"{font} 0 R")
    words = f"BT /helv {size} Tf 40 100 Td ({before}) Tj /Signs {size} Tf <03> Tj /helv {size} Tf ({number}) Tj ET"
    last = page.get_contents()[-1]
    document.update_stream(last, document.xref_stream(last) + b"\n" + words.encode())
    return pymupdf.open("pdf", document.tobytes())[0]


def _texts(page: pymupdf.Page) -> list[str]:
    return [line.text for line in page_lines(page)]


@pytest.mark.parametrize("size", [5.0, 9.0, 24.0])
def test_a_minus_without_unicode_stays_before_its_number(size):
    assert _texts(_page(BAR, size=size)) == ["A line of other words", "−0.9393"]


def test_a_minus_stands_where_it_is_printed_within_a_line():
    assert _texts(_page(BAR, before="from 3 ", number="5 to 7"))[-1] == "from 3 −5 to 7"


@pytest.mark.parametrize(
    ("outline", "sign"), [(DISC, "•"), (SMALL_DISC, "·"), ("50 200 300 70 re f", "-")], ids=["disc", "dot", "hyphen"]
)
def test_dots_and_hyphens_are_read_from_their_print(outline, sign):
    assert _texts(_page(outline))[-1].replace(" ", "") == sign + "0.9393"


@pytest.mark.parametrize(
    "outline",
    [
        "50 -180 680 60 re f",  # below the line: an underscore
        "50 700 680 60 re f",  # above it
        "100 0 m 700 0 l 400 600 l f",
        "50 120 680 60 re 50 320 680 60 re f",  # an equals sign
        "350 0 60 600 re 50 270 680 60 re f",  # a plus
        "",
    ],
    ids=["low", "high", "triangle", "equals", "plus", "nothing"],
)
def test_other_signs_stay_untold(outline):
    assert _texts(_page(outline))[-1] == "0.9393"
