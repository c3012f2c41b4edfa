"""What a recogniser writes for letters that it does not know is not written."""

from __future__ import annotations

from docspec.core import BBox, Category, PrintedLine, Region
from docspec.hierarchy.regions.evidence import without_illegible

SALAD = "nanallaniuadiLonOuaunU NugauauUNtsauazavavnszanla"


def _region(*texts: tuple[str, float], width: float = 400, category: Category = Category.TEXT) -> Region:
    lines = tuple(
        PrintedLine(BBox(0, 20 * n, width, 20 * n + 16), text, confidence=sure) for n, (text, sure) in enumerate(texts)
    )
    box = BBox.union(line.bbox for line in lines)
    return Region(box, category, ("\n".join(text for text, _ in texts),), lines=lines, words="recognition")


GOOD = _region(*[("The harbour fills twice a day, says the harbour master", 0.98)] * 6)


def test_recognised_text_without_sense_is_a_picture() -> None:
    salad = _region((SALAD, 0.5), (SALAD, 0.55))
    assert without_illegible([GOOD, salad]) == [GOOD, Region(salad.bbox, Category.PICTURE)]


def test_a_short_text_and_one_with_a_poor_line_stay_on_a_good_page() -> None:
    regions = [GOOD, _region(("102%,", 0.56), width=30), _region((SALAD, 0.5), (SALAD, 0.95), (SALAD, 0.95))]
    assert without_illegible(regions) == regions


def test_on_a_page_of_salad_what_is_short_or_mere_punctuation_is_none_either() -> None:
    title, stops = _region(("vi7607", 0.54), width=60), _region((". , - , .", 0.9), ("( ).", 0.9))
    address = _region(("station.example.org", 0.96), width=150, category=Category.LIST_ITEM)
    regions = [title, _region((SALAD, 0.5), (SALAD, 0.5)), stops, address]
    kept = [region for region in without_illegible(regions) if region.category is not Category.PICTURE]
    assert kept == [address]


def test_room_on_a_line_is_no_lost_letter_on_a_page_that_is_read() -> None:
    entries = _region(("Tides", 0.98), ("Name:", 0.98))
    assert without_illegible([GOOD, entries]) == [GOOD, entries]


def test_words_of_a_file_are_no_recognition() -> None:
    region = Region(BBox(0, 0, 400, 20), Category.TEXT, (SALAD,), words="text layer")
    assert without_illegible([region]) == [region]
