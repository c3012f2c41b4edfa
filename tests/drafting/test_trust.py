"""Which text layers are believed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pymupdf
import pytest

from docspec.core import PageImage
from docspec.core.scripts import alphabet_of
from docspec.documents.painting import layer_of, trace_of
from docspec.drafting import trust
from docspec.drafting.recogniser import Recogniser
from docspec.drafting.trust import (
    TrustJudge,
    Verdict,
    bad_share,
    is_all_there_is,
    spot_check,
    undrawn_share,
    untold_share,
    vowel_share,
)

from .conftest import PROSE, SECOND, as_image, write_article, write_without_unicode_of

PageOf = Callable[..., PageImage]


def shifted(text: str, by: int = 9) -> str:
    return "".join(chr((ord(c.lower()) - 97 + by) % 26 + 97) if c.isascii() and c.isalpha() else c for c in text)


def test_sound_text_is_trusted_and_its_fonts_are_checked_once(page_of: PageOf, recogniser: Recogniser) -> None:
    def short(page: Any) -> None:  # too few words to be known for a language
        page.insert_textbox(pymupdf.Rect(50, 60, 370, 560), PROSE[:99], fontsize=10)

    judge = TrustJudge(recogniser)
    page = page_of(short)
    first, second = judge.judge(page), judge.judge(page)
    assert (first.trusted, second.trusted) == (True, True)
    assert first.likeness is not None
    assert first.likeness > 0.9
    assert (second.likeness, "checked before" in second.reason) == (None, True)
    assert judge.judge(page_of(short, name="other.pdf")).likeness is not None, "another document is checked anew"


def test_text_that_is_sound_beyond_doubt_is_not_read(page_of: PageOf) -> None:
    def long(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(50, 60, 370, 560), f"{PROSE} {SECOND} " * 2, fontsize=10)

    def over_strips_of_a_scan(page: Any) -> None:
        """Pictures side by side, none of which covers the page, over words that the print does not say."""
        page.insert_textbox(pymupdf.Rect(50, 60, 370, 560), f"{SECOND} {SECOND} " * 2, fontsize=10)
        drawn = pymupdf.open().new_page(width=420, height=595)
        drawn.insert_textbox(pymupdf.Rect(50, 60, 370, 560), f"{PROSE} " * 4, fontsize=10)
        for top in range(0, 595, 60):
            strip = pymupdf.Rect(0, top, 420, min(595, top + 60))
            page.insert_image(strip, stream=drawn.get_pixmap(dpi=150, clip=strip).tobytes("png"))

    class Unread(Recogniser):
        """Cannot be asked for anything."""

        def read_line(self, image: Any) -> tuple[str, float]:
            raise AssertionError("the page was read")

    verdict = TrustJudge(Unread()).judge(page_of(long))
    assert (verdict.trusted, verdict.likeness, verdict.reason) == (True, None, "sound text layer, by its words")
    with pytest.raises(AssertionError, match="the page was read"):
        TrustJudge(Unread()).judge(page_of(over_strips_of_a_scan))


def test_pieces_of_visible_lines_tell_as_much_as_whole_ones(page_of: PageOf, recogniser: Recogniser) -> None:
    widths = []

    class Noting(Recogniser):
        """Notes how wide the pictures are that it reads."""

        def read_line(self, image: Any) -> tuple[str, float]:
            widths.append(image.width)
            return recogniser.read_line(image)

    page, noting = page_of(), Noting()
    pieces = spot_check(page, noting, 6, piece=20)
    read, widths = sum(widths), []
    whole = spot_check(page, noting, 6)
    assert pieces is not None
    assert whole is not None
    assert min(pieces, whole) > 0.9
    assert 2 * read < sum(widths)


@pytest.mark.parametrize("turn", [90, 270])
def test_lines_that_run_upwards_or_downwards_are_read_upright(
    page_of: PageOf, recogniser: Recogniser, turn: int
) -> None:
    def heads(page: Any) -> None:
        for at, text in enumerate(("Projected Population", "Total Consumption", "Requirement with seeds", "Surplus")):
            page.insert_text((100 + 40 * at, 300), text, fontsize=11, rotate=turn)
        for row in range(12):  # most of the page stands level, and nobody reads it as words
            page.insert_text((60, 440 + 12 * row), "23.65 20.81 3.04 3.47 2.78 0.86 3.64 0.17 0.25", fontsize=11)

    page = page_of(heads)
    assert (spot_check(page, recogniser) or 0) > 0.9
    assert (spot_check(page, recogniser, piece=10) or 0) > 0.9


def test_slanted_lines_are_not_held_against_a_page(page_of: PageOf, recogniser: Recogniser) -> None:
    def drawn(page: Any) -> None:
        point = pymupdf.Point(200, 300)
        for at, text in enumerate(
            ("This element stands", "on a page of its own", "that got rotated a", "little to the left")
        ):
            morph = (point, pymupdf.Matrix(-30))
            page.insert_text((200, 300 + 14 * at), text, fontsize=12, morph=morph)
        page.insert_text((60, 100), "A head that stands level", fontsize=14)

    verdict = TrustJudge(recogniser).judge(page_of(drawn))
    assert verdict.trusted, verdict.reason


def test_gibberish_is_recognised_by_its_vowels(page_of: PageOf) -> None:
    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(50, 60, 370, 500), shifted(PROSE + SECOND), fontsize=10)

    verdict = TrustJudge().judge(page_of(draw))
    assert (verdict.trusted, "gibberish" in verdict.reason) == (False, True)
    assert verdict.vowel_share is not None
    assert verdict.vowel_share < 0.8


def test_the_print_decides_about_words_without_vowels(page_of: PageOf, recogniser: Recogniser) -> None:
    """Words that are blacked out by letters are no gibberish, words of a wrong encoding are: they print others."""

    def masked(page: Any) -> None:
        for number in range(12):
            page.insert_text((50, 80 + 24 * number), f"Policy {number} XXXXXXXX XXXX XXXXXXX XXXXX", fontsize=12)

    def wrong(page: Any) -> None:
        write_article(page)

    verdict = TrustJudge(recogniser).judge(page_of(masked))
    assert verdict.is_gibberish and verdict.trusted, verdict
    assert not TrustJudge().judge(page_of(masked)).trusted, "nobody looked at the print"
    garbled = page_of(wrong, hidden=lambda page: page.insert_textbox(pymupdf.Rect(50, 60, 370, 500), shifted(PROSE)))
    assert not TrustJudge(recogniser).judge(garbled).trusted


def test_characters_that_no_text_holds_are_counted() -> None:
    assert bad_share("ab\ue000\ufffd\x01") == pytest.approx(0.6)
    assert bad_share("naïve “quotes” – 中文 العربية") == 0


@pytest.mark.parametrize(("unknown", "trusted"), [("", True), ("k", False), ("e", False)])
def test_words_with_letters_that_the_file_does_not_tell_are_not_trusted(
    page_of: PageOf, unknown: str, trusted: bool
) -> None:
    judge = TrustJudge()
    verdict = judge.judge(page_of(lambda page: write_without_unicode_of(page, unknown, f"{PROSE} {SECOND}")))
    assert verdict.trusted is trusted, verdict
    assert trusted or verdict.untold_share > 0.01


def test_signs_of_formulas_that_the_file_does_not_tell_are_no_letters_of_words() -> None:
    assert untold_share("\ufffdx + y\ufffd = f\ufffd and nothing else is on the page") == 0
    assert untold_share("e\ufffdcient \x02re") == pytest.approx(1 / 9)


def test_hidden_text_that_differs_from_the_scan_is_distrusted(page_of: PageOf, recogniser: Recogniser) -> None:
    def other_words(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(50, 80, 370, 300), SECOND + " " + SECOND, fontsize=10.5)

    verdict = TrustJudge(recogniser).judge(page_of(hidden=other_words))
    assert verdict.hidden_share == 1.0
    assert (verdict.trusted, "differs from the print" in verdict.reason) == (False, True)
    assert not TrustJudge().judge(page_of(hidden=other_words)).trusted, "unchecked hidden text is not believed"


def test_hidden_text_that_matches_the_scan_is_trusted(page_of: PageOf, recogniser: Recogniser) -> None:
    verdict = TrustJudge(recogniser).judge(page_of(hidden=write_article))
    assert (verdict.trusted, verdict.hidden_share) == (True, 1.0)
    assert verdict.likeness is not None
    assert verdict.likeness > 0.9


def test_a_stamp_on_a_scan_is_no_text_layer(page_of: PageOf) -> None:
    def stamped(page: Any) -> None:
        small = pymupdf.open()
        write_article(small.new_page(width=420, height=595))
        page.insert_image(page.rect, stream=small[0].get_pixmap(dpi=100).tobytes("png"))
        page.insert_text((20, 20), "Downloaded on 3 March 2021", fontsize=8)

    verdict = TrustJudge().judge(page_of(stamped))
    assert (verdict.trusted, verdict.reason) == (False, "scan with only 22 characters of text")
    assert verdict.is_stamp


def test_gibberish_over_a_picture_is_no_stamp(page_of: PageOf) -> None:
    """Nobody would want its words beside those that are recognised."""

    def draw(page: Any) -> None:
        pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 60, 80))
        pixels.clear_with(200)
        page.insert_image(page.rect, pixmap=pixels)
        words = [word for word in shifted(PROSE).split() if len(word) > 3][:25]
        page.insert_textbox(pymupdf.Rect(50, 60, 370, 500), " ".join(words), fontsize=10)

    verdict = TrustJudge().judge(page_of(draw))
    assert verdict.characters < 200 and "gibberish" in verdict.reason and not verdict.is_stamp


def test_scripts_that_cannot_be_read_are_not_held_against_a_page(page_of: PageOf, recogniser: Recogniser) -> None:
    def korean(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(50, 60, 370, 300), "배는 해가 뜨기 전에 항구를 떠났다 " * 6, fontname="korea")

    assert "배" not in recogniser.alphabet
    verdict = TrustJudge(recogniser).judge(page_of(korean))
    assert (verdict.trusted, verdict.likeness) == (True, None)


def test_pages_without_text_are_told_apart(page_of: PageOf) -> None:
    assert TrustJudge().judge(page_of(scan=True)).reason == "no text layer"
    assert TrustJudge().judge(as_image(page_of())).reason == "an image has no text layer"


def test_words_whose_boxes_lie_over_each_other_are_not_trusted(
    page_of: PageOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bitmapped fonts of TeX may tell boxes ten times as high as their letters."""
    sound = page_of(write_article)
    assert TrustJudge().judge(sound).trusted

    def tall(page: Any, kind: str) -> Any:
        words = layer_of(page, kind)
        return [(x0, y0 - 250, x1, y1 + 250, *rest) for x0, y0, x1, y1, *rest in words] if kind == "words" else words

    monkeypatch.setattr(trust, "layer_of", tall)
    verdict = TrustJudge().judge(sound)
    assert not verdict.trusted and "over each other" in verdict.reason


def test_boxes_of_a_damaged_font_are_no_witness_against_its_words(
    page_of: PageOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Misreading(Recogniser):
        def read_lines(self, pictures: Sequence[Any]) -> list[tuple[str, float]]:
            return [("3 #4 5$ 4", 0.95) for _ in pictures]

    def boxed(page: Any) -> list[dict[str, Any]]:
        return [{**span, "chars": [(code, 0, *rest) for code, _, *rest in span["chars"]]} for span in trace_of(page)]

    short = page_of(lambda page: page.insert_textbox((60, 60, 500, 800), PROSE[:300]))
    misreading = Misreading()
    monkeypatch.setattr(trust, "_are_proven", lambda *_: False)
    assert not TrustJudge(misreading).judge(short).trusted, "the print is a witness where fonts draw letters"
    monkeypatch.setattr(trust, "trace_of", boxed)
    assert TrustJudge(misreading).judge(short).trusted
    one = [{"font": "A", "chars": [(ord("x"), 0, (0, 0))] * 9}]
    assert undrawn_share(one) == 0, "a single sign may be at glyph 0"


def test_the_vowel_share_needs_enough_latin_words() -> None:
    assert vowel_share("too few words here") is None
    assert vowel_share(PROSE) == 1.0
    assert vowel_share("Größe schöne Übung żółty źdźbło " * 5) is not None
    share = vowel_share(shifted(PROSE * 2))
    assert share is not None
    assert share < 0.7


@pytest.mark.parametrize(("bad", "kept"), [(0.1, True), (0.5, False), (0.0, False)])
def test_a_layer_in_a_script_that_is_not_recognised_is_weighed_by_what_it_does_not_tell(
    page_of: PageOf, bad: float, kept: bool
) -> None:
    """Thirty letters of Korean among seventy Latin ones: recognition would lose them, the layer what is bad in it."""

    def draw(page: Any) -> None:
        page.insert_text((60, 90), "가나다라마바사아자차" * 3, fontname="korea", fontsize=11)
        page.insert_text(
            (60, 120), "The ferry left the harbour before sunrise and the mist had lifted over the island", fontsize=11
        )

    latin = alphabet_of(["Latin"])
    verdict = Verdict(False, "unknown characters", characters=100, bad_share=bad)
    assert is_all_there_is(page_of(draw), verdict, latin) is kept
