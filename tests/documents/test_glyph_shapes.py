"""Characters that a font's table lacks or tells wrongly are told by what the font draws for them."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

import matplotlib
import pymupdf
import pytest
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont, newTable
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable

from docspec.core import PageImage
from docspec.documents import open_document
from docspec.documents.glyph_shapes import read_table
from docspec.documents.signs import table_of_codes

FONTS = Path(matplotlib.get_data_path(), "fonts", "ttf")


def told(path: Path) -> str:
    with open_document(path) as document:
        page = next(iter(document.pages(dpi=72)))
        assert isinstance(page, PageImage)
        return " ".join(page.pdf_page.get_text().split()) if page.pdf_page else ""


def written_by_numbers(path: Path, words: list[list[str]], font: str, ligatures: Mapping[str, str]) -> Path:
    """A PDF as macOS writes it: glyphs (characters, or names of ``ligatures``) have numbers in the order of their use,
    from that of "!" on; those of ligatures are not in the table of Unicodes."""
    source = TTFont(FONTS / font)
    usual = source.getBestCmap()
    order = list(dict.fromkeys(glyph for word in words for glyph in [*word, " "]))
    names = [ligatures.get(glyph) or usual[ord(glyph)] for glyph in order]
    options = Options(glyph_names=False, notdef_outline=True, layout_features=[])
    subsetter = Subsetter(options)
    subsetter.populate(glyphs=names)
    subsetter.subset(source)
    codes = {glyph: 0x21 + n for n, glyph in enumerate(order)}
    cmap = CmapSubtable.newSubtable(0)
    cmap.platformID, cmap.platEncID, cmap.language = 1, 0, 0
    cmap.cmap = dict(zip(codes.values(), names, strict=True))
    source["cmap"] = newTable("cmap")
    source["cmap"].tableVersion, source["cmap"].tables = 0, [cmap]
    data = io.BytesIO()
    source.save(data)
    scale = 1000 / source["head"].unitsPerEm
    widths = " ".join(f"{source['hmtx'][name][0] * scale:.0f}" for name in names)
    table = "\n".join(f"<{codes[one]:02x}> <{ord(one):04x}>" for one in order if one not in ligatures)
    with pymupdf.open() as pdf:
        page = pdf.new_page()

        def added(content: str, stream: bytes | None = None) -> int:
            number = pdf.get_new_xref()
            pdf.update_object(number, content)
            if stream is not None:
                pdf.update_stream(number, stream, new=True)
            return number

        file = added("<<>>", data.getvalue())
        unicodes = added(
            "<<>>",
            f"begincmap 1 begincodespacerange <00> <ff> endcodespacerange {len(order)} beginbfchar\n{table}\n"
            "endbfchar endcmap".encode(),
        )
        described = added(
            f"<</Type/FontDescriptor/FontName/ABCDEF+Numbered/Flags 4/FontBBox[-500 -300 1500 1000]/Ascent 800"
            f"/Descent -200/CapHeight 700/StemV 80/ItalicAngle 0/FontFile2 {file} 0 R>>"
        )
        used = added(
            f"<</Type/Font/Subtype/TrueType/BaseFont/ABCDEF+Numbered/FirstChar 33/LastChar {32 + len(order)}"
            f"/Widths[{widths}]/FontDescriptor {described} 0 R/ToUnicode {unicodes} 0 R>>"
        )
        lines = "".join(
            f"BT /F 12 Tf 1 0 0 1 50 {700 - 20 * n} Tm <{''.join(f'{codes[glyph]:02x}' for glyph in word)}> Tj ET\n"
            for n, word in enumerate(words)
        )
        contents = added("<<>>", lines.encode())
        pdf.xref_set_key(page.xref, "Contents", f"{contents} 0 R")
        pdf.xref_set_key(page.xref, "Resources", f"<</Font<</F {used} 0 R>>>>")
        pdf.save(path)
    return path


@pytest.mark.parametrize("font", ["DejaVuSerif.ttf", "DejaVuSans.ttf", "DejaVuSerif-Bold.ttf"])
def test_ligatures_without_a_character_are_told_by_their_letters(tmp_path: Path, font: str) -> None:
    alphabet = [*"ABCDEFGHIJKLMNOPQRSTUVWXYZ"], [*"abcdefghijklmnopqrstuvwxyz"]
    words = [[*"of"], ["ffi", *"ces"], ["fi", *"nal"], [*"ra", "ffl", *"es"], *alphabet]
    names = {"ffi": "uniFB03", "fi": "fi", "ffl": "uniFB04"}
    path = written_by_numbers(tmp_path / "a.pdf", words, font, names)
    with pymupdf.open(path) as raw:
        assert "offices" not in raw[0].get_text()
    assert told(path) == "of ffices final raffles ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz"


def written_by_word(path: Path, words: list[list[str]], font: str, ligatures: Mapping[str, str]) -> Path:
    """A PDF as Word and Acrobat write it: codes are the numbers of glyphs, and those of ``ligatures`` are not in the
    table of Unicodes, so that readers take them for letters."""
    source = TTFont(FONTS / font)
    usual = source.getBestCmap()
    named = {glyph: ligatures.get(glyph) or usual[ord(glyph)] for word in words for glyph in [*word, " "]}
    codes = {glyph: source.getGlyphID(name) for glyph, name in named.items()}
    scale = 1000 / source["head"].unitsPerEm
    widths = " ".join(f"{codes[glyph]} [{source['hmtx'][name][0] * scale:.0f}]" for glyph, name in named.items())
    table = "\n".join(f"<{codes[one]:04x}> <{ord(one):04x}>" for one in named if one not in ligatures)
    with pymupdf.open() as pdf:
        page = pdf.new_page()

        def added(content: str, stream: bytes | None = None) -> int:
            number = pdf.get_new_xref()
            pdf.update_object(number, content)
            if stream is not None:
                pdf.update_stream(number, stream, new=True)
            return number

        file = added("<<>>", (FONTS / font).read_bytes())
        head = b"begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange 99 beginbfchar\n"
        unicodes = added("<<>>", head + table.encode() + b"\nendbfchar endcmap")
        described = added(
            f"<</Type/FontDescriptor/FontName/ABCDEF+Glyphs/Flags 4/FontBBox[-500 -300 1500 1000]/Ascent 800"
            f"/Descent -200/CapHeight 700/StemV 80/ItalicAngle 0/FontFile2 {file} 0 R>>"
        )
        widths_of = added(f"[{widths}]")
        descendant = added(
            f"<</Type/Font/Subtype/CIDFontType2/BaseFont/ABCDEF+Glyphs/CIDToGIDMap/Identity/W {widths_of} 0 R"
            f"/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor {described} 0 R>>"
        )
        descendants = added(f"[{descendant} 0 R]")
        used = added(
            f"<</Type/Font/Subtype/Type0/BaseFont/ABCDEF+Glyphs/Encoding/Identity-H/DescendantFonts {descendants} 0 R"
            f"/ToUnicode {unicodes} 0 R>>"
        )
        lines = "".join(
            f"BT /F 12 Tf 1 0 0 1 50 {700 - 20 * n} Tm <{''.join(f'{codes[glyph]:04x}' for glyph in word)}> Tj ET\n"
            for n, word in enumerate(words)
        )
        contents = added("<<>>", lines.encode())
        pdf.xref_set_key(page.xref, "Contents", f"{contents} 0 R")
        pdf.xref_set_key(page.xref, "Resources", f"<</Font<</F {used} 0 R>>>>")
        pdf.save(path)
    return path


@pytest.mark.parametrize("font", ["DejaVuSerif.ttf", "DejaVuSans.ttf"])
def test_ligatures_of_a_font_whose_codes_are_glyphs_are_told_by_their_letters(tmp_path: Path, font: str) -> None:
    alphabet = [*"ABCDEFGHIJKLMNOPQRSTUVWXYZ"], [*"abcdefghijklmnopqrstuvwxyz"]
    words = [[*"of"], ["ffi", *"ces"], ["fi", *"nal"], [*"ra", "ffl", *"es"], *alphabet]
    path = written_by_word(tmp_path / "a.pdf", words, font, {"ffi": "uniFB03", "fi": "fi", "ffl": "uniFB04"})
    with pymupdf.open(path) as raw:
        assert "offices" not in raw[0].get_text() and "ces" in raw[0].get_text()
    assert told(path) == "of ffices final raffles ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz"


def renamed(path: Path, text: str, font: str, wrong: Mapping[str, str]) -> Path:
    """A PDF with ``text`` in one of MuPDF's own fonts, embedded, whose table tells ``wrong`` characters."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_font("F", fontbuffer=pymupdf.Font(font).buffer)
        for n, line in enumerate(text.splitlines()):
            page.insert_text((50, 80 + 20 * n), line, fontname="F", fontsize=12)
        pdf.subset_fonts()
        xref = page.get_fonts()[-1][0]
        stream = int(pdf.xref_get_key(xref, "ToUnicode")[1].split()[0])
        table = {
            code: wrong.get(sign, sign) for code, sign in read_table(pdf.xref_stream(stream)).items() if sign in text
        }
        rows = "\n".join(f"<{code:04x}> <{sign.encode('utf-16-be').hex()}>" for code, sign in table.items())
        pdf.update_stream(stream, f"{len(table)} beginbfchar\n{rows}\nendbfchar".encode())
        pdf.save(path)
    return path


def test_signs_told_as_letters_of_iceland_are_told_by_their_outlines(tmp_path: Path) -> None:
    wrong = {"=": "¼", "(": "ð", ")": "Þ", "+": "þ"}
    assert told(renamed(tmp_path / "a.pdf", "(=) + (+)", "helv", wrong)) == "(=) + (+)"


def test_true_fractions_stay(tmp_path: Path) -> None:
    assert told(renamed(tmp_path / "a.pdf", "¼ ½ ¾", "helv", {})) == "¼ ½ ¾"


def test_letters_of_iceland_stay(tmp_path: Path) -> None:
    text = "Það er stutt í land, sagði Þór"
    assert told(renamed(tmp_path / "a.pdf", text, "helv", {})) == text


def test_a_ligature_told_as_its_last_letter_is_whole(tmp_path: Path) -> None:
    text = "figures and lines \ufb01nal"
    assert told(renamed(tmp_path / "a.pdf", text, "tiro", {"\ufb01": "i"})) == "figures and lines final"


def test_two_glyphs_of_one_letter_stay(tmp_path: Path) -> None:
    wrong = {"b": "N", "e": "A", "h": "E"}
    assert told(renamed(tmp_path / "a.pdf", "NAME b e h", "tiro", wrong)) == "NAME N A E"


@pytest.mark.parametrize(
    "table",
    [
        b"2 beginbfrange\n<01> <ff> <ffff>\n<0000> <ffffffff> <dbffdfff>\nendbfrange",
        b"1 beginbfchar\n<fffffffffff> <0041>\nendbfchar 1 beginbfrange\n<05> <02> <0041>\nendbfrange",
        b"3 beginbfchar\n<41> <d800>\n<42> <>\n<43> <004>\nendbfchar",
        b"1 beginbfrange\n<00> <ff> [<0041> <0041> <0041> <00bc>]\nendbfrange",
        b"\x00\xff<<<",
    ],
)
def test_tables_that_mean_nothing_do_no_harm(tmp_path: Path, table: bytes) -> None:
    path = renamed(tmp_path / "a.pdf", "fine figures", "tiro", {})
    with pymupdf.open(path) as pdf:
        xref = pdf[0].get_fonts()[-1][0]
        pdf.update_stream(int(pdf.xref_get_key(xref, "ToUnicode")[1].split()[0]), table)
        pdf.save(tmp_path / "b.pdf")
    told(tmp_path / "b.pdf")
    assert all(code <= 0xFFFF and text.encode() for code, text in read_table(table).items())


@pytest.mark.parametrize("end", [b" endcmap end end", b""], ids=["whole", "cut off"])
def test_what_is_added_to_a_table_takes_nothing_from_it(tmp_path: Path, end: bytes) -> None:
    """Ranges of more codes than are looked at are in it as before."""
    path = renamed(tmp_path / "a.pdf", "fine figures", "tiro", {})
    with pymupdf.open(path) as pdf:
        xref = pdf[0].get_fonts()[-1][0]
        stream = int(pdf.xref_get_key(xref, "ToUnicode")[1].split()[0])
        letters = {sign: code for code, sign in read_table(pdf.xref_stream(stream)).items()}
        space = letters[" "]
        table = f"begincmap 1 beginbfrange <{space:04x}> <{space + 999:04x}> <0020> endbfrange".encode() + end
        pdf.update_stream(stream, table_of_codes({letters["f"]: "ff"}, 2, table))
        assert " ".join(pdf[0].get_text().split()) == "ffine ffigures"
