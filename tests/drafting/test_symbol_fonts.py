"""Signs of fonts of symbols become characters, by their font's table or by the print; the words beside them stand."""

from __future__ import annotations

import unicodedata

import pymupdf
import pytest

from benchmarks.campaign.raw import document
from docspec.core import Category, PageImage
from docspec.documents import open_document
from docspec.documents.sources import source_from_bytes
from docspec.drafting.page_lines import page_lines
from docspec.drafting.recogniser import Recogniser
from docspec.drafting.repair import decoded, is_known, repair
from docspec.drafting.text_layer import TextLayerDrafter


@pytest.mark.parametrize(
    ("font", "codes", "signs"),
    [
        ("ABCDEF+SymbolMT", "\uf061\uf044\uf0a3\uf0b1\uf0ae\uf0e5", "αΔ≤±→∑"),
        ("Wingdings-Regular", "\uf0fe\uf0fd\uf0a8\uf0fc\uf0e0", "☑☒☐✓→"),
        ("Wingdings-Regular", "þýüo", "☑☒✓☐"),
        ("Wingdings2", "\uf052\uf051\uf0a3", "☑☒☐"),
        ("Wingdings 3", "\uf070\uf071\uf075", "▲▼▶"),
        ("ZapfDingbats", "\uf034\uf038\uf0d5", "✔✘→"),
        ("Calibri", "\uf06d\uf057\uf0a3\uf0b0", "μΩ≤°"),
        ("Calibri", "\uf730\uf739\uf8e9\uf6ea", "09©ᵇ"),
        ("Times", "\ue123", "\ue123"),
        ("Helvetica", "plain þ", "plain þ"),
    ],
)
def test_codes_are_told_by_their_font(font: str, codes: str, signs: str) -> None:
    assert decoded(codes, font) == signs


def test_every_code_of_the_adobe_tables_is_known() -> None:
    agl = pytest.importorskip("fontTools.agl")
    codes = {code for value in agl.LEGACY_AGL2UV.values() for code in (value if isinstance(value, list) else [value])}
    ours = {code for code in codes if 0xF6D9 <= code <= 0xF7FF or 0xF8E5 <= code <= 0xF8FE}
    accents = {*range(0xF6C9, 0xF6D9), *range(0xF6F4, 0xF6FF), 0xF6DD, 0xF760, 0xF7A8, 0xF7AF, 0xF7B4, 0xF7B8}
    assert {hex(code) for code in ours if not is_known(chr(code))} <= {hex(code) for code in accents}


def test_bullets_stay_bullets_at_the_beginning_of_a_line() -> None:
    assert repair("\uf0b7 item") == repair("\uf0a7 item") == repair("\uf0fc item") == "• item"
    assert repair("a \uf0fc done") == "a ✓ done"


SIGNS = {
    "μ": "f06d", "Ω": "f057", "≤": "f0a3",
    "☒": "f0fe", "☐": "f0a8", "☑": "f0fd",
}  # fmt: skip


def renamed(*lines: str, codes: dict[str, str] = SIGNS) -> bytes:
    """A PDF of ``lines`` whose font tells private codes for some characters, as office programs write them."""
    path = pytest.importorskip("matplotlib").get_data_path() + "/fonts/ttf/DejaVuSans.ttf"
    font = pymupdf.Font(fontfile=path)
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for number, line in enumerate(lines):
            page.insert_text((60, 100 + 20 * number), line, fontname="dj", fontfile=path)
        data = pdf.tobytes()
    more = "".join(f"<{font.has_glyph(ord(sign)):04x}> <{code}>\n" for sign, code in codes.items())
    with pymupdf.open(stream=data) as pdf:
        for number in range(1, pdf.xref_length()):
            if pdf.xref_is_stream(number) and b"beginbf" in (stream := pdf.xref_stream(number)):
                told = f"{len(codes)} beginbfchar\n{more}endbfchar\nendcmap".encode()
                pdf.update_stream(number, stream.replace(b"endcmap", told, 1))
        written: bytes = pdf.tobytes()
    return written


def test_a_font_under_another_name_tells_greek_letters_and_the_print_its_boxes() -> None:
    data = renamed("The dose of 250 μg at 47 kΩ, weight ≤ 40 kg.", "☒ Married   ☐ Single   ☑ Widowed")
    with pymupdf.open(stream=data) as pdf:
        assert "\uf06d" in pdf[0].get_text()
        told = [line.text for line in page_lines(pdf[0])]
    assert told == ["The dose of 250 μg at 47 kΩ, weight ≤ 40 kg.", "☒ Married ☐ Single ☑ Widowed"]


def test_an_unknown_sign_is_read_from_the_print_and_the_words_beside_it_stand() -> None:
    prose = "The board met on the third of May in the town hall with kΩ and μg in"
    data = renamed(*(6 * [prose]), "the report on 4 & 5 of the year 2004.", codes={"&": "e0a7"})
    with open_document(source_from_bytes(data, "a.pdf")) as pdf:
        page = next(pdf.pages())
        assert isinstance(page, PageImage)
        draft = TextLayerDrafter(recogniser=Recogniser(), judge=True).draft(page)
    (region,) = (region for region in draft.regions if region.category is Category.TEXT)
    assert region.words is not None and "4 & 5 of the year 2004." in region.texts[0] and "kΩ and μg" in region.texts[0]


def test_zapf_dingbats_without_an_encoding_are_told_by_their_codes() -> None:
    """MuPDF tells the numbers in the names of the glyphs: "a73" as "I"."""
    font = b"<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>"
    lines = (("4", "Grain"), ("o", "Timber"), ("8", "Fish"), ("n", "Coal"), ("l", "Salt"))
    shown = b"".join(
        b"BT /Z 12 Tf 40 %d Td (%b) Tj ET BT /F 12 Tf 60 %d Td (%b) Tj ET\n" % (y, code.encode(), y, label.encode())
        for y, (code, label) in zip(range(360, 200, -20), lines, strict=False)
    )
    data = document(shown, resources=b"/Font<</F 3 0 R/Z 30 0 R>>", more={30: font})
    with open_document(source_from_bytes(data, "a.pdf")) as pdf:
        page = next(pdf.pages(dpi=72))
        assert isinstance(page, PageImage)
        told = [line.text for line in page_lines(page.pdf_page)]
    assert " ".join(told) == "✔ Grain ❏ Timber ✘ Fish ■ Coal • Salt"


def test_a_font_that_is_no_object_of_its_own_does_not_stop_the_page() -> None:
    fonts = b"/Font<</Z<</Type/Font/Subtype/Type1/BaseFont/Symbol/Encoding/WinAnsiEncoding>>>>"
    data = document(b"BT /Z 12 Tf 40 300 Td (l) Tj ET", resources=fonts)
    with open_document(source_from_bytes(data, "a.pdf")) as pdf:
        assert isinstance(next(pdf.pages(dpi=72)), PageImage)


def shown_in(base: bytes, encoding: bytes, codes: str) -> str:
    """The text of a page that shows ``codes`` in a font of this name and encoding."""
    font = b"<</Type/Font/Subtype/Type1/BaseFont/%b/Encoding%b>>" % (base, encoding)
    shown = b"BT /Z 12 Tf 40 300 Td <%b> Tj ET" % codes.encode("latin-1").hex().encode()
    data = document(shown, resources=b"/Font<</F 3 0 R/Z 30 0 R>>", more={30: font})
    with open_document(source_from_bytes(data, "a.pdf")) as pdf:
        page = next(pdf.pages(dpi=72))
        assert isinstance(page, PageImage)
        return " ".join(line.text for line in page_lines(page.pdf_page))


@pytest.mark.parametrize(
    ("base", "encoding", "codes", "signs"),
    [
        (b"Symbol", b"/WinAnsiEncoding", "lbmW", "λβ\u00b5Ω"),
        (b"ABCDEF+Symbol", b"/MacRomanEncoding", "aDS", "αΔΣ"),
        (b"Symbol", b"/StandardEncoding", "pq\xa3", "πθ≤"),
        (b"Symbol", b"<</BaseEncoding/WinAnsiEncoding/Differences[33/lambda/beta]>>", "!\x22m", "λβ\u00b5"),
        (b"Symbol", b"/WinAnsiEncoding", "\xb5\xb0\xb1\x95", "\u00b5°±•"),  # the Latin names of signs that Symbol has
        (b"Symbol", b"<</Differences[1/degree/mu]>>", "\x01\x02", "°µ"),
        (b"ZapfDingbats", b"/WinAnsiEncoding", "48n", "✔✘■"),
        (b"ZapfDingbats", b"/MacRomanEncoding", "\xd5l", "→•"),
        (b"Wingdings-Regular", b"/MacRomanEncoding", "\xfe\xa8\xfc", "☑☐✓"),
        (b"Wingdings", b"/WinAnsiEncoding", "\xfd\xe0", "☒→"),
        (b"Helvetica", b"/WinAnsiEncoding", "lbmW", "lbmW"),
    ],
)
def test_fonts_of_signs_that_are_said_to_be_latin_are_told_by_their_own_tables(
    base: bytes, encoding: bytes, codes: str, signs: str
) -> None:
    assert shown_in(base, encoding, codes) == signs


def test_letters_of_formulas_that_a_font_tells_twice_are_told_once() -> None:
    """Acrobat writes both halves of a letter's number for each half."""
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Courier/ToUnicode 31 0 R>>"
    told = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def
    1 begincodespacerange <00> <ff> endcodespacerange
    3 beginbfchar <41> <D835DC2ED835DC2E> <42> <d835dc61d835dc61> <43> <00660066> endbfchar endcmap end end"""
    shown = b"BT /Z 12 Tf 40 300 Td (ABC) Tj ET"
    table = b"<</Length %d>>stream\n%b\nendstream" % (len(told), told)
    data = document(shown, resources=b"/Font<</F 3 0 R/Z 30 0 R>>", more={30: font, 31: table})
    with open_document(source_from_bytes(data, "a.pdf")) as pdf:
        page = next(pdf.pages(dpi=72))
        assert isinstance(page, PageImage)
        assert [line.text for line in page_lines(page.pdf_page)] == ["\U0001d42e\U0001d461ff"]


def drawn_with(encoding: bytes) -> dict[int, str]:
    """The glyphs that Symbol draws for all codes, and what is told of each."""
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Symbol%b>>" % encoding
    codes = [*range(0x21, 0x7F), *range(0xA1, 0xFF)]
    shown = b"".join(b"BT /Z 9 Tf %d 300 Td <%02x> Tj ET " % (code, code) for code in codes)
    data = document(shown, resources=b"/Font<</F 3 0 R/Z 30 0 R>>", more={30: font})
    with open_document(source_from_bytes(data, "a.pdf")) as pdf:
        page = next(pdf.pages(dpi=72))
        assert isinstance(page, PageImage)
        drawn = [char[:2] for span in page.pdf_page.get_texttrace() for char in span["chars"]]
    assert len(drawn) > 180
    return {glyph: chr(code) for code, glyph in drawn}


@pytest.mark.parametrize("encoding", [b"WinAnsiEncoding", b"MacRomanEncoding", b"StandardEncoding"])
def test_the_sign_told_is_the_one_that_is_drawn(encoding: bytes) -> None:
    """By the outlines: the same glyph is called the same without an encoding, by its name."""
    own, told = drawn_with(b""), drawn_with(b"/Encoding/" + encoding)
    pairs = {(named(own[glyph]), named(told[glyph])) for glyph in own.keys() & told.keys() if own[glyph] != "\ufffd"}
    assert len(pairs) > 150
    assert [pair for pair in pairs if pair[0] != pair[1]] == []


def named(sign: str) -> str:
    """A sign without the differences of tables that have it under several numbers."""
    return unicodedata.normalize("NFKC", decoded(sign, "Symbol")).translate(str.maketrans("∗∆∼⏐", "*Δ~|"))
