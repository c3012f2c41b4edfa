"""Faults of a PDF that touch nothing printed are remarks; those that do are damage."""

from __future__ import annotations

import pytest

from benchmarks.campaign.raw import FONT, document, packed, stream, text
from docspec.core import PageImage
from docspec.documents import open_document
from docspec.documents.damage import is_loss
from docspec.documents.sources import source_from_bytes
from docspec.documents.view import View

GOOD = stream(text("A sound line of text", "and a second one"))
LINK = b"<</Type/Annot/Subtype/Link/Rect[9 9 90 40]/Border[0 0 0]/%b>>"


def extract(page: bytes = b"", catalog: bytes = b"", more: dict[int, bytes] | None = None, font: bytes = b"3") -> bytes:
    """Two pages cut out of a longer document by a tool that left object 30 out."""
    looks = b"/MediaBox[0 0 300 400]/Resources<</Font<</F %b 0 R>>>>%b>>" % (font, page)
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R%b>>" % catalog,
        2: b"<</Type/Pages/Kids[10 0 R 12 0 R]/Count 2>>",
        3: FONT,
        10: b"<</Type/Page/Parent 2 0 R/Contents 11 0 R" + looks,
        11: GOOD,
        12: b"<</Type/Page/Parent 2 0 R/Contents 13 0 R" + looks,
        13: GOOD,
    }
    return packed(objects | (more or {}), left_out=(30,))


def told(data: bytes) -> tuple[str | None, list[list[str]]]:
    """The damage of a file after all of its pages were drawn, and the events of each page."""
    with open_document(source_from_bytes(data, "a.pdf")) as pdf:
        pages = list(pdf.pages(view=View(dpi=36)))
        return pdf.damage, [[event.kind for event in page.events] for page in pages if isinstance(page, PageImage)]


def bookmarks(second: bytes) -> dict[int, bytes]:
    return {
        20: b"<</Type/Outlines/First 21 0 R/Last 22 0 R/Count 2>>",
        21: b"<</Title(One)/Parent 20 0 R/Next 22 0 R/Dest[10 0 R/Fit]>>",
        22: b"<</Title(Two)/Parent 20 0 R/Prev 21 0 R/%b>>" % second,
    }


ELSEWHERE = {
    "bookmark": extract(catalog=b"/Outlines 20 0 R", more=bookmarks(b"Dest[30 0 R/Fit]")),
    "bookmark's action": extract(catalog=b"/Outlines 20 0 R", more=bookmarks(b"A<</S/GoTo/D[30 0 R/Fit]>>")),
    "bookmark's neighbour": extract(catalog=b"/Outlines 20 0 R", more=bookmarks(b"Dest[10 0 R/Fit]/First 30 0 R")),
    "link": extract(page=b"/Annots[20 0 R]", more={20: LINK % b"Dest[30 0 R/Fit]"}),
    "link's action": extract(page=b"/Annots[20 0 R]", more={20: LINK % b"A<</S/GoTo/D[30 0 R/Fit]>>"}),
    "names": extract(catalog=b"/Names 30 0 R/Dests 30 0 R/Metadata 30 0 R/StructTreeRoot 30 0 R/PageLabels 30 0 R"),
    "note's window": extract(
        page=b"/Annots[20 0 R]",
        more={20: b"<</Type/Annot/Subtype/Text/Rect[9 9 30 30]/Contents(hi)/Popup 30 0 R/P 30 0 R/StructParent 1>>"},
    ),
}


@pytest.mark.parametrize("what", ELSEWHERE)
def test_what_was_left_out_and_is_not_printed_is_no_damage(what: str) -> None:
    damage, pages = told(ELSEWHERE[what])
    assert damage is None
    assert len(pages) == 2 and {kind for kinds in pages for kind in kinds} <= {"pdf_warning"}


@pytest.mark.parametrize("what", ["bookmark", "link"])
def test_what_was_left_out_elsewhere_is_a_remark(what: str) -> None:
    assert "pdf_warning" in told(ELSEWHERE[what])[1][0]


@pytest.mark.parametrize(
    "data",
    [
        extract(font=b"30"),
        extract(page=b"/Annots[30 0 R]"),
        extract(page=b"/Annots[20 0 R]", more={20: b"<</Subtype/Stamp/Rect[9 9 90 40]/AP<</N 30 0 R>>>>"}),
        extract().replace(b"/Contents 13", b"/Contents 30"),
        extract(catalog=b"/Outlines 20 0 R", more=bookmarks(b"Dest[30 0 R/Fit]")).replace(
            b"/Contents 13", b"/Contents 30"
        ),
    ],
    ids=["font", "annotation", "appearance", "contents", "bookmark and contents"],
)
def test_what_was_left_out_and_is_printed_is_damage(data: bytes) -> None:
    assert "damaged_page" in told(data)[1][1]


THREE = document(text("one"), text("two"), catalog=b"/Outlines 20 0 R", more={**bookmarks(b"Dest[30 0 R/Fit]")})


def misplaced(number: int) -> bytes:
    """The file, of which the index has a wrong place for the object ``number``."""
    sound = b"%010d 00000 n" % THREE.index(b"%d 0 obj" % number)
    assert THREE.count(sound) == 1
    return THREE.replace(sound, b"0000000015 00000 n")


def pointer(by: int) -> bytes:
    """The file, of which the pointer to the index is off by so many bytes."""
    start = THREE.rindex(b"startxref") + 10
    end = THREE.index(b"\n", start)
    return THREE[:start] + b"%d" % (int(THREE[start:end]) + by) + THREE[end:]


REPAIRED = {
    "pointer behind": pointer(4),
    "pointer before": pointer(-7),
    "pointer to nothing": pointer(100_000),
    "contents": misplaced(13),
    "page": misplaced(12),
    "type": misplaced(3),
    "shifted": THREE.replace(b"1 0 obj", b"% a line more\n1 0 obj", 1),
}


@pytest.mark.parametrize("what", REPAIRED)
def test_a_repair_that_found_all_that_is_printed_is_a_remark(what: str) -> None:
    """MuPDF searches the whole file where its index is wrong, and finds all objects."""
    assert REPAIRED[what] != THREE
    with open_document(source_from_bytes(REPAIRED[what], "a.pdf")) as pdf:
        pages = [page for page in pdf.pages(view=View(dpi=36)) if isinstance(page, PageImage)]
        events = [event for page in pages for event in page.events]
        assert pdf.damage is None
    assert len(pages) == 2
    assert {event.kind for event in events} == {"pdf_warning"}
    assert "repair" in " ".join(event.detail for event in events)


@pytest.mark.parametrize(
    "lost",
    [
        THREE.replace(b"13 0 obj", b"13 0 xxx"),
        THREE.replace(b"3 0 obj\n<</Type/Font", b"3 0 xxx\n<</Type/Font"),
        THREE.replace(b"(two)Tj T*\n", b""),
    ],
    ids=["contents", "font", "part of the contents"],
)
def test_a_repair_that_lacks_something_printed_is_damage(lost: bytes) -> None:
    assert len(lost) <= len(THREE) and lost != THREE
    start = lost.rindex(b"startxref") + 10
    _, pages = told(lost[:start] + b"7" + lost[start:])
    assert "damaged_page" in pages[1]


@pytest.mark.parametrize("kept", [THREE.rindex(b"%%EOF"), THREE.rindex(b"startxref"), THREE.rindex(b"xref\n0 ")])
def test_a_file_without_its_end_that_was_repaired_is_damaged(kept: int) -> None:
    """What was added to it last may be lost without a trace."""
    data = THREE[:kept].replace(b"startxref\n", b"startxref\n7")
    assert "its end is missing" in str(told(data)[0])


def test_warnings_of_what_is_drawn_in_full_are_no_loss() -> None:
    assert not is_loss("gstate underflow in content stream")
    assert not is_loss("bfrange limits out of range")
    assert not is_loss("jbig2dec warning: JBIG2 file header ignored in supposedly embedded stream (segment 42)")
    assert is_loss("jbig2dec error: unhandled segment type 'intermediate generic region' (NYI) (segment 1)")


def test_odd_pictures_that_openjpeg_decodes_in_full_are_no_loss() -> None:
    assert not is_loss("openjpeg warning: Non conformant codestream TPsot==TNsot.")
    assert not is_loss("openjpeg warning: JP2 box which are after the codestream will not be read by this function.")
    assert is_loss("openjpeg error: Failed to decode the codestream in the JP2 file")
    assert is_loss("openjpeg warning: Tile part length size inconsistent with stream length")
    assert is_loss("openjpeg warning: Stream too short, expected SOT")
