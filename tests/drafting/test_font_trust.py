"""Fonts whose tables of Unicodes are wrong in single places are found by what they print."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docspec.core import PageImage
from docspec.documents import open_document
from docspec.documents.sources import source_from_bytes
from docspec.drafting.font_trust import in_order, what_differs
from docspec.drafting.recogniser import Recogniser
from docspec.drafting.trust import TrustJudge, Verdict

PROSE = (
    "The board met on the third of May in the town hall. All nine members were",
    "there, and two guests from the ministry. The well-known X-ray units of the",
    "twenty-one members and the long-term plan were read and approved. Then the",
    "plans for the new bridge were shown, and the half-time report of the year 1998.",
    "First the minutes of the last meeting were read and approved by all of them.",
    "The pre-war figures of 1937 and 1938 were compared with those of 1997 and 1998.",
)


IN_ORDER, IN_NO_ORDER = "DejaVuSans.ttf", "cmss10.ttf"
"""Fonts whose glyphs stand in the order of ASCII, and in another one."""


def told(
    codes: dict[str, str],
    second: str | None = None,
    pages: int = 1,
    lines: Sequence[str] = 6 * PROSE,
    first: str = IN_ORDER,
) -> bytes:
    """A PDF in one font whose table tells other characters for some; with a ``second`` face, its heading is sound."""
    folder = Path(pytest.importorskip("matplotlib").get_data_path()) / "fonts/ttf"
    font = pymupdf.Font(fontfile=str(folder / first))
    with pymupdf.open() as pdf:
        for _ in range(pages):
            page = pdf.new_page()
            for number, line in enumerate(lines):
                face = ("dj", folder / first) if number < 18 or not second else ("ds", folder / second)
                page.insert_text((60, 80 + 18 * number), line, fontsize=10, fontname=face[0], fontfile=str(face[1]))
        data = pdf.tobytes()
    more = "".join(f"<{font.has_glyph(ord(sign)):04x}> <{ord(code):04x}>\n" for sign, code in codes.items())
    with pymupdf.open(stream=data) as pdf:
        for number, _, _, name, *_ in pdf[0].get_fonts(full=True):
            if "Sans" in name or first != IN_ORDER:
                table = int(pdf.xref_get_key(number, "ToUnicode")[1].split()[0])
                stream = pdf.xref_stream(table)
                added = f"{len(codes)} beginbfchar\n{more}endbfchar\nendcmap".encode() if codes else b"endcmap"
                pdf.update_stream(table, stream.replace(b"endcmap", added, 1))
        written: bytes = pdf.tobytes()
    return written


def without_programs(data: bytes) -> bytes:
    """``data`` with fonts that have neither a table from characters to glyphs nor names of these."""
    tools = pytest.importorskip("fontTools.ttLib")
    with pymupdf.open(stream=data) as pdf:
        for number in range(1, pdf.xref_length()):
            kind, place = pdf.xref_get_key(number, "FontFile2")
            if kind == "xref":
                program = tools.TTFont(io.BytesIO(pdf.xref_stream(int(place.split()[0]))))
                del program["cmap"]
                program["post"].formatType = 3.0
                program.save(stream := io.BytesIO())
                pdf.update_stream(int(place.split()[0]), stream.getvalue())
        written: bytes = pdf.tobytes()
    return written


def verdicts(data: bytes) -> list[Verdict]:
    judge = TrustJudge(Recogniser())
    with open_document(source_from_bytes(data, "a.pdf")) as pdf:
        return [judge.judge(page) for page in pdf.pages(dpi=72) if isinstance(page, PageImage)]


@pytest.mark.parametrize("font", [IN_ORDER, IN_NO_ORDER])
@pytest.mark.parametrize(
    ("codes", "sign"), [({" ": "#"}, "'#'"), ({"-": "="}, "'='"), ({" ": "#", "-": "="}, "'"), ({"n": "j"}, "'j'")]
)
def test_signs_that_are_never_printed_as_they_are_told_are_found(codes: dict[str, str], sign: str, font: str) -> None:
    (verdict,) = verdicts(without_programs(told(codes, first=font)))
    assert not verdict.trusted
    assert "font" in verdict.reason and sign in verdict.reason


def test_every_font_is_judged_and_not_only_the_page() -> None:
    (verdict,) = verdicts(told({" ": "#"}, second="DejaVuSerif.ttf"))
    assert not verdict.trusted and "DejaVuSans" in verdict.reason.replace(" ", "")


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The pictures of lines that are read."""
    reads: list[object] = []
    read: Callable[..., tuple[str, float]] = Recogniser.read_line

    def counted(self: Recogniser, image: object) -> tuple[str, float]:
        reads.append(image)
        return read(self, image)

    monkeypatch.setattr(Recogniser, "read_line", counted)
    return reads


def test_sound_fonts_stay_trusted_and_are_read_once_a_document(reads: list[object]) -> None:
    assert all(verdict.trusted for verdict in verdicts(without_programs(told({}, pages=3, first=IN_NO_ORDER))))
    assert 0 < len(reads) <= 2, "a reading of all signs as they are told leaves nothing to ask"


def test_the_longest_line_with_the_most_odd_signs_is_read_once(reads: list[Any]) -> None:
    lines = (*PROSE, "a=b=c and the other equations of these are in the whole table of the last annual report")
    verdicts(without_programs(told({"t": "r"}, lines=lines, first=IN_NO_ORDER)))
    pictures = {picture.tobytes() for picture in reads}
    assert 1 < len(pictures) == len(reads)


def test_fonts_whose_own_programs_say_the_same_are_not_read(reads: list[object]) -> None:
    assert all(verdict.trusted for verdict in verdicts(told({}, pages=3)))
    assert not reads


def test_fonts_whose_glyphs_stand_in_the_order_of_the_code_are_not_read(reads: list[object]) -> None:
    assert all(verdict.trusted for verdict in verdicts(without_programs(told({}))))
    assert not reads
    (verdict,) = verdicts(without_programs(told({"-": "="})))
    assert "'='" in verdict.reason
    assert reads


def test_fonts_that_say_the_same_in_no_language_are_read(reads: list[object]) -> None:
    """Old fonts of other scripts draw them under the names of Latin letters; this is Hindi for Kruti Dev."""
    text = "Hkkjr ljdkj us ubZ fnYyh esa lHkh jkT;ksa ds fy, ,d u;k dkuwu cuk;k gS\n"
    assert Verdict(True, "", vowel_share=0.8, words=200).has_words
    assert not Verdict(True, "", vowel_share=0.8, words=200, foreign_share=0.3).has_words
    with pymupdf.open() as pdf:
        pdf.new_page().insert_textbox((50, 50, 500, 700), text * 20, fontname="tiro")
        verdicts(pdf.tobytes())
    assert reads


LATIN_MODERN = dict(zip("#%-./01249@HLMPRTUabcdefghiklmn~", (79, 87, 64, 88, 102, 121, 82, 107, 57, 78, 33, 62, 71, 74,
    83, 95, 104, 108, 28, 35, 43, 47, 50, 55, 59, 63, 66, 70, 72, 75, 77, 31), strict=True))  # fmt: skip
"""Glyphs of LMMono9-Regular as a page of XeTeX draws them."""
SOURCE_SANS = dict(zip(",.012345679:ABCEFGabcdefghiklm", (1258, 1257, *range(1203, 1209), 1209, 1210, 1212, 1259, 2,
    3, 4, 6, 7, 8, *range(28, 37), 38, 39, 40), strict=True))  # fmt: skip


@pytest.mark.parametrize(
    ("glyphs", "proven"), [(LATIN_MODERN, set(LATIN_MODERN)), (SOURCE_SANS, set(SOURCE_SANS) - set(",.:"))]
)
def test_the_order_of_its_glyphs_proves_what_a_font_tells(glyphs: dict[str, int], proven: set[str]) -> None:
    assert in_order(Counter((ord(sign), glyph) for sign, glyph in glyphs.items())) == proven
    for one, two in pairwise(sorted(proven & set("0124aceg"))):
        wrong = Counter((ord({one: two, two: one}.get(sign, sign)), glyph) for sign, glyph in glyphs.items())
        assert not {one, two} & in_order(wrong)
    for one, two in pairwise("abcde"):  # the second is told as the first
        twice = Counter((ord(one if sign == two else sign), glyph) for sign, glyph in glyphs.items())
        assert one not in in_order(twice)


def test_codes_and_commands_beside_words_need_no_reading(reads: list[object]) -> None:
    """A page of a manual: a part of its words has no vowel, and its fonts are in order."""
    lines = (*(4 * PROSE), *(6 * ("html mvfb xcdw tcpd and the like",)))
    (verdict,) = verdicts(without_programs(told({}, lines=lines)))
    assert verdict.trusted and not verdict.reads_like_language and not reads


def test_a_single_misreading_is_no_fault_of_the_font() -> None:
    assert what_differs([("a = b + c", "a - b + c"), ("1 + 1", "1 + 1")]) is None
    assert what_differs([("all of 1O0 S5 in the full list", "aII of 1o0 s5 in the fuII Iist")]) is None
    assert what_differs([("the#board#met", "the board met")]) == "tells '#' for what is printed as ' '"
    assert what_differs([]) is None


def test_leaders_do_not_speak_against_a_font() -> None:
    """No recogniser counts the dots of a table of contents."""
    folder = Path(pytest.importorskip("matplotlib").get_data_path()) / "fonts/ttf"
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        entries = ("Contents", 3), ("Harbours of the north", 12), ("Tides and winds", 27), ("Ferries", 118)
        for number, (title, at) in enumerate(entries):
            line = f"{title} {'.' * (70 - len(title))} {at}"
            page.insert_text((60, 80 + 18 * number), line, fontname="dj", fontfile=str(folder / "DejaVuSans.ttf"))
        data = pdf.tobytes()
    (verdict,) = verdicts(data)
    assert verdict.trusted, verdict.reason
