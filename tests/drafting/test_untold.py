"""Words of which a file does not tell all letters are completed from the print, and nothing else is changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from docspec.core import PageImage
from docspec.drafting.page_lines import page_lines
from docspec.drafting.recogniser import Recogniser
from docspec.drafting.repair import is_cipher
from docspec.drafting.text_layer import TextLayerDrafter, completed

from .conftest import write_without_unicode_of

PageOf = Callable[..., PageImage]

TEXT = "Each of the samples used 0.25 s\nand was kept in kiln 1,136 for a week."
GIVEN = "and was ept in iln 1,136 for a wee."


def drawn(page: Any) -> None:
    write_without_unicode_of(page, "k", TEXT)


class Reading(Recogniser):
    """Reads the same in every line."""

    def __init__(self, text: str, confidence: float = 0.99) -> None:
        self._read = (text, confidence)

    def read_line(self, image: Any) -> tuple[str, float]:
        return self._read


def test_letters_that_the_file_does_not_tell_are_read_from_the_print(page_of: PageOf, recogniser: Recogniser) -> None:
    page = page_of(drawn)
    given = page_lines(page.pdf_page)
    assert [(line.text, line.words) for line in given] == [(TEXT.split("\n")[0], "text layer"), (GIVEN, None)]
    whole = completed(page.pdf_page, given, recogniser)
    assert [line.text for line in whole] == TEXT.split("\n")
    assert [line.words for line in whole] == ["text layer", "recognition"]
    assert whole[1].confidence >= 0.8
    draft = TextLayerDrafter(recogniser=recogniser).draft(page)
    assert {region.words for region in draft.regions if "kiln" in region.texts[0]} == {"recognition"}


@pytest.mark.parametrize(
    ("read", "confidence", "text"),
    [
        ("and was kept in kiln 1,136 for a week.", 0.5, GIVEN),  # not sure of it
        ("and was kept in kiln for a week.", 0.99, GIVEN),  # another number of words
        ("and Was kept in kiln 4,136 for a weak.", 0.99, "and was kept in kiln 1,136 for a wee."),
        (
            "and was 8kept in kilns, 1,136 for a week.",
            0.99,
            "and was ept in iln 1,136 for a week.",
        ),  # not letters alone
    ],
)
def test_what_reading_does_not_explain_stays(page_of: PageOf, read: str, confidence: float, text: str) -> None:
    page = page_of(drawn)
    given = page_lines(page.pdf_page)
    first, second = completed(page.pdf_page, given, Reading(read, confidence))
    assert first == given[0]
    assert (second.text, second.words) == (text, None if text == GIVEN else "recognition")


WORD = "Each of the samples used XQZ\nand was left in a box for a week."


@pytest.mark.parametrize(
    ("read", "confidence", "given"),
    [
        ("XQZ", 0.99, "Each of the samples used XQZ"),
        ("XQZ", 0.5, "Each of the samples used"),  # not sure of it
        ("XQ", 0.99, "Each of the samples used"),  # another number of letters
    ],
)
def test_a_word_of_which_the_file_tells_no_letter_is_read_from_the_print(
    page_of: PageOf, read: str, confidence: float, given: str
) -> None:
    page = page_of(lambda page: write_without_unicode_of(page, "XQZ", WORD))
    lines = page_lines(page.pdf_page, recogniser=lambda: Reading(read, confidence))
    assert [line.text for line in lines] == [given, WORD.split("\n")[1]]
    assert page_lines(page.pdf_page)[0].text == "Each of the samples used"


def test_a_real_recogniser_reads_such_a_word(page_of: PageOf, recogniser: Recogniser) -> None:
    page = page_of(lambda page: write_without_unicode_of(page, "XQZ", WORD))
    draft = TextLayerDrafter(recogniser=recogniser).draft(page)
    assert any("used XQZ" in " ".join(region.texts[0].split()) for region in draft.regions)


@pytest.mark.parametrize(
    ("read", "confidence", "words"),
    [
        (GIVEN, 0.99, "text layer"),
        (GIVEN.replace("was ept", "wasept").replace("wee.", "wee"), 0.99, "text layer"),  # spaces and signs stay anyway
        (GIVEN, 0.5, None),
    ],
)
def test_letters_that_the_file_does_not_tell_and_that_print_nothing_leave_its_words_known(
    page_of: PageOf, read: str, confidence: float, words: str | None
) -> None:
    """Control characters of some programs stand in words and have no ink: then no model needs to read the line."""
    page = page_of(drawn)
    untold = page_lines(page.pdf_page)[1]
    assert untold.words is None
    [line] = completed(page.pdf_page, [untold], Reading(read, confidence))
    assert (line.text, line.words) == (untold.text, words)


NAMES = dict(zip("aeino", "ÜÄÖÇÉ", strict=True))
"""What the font of a heading tells for its vowels and an n."""


def test_words_of_no_language_are_those_of_the_print(page_of: PageOf, recogniser: Recogniser) -> None:
    title, prose = "Honorable Chamber of the Deputies", "Nobody else spoke before the vote was taken."

    def draw(page: Any) -> None:
        write_without_unicode_of(page, "", title, NAMES)
        page.insert_text((50, 120), prose, fontsize=10)

    page = page_of(draw)
    given = page_lines(page.pdf_page)
    assert given[0].text.startswith("HÉÇÉrÜblÄ")
    told = [(line.text, line.words) for line in completed(page.pdf_page, given, recogniser)]
    assert told == [(title, "recognition"), (prose, "text layer")]


@pytest.mark.parametrize(("read", "confidence"), [("Honorable Chamber", 0.5), ("HÉÇÉrÜblÄ ChÜmbÄr", 0.99)])
def test_words_of_no_language_stay_where_the_print_tells_no_better(
    page_of: PageOf, read: str, confidence: float
) -> None:
    page = page_of(lambda page: write_without_unicode_of(page, "", "Honorable Chamber", NAMES))
    given = page_lines(page.pdf_page)
    assert completed(page.pdf_page, given, Reading(read, confidence)) == given


@pytest.mark.parametrize(
    "text",
    [
        "L'École d'Été",
        "iPhone für Ärzte und Übersetzer",
        "f(x)[a] → ∫[a|b]",
        "SÃO PAULO",
        "Ænima McÉwen",
        "naïve|cliché",
    ],
)
def test_words_of_some_language_are_no_cipher(text: str) -> None:
    assert not is_cipher(text)
