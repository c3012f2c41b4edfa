"""Each page gets the recogniser of its script: by ``--language``, by its text, by its print, by the page before.

Tesseract and the packs of RapidOCR are stood in for: a recogniser that knows which script a picture shows, by its
colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image

from docspec.core import BBox, DrafterError, PageImage
from docspec.core.languages import Language, languages_of
from docspec.drafting import by_language
from docspec.drafting.by_language import ByLanguage
from docspec.drafting.language_packs import packs
from docspec.drafting.lines import TextLine
from docspec.drafting.recogniser import Recogniser
from docspec.drafting.tesseract import Print, TesseractRecogniser

PRINT = {"Latin": "white", "Cyrillic": "red", "Arabic": "green", "Thai": "blue"}
"""What stands for print of a script: a page of one colour."""

LETTERS = {"eng": "a", "rus": "ж", "ara": "ب", "fas": "گ", "kor": "a", "tur": "a"}


def shown(image: Image.Image) -> str:
    pixel = image.convert("RGB").getpixel((0, 0))
    return next(name for name, colour in PRINT.items() if Image.new("RGB", (1, 1), colour).getpixel((0, 0)) == pixel)


class Wheel(Recogniser):
    """Reads Latin surely."""

    def check(self) -> None:
        pass

    @property
    def alphabet(self) -> frozenset[str]:
        return frozenset("abc")

    def find_lines(self, image: Image.Image) -> list[Any]:
        return [[(0, 0), (200, 0), (200, 20), (0, 20)]]

    def read_page(self, image: Image.Image, tell: Any = None, known: Any = ()) -> tuple[list[TextLine], float]:
        [(text, sure)] = self.read_lines([image])
        return [TextLine(BBox(0, 0, 200, 20), text, confidence=sure)], 0.0

    def read_lines(self, images: Sequence[Image.Image]) -> list[tuple[str, float]]:
        return [("a" * 20, 0.99 if shown(image) == "Latin" else 0.5) for image in images]


class Other(TesseractRecogniser):
    """Reads the script of its language surely, and as surely that of the others in that script."""

    def __init__(self, languages: Sequence[Language], finder: Recogniser) -> None:
        super().__init__(languages, finder)
        made.append("+".join(language.code for language in languages))

    read_page = Wheel.read_page

    def read_lines(self, images: Sequence[Image.Image]) -> list[tuple[str, float]]:
        letter = LETTERS[self.languages[0].code]
        sure = 0.95 if letter == "a" else 0.4  # models of other scripts know Latin letters, too
        return [(letter * 20, 0.95 if shown(image) in self.scripts else sure) for image in images]


made: list[str] = []


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> set[str]:
    """The codes of the models that are installed, to be changed; no pack is in the cache."""
    codes = {"eng", "rus", "ara", "osd"}
    made.clear()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(by_language, "installed", lambda: frozenset(codes))
    monkeypatch.setattr(by_language, "print_of", lambda image: Print(shown(image)))
    monkeypatch.setattr(by_language, "TesseractRecogniser", Other)
    monkeypatch.setattr(by_language, "straight_line", lambda grey, quad: picture[0])
    return codes


picture: list[Image.Image] = []


def page(script: str, source: str = "a.png", language: str = "") -> PageImage:
    image = Image.new("RGB", (200, 20), PRINT[script])
    picture[:] = [image]
    return PageImage(image, 1, 1.0, source, language=language)


def read(readers: ByLanguage, script: str, source: str = "a.png", language: str = "") -> tuple[str, list[str]]:
    """The first letter of what is read of a page, and the kinds of the events."""
    reading = readers.read(page(script, source, language))
    return reading.lines[0].text[0], [event.kind for event in reading.events]


def test_print_is_read_by_the_recogniser_of_its_script_without_being_told(here: set[str]) -> None:
    readers = ByLanguage(Wheel())
    assert read(readers, "Latin") == ("a", []) and made == []  # where it is sure nothing else is asked
    assert read(readers, "Cyrillic") == ("ж", [])
    assert read(readers, "Arabic", "b.png") == ("ب", [])
    assert read(readers, "Latin", "b.png") == ("a", [])  # another script in the same document


def test_the_recogniser_of_a_document_is_remembered(here: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    readers = ByLanguage(Wheel())
    read(readers, "Cyrillic")
    monkeypatch.setattr(by_language, "print_of", lambda image: pytest.fail("asked again"))
    assert read(readers, "Cyrillic") == ("ж", [])


def test_a_recogniser_that_reads_letters_of_another_script_is_not_sure(here: set[str]) -> None:
    here |= {"kor"}
    readers = ByLanguage(Wheel())
    assert isinstance(readers.of_page(page("Latin", language="ko")), TesseractRecogniser)
    reading = readers.read(page("Latin", language="ko"))
    assert reading.recogniser is readers.bundled


def test_without_a_detection_of_scripts_recognisers_try_some_lines(
    here: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_language, "print_of", lambda image: Print(None))
    assert read(ByLanguage(Wheel()), "Arabic") == ("ب", [])


def test_letters_that_only_one_language_has_decide_between_two_of_a_script(here: set[str]) -> None:
    here |= {"fas"}
    assert read(ByLanguage(Wheel()), "Arabic") == ("گ", [])


def test_a_turned_page_is_to_be_turned_and_read_again_by_the_same_recogniser(
    here: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_language, "print_of", lambda image: Print("Arabic", 2))
    readers = ByLanguage(Wheel())
    assert readers.read(page("Thai")).turns == 2  # it cannot be read as it lies
    assert readers.of_page(page("Thai")).scripts == ("Arabic",)


def test_turkish_is_known_by_its_letters_and_read_by_the_recogniser_that_tells_them_apart(
    here: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Wheel, "read_lines", lambda self, images: [("ağır ışık", 0.99) for _ in images])
    assert read(ByLanguage(Wheel()), "Latin") == ("a", []) and made == []  # there is none
    here |= {"tur"}
    readers = ByLanguage(Wheel())
    assert isinstance(readers.read(page("Latin")).recogniser, TesseractRecogniser) and made == ["tur"]
    assert readers.of_page(page("Latin")) is readers.bundled  # the next page may be in another language


def test_all_recognisers_try_once_a_document(here: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    tried = list[int]()
    monkeypatch.setattr(by_language, "print_of", lambda image: Print(None))
    monkeypatch.setattr(by_language, "_score", lambda reader, sample: tried.append(1) or 0.0)
    readers = ByLanguage(Wheel())
    for _ in range(3):
        read(readers, "Thai")
    assert len(tried) == len({"wheel", "rus", "ara"})


def test_the_language_that_the_document_states_decides_too(here: set[str]) -> None:
    here |= {"fas"}
    assert read(ByLanguage(Wheel()), "Arabic", language="ar-EG") == ("ب", [])
    assert made == ["ara"]


@pytest.mark.parametrize(("script", "language"), [("Cyrillic", ""), ("Latin", "tr")])
def test_what_was_read_is_kept_where_the_recogniser_of_the_script_fails(
    here: set[str], monkeypatch: pytest.MonkeyPatch, script: str, language: str
) -> None:
    def fails(*_: Any) -> Any:
        raise DrafterError("tesseract -l xyz did not run")

    here |= {"tur"}
    monkeypatch.setattr(by_language, "_tells", lambda text, own: bool(language))
    monkeypatch.setattr(Other, "read_page", fails)
    reading = ByLanguage(Wheel()).read(page(script))
    assert reading.lines[0].text == "a" * 20
    assert [(event.kind, "did not run" in event.detail) for event in reading.events] == [("script_unread", True)]


def test_a_script_that_nothing_reads_is_told_with_the_way_to_get_it(here: set[str]) -> None:
    readers = ByLanguage(Wheel())
    assert read(readers, "Thai") == ("a", ["script_unread"])
    [event] = readers.read(page("Thai", "other.png")).events
    assert "apt install tesseract-ocr-tha" in event.detail and "docspec models download ocr:th" in event.detail


def test_a_language_that_is_asked_for_reads_and_a_wrong_one_is_named(here: set[str]) -> None:
    readers = ByLanguage(Wheel(), languages_of("ru"))
    readers.check()
    assert read(readers, "Cyrillic") == ("ж", [])
    assert read(readers, "Arabic") == ("ж", ["language_differs"])
    [event] = readers.read(page("Arabic")).events
    assert event.detail.startswith("printed in Arabic, not in the Cyrillic of --language rus")


def test_a_language_that_cannot_be_read_is_one_line_with_both_ways_to_get_it(here: set[str]) -> None:
    wanted = "nothing here reads Greek: apt install tesseract-ocr-ell, or docspec models download ocr:el"
    with pytest.raises(DrafterError, match=f"^{wanted}$"):
        ByLanguage(Wheel(), languages_of("el")).check()
    with pytest.raises(DrafterError, match=r"^nothing here reads Greek: docspec models download ocr:el$"):
        ByLanguage(Wheel(), languages_of("el"), "rapidocr").check()
    with pytest.raises(DrafterError, match=r"^nothing here reads Greek: apt install tesseract-ocr-ell$"):
        ByLanguage(Wheel(), languages_of("el"), "tesseract").check()
    with pytest.raises(DrafterError, match=r"tesseract has no model|nothing here reads German"):
        ByLanguage(Wheel(), languages_of("de"), "tesseract").check()
    ByLanguage(Wheel(), languages_of("de")).check()  # the wheel reads it


def test_a_pack_in_the_cache_reads_its_script(here: set[str], tmp_path: Path) -> None:
    russian = languages_of("ru")
    assert isinstance(ByLanguage(Wheel(), russian).reader_of(russian), TesseractRecogniser)
    cache = tmp_path / "cache" / "docspec" / "ocr"
    cache.mkdir(parents=True)
    (cache / packs()["eslav"].file_name).touch()
    found = ByLanguage(Wheel(), russian).reader_of(russian)
    assert found is not None and found._model == cache / packs()["eslav"].file_name


def test_what_can_be_read_is_what_text_layers_are_compared_with(here: set[str]) -> None:
    assert set("aжب") <= ByLanguage(Wheel()).alphabet
    assert not set("жب") & ByLanguage(Wheel(), engine="rapidocr").alphabet


def test_a_page_with_a_text_layer_in_a_script_is_given_its_recogniser_unread(here: set[str], page_of: Any) -> None:
    def russian(sheet: Any) -> None:
        sheet.insert_font(fontname="F0", fontbuffer=pymupdf.Font("helv").buffer)
        sheet.insert_text((20, 170), "Старая обсерватория", fontname="F0", fontsize=8)

    drawn = page_of(russian)
    found = ByLanguage(Wheel()).of_page(drawn)
    assert isinstance(found, TesseractRecogniser) and found.scripts == ("Cyrillic",)
    assert not isinstance(ByLanguage(Wheel()).of_page(page("Latin")), TesseractRecogniser)


def test_the_script_of_a_page_is_found_once(here: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge, the lines and the pictures of a page ask for its recogniser in turn."""
    seen: list[int] = []
    found = by_language._script_of_text
    monkeypatch.setattr(by_language, "_script_of_text", lambda page: (seen.append(page.number), found(page))[1])
    readers, picture = ByLanguage(Wheel()), Image.new("RGB", (200, 20), "red")
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((50, 50), "The harbour keeps a list of boats")
        pdf.new_page().insert_text((50, 50), "Where they went nobody wrote down")
        pages = [PageImage(picture, number + 1, 1.0, "a.pdf", pdf_page=pdf[number]) for number in range(2)]
        for one in (pages[0], pages[0], pages[1], pages[0]):
            readers.of_page(one)
    assert seen == [1, 2, 1]
