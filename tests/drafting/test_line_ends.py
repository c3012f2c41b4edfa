"""Lines that stay lines though no rule knows why: verses, keys, sentences of their own; and prose, whose lines are
joined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pymupdf
import pytest

from docspec.core import BBox, Category, PrintedLine, Region
from docspec.core.marks import Mark
from docspec.drafting.line_ends import with_line_ends, with_whole_texts
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


BOLD = (Mark("bold", 0, 19),)


@pytest.mark.parametrize(
    ("at", "marks", "is_item"),
    [(60, BOLD, False), (46, (), False), (60, (), True), (60, (Mark("italic", 0, 19),), True)],
    ids=["bold", "left of the mark", "same type", "italic"],
)
def test_an_item_ends_before_words_that_stand_out(at: float, marks: tuple[Mark, ...], is_item: bool) -> None:
    """A leaflet: "Very rare effects" is a heading of the next items, and no end of the one before."""
    item = (
        "• A raised value of creatinine is seen in the blood of one patient",
        "of a hundred, above all of old ones.",
    )
    next_text = (
        "All other statuses: if you file jointly or have the name of a widow,",
        "you are exempt from this tax.",
    )
    lines = [
        PrintedLine(BBox(x, 100 + 12 * n, x + 4.2 * len(text), 110 + 12 * n), text, size=9, marks=own)
        for n, (x, text, own) in enumerate(
            [(60, item[0], ()), (60, item[1], ()), (at, next_text[0], marks), (at, next_text[1], ())]
        )
    ]
    text = "\n".join(line.text for line in lines)
    box = BBox.union(line.bbox for line in lines)
    region = Region(box, Category.LIST_ITEM, (text,), lines=tuple(lines), words="text layer")
    found = [(part.category, [line.text for line in part.lines]) for part in with_line_ends([region])]
    whole = [(Category.LIST_ITEM, [*item, *next_text])]
    assert found == (whole if is_item else [(Category.LIST_ITEM, [*item]), (Category.TEXT, [*next_text])])


def _joined(lines: list[tuple[str, float, float]], edge: float = 538) -> list[str]:
    """The first lines of the texts that lines of prose (text, right end, top) become, beside prose that ends at
    ``edge``."""
    printed = [PrintedLine(BBox(72, y, x1, y + 12), text, size=12) for text, x1, y in lines]
    prose = [PrintedLine(BBox(72, 500 + 15 * n, edge, 512 + 15 * n), PROSE[:80], size=12) for n in range(4)]

    def region(own: list[PrintedLine]) -> Region:
        text = "\n".join(line.text for line in own)
        return Region(
            BBox.union(line.bbox for line in own), Category.TEXT, (text,), lines=tuple(own), words="text layer"
        )

    found = with_line_ends([region(printed), region(prose)])
    return [part.lines[0].text for part in found if part.bbox.y0 < 490]


@pytest.mark.parametrize(
    ("before", "end", "behind"),
    [
        (
            "law in that jurisdiction.  Consequently, ",
            "Richard P.",
            "Liebowitz may show cause in writing within 20 days",
        ),
        ("which was the report of the years by ", "Dr.", "Liebowitz, who may show cause in writing within 20 days"),
    ],
)
def test_a_sentence_goes_on_behind_a_full_line_and_an_initial(before: str, end: str, behind: str) -> None:
    """Set at double distance, ragged: the line is as long as the next word lets it be, so that its end says nothing."""
    lines = [
        ("an interim basis from the practice of law in that jurisdiction, which", 545, 268.0),
        (before + end, 513, 298.0),
        (behind, 517, 328.0),
    ]
    assert _joined([(text, right, y) for text, right, y in lines], edge=530) == [lines[0][0]]


def test_a_text_ends_where_the_next_word_had_room() -> None:
    lines = [
        ("an interim basis from the practice of law in that jurisdiction, which is known to all of", 530, 100),
        ("the members of the court.", 230, 115),
        ("Two things are to be noted before. A drive is named as the system names it, and a part of", 535, 130),
        ("it has a number behind the name of the drive, from one upwards.", 380, 145),
    ]
    assert _joined(lines) == [lines[0][0], lines[2][0]]


@pytest.mark.parametrize(("step", "parted"), [(15, False), (26, True)])
def test_lines_that_end_at_one_edge_are_one_text_at_the_usual_distance(step: int, parted: bool) -> None:
    lines = [
        ("an interim basis from the practice of law in that jurisdiction, which is known to all of", 530, 100),
        ("the members of the court, and not with other substances of this kind, to be mixed by", 527, 115),
        ("any of them, as is said in the leaflet for those who prepare it with their own hand.", 525, 130),
        ("Disposal of bags and bottles is for those who know about it, and must be done soon", 527, 130 + step),
    ]
    assert _joined(lines) == [lines[0][0], *([lines[3][0]] if parted else [])]


@pytest.mark.parametrize(
    ("boxes", "texts"),
    [([[0], [1, 2], [3]], [0]), ([[0, 1], [2, 3]], [0]), ([[0, 1], [2, 3], [4, 5]], [0, 4])],
    ids=["single lines", "pairs", "two texts"],
)
def test_lines_set_far_apart_are_one_text_whatever_the_layout_model_makes_of_them(
    boxes: list[list[int]], texts: list[int]
) -> None:
    words = [
        "in the third year, and that both came to the islands. When his mother left, the pilot was",
        "away at sea and would return home on the weekends, and the others would take meals",
        "with neighbours and either stay with them or at the house of the keeper, who says that he",
        "is not afraid of what may come.",
        "The board found that the pilot and the keeper have told credibly what they suffered and",
        "lost in the storms of that year.",
    ]
    lines = [
        PrintedLine(
            BBox(72 + 36 * (at == 4), 100 + 28 * at, (560, 548, 556, 250, 555, 240)[at], 112 + 28 * at), text, size=12
        )
        for at, text in enumerate(words)
    ]

    def region(own: list[PrintedLine]) -> Region:
        box = BBox.union(line.bbox for line in own)
        return Region(box, Category.TEXT, ("\n".join(line.text for line in own),), lines=tuple(own), words="text layer")

    found = with_line_ends(with_whole_texts([region([lines[at] for at in box]) for box in boxes]))
    assert [part.lines[0].text for part in found] == [words[at] for at in texts]
