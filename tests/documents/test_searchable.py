"""The text layer of a searchable PDF: words are found where they are printed, and nothing that is seen changes."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from pathlib import Path, PurePath
from typing import Any

import pymupdf
import pytest
from PIL import Image, ImageDraw

from benchmarks.campaign.raw import document
from docspec.core import BBox, PageImage
from docspec.core.straightening import Straightening
from docspec.documents import Source, open_document
from docspec.documents.layer_text import LayerPage, LayerWord
from docspec.documents.searchable import searchable_pdf
from docspec.documents.view import View

TEXT = (("Harbour", "office"), ("1905",))


def scan(width: int = 800, height: int = 600) -> Image.Image:
    """A sheet with a black bar at each word's place."""
    image = Image.new("RGB", (width, height), "white")
    for word in (one for line in lines() for one in line):
        ImageDraw.Draw(image).rectangle((word.bbox.x0, word.bbox.y0, word.bbox.x1, word.bbox.y1), fill="black")
    return image


def lines(*texts: tuple[str, ...]) -> tuple[tuple[LayerWord, ...], ...]:
    found = []
    for row, words in enumerate(texts or TEXT):
        x, line = 100.0, []
        for text in words:
            line.append(LayerWord(text, BBox(x, 100 + 60 * row, x + 15 * len(text), 130 + 60 * row)))
            x += 15 * len(text) + 12
        found.append(tuple(line))
    return tuple(found)


def scanned_pdf(**change: Any) -> bytes:
    """A page of 8 x 6 inches (800 x 600 pixels at 100 dpi), a scan; ``change``: its rotation, its crop, its pages."""
    pdf = pymupdf.open()
    buffer = io.BytesIO()
    scan().save(buffer, "PNG")
    for _ in range(change.get("pages", 1)):
        page = pdf.new_page(width=576, height=432)
        page.insert_image(page.rect, stream=buffer.getvalue())
        if "hidden" in change:
            page.insert_text((200, 300), change["hidden"], render_mode=3)
        if "crop" in change:
            page.set_cropbox(change["crop"])
        page.set_rotation(change.get("rotation", 0))
    if "toc" in change:
        pdf.set_toc([[1, "Chapter", 1]])
        pdf[0].insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(10, 10, 50, 50), "uri": "https://a.org/"})
    data: bytes = pdf.tobytes(**change.get("save", {}))
    return data


def source_of(data: bytes, kind: str = "pdf") -> Source:
    return Source(f"a.{kind}", "pdf" if kind == "pdf" else "image", PurePath(f"a.{kind}"), data=data)


def layered(data: bytes, *pages: LayerPage, kind: str = "pdf", password: str | None = None) -> bytes:
    with open_document(source_of(data, kind), password) as document:
        return searchable_pdf(document, View(100.0), pages, password)[0]


def found(data: bytes, number: int = 0) -> list[tuple[str, BBox]]:
    """The words that MuPDF finds, with their places as they are shown, in pixels of 100 dpi."""
    with pymupdf.open(stream=data) as pdf:
        page = pdf[number]
        words = page.get_text("words")
        return [(word[4], BBox(*(pymupdf.Rect(word[:4]) * page.rotation_matrix)).scaled(100 / 72)) for word in words]


def are_near(one: BBox, other: BBox, most: float = 6.0) -> bool:
    return all(
        abs(a - b) < most
        for a, b in zip(one.corners[0] + one.corners[2], other.corners[0] + other.corners[2], strict=True)
    )


def pixels(data: bytes) -> bytes:
    with pymupdf.open(stream=data) as pdf:
        return b"".join(bytes(page.get_pixmap(dpi=50).samples) for page in pdf)


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (36, 36, 540, 396)])
def test_words_lie_over_their_print(rotation: int, crop: tuple[int, ...] | None) -> None:
    change = {"rotation": rotation} | ({} if crop is None else {"crop": pymupdf.Rect(crop)})
    data = scanned_pdf(**change)
    with open_document(source_of(data)) as document:
        [page] = document.pages(view=View(100.0))
        assert isinstance(page, PageImage)
        image = page.image.convert("L")
    printed = image.point(lambda level: 255 * (level < 128)).getbbox()
    assert printed is not None
    dark = BBox(*printed)
    across, down = image.size
    whole = LayerPage(1, across, down, ((LayerWord("everything", dark, 1),),))
    [(text, box)] = found(layered(data, whole))
    assert text == "everything"
    assert abs(box.center_x - dark.center_x) < 4 and abs(box.center_y - dark.center_y) < 0.3 * dark.height
    assert abs(box.width - dark.width) < 8


def test_lines_are_found_as_they_are_read() -> None:
    data = layered(scanned_pdf(), LayerPage(1, 800, 600, lines()))
    words = found(data)
    assert [text for text, _ in words] == ["Harbour", "office", "1905"]
    for (_, box), word in zip(words, (one for line in lines() for one in line), strict=True):
        assert are_near(box, word.bbox)
    with pymupdf.open(stream=data) as pdf:
        assert len(pdf[0].search_for("Harbour office")) == 1


@pytest.mark.parametrize("gap", [1.0, 0.0, -6.0])
@pytest.mark.parametrize("way", [1, 2, -2])
def test_words_whose_boxes_touch_are_told_apart(gap: float, way: int, tmp_path: Path) -> None:
    """A recogniser's boxes of words are a guess; Poppler joins two words with less than 0.05 em between them."""
    line = []
    for text, ahead in (("be", 0.0), ("white", 36 + gap), ("or", 132 + gap)):
        box = BBox(100 + ahead, 100, 100 + ahead + 18 * len(text), 130)
        if way == 2:
            box = BBox(box.y0, box.x0, box.y1, box.x1)
        elif way == -2:
            box = BBox(box.y0, 500 - box.x1, box.y1, 500 - box.x0)
        line.append(LayerWord(text, box, way))
    made = layered(scanned_pdf(), LayerPage(1, 800, 600, (tuple(line),)))
    (first, one), (second, other), (third, last) = found(made)
    assert (first, second, third) == ("be", "white", "or")
    between = {1: other.x0 - one.x1, 2: other.y0 - one.y1, -2: one.y0 - other.y1}[way]
    assert between > 0.05 * 0.85 * 30
    assert are_near(last, line[2].bbox) and are_near(other, line[1].bbox), "which have room keep their boxes"
    if shutil.which("pdftotext") is not None:
        file = tmp_path / "a.pdf"
        file.write_bytes(made)
        said = subprocess.run(["pdftotext", str(file), "-"], capture_output=True, text=True, check=True).stdout
        assert said.split() == ["be", "white", "or"]


def test_nothing_that_is_seen_changes() -> None:
    data = scanned_pdf()
    assert pixels(layered(data, LayerPage(1, 800, 600, lines()))) == pixels(data)


def test_a_picture_that_was_straightened_has_its_words_where_they_are_printed() -> None:
    seen = Straightening(turns=1, tilt=2.0)
    width, height = seen.size(800, 600)
    there = seen.projection(800, 600)
    moved = tuple(tuple(LayerWord(one.text, there.resized(one.bbox)) for one in line) for line in lines())
    upright = [LayerWord(one.text, there.box(one.bbox), -2) for line in lines() for one in line]
    words = found(layered(scanned_pdf(), LayerPage(1, width, height, tuple((one,) for one in upright), seen)))
    assert moved and [text for text, _ in words] == ["Harbour", "office", "1905"]
    for (_, box), word in zip(words, (one for line in lines() for one in line), strict=True):
        assert abs(box.center_x - word.bbox.center_x) < 15 and abs(box.center_y - word.bbox.center_y) < 15


def test_scripts_that_run_leftwards_are_found_in_the_order_of_speech() -> None:
    words = (LayerWord("שלום", BBox(300, 100, 400, 130), -1), LayerWord("3.5עולם", BBox(180, 100, 285, 130), -1))
    data = layered(scanned_pdf(), LayerPage(1, 800, 600, (words,)))
    assert {text for text, _ in found(data)} == {"שלום", "עולם", "3.5"}


@pytest.mark.parametrize("text", ["Größe", "Ελλάδα", "中文字", "½µ𝒳😀", "ﬁne"])
def test_any_sign_is_found(text: str) -> None:
    data = layered(scanned_pdf(), LayerPage(1, 800, 600, lines((text,))))
    with pymupdf.open(stream=data) as pdf:
        page = pdf[0].get_text("text", flags=pymupdf.TEXT_PRESERVE_LIGATURES).strip()
    assert page == text


def test_invisible_text_that_was_wrong_is_replaced_and_other_text_stays() -> None:
    data = scanned_pdf(hidden="Hqrb0ur")
    assert [text for text, _ in found(layered(data, LayerPage(1, 800, 600, lines())))] == ["Harbour", "office", "1905"]
    kept = layered(data, LayerPage(1, 800, 600, lines(), replaces=False))
    assert "Hqrb0ur" in [text for text, _ in found(kept)]


def printed_pdf(text: str) -> tuple[bytes, BBox]:
    """A page whose own layer has ``text``, and the box of that in pixels of 100 dpi."""
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=576, height=432)
        page.insert_text((100, 200), text, fontsize=20)
        [word] = page.get_text("words")
        return pdf.tobytes(), BBox(*word[:4]).scaled(100 / 72)


@pytest.mark.parametrize(("told", "read", "count"), [("lx", "λx", 2), ("Straße", "Straße", 1), ("fine", "ﬁne", 1)])
def test_words_that_the_own_layer_tells_wrongly_are_added_to_it(told: str, read: str, count: int) -> None:
    data, box = printed_pdf(told)
    word = LayerWord(read, box, is_kept=True, boxes=(box,))
    for replaces in (False, True):  # visible text stays, be it trusted or not
        assert len(found(layered(data, LayerPage(1, 800, 600, ((word,),), replaces=replaces)))) == count


@pytest.mark.parametrize("is_drawn", [True, False])
def test_words_of_a_note_that_the_file_does_not_draw_are_added(is_drawn: bool) -> None:
    """Some programs draw it themselves, others show and tell nothing."""
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=576, height=432)
        note = page.add_freetext_annot((100, 100, 300, 140), "Harbour", fontsize=20)
        if not is_drawn:
            pdf.xref_set_key(note.xref, "AP", "null")
        data = pdf.tobytes()
    [(_, box)] = found(data)
    word = LayerWord("Harbour", box, is_kept=True, boxes=(box,))
    made = layered(data, LayerPage(1, 800, 600, ((word,),), replaces=False))
    assert [text for text, _ in found(made)] == ["Harbour"] * (1 if is_drawn else 2)


def test_a_font_that_is_no_object_of_its_own_does_not_stop_the_copy() -> None:
    font = b"/Font<</Z<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>>>"
    data = document(b"BT /Z 20 Tf 40 300 Td (pier) Tj ET", resources=font)
    [(_, box)] = found(data)
    word = LayerWord("pier", box, is_kept=True, boxes=(box,))
    assert len(found(layered(data, LayerPage(1, 417, 556, ((word,),), replaces=False)))) == 1


def test_a_font_that_tells_wrong_signs_tells_the_right_ones_in_the_copy() -> None:
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Symbol/Encoding/WinAnsiEncoding>>"
    data = document(b"BT /Z 20 Tf 40 300 Td (lb) Tj ET", resources=b"/Font<</Z 30 0 R>>", more={30: font})
    [(told, box)] = found(data)
    word = LayerWord("λβ", box, is_kept=True, boxes=(box,))
    made = layered(data, LayerPage(1, 417, 556, ((word,),), replaces=False))
    assert (told, [text for text, _ in found(made)]) == ("lb", ["λβ"])


def test_a_composite_font_that_is_not_embedded_tells_its_letters_in_the_copy() -> None:
    """MuPDF takes the numbers for those of TrueType's usual order; other readers tell the numbers."""
    part = "<</Type/Font/Subtype/CIDFontType2/BaseFont/TimesNewRoman/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)"
    described = "/Supplement 0>>/FontDescriptor<</Type/FontDescriptor/FontName/TimesNewRoman/Flags 4>>/DW 500>>"
    font = f"<</Type/Font/Subtype/Type0/BaseFont/TimesNewRoman/Encoding/Identity-H/DescendantFonts[{part}{described}]>>"
    data = document(
        b"BT /Z 20 Tf 40 300 Td <00390032> Tj ET", resources=b"/Font<</Z 30 0 R>>", more={30: font.encode()}
    )
    [(told, box)] = found(data)
    word = LayerWord(told, box, is_kept=True, boxes=(box,))
    made = layered(data, LayerPage(1, 417, 556, ((word,),), replaces=False))
    with pymupdf.open(stream=made) as pdf:
        [(number, *_)] = [one for one in pdf[0].get_fonts() if one[3] == "TimesNewRoman"]
        table = pdf.xref_stream(int(pdf.xref_get_key(number, "ToUnicode")[1].split()[0]))
    assert told == "VO" and b"<0039> <0056>" in table and b"<0032> <004f>" in table


@pytest.mark.parametrize(("composite", "count"), [(False, 2), (True, 1)], ids=["bytes", "composite"])
def test_chinese_of_which_the_layer_has_the_bytes_alone_is_added_to_it(composite: bool, count: int) -> None:
    """MuPDF guesses the encoding by the name of the font; other readers tell Latin letters."""
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=576, height=432)
        page.insert_text((100, 200), "目录", fontname="china-s", fontsize=20)
        if not composite:
            [(font, *_)] = page.get_fonts()
            named = (
                "/FontDescriptor<</Type/FontDescriptor/FontName<CBCECCE5>/Flags 4/MissingWidth 1000/Ascent 1000"
                "/Descent -200/FontBBox[0 -200 1000 1000]/ItalicAngle 0/StemV 100>>/Encoding/WinAnsiEncoding"
            )
            pdf.update_object(font, f"<</Type/Font/Subtype/TrueType/BaseFont/#CB#CE#CC#E5{named}>>")
            codes = "目录".encode("gbk").hex().encode()
            [contents] = page.get_contents()
            pdf.update_stream(contents, re.sub(rb"\[?<[0-9a-f]+>\]? ?T[jJ]", b"<%s> Tj" % codes, page.read_contents()))
        data = pdf.tobytes()
    with pymupdf.open(stream=data) as pdf:
        [word] = pdf[0].get_text("words")
    assert word[4] == "目录"
    box = BBox(*word[:4]).scaled(100 / 72)
    made = layered(
        data, LayerPage(1, 800, 600, ((LayerWord("目录", box, is_kept=True, boxes=(box,)),),), replaces=False)
    )
    assert [text for text, _ in found(made)] == ["目录"] * count


def test_words_whose_letters_the_own_layer_sets_apart_are_added_whole() -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=576, height=432)
        x = 100.0
        for letter in "Meanwhile":
            page.insert_text((x, 200), letter, fontsize=20)
            x += pymupdf.Font("helv").text_length(letter, 20) + 8
        page.insert_text((100, 240), "down the coast", fontsize=20)
        boxes = [BBox(*word[:4]).scaled(100 / 72) for word in page.get_text("words")]
        data = pdf.tobytes()
    whole = BBox.union(boxes[:9])
    lines = (
        (LayerWord("Meanwhile", whole, is_kept=True, boxes=(whole,)),),
        tuple(
            LayerWord(word, box, is_kept=True, boxes=(box,))
            for word, box in zip(("down", "the", "coast"), boxes[9:], strict=True)
        ),
    )
    texts = [text for text, _ in found(layered(data, LayerPage(1, 800, 600, lines, replaces=False)))]
    assert texts.count("Meanwhile") == 1
    assert texts.count("coast") == 1


def test_a_page_whose_old_layer_was_taken_out_is_sound_to_other_programs(tmp_path: Path) -> None:
    if shutil.which("qpdf") is None:
        pytest.skip("needs qpdf")
    file = tmp_path / "a.pdf"
    file.write_bytes(layered(scanned_pdf(hidden="Hqrb0ur", pages=2), LayerPage(1, 800, 600, lines())))
    done = subprocess.run(["qpdf", "--check", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_document_that_needs_nothing_keeps_its_bytes() -> None:
    data = scanned_pdf()
    assert layered(data, LayerPage(1, 800, 600, ())) == data


def test_links_and_bookmarks_stay_and_the_file_grows_little() -> None:
    data = scanned_pdf(toc=True, pages=3)
    more = layered(data, *(LayerPage(number, 800, 600, lines()) for number in (1, 2, 3)))
    assert more.startswith(data)
    assert len(more) < len(data) + 3 * 2_000
    with pymupdf.open(stream=more) as pdf:
        assert pdf.get_toc() == [[1, "Chapter", 1]]
        assert [link["uri"] for link in pdf[0].get_links()] == ["https://a.org/"]


def filled_form(pages: int) -> bytes:
    """A scan with a field that is filled in, one to tick that is ticked and one to choose from, links to an address and
    to a page, and an outline of two levels."""
    with pymupdf.open(stream=scanned_pdf(pages=pages)) as pdf:
        page = pdf[0]
        for number, (name, kind, value) in enumerate(FIELDS):
            widget = pymupdf.Widget()
            widget.field_name, widget.field_type = name, kind
            widget.rect = pymupdf.Rect(300, 200 + 40 * number, 400, 220 + 40 * number)
            if kind == pymupdf.PDF_WIDGET_TYPE_COMBOBOX:
                widget.choice_values = ["North", "South"]
            widget.field_value = value
            page.add_widget(widget)
        page.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(10, 10, 50, 50), "uri": "https://a.org/"})
        goto = {"kind": pymupdf.LINK_GOTO, "from": pymupdf.Rect(60, 10, 90, 50), "page": 0, "to": pymupdf.Point(0, 0)}
        page.insert_link(goto)
        pdf.set_toc([[1, "Chapter", 1], [2, "Section", 1]])
        data: bytes = pdf.tobytes()
        return data


FIELDS = (
    ("name", pymupdf.PDF_WIDGET_TYPE_TEXT, "Ada"),
    ("agreed", pymupdf.PDF_WIDGET_TYPE_CHECKBOX, True),
    ("quay", pymupdf.PDF_WIDGET_TYPE_COMBOBOX, "South"),
)


@pytest.mark.parametrize("change", ["appended", "repaired", "of some pages"])
def test_forms_links_and_outlines_stay(change: str) -> None:
    data = filled_form(2 if change == "of some pages" else 1)
    if change == "repaired":
        data = re.sub(rb"startxref\s+\d+", b"startxref 7", data)
    made = layered(data, LayerPage(1, 800, 600, lines()))
    assert made.startswith(data) == (change == "appended")
    with pymupdf.open(stream=data) as before, pymupdf.open(stream=made) as after:
        old, new = (
            [(w.field_name, w.field_type, w.field_value, w.rect) for w in pdf[0].widgets()] for pdf in (before, after)
        )
        assert new == old and [(name, value) for name, _, value, _ in new][::2] == [("name", "Ada"), ("quay", "South")]
        assert after.is_form_pdf == len(FIELDS)
        old, new = (
            [(link["kind"], link.get("uri"), link.get("page"), link["from"]) for link in pdf[0].get_links()]
            for pdf in (before, after)
        )
        assert new == old and len(new) == 2
        assert after.get_toc() == before.get_toc() == [[1, "Chapter", 1], [2, "Section", 1]]
    assert {"Harbour", "office", "1905"} <= {text for text, _ in found(made)}


def test_fields_of_pages_that_were_not_read_are_not_kept() -> None:
    """Nor the contents of their pages; a field on both pages keeps its place on the first."""
    with pymupdf.open(stream=filled_form(2)) as pdf:
        pdf[1].insert_text((100, 100), "secret")
        kids = []
        for page in pdf:
            widget = pymupdf.Widget()
            widget.field_name, widget.field_type = f"on {page.number}", pymupdf.PDF_WIDGET_TYPE_TEXT
            widget.rect, widget.field_value = pymupdf.Rect(300, 350, 400, 370), "both"
            page.add_widget(widget)
            kids.append(widget.xref)
        field = pdf.get_new_xref()
        pdf.update_object(field, f"<</FT/Tx/T(shared)/V(both)/Kids[{kids[0]} 0 R {kids[1]} 0 R]>>")
        for kid in kids:
            pdf.xref_set_key(kid, "Parent", f"{field} 0 R")
        fields = pdf.xref_get_key(pdf.pdf_catalog(), "AcroForm/Fields")[1]
        pdf.xref_set_key(pdf.pdf_catalog(), "AcroForm/Fields", fields.replace("[", f"[{field} 0 R "))
        data = pdf.tobytes()
    with pymupdf.open(stream=layered(data, LayerPage(1, 800, 600, lines()))) as made:
        assert made.page_count == 1 and made.is_form_pdf == len(FIELDS) + 1
        assert sorted(widget.field_value for widget in made[0].widgets()) == sorted(["Ada", "Yes", "South", "both"])
        whole = [made.xref_stream(xref) for xref in range(1, made.xref_length()) if made.xref_is_stream(xref)]
        assert not any(b"secret" in stream or b"736563726574" in stream for stream in whole)


def test_only_the_pages_that_were_read_are_written() -> None:
    data = layered(scanned_pdf(pages=3), LayerPage(2, 800, 600, lines()))
    with pymupdf.open(stream=data) as pdf:
        assert pdf.page_count == 1
    assert [text for text, _ in found(data)] == ["Harbour", "office", "1905"]


def test_an_encrypted_document_stays_encrypted() -> None:
    save = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": "secret", "owner_pw": "secret"}
    data = layered(scanned_pdf(save=save), LayerPage(1, 800, 600, lines()), password="secret")
    with pymupdf.open(stream=data) as pdf:
        assert pdf.needs_pass and pdf.authenticate("secret")
        assert "Harbour" in pdf[0].get_text()


@pytest.mark.parametrize("kind", ["png", "jpg", "tif", "webp", "gif", "bmp"])
def test_an_image_becomes_a_page(kind: str) -> None:
    buffer = io.BytesIO()
    scan().save(buffer, {"jpg": "JPEG", "tif": "TIFF"}.get(kind, kind.upper()), dpi=(100, 100))
    data = layered(buffer.getvalue(), LayerPage(1, 800, 600, lines()), kind=kind)
    scale = {"webp": 2, "gif": 2}.get(kind, 1)  # which tell no size: 200 pixels to the inch
    words = found(data)
    assert [text for text, _ in words] == ["Harbour", "office", "1905"]
    assert are_near(words[0][1].scaled(scale), lines()[0][0].bbox)


@pytest.mark.parametrize(("note", "turned"), [(6, Image.Transpose.ROTATE_90), (3, Image.Transpose.ROTATE_180)])
def test_a_photograph_is_shown_as_its_camera_noted(note: int, turned: Image.Transpose) -> None:
    exif = Image.Exif()
    exif[0x0112] = note
    buffer = io.BytesIO()
    scan().transpose(turned).save(buffer, "JPEG", exif=exif, dpi=(100, 100))
    words = found(layered(buffer.getvalue(), LayerPage(1, 800, 600, lines()), kind="jpg"))
    assert are_near(words[0][1], lines()[0][0].bbox)


@pytest.mark.parametrize("tool", ["pdftotext", "qpdf"])
def test_other_programs_take_it(tool: str, tmp_path: Path) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"needs {tool}")
    file = tmp_path / "a.pdf"
    file.write_bytes(layered(scanned_pdf(), LayerPage(1, 800, 600, lines())))
    command = ["pdftotext", str(file), "-"] if tool == "pdftotext" else ["qpdf", "--check", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    if tool == "pdftotext":
        assert done.stdout.split() == ["Harbour", "office", "1905"]


XMP = """<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'>
<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about=''
 xmlns:pdfaid='http://www.aiim.org/pdfa/ns/id/' xmlns:dc='http://purl.org/dc/elements/1.1/'{attributes}>{elements}
<dc:source>Harbour office</dc:source></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end='w'?>"""


@pytest.mark.parametrize(
    ("attributes", "elements"),
    [
        ("", "<pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>"),
        (" pdfaid:part='2' pdfaid:conformance='B'", ""),
    ],
    ids=["elements", "attributes"],
)
def test_a_claim_of_pdf_a_is_not_kept_and_said_to_be_lost(attributes: str, elements: str) -> None:
    with pymupdf.open(stream=scanned_pdf()) as pdf:
        pdf.set_xml_metadata(XMP.format(attributes=attributes, elements=elements))
        claiming = pdf.tobytes()
    with open_document(source_of(claiming)) as document:
        data, lost = searchable_pdf(document, View(100.0), [LayerPage(1, 800, 600, lines())])
    assert len(lost) == 1 and "PDF/A-2b" in lost[0]
    with pymupdf.open(stream=data) as pdf:
        metadata = pdf.get_xml_metadata()
    assert "Harbour office" in metadata and "pdfaid:part" not in metadata and "pdfaid:conformance" not in metadata


def with_signature_field(data: bytes, value: str) -> bytes:
    """``data`` with a field for a signature, which has that ``value``."""
    with pymupdf.open(stream=data) as pdf:
        field = pdf.get_new_xref()
        pdf.update_object(field, f"<< /FT /Sig /T (Harbour master) {value} >>")
        pdf.xref_set_key(pdf.pdf_catalog(), "AcroForm", f"<< /Fields [{field} 0 R] /SigFlags 3 >>")
        made: bytes = pdf.tobytes()
        return made


SIGNATURE = "/V << /Type /Sig /Filter /Adobe.PPKLite /ByteRange [0 0 0 0] /Contents <00> >>"


@pytest.mark.parametrize("pages", [1, 2])
def test_what_becomes_of_a_signature_is_said(pages: int) -> None:
    """A file that is appended to, and one of which only the first page is read."""
    signed = with_signature_field(scanned_pdf(pages=pages), SIGNATURE)
    with open_document(source_of(signed)) as document:
        data, lost = searchable_pdf(document, View(100.0), [LayerPage(1, 800, 600, lines())])
    assert len(lost) == 1
    assert data.startswith(signed) is (pages == 1)
    assert ("changed after" in lost[0]) is (pages == 1) and ("not valid" in lost[0]) is (pages == 2)


@pytest.mark.parametrize("data", [scanned_pdf(), with_signature_field(scanned_pdf(), "")], ids=["plain", "unsigned"])
def test_nothing_is_said_to_be_lost_of_other_files(data: bytes) -> None:
    with open_document(source_of(data)) as document:
        assert searchable_pdf(document, View(100.0), [LayerPage(1, 800, 600, lines())])[1] == ()


def with_gap(data: bytes) -> bytes:
    """``data`` with an update whose object has number 40, so that the table of objects has none before it."""
    last, new = data.rindex(b"startxref"), len(data)
    added = b"40 0 obj\n<<>>\nendobj\n"
    before, root = data[last:].split()[1], re.search(rb"/Root \d+ 0 R", data)
    assert root is not None
    table = b"xref\n40 1\n%010d 00000 n \ntrailer\n<</Size 41%s/Prev %s>>\n" % (new, root[0], before)
    return data + added + table + b"startxref\n%d\n%%%%EOF\n" % (new + len(added))


@pytest.mark.parametrize("value", ["", SIGNATURE], ids=["unsigned", "signed"])
def test_a_file_whose_table_of_objects_has_gaps_is_written(value: str) -> None:
    data = with_gap(with_signature_field(scanned_pdf(), value))
    with open_document(source_of(data)) as document:
        made, lost = searchable_pdf(document, View(100.0), [LayerPage(1, 800, 600, lines())])
    assert [text for text, _ in found(made)] == ["Harbour", "office", "1905"]
    assert len(lost) == (1 if value else 0)
