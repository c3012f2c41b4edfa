"""Lines that are printed each for itself are not joined; lines of prose are, however narrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pymupdf
import pytest

from docspec.core import BBox, Category, PrintedLine, Region
from docspec.drafting.breaks import with_close_lines, with_items, with_one_size
from docspec.drafting.line_ends import with_line_ends
from docspec.results import ParsedDocument

from .conftest import PROSE, SECOND

Parsed = Callable[..., ParsedDocument]


def text(lines: Sequence[tuple[str, float]], x: float = 60, y: float = 0, kind: Category = Category.TEXT) -> Region:
    """A region of ``lines`` with their widths."""
    printed = tuple(
        PrintedLine(BBox(x, y + 14 * row, x + width, y + 14 * row + 11), told, 11)
        for row, (told, width) in enumerate(lines)
    )
    box = BBox.union(line.bbox for line in printed)
    return Region(box, kind, ("\n".join(told for told, _ in lines),), 1.0, printed)


def is_broken(regions: Sequence[Region]) -> bool:
    """Whether each line of the first of ``regions`` is written by itself."""
    found = with_line_ends(regions)
    written = [line for region in found[: len(found) - len(regions) + 1] for line in written_of(region)]
    return len(written) == len(regions[0].lines)


def written_of(region: Region) -> list[str]:
    lines = [line.text for line in region.lines]
    return lines if region.broken else [" ".join(lines)]


BODY = text([("A line of prose that runs to the edge of its column", 400)] * 4, y=300)


@pytest.mark.parametrize(
    ("lines", "broken"),
    [
        (["Oak beam", "Ash beam", "Fir", "Elm beam"], True),
        (["harbour-", "board met", "today in", "the hall."], False),
        (["the board", "met today", "in the new", "hall of it"], False),
        (
            ["\u6d77\u6e2f\u59d4\u5458\u4f1a", "\u5468\u4e8c\u5f00\u4f1a", "\u8ba8\u8bba", "\u8ba1\u5212"],
            False,
        ),  # no spaces: prose
    ],
)
def test_lines_of_two_words_are_no_prose(lines: list[str], broken: bool) -> None:
    """Nothing shows where their column ends."""
    assert is_broken([text([(line, 20 + 4 * len(line)) for line in lines])]) is broken


FULL = "Sites were not measured twice, since each was seen once"


@pytest.mark.parametrize(
    ("lines", "parts"),
    [
        ([("Datum: NAD-83", 70), ("System: UTM-10M", 120), (FULL, 400), ("only in the summer.", 90)], [2, 2]),
        ([("Dear colleagues,", 90), (FULL, 400), ("only in the summer.", 90)], [1, 2]),
        ([(FULL, 400), ("only in the summer.", 90), (FULL, 398), ("of the year.", 50)], [2, 2]),
        ([(FULL, 400), (FULL, 330), (FULL, 395)], [3]),  # ragged
        (
            [("[x] Yes [ ] No Is it known?", 150), ("[ ] Yes [x] No Is it known by whom or", 400), ("where?", 30)],
            [1, 2],
        ),
        ([("44 Tax of the harbour", 300), ("and its mole", 298), ("45 Alternative tax", 302)], [2, 1]),
        ([("44 boats were at sea", 300), ("46 of them had sails", 298), ("that nobody saw", 302)], [3]),
        ([("the sum of", 80), ("all parts and of what was left of them in the year", 400)], [2]),  # within a sentence
    ],
)
def test_lines_that_end_far_before_the_others_end_a_text(lines: list[tuple[str, float]], parts: list[int]) -> None:
    found = with_line_ends([text(lines)])
    assert [len(region.lines) for region in found] == parts
    assert "\n".join(region.texts[0] for region in found) == "\n".join(told for told, _ in lines)


@pytest.mark.parametrize(
    ("lines", "lead", "one"),
    [
        ([("JANE ROE,", 60), ("Plaintiff,", 50), ("HARBOUR BOARD,", 90)], 14, True),
        ([("Jane Roe", 60), ("Harbour Master", 90)], 14, True),
        ([("JANE ROE,", 60), ("Plaintiff,", 50), ("v.", 10)], 30, False),  # paragraphs
        ([("JANE ROE,", 60), ("the plaintiff of the first part, who lives near", 300), ("v.", 10)], 14, False),
    ],
)
def test_short_lines_below_each_other_are_one_text_with_breaks(
    lines: list[tuple[str, float]], lead: float, one: bool
) -> None:
    """A layout model has made a region of each line."""
    regions = [text([line], y=lead * row) for row, line in enumerate(lines)]
    found = with_line_ends(with_close_lines([*regions, BODY]))
    assert found[-1] == BODY
    if not one:
        assert found[:-1] == regions
        return
    assert [(region.broken, region.texts[0].split("\n")) for region in found[:-1]] == [
        (True, [told for told, _ in lines])
    ]


def centred(lines: Sequence[tuple[str, float]]) -> Region:
    region = text(lines)
    moved = tuple(replace(line, bbox=line.bbox.shifted(260 - line.bbox.center_x, 0)) for line in region.lines)
    return replace(region, lines=moved, bbox=BBox.union(line.bbox for line in moved))


@pytest.mark.parametrize(
    ("lines", "broken"),
    [
        ([("Institute for Tides", 110), ("keeper@tides.example", 120), ("and of two universities", 140)], True),
        (
            [("of what was written, long ago, on the", 390), ("wall of the old pier at the harbour's mouth", 399)] * 2,
            False,
        ),
        ([("Two lines", 60), ("around one axis", 100)], False),
    ],
    ids=["names", "prose", "two"],
)
def test_short_lines_around_one_axis_are_lines_of_their_own(lines: list[tuple[str, float]], broken: bool) -> None:
    assert is_broken([centred(lines), BODY]) is broken


@pytest.mark.parametrize(
    "lines",
    [
        ("Hay & Sons Ltd", "12 Quay Street", "Oban PA34 5PX", "Scotland"),
        ("Vessel: Marit", "Port of registry: Oban", "gross tons: 450"),
        ("Coffee 2.40", "Bread and butter 1.10", "Sum 3.50", "Cash 5.00"),
        ("Milk, one litre, from the dairy in Ardnamurchan 2,38 A", "Rye bread 3,49 A", "bottles returned -0,75 B"),
    ],
    ids=["address", "pairs", "receipt", "amounts"],
)
def test_short_lines_are_written_line_by_line(parsed: Parsed, lines: tuple[str, ...]) -> None:
    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 60, 535, 130), PROSE, fontsize=11)
        page.insert_text((60, 170), "\n".join(lines), fontsize=11)
        page.insert_textbox(pymupdf.Rect(60, 260, 535, 330), SECOND, fontsize=11)

    document = parsed(draw)
    written = [line.rstrip("\\") for line in document.to_markdown().splitlines() if line.strip()]
    at = written.index(lines[0])
    assert written[at : at + len(lines)] == list(lines)
    assert len(written) == len(lines) + 2, "prose is joined"


def test_short_letters_and_receipts_have_no_long_prose_that_shows_how_wide_they_are(parsed: Parsed) -> None:
    address, signature = (
        ["Harbour Office", "Mrs. Ana Pereira", "12 Quay Street", "Lisbon"],
        ["Jorge Matos", "Harbour Master"],
    )

    def letter(page: Any) -> None:
        page.insert_text((72, 80), "\n".join(address), fontsize=11)
        prose = (
            "The fee is due on the day of your arrival, and may be paid at the office or by transfer to the account."
        )
        page.insert_textbox(pymupdf.Rect(72, 180, 520, 240), prose, fontsize=11)
        page.insert_text((72, 300), "\n".join(signature), fontsize=11)

    def receipt(page: Any) -> None:
        page.set_mediabox(pymupdf.Rect(0, 0, 170, 400))
        page.insert_text((12, 30), "CAFE MOLE\nRua do Cais 7\nLisbon", fontsize=9, fontname="cour")
        items = ["2 Espresso        2,40", "1 Galao           1,90", "3 Pastel de nata  4,20", "TOTAL EUR         8,50"]
        page.insert_text((12, 90), "\n".join(items), fontsize=9, fontname="cour")

    assert "\\\n".join(signature) in parsed(letter).to_markdown()
    assert "\\\n".join(address) in parsed(letter).to_markdown()
    assert "CAFE MOLE\\\nRua do Cais 7\\\nLisbon" in parsed(receipt).to_markdown()


@pytest.mark.parametrize(
    "lines",
    [
        [("The board met on the third of May in", 380), ("the town hall.", 80)],
        [("He was there", 390), ("When it began", 398), ("Nobody else was", 395), ("seen.", 30)],
        [("The well-", 40), ("Known unit is", 60), ("One of many", 55)],
        [("They owed him 12.50", 398), ("and he owed them nothing but the sum of", 400), ("1,200.00", 40)],
        [("Prose in a narrow column,", 118), ("Because of a picture that", 120), ("Stands beside it there.", 112)],
    ],
    ids=["ragged", "full", "hyphens", "amounts in prose", "narrow"],
)
def test_lines_of_prose_are_joined(lines: list[tuple[str, float]]) -> None:
    assert not is_broken([text(lines), BODY])


def test_lines_with_typed_rules_between_them_are_not_joined() -> None:
    rows = [
        ("SUPER MARKT 24 in the", 130),
        ("main street of Oban", 120),
        ("- - - - - - - - - -", 130),
        ("thank you", 50),
    ]
    written = [line for one in with_line_ends([text(rows), BODY])[:-1] for line in written_of(one)]
    assert written[-2:] == ["- - - - - - - - - -", "thank you"]


@pytest.mark.parametrize(
    ("texts", "written"),
    [
        (("9. Gulls", "10.Terns", "11.Auks"), "9. Gulls\n10. Terns\n11. Auks"),
        (("(1) Gulls", "(2) Terns"), "(1) Gulls\n\n(2) Terns"),
        (("3. Gulls", "5. Terns"), None),
        (("1.5 m of rope", "2.5 m of chain"), None),
    ],
)
def test_numbered_lines_are_a_list_though_numbers_touch_texts(texts: tuple[str, ...], written: str | None) -> None:
    region = text([(line, 60) for line in texts])
    found = with_items([region])
    assert ([one.category for one in found] == [Category.LIST_ITEM] * len(texts)) is (written is not None)
    if written is None:
        assert found == [region]
    else:
        assert [one.texts[0] for one in found] == [one for one in written.split("\n") if one]


@pytest.mark.parametrize(
    "lines",
    [
        [("Orange Works Inc.", 90), ("23 Main Street", 80), ("Central City", 60), ("Harbourville NY 12123", 120)],
        [("Quay Bank", 60), ("Account 48567", 80), ("eMail: post@quay.example", 140)],
        [
            ("Beautiful is better than ugly.", 150),
            ("Explicit is better than implicit, and now is better than never at all.", 380),
            ("Simple is better than complex.", 160),
            ("Flat is better than nested.", 150),
        ],
    ],
    ids=["address", "foot", "poem"],
)
def test_lines_that_begin_as_entries_do_are_not_joined(lines: list[tuple[str, float]]) -> None:
    assert is_broken([text(lines)])


@pytest.mark.parametrize(
    "lines",
    [
        [("The board met in Oban", 110), ("Tuesday and", 70), ("Wednesday of this week", 112)],
        [("Der Hafen von Oban", 100), ("Wurde am Montag", 99), ("Geschlossen.", 70)],
    ],
)
def test_narrow_prose_is_joined_though_its_lines_begin_with_capitals(lines: list[tuple[str, float]]) -> None:
    assert not is_broken([text(lines), text([("and then goes on in a column", 112)] * 4, y=100)])


@pytest.mark.parametrize(
    ("sizes", "parts"),
    [((7, 16), [1, 1]), ((11, 11, 8, 8), [2, 2]), ((11, 12, 11), [3]), ((16, 7, 7, 16), [1, 2, 1]), ((0, 11), [2])],
)
def test_a_text_has_one_size_of_type(sizes: tuple[float, ...], parts: list[int]) -> None:
    region = replace(text([(f"line {row} of a letter", 100) for row in range(len(sizes))]), words="text layer")
    region = replace(region, lines=tuple(replace(a, size=b) for a, b in zip(region.lines, sizes, strict=True)))
    found = with_one_size([region])
    assert [len(part.lines) for part in found] == parts
    assert "\n".join(part.texts[0] for part in found) == region.texts[0]
    for other in (replace(region, broken=True), replace(region, words="recognition"), replace(region, listing=True)):
        assert with_one_size([other]) == [other]
