"""Damaged and hostile PDFs: every page that exists is kept, what is lost is said, nothing takes for ever."""

from __future__ import annotations

import os
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest

from benchmarks.campaign.raw import document, stream, text
from docspec.core import PageImage
from docspec.documents import PageFailure, expand_inputs, open_document
from docspec.documents.document import Document
from docspec.documents.drawing import limited
from docspec.documents.sources import source_from_bytes
from docspec.documents.view import View

from ..patience import within

GOOD = text("A sound line of text", "and a second one")
PACKED = zlib.compress(text(*(f"Line {number} of the text" for number in range(40))))


def opened(data: bytes) -> Document:
    return open_document(source_from_bytes(data, "a.pdf"))


def pages_of(data: bytes, view: View | None = None) -> list[PageImage | PageFailure]:
    with opened(data) as pdf:
        return list(pdf.pages(view=view or View(dpi=72)))


def kinds(page: PageImage | PageFailure) -> list[str]:
    assert isinstance(page, PageImage)
    return [event.kind for event in page.events]


def raw(data: bytes, filter: bytes = b"FlateDecode") -> bytes:
    return b"<</Filter/%b/Length %d>>\nstream\n%b\nendstream" % (filter, len(data), data)


@pytest.mark.parametrize(
    "contents",
    [
        raw(PACKED[:40] + b"\xff\xff\xff\xff" + PACKED[44:]),
        raw(b"not flate"),
        raw(PACKED[: len(PACKED) // 2]),
        raw(GOOD, b"Nonsense"),
        GOOD + b" ] >> foo ( unclosed",
    ],
    ids=["broken", "garbage", "cut", "unknown filter", "syntax"],
)
def test_contents_that_cannot_be_read_mark_their_page_as_damaged(contents: bytes) -> None:
    sound, broken = pages_of(document(GOOD, contents))
    assert kinds(sound) == []
    assert "damaged_page" in kinds(broken)


def test_what_was_drawn_before_the_contents_break_off_is_kept() -> None:
    (page,) = pages_of(document(GOOD + b"[" * 100_000))
    assert kinds(page)[-1] == "damaged_page"
    assert page.image.convert("L").getextrema()[0] < 100  # type: ignore[union-attr]


def test_contents_that_are_missing_mark_their_page_as_damaged() -> None:
    (page,) = pages_of(document(GOOD, page=b"/Contents 77 0 R"))
    assert kinds(page) == ["damaged_page"]


def test_a_page_that_lost_its_contents_is_damaged_and_an_empty_one_is_not() -> None:
    (page,) = pages_of(document(GOOD, page=b"/Contents null"))
    assert kinds(page) == ["damaged_page"], "its fonts are there"
    (page,) = pages_of(document(GOOD).replace(b"/Contents", b"/Sontents"))
    assert kinds(page) == ["damaged_page"]
    (page,) = pages_of(document(GOOD, page=b"/Contents null/Resources<</Font<<>>/ProcSet[/PDF]>>"))
    assert kinds(page) == []
    (page,) = pages_of(document(b""))
    assert kinds(page) == [], "contents that draw nothing are contents"


@pytest.mark.parametrize(
    ("sound", "damaged"),
    [
        (b"/Contents 11", b"/Content) 11"),
        (b"/Contents 11", b"/Conte<ts 11"),
        (b"/Parent 2 0 R/MediaBox", b"/Pa<ent 2 0 R/MediaBox"),
        (b"/Contents 11 0 R/Resources<</Font<</F 3 0 R>>>>>>", b">>\nent 2 0 R/Contents 11 0 R>>"),
        (b"[0 0 300 400]", b"[0 0 300 4/0]"),
        (b"[0 0 300 400]", b"[0 0 300400 ]"),
        (b"/MediaBox", b"/MidiaBox"),
    ],
)
def test_a_page_whose_own_entries_are_damaged_loses_no_words_in_silence(sound: bytes, damaged: bytes) -> None:
    """MuPDF reads pages when it opens the file, and warns of each once."""
    data = document(GOOD, GOOD)
    with opened(data) as pdf:
        assert pdf.damage is None
    assert sound in data
    with opened(data.replace(sound, damaged.ljust(len(sound)), 1)) as pdf:  # all offsets stay: nothing is repaired
        page = next(pdf.pages(view=View(dpi=72)))
        assert pdf.damage is not None or "damaged_page" in kinds(page)


def test_a_size_that_is_inherited_is_no_damage() -> None:
    tree = b"<</Type/Pages/Kids[10 0 R]/Count 1/MediaBox[0 0 300 400]>>"
    (page,) = pages_of(document(GOOD, tree=tree).replace(b"R/MediaBox[0 0 300 400]", b"R" + 23 * b" "))
    assert kinds(page) == []


def test_what_costs_nothing_is_no_damage() -> None:
    closed = b"h S\n" + GOOD  # closes a path that was never begun
    (page,) = pages_of(document(closed))
    assert set(kinds(page)) <= {"pdf_warning"}
    (page,) = pages_of(document(raw(zlib.compress(GOOD)).replace(b"/Length ", b"/Length 9")))
    assert kinds(page) in ([], ["pdf_warning"]), "a wrong length is found out"


KIDS = b"10 0 R 12 0 R 14 0 R"


@pytest.mark.parametrize("count", [b"/Count 1", b"/Count 0", b"/Count -4", b"/Count 900000000", b""])
def test_all_pages_are_kept_whatever_the_tree_counts(count: bytes) -> None:
    data = document(text("one"), text("two"), text("three"), tree=b"<</Type/Pages/Kids[%b]%b>>" % (KIDS, count))
    with opened(data) as pdf:
        pages = [page.pdf_page.get_text().strip() for page in pdf.pages() if isinstance(page, PageImage)]
        assert pages == ["one", "two", "three"]
        assert pdf.damage is not None
        assert "holds 3" in pdf.damage


def test_a_page_that_is_named_and_missing_fails_in_its_place() -> None:
    data = document(text("one"), text("two"), tree=b"<</Type/Pages/Kids[10 0 R 50 0 R 12 0 R]/Count 3>>")
    first, second, third = pages_of(data)
    assert isinstance(first, PageImage)
    assert isinstance(third, PageImage)
    assert isinstance(second, PageFailure)
    assert "does not hold it" in str(second.error)


def test_a_tree_that_holds_itself_and_one_that_branches_wildly_end() -> None:
    loop = document(GOOD, GOOD, tree=b"<</Type/Pages/Kids[10 0 R 2 0 R 12 0 R]/Count 3>>")
    with opened(loop) as pdf:
        assert (pdf.page_count, pdf.damage is None) == (2, False)
    branch = b"<</Type/Pages/Parent 2 0 R/Kids[%b]/Count 9>>"
    more = {20 + n: branch % (b"%d 0 R " % (21 + n) * 50) for n in range(9)} | {29: branch % b"10 0 R"}
    wild = document(GOOD, tree=b"<</Type/Pages/Kids[20 0 R]/Count 9>>", more=more)
    with within(2), opened(wild) as pdf:
        assert pdf.page_count == 1
        assert all(isinstance(page, PageImage) for page in pdf.pages(dpi=36))


@pytest.mark.parametrize(
    "tree",
    [b"42", b"<</Type/Pages/Kids 10 0 R/Count 2>>", b"<</Type/Pages/Kids[]/Count 0>>"],
    ids=["none", "no kids", "empty"],
)
def test_without_a_page_tree_all_pages_of_the_file_are_found(tree: bytes) -> None:
    with opened(document(text("one"), text("two"), tree=tree)) as pdf:
        pages = [page.pdf_page.get_text().strip() for page in pdf.pages() if isinstance(page, PageImage)]
        assert pages == ["one", "two"]
        assert "page tree is lost" in str(pdf.damage)


def test_what_is_named_a_page_and_is_a_stream_is_not_a_blank_page() -> None:
    data = document(GOOD, GOOD, tree=b"<</Type/Pages/Kids[10 0 R 11 0 R 12 0 R]/Count 3>>")
    assert [isinstance(page, PageImage) for page in pages_of(data)] == [True, False, True]


def test_a_page_that_is_its_own_parent_is_shown() -> None:
    (page,) = pages_of(document(GOOD, page=b"/Parent 10 0 R"))
    assert isinstance(page, PageImage)


def test_a_page_without_a_type_is_a_page() -> None:
    data = document(GOOD, GOOD).replace(b"/Type/Page/Parent", b"/Tipe/Page/Parent")
    with opened(data) as pdf:
        assert (pdf.page_count, pdf.damage) == (2, None)
        assert all(isinstance(page, PageImage) for page in pdf.pages())


def test_inherited_resources_survive_the_mending_of_the_tree() -> None:
    inner = b"<</Type/Pages/Parent 2 0 R/Kids[10 0 R]/Count 7/MediaBox[0 0 200 100]>>"
    data = document(GOOD, tree=b"<</Type/Pages/Kids[20 0 R]/Count 1>>", more={20: inner})
    data = data.replace(b"/Parent 2 0 R/MediaBox[0 0 300 400]", b"/Parent 20 0 R" + b" " * 20)
    (page,) = pages_of(data)
    assert isinstance(page, PageImage)
    assert page.image.size == (200, 100)


@pytest.mark.parametrize(
    "entries",
    [
        {"page": b"/Annots[99 0 R]", "resources": b"/XObject<</X 98 0 R>>"},
        {"page": b"/UserUnit 0"},
        {"page": b"/UserUnit -2"},
        {"page": b"/CropBox[900 900 990 990]"},
        {
            "page": b"/Annots[20 0 R]",
            "catalog": b"/AcroForm<</Fields[20 0 R]>>",
            "more": {
                20: b"<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/Rect[9 9 90 40]/Parent 21 0 R/Kids[21 0 R]>>",
                21: b"<</T(b)/Parent 20 0 R/Kids[20 0 R]>>",
            },
        },
    ],
    ids=["dangling", "no unit", "negative unit", "crop outside", "circular widgets"],
)
def test_what_cannot_be_copied_is_shown_from_the_file_itself(entries: dict[str, object]) -> None:
    with opened(document(GOOD, **entries)) as pdf:  # type: ignore[arg-type]
        page = next(pdf.pages(dpi=72))
        assert isinstance(page, PageImage)
        assert page.image.size == (300, 400)
        assert "A sound line" in page.pdf_page.get_text()


def forms(levels: int, times: int) -> bytes:
    """A form that draws another so many times, which draws another so many times, and so on."""
    more = {}
    for level in range(levels):
        inner = b"/X Do " * times if level < levels - 1 else GOOD
        resources = b"/Resources<</XObject<</X %d 0 R>>/Font<</F 3 0 R>>>>" % (21 + level)
        more[20 + level] = stream(inner, b"/Type/XObject/Subtype/Form/BBox[0 0 300 400]" + resources)
    return document(b"/X Do", resources=b"/XObject<</X 20 0 R>>", more=more)


UNFOLDING: dict[str, tuple[Callable[[], bytes], str]] = {
    "forms": (lambda: forms(12, 10), "unfold to more than"),
    "depth": (lambda: forms(60, 1), "deep"),
    "stream": (lambda: document(stream(b" " * 200_000_000, flate=True)), "unfold to more than"),
    "path": (lambda: document(stream(b"0 0 m " + b"9 9 l\n" * 300_001 + b"S", flate=True)), "300,000 points"),
    "text": (
        lambda: document(stream(b"BT /F 9 Tf " + b"(%b) Tj " % (b"x" * 1000) * 11_000 + b"ET", flate=True)),
        "characters",
    ),
    "image": (
        lambda: document(
            b"/I Do",
            resources=b"/XObject<</I 20 0 R>>",
            more={20: stream(b"x", b"/Subtype/Image/Width 90000/Height 90000/ColorSpace/DeviceRGB")},
        ),
        "90,000 x 90,000",
    ),
}


@pytest.mark.parametrize("what", UNFOLDING)
def test_what_unfolds_without_measure_is_refused_before_it_is_begun(what: str) -> None:
    make, says = UNFOLDING[what]
    data = make()
    with within(2):
        (failure,) = pages_of(data)
        assert isinstance(failure, PageFailure)
        assert says in str(failure.error)


def test_a_form_that_is_drawn_often_is_still_drawn() -> None:
    (page,) = pages_of(forms(3, 10))
    assert isinstance(page, PageImage)
    assert page.image.convert("L").getextrema()[0] < 100


@pytest.mark.skipif(sys.platform != "linux", reason="needs a timer that the kernel reads out")
def test_drawing_that_does_not_end_is_cut_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docspec.documents.drawing.MAX_SECONDS", 0.3)
    lines = b"".join(b"%d %d m %d %d l S\n" % (i % 300, i * 7 % 400, i * 13 % 300, i * 3 % 400) for i in range(40_000))
    start = time.monotonic()
    (page,) = pages_of(document(GOOD + lines))
    assert time.monotonic() - start < 25, "forty seconds without a limit"
    assert isinstance(page, PageImage)
    assert page.events[-1].kind == "damaged_page"
    assert "stopped after 0.3 seconds" in page.events[-1].detail


def test_a_limit_that_is_not_reached_leaves_no_trace() -> None:
    with limited(30) as cookie:
        pass
    assert cookie.abort() == 0


def test_a_page_of_very_much_text_is_drafted_as_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docspec.documents.pdf.MAX_CHARACTERS", 2000)
    line = b"(%b) Tj 0 -1 Td\n" % (b"x" * 1000)
    (page,) = pages_of(document(b"BT /F 1 Tf 9 390 Td\n" + line * 3 + b"ET"), View(dpi=20))
    assert isinstance(page, PageImage)
    assert (page.pdf_page, kinds(page)) == (None, ["text_layer_skipped"])


def test_sideways_pages_are_turned_and_said_unless_turned_off(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page(width=400, height=600)
    page.insert_text((200, 400), "A line long enough to tell which way up this page is.", fontsize=8, rotate=90)
    (turned,) = pages_of(pdf.tobytes())
    assert isinstance(turned, PageImage)
    assert (turned.image.size, kinds(turned)) == ((600, 400), ["page_turned"])
    (left,) = pages_of(pdf.tobytes(), View(dpi=72, upright=False))
    assert isinstance(left, PageImage)
    assert (left.image.size, kinds(left)) == ((400, 600), [])


def test_a_reduced_page_is_said_unless_turned_off() -> None:
    data = document(GOOD, page=b"/UserUnit 1")
    assert kinds(pages_of(data, View(dpi=72, max_pixels=30_000))[0]) == ["page_reduced"]
    (whole,) = pages_of(data, View(dpi=72, max_pixels=None))
    assert (kinds(whole), whole.image.size) == ([], (300, 400))  # type: ignore[union-attr]


@pytest.mark.skipif(sys.platform == "win32", reason="file names are text there")
def test_a_file_name_that_is_no_utf8_is_opened_and_shown(tmp_path: Path, make_pdf: Callable[..., Path]) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.pdf"))
    path.write_bytes(make_pdf(2).read_bytes())
    for source in (*expand_inputs([path]).sources, *(s for s in expand_inputs([tmp_path]).sources if "caf" in s.name)):
        assert source.name.endswith("caf\\xe9.pdf")
        with open_document(source) as document:
            assert all(isinstance(page, PageImage) and page.events == () for page in document.pages(dpi=36))
    missing = Path(os.fsdecode(os.fsencode(tmp_path) + b"/g\xf6ne.pdf"))
    assert str(expand_inputs([missing]).errors[0]).isprintable()


@pytest.mark.parametrize("kid", [b"<</Type/Font/BaseFont/Helvetica>>", b"<</Type/Catalog>>", b"<<>>", b"<</A 1>>"])
def test_a_dictionary_that_is_no_page_is_no_blank_page(kid: bytes) -> None:
    tree = b"<</Type/Pages/Kids[10 0 R 30 0 R 12 0 R]/Count 3>>"
    data = document(text("one"), text("two"), tree=tree, more={30: kid})
    with opened(data) as pdf:
        assert [isinstance(page, PageImage) for page in pdf.pages()] == [True, False, True]
        assert "is none" in str(pdf.damage)


def test_an_empty_page_that_is_called_one_is_a_blank_page() -> None:
    tree = b"<</Type/Pages/Kids[10 0 R 30 0 R]/Count 2/MediaBox[0 0 200 100]>>"
    more = {30: b"<</Type/Page/Parent 2 0 R>>"}
    with opened(document(text("one"), tree=tree, more=more)) as pdf:
        assert [isinstance(page, PageImage) for page in pdf.pages()] == [True, True] and pdf.damage is None


def test_pages_that_were_taken_out_of_a_longer_file_leave_branches_that_are_the_same() -> None:
    """Programs that drop what is double make one of all branches of a page tree that have no page any more."""
    tree = b"<</Type/Pages/Kids[30 0 R 31 0 R 31 0 R]/Count 1>>"
    branches = {30: b"<</Type/Pages/Kids[10 0 R]/Count 1/Parent 2 0 R>>", 31: b"<</Type/Pages/Kids[]/Count 0>>"}
    with opened(document(text("one"), tree=tree, more=branches)) as pdf:
        assert (pdf.page_count, pdf.damage) == (1, None)
    twice = b"<</Type/Pages/Kids[30 0 R 30 0 R]/Count 2>>"
    with opened(document(text("one"), tree=twice, more=branches)) as pdf:
        assert "holds a part of itself twice" in str(pdf.damage)


@pytest.mark.parametrize(("missing", "lost"), [(b"/GS7 gs", False), (b"/X7 Do", True)])
def test_a_state_of_graphics_that_is_missing_takes_no_print_away(missing: bytes, lost: bool) -> None:
    with opened(document(b"q " + missing + b" Q " + text("one"))) as pdf:
        page = next(iter(pdf.pages()))
        assert isinstance(page, PageImage) and page.pdf_page.get_text().strip() == "one"
        kinds = [event.kind for event in page.events]
    assert kinds[0] == ("damaged_page" if lost else "pdf_warning")
