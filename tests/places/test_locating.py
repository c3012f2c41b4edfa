"""A quoted text is found again, with the boxes of its lines."""

from __future__ import annotations

from docspec import locate
from docspec.core import BBox, Block, Category, DocumentResult, PageResult
from docspec.core.places import PlacedWord


def page(number: int, *texts: str, placed: bool = True) -> PageResult:
    """A page with a block for each of ``texts``; a letter is 10 pixels wide, a line 20 high."""
    blocks = []
    for row, text in enumerate(texts):
        places, at = [], 0
        for word in text.split():
            start = text.index(word, at)
            at = start + len(word)
            box = BBox(10 * start, 40 * row, 10 * at, 40 * row + 20)
            places.append(PlacedWord(word, start, at, "exact", 0.9 if word.isdigit() else 0.99, (box,)))
        around = BBox(0, 40 * row, 500, 40 * row + 20)
        blocks.append(Block(Category.TEXT, text, around, "draft", places=tuple(places) if placed else ()))
    return PageResult("a.pdf", number, "ok", blocks=tuple(blocks), width=500, height=400)


def test_a_text_is_found_with_the_box_of_its_line() -> None:
    [found] = locate(page(3, "Heading", "The pier was closed for 9 days."), "pier was closed")
    assert (found.page, found.block, found.start, found.end) == (3, 1, 4, 19)
    assert found.boxes == (BBox(40, 40, 190, 60),)
    assert (found.likeness, found.certainty, found.width) == (1.0, 0.99, 500)


def test_a_text_over_blocks_has_a_box_for_each_line() -> None:
    [found] = locate(page(1, "it was closed for", "nine days"), "closed for nine")
    assert found.boxes == (BBox(70, 0, 170, 20), BBox(0, 40, 40, 60))
    assert (found.block, found.end_block) == (0, 1)


def test_case_and_punctuation_do_not_count() -> None:
    assert locate(page(1, "The “Pier” was closed, for good."), "the PIER was closed for")[0].likeness == 1.0


def test_parts_of_words_are_not_found() -> None:
    assert locate(page(1, "an example of it"), "exam") == []


def test_every_place_of_a_text_is_found_over_the_pages_of_a_document() -> None:
    document = DocumentResult("a.pdf", (page(1, "total of 5", "a total"), page(2, "total")))
    assert [(one.page, one.block) for one in locate(document, "total")] == [(1, 0), (1, 1), (2, 0)]


def test_a_text_that_is_quoted_with_a_fault_is_found_by_its_likeness() -> None:
    [found] = locate(page(1, "The pier was closed for nine days in March"), "pier was clozed for nine daays")
    assert found.text == "pier was closed for nine days"
    assert 0.85 < found.likeness < 1


def test_what_is_nowhere_is_not_found() -> None:
    assert locate(page(1, "The pier was closed"), "entirely different words stand here") == []
    assert locate(page(1, "The pier"), "...") == []


def test_a_page_without_places_gives_the_box_of_the_block() -> None:
    [found] = locate(page(1, "The pier was closed", placed=False), "pier was")
    assert found.boxes == (BBox(0, 0, 500, 20),)
    assert found.certainty == 0.0
