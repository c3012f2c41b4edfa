"""The one heading that is set far larger than all else, in the upper half of a page, is its title."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from docspec.core import BBox, Category, PageImage, PrintedLine, Region
from docspec.core.marks import Mark
from docspec.documents import open_document
from docspec.drafting.text_layer import TextLayerDrafter
from docspec.drafting.titles import with_alike, with_title, with_whole_headings, without_parts

SAMPLES = Path(__file__).parents[2] / "samples"
HEADER = Category.SECTION_HEADER


def page(*lines: tuple[Category, float]) -> list[Region]:
    """Regions of one line each, from top to bottom, with categories and sizes of type."""
    return [
        Region(
            box := BBox(0, 30 * at, 200, 30 * at + 20), category, ("words",), 1.0, (PrintedLine(box, "words", size),)
        )
        for at, (category, size) in enumerate(lines)
    ]


TEXT = (Category.TEXT, 10.0)


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        ([(HEADER, 17.0), TEXT, (HEADER, 11.5), TEXT, TEXT], 0),
        ([(Category.PAGE_HEADER, 8.0), (HEADER, 11.5), (HEADER, 15.5), TEXT, TEXT, TEXT], 2),
        ([(Category.TEXT, 17.0), TEXT, TEXT], 0),  # of a cover
        ([(Category.TEXT, 14.0), TEXT, TEXT], None),
        ([TEXT, TEXT, TEXT, (Category.TEXT, 17.0)], None),  # at its foot
        ([(Category.TEXT, 17.0)], None),  # larger than what?
        ([(HEADER, 12.0), TEXT, (HEADER, 11.5), TEXT], None),  # hardly larger than the text
        ([(HEADER, 14.4), TEXT, (HEADER, 12.0), TEXT], None),  # LaTeX's sections are as large
        ([(HEADER, 17.0), TEXT, (HEADER, 16.5), TEXT, TEXT], None),  # two of one size
        ([TEXT, TEXT, TEXT, (HEADER, 17.0), TEXT], None),  # in the lower half
        ([(HEADER, 17.0), (Category.PICTURE, 0.0)], None),  # no text to compare with
        ([(HEADER, 0.0), (Category.TEXT, 0.0), TEXT], None),  # sizes are not known
        ([(HEADER, 17.0), (Category.TITLE, 15.0), TEXT, TEXT], None),  # the layout knows better
    ],
)
def test_the_largest_heading_is_the_title(lines: list[tuple[Category, float]], title: int | None) -> None:
    regions = page(*lines)
    found = with_title(regions)
    assert [at for at, region in enumerate(found) if region is not regions[at]] == ([] if title is None else [title])
    if title is not None:
        assert found[title].category is Category.TITLE and found[title].texts == regions[title].texts


@pytest.mark.parametrize(("below", "titles"), [(13.0, 0), (11.0, 1), (10.0, 1)])
def test_what_is_smaller_than_a_heading_further_down_is_no_title(below: float, titles: int) -> None:
    found = with_title(page((Category.TITLE, 11.0), TEXT, (HEADER, below), TEXT, TEXT))
    assert sum(region.category is Category.TITLE for region in found) == titles
    assert sum(region.category is HEADER for region in found) == 2 - titles


def test_small_print_of_listings_makes_no_heading_a_title() -> None:
    heading, text, *listings = page((HEADER, 14.4), TEXT, *[(Category.TEXT, 8.0)] * 4)
    regions = [heading, text, *(replace(region, listing=True) for region in listings)]
    assert with_title(regions) == regions


@pytest.mark.parametrize("name", ["exam-paper", "journal-article", "newspaper", "slides", "textbook"])
def test_the_title_of_a_sample_page_is_drafted_as_one(name: str) -> None:
    path = SAMPLES / f"{name}.pdf"
    with open_document(path) as document:
        page = next(document.pages(dpi=100))
        assert isinstance(page, PageImage)
        draft = TextLayerDrafter().draft(page)
    told = [" ".join(region.texts[0].split()) for region in draft.regions if region.category is Category.TITLE]
    marked = [line for line in path.with_suffix(".md").read_text("utf-8").split("\n") if line.startswith("# ")]
    assert [f"# {title}" for title in told] == marked


@pytest.mark.parametrize(
    ("words", "size", "heading"),
    [
        ("the Island of Hawaii.", 10, False),
        ("JANE ROE,", 10, False),
        ("[ ] [x]", 10, False),
        ("Figure 1: Manual page for cat", 10, False),
        ("Figure skating", 10, True),
        ("[x] urgent", 10, True),
        ("the Island of Hawaii", 10, True),
        ("The Island of Hawaii.", 10, False),
        ("The Island.", 10, True),
        ("4. The Island of Hawaii.", 10, True),
        ("THE ISLAND OF HAWAII.", 10, True),
        ("The Island of Hawaii.", 14, True),
        ("JANE ROE,", 14, True),
    ],
)
def test_a_part_of_a_sentence_in_the_type_of_the_text_is_no_heading(words: str, size: float, heading: bool) -> None:
    first, *rest = page((HEADER, size), TEXT, TEXT)
    (found, *_) = without_parts([replace(first, texts=(words,)), *rest])
    assert (found.category is HEADER) is heading


@pytest.mark.parametrize(
    ("words", "look", "x0", "heading"),
    [
        ("plus VAT", "Serif 000000", 0, False),
        ("plus VAT", "Serif-Bold 000000", 0, True),
        ("plus VAT", "Serif 800000", 0, True),
        ("plus VAT", "Serif 000000 underlined", 0, True),
        ("plus VAT", "Serif 000000", 130, True),  # at the middle of the text
        ("PLUS VAT", "Serif 000000", 0, True),
        ("3. Plus VAT", "Serif 000000", 0, True),
        ("plus VAT", "", 0, True),  # recognised: nobody knows
    ],
)
def test_a_heading_that_looks_as_the_text_does_is_text(words: str, look: str, x0: float, heading: bool) -> None:
    def line(text: str, left: float, right: float, look: str) -> PrintedLine:
        return PrintedLine(BBox(left, 0, right, 10), text, 10.0, look=look)

    first, *rest = page((HEADER, 10.0), TEXT, TEXT)
    prose = [
        replace(
            one, bbox=replace(one.bbox, x0=0, x1=300), lines=(line("Text of the page. " * 9, 0, 300, "Serif 000000"),)
        )
        for one in rest
    ]
    own = replace(first.bbox, x0=x0, x1=x0 + 40, y1=first.bbox.y0 + 10)
    (found, *_) = without_parts(
        [replace(first, bbox=own, texts=(words,), lines=(line(words, x0, x0 + 40, look),)), *prose]
    )
    assert (found.category is HEADER) is heading


@pytest.mark.parametrize(
    ("lines", "bold", "heading"),
    [
        (("Harbour Office", "12 Quay Street", "Port Askaig PA46 7RB", "Scotland"), False, False),
        (("Harbour Office", "12 Quay Street", "Port Askaig PA46 7RB", "Scotland"), True, True),
        (("On the tides of the northern", "harbours and what they", "carried to the shore"), False, True),
    ],
)
def test_lines_of_an_address_in_the_type_of_the_text_are_no_heading(
    lines: tuple[str, ...], bold: bool, heading: bool
) -> None:
    first, *rest = page((HEADER, 10.0), TEXT, TEXT)
    marks = (Mark("bold", 0, 4),) if bold else ()
    printed = tuple(
        PrintedLine(BBox(0, 12 * at, 6 * len(text), 12 * at + 10), text, 10.0, marks=marks)
        for at, text in enumerate(lines)
    )
    (found, *_) = without_parts([replace(first, texts=(" ".join(lines),), lines=printed), *rest])
    assert (found.category is HEADER) is heading


@pytest.mark.parametrize(
    ("heads", "texts", "kinds"),
    [
        (2, 1, {HEADER}),  # the layout model missed one
        (1, 3, {Category.TEXT}),  # it took one of four labels for a heading
        (0, 3, {Category.TEXT}),
        (3, 0, {HEADER}),
    ],
)
def test_lines_of_one_style_are_all_headings_or_none(heads: int, texts: int, kinds: set[Category]) -> None:
    def styled(kind: Category, words: str, look: str = "Serif-Bold 000000") -> Region:
        box = BBox(0, 0, 100, 10)
        return Region(box, kind, (words,), lines=(PrintedLine(box, words, 10.0, look=look),))

    own = [styled(HEADER, "Arrivals") for _ in range(heads)] + [styled(Category.TEXT, "Arrivals") for _ in range(texts)]
    plain = styled(Category.TEXT, "Text of the page", "Serif 000000")
    prose = replace(plain, lines=plain.lines * 4)
    found = with_alike([*own, plain, prose, styled(HEADER, "25+", "Sans 0000ff")])
    assert {region.category for region in found[: heads + texts]} == kinds
    assert [region.category for region in found[-3:]] == [Category.TEXT] * 3, "what has no word is no heading"
    bold_prose = replace(prose, lines=own[0].lines * 4)
    as_given = with_alike([*own, bold_prose])[: heads + texts]
    assert as_given == own, "a style of the running text says nothing"
    sentence = styled(Category.TEXT, "This is a sentence of its own.")
    assert with_alike([styled(HEADER, "Arrivals"), sentence])[1] is sentence


@pytest.mark.parametrize(
    ("second", "look", "y", "whole"),
    [
        ("and what is advised against", "Arial-Bold", 14.0, True),
        ("and what is advised against", "Arial-Bold underlined", 14.0, True),
        ("Supplier of the sheet", "Arial-Bold", 14.0, False),  # a heading of its own
        ("and what is advised against", "Arial", 14.0, False),
        ("and what is advised against", "Arial-Bold", 40.0, False),
    ],
)
def test_a_heading_that_goes_on_in_small_letters_is_one(second: str, look: str, y: float, whole: bool) -> None:
    texts = (("1.2. Uses of the mixture", "Arial-Bold", 0.0), (second, look, y))
    regions = [
        Region(box := BBox(0, y, 200, y + 10), HEADER, (text,), 1.0, (PrintedLine(box, text, 10.0, look=look),))
        for text, look, y in texts
    ]
    found = with_whole_headings(regions)
    assert [one.texts[0] for one in found] == (
        [f"{texts[0][0]}\n{second}"] if whole else [text for text, _, _ in texts]
    )
