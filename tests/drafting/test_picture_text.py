"""Text that no text layer has, in pictures of all kinds, is found; what nobody looked at is said."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from benchmarks.campaign.words import share_of, words_of
from docspec import ParseOptions, Parser
from docspec.core import BBox, Category, PageImage, PageResult, PrintedLine, Region
from docspec.drafting.assembly import assemble
from docspec.drafting.lines import TextLine
from docspec.drafting.picture_text import find_text, furniture_of, with_figures_as_labels
from docspec.drafting.recogniser import Recogniser
from docspec.drafting.text_layer import TextLayerDrafter
from docspec.isolation.pool import Isolation
from docspec.reporting.html import HtmlRenderer
from docspec.reporting.markdown import page_markdown
from docspec.reporting.renderer import Layout
from tests.isolation import doubles

BODY = ["Dear members, please find the minutes below.", "They were written by hand on Monday evening."]
PASTED = ["Statement of account number 4471", "Opening balance 1204 on Tuesday", "Transfer received from savings"]


def written(page: pymupdf.Page, lines: list[str], top: float, size: float = 11.0) -> None:
    for number, line in enumerate(lines):
        page.insert_text((60, top + number * 1.5 * size), line, fontsize=size)


def picture(lines: list[str], size: float, dpi: int = 130) -> bytes:
    """A PNG of print."""
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=480, height=60 + 1.5 * size * len(lines))
        written(page, lines, 40 + size, size)
        return bytes(page.get_pixmap(dpi=dpi).tobytes("png"))


def outlines(lines: list[str]) -> pymupdf.Document:
    """A page whose letters are drawn, as typesetters give them to printers."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        written(page, lines, 300, 14)
        drawn = pymupdf.open(stream=page.get_svg_image(text_as_path=True).encode(), filetype="svg")
    return pymupdf.open("pdf", drawn.convert_to_pdf())


@pytest.fixture(scope="module")
def read() -> Iterator[Callable[..., PageResult]]:
    """``read(path, **options)``: the only page of a document."""
    parsers: dict[str, Parser] = {}

    def only_page(path: Path, **options: str) -> PageResult:
        parser = parsers.setdefault(str(options), Parser(ParseOptions(**options)))  # type: ignore[arg-type]
        [page] = parser.parse(path).pages
        return page

    yield only_page
    for parser in parsers.values():
        parser.close()


def text_of(page: PageResult) -> str:
    return "\n".join(block.text for block in page.blocks)


def linked(page: PageResult) -> list[str]:
    """What the links of a page's pictures say of them beside their names, the same in Markdown and in HTML."""
    figures = {index: "p.png" for index, block in enumerate(page.blocks) if block.category is Category.PICTURE}
    found = re.findall(r"!\[p(?: \((.*?)\))?\]\(p\.png\)", page_markdown(page, figures, Layout()))
    assert re.findall(r'<img src="p.png" alt="(.*?)">', HtmlRenderer(Layout()).page(page, figures)) == found
    return found


@pytest.mark.parametrize("kind", ["outlines", "poster", "stamped scan"])
def test_words_that_no_text_layer_has_are_written(tmp_path: Path, read: Callable[..., PageResult], kind: str) -> None:
    wanted = [*BODY, *PASTED]
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        written(page, BODY, 80)
        if kind == "outlines":
            page.show_pdf_page(page.rect, outlines(PASTED), 0)
        elif kind == "poster":  # letters several times as high as those of the text
            wanted = [*BODY, "SUMMER", "FESTIVAL"]
            page.insert_image((60, 200, 540, 480), stream=picture(["SUMMER", "FESTIVAL"], 70))
        else:  # a text layer over the picture says nothing of what is in it
            page.insert_image((60, 200, 540, 420), stream=picture(PASTED, 15))
            for number, stamp in enumerate(["Received", "Copied 0815", "Filed"]):
                page.insert_text((400, 230 + 40 * number), stamp, fontsize=8)
        pdf.save(tmp_path / "in.pdf")
    assert share_of(words_of("\n".join(wanted)), text_of(read(tmp_path / "in.pdf"))) == 1


def test_the_labels_of_a_map_are_written_with_their_picture(tmp_path: Path, read: Callable[..., PageResult]) -> None:
    from docspec.results import ParsedDocument

    names = [f"{kind}{number}" for number in range(12) for kind in ("Bridge", "Forest", "Station", "Meadow")]
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=842, height=595)
        for number, name in enumerate(names):
            x, y = 30 + 97 * (number % 8), 30 + 90 * (number // 8)
            page.draw_bezier((x, y), (x + 300, y), (x, y + 200), (x + 200, y + 90), color=(0.4, 0.6, 0.4))
            page.insert_text((x, y), name, fontsize=6)
        pdf.save(tmp_path / "map.pdf")
    page = read(tmp_path / "map.pdf")
    markdown = ParsedDocument("map.pdf", (page,)).to_markdown()
    assert share_of(words_of(" ".join(names)), markdown) == 1


@pytest.mark.parametrize(
    ("page_text", "found", "kept"),
    [
        ("The harbour keeps a list of boats", "他", False),  # a lion, to a recogniser that knows more Han than logos
        ("The harbour keeps a list of boats", "UvA", True),
        ("The harbour keeps a list of boats", "4", True),
        ("The harbour keeps a list of boats", "北京大学", True),  # a name and no accident
        ("港口保存着所有出海而没有回来的船只的清单以及它们的名字和主人", "他", True),
        ("Fig. 1", "他", True),  # too little to know the page by
    ],
)
def test_a_lone_sign_of_a_script_that_the_page_does_not_write_is_an_ornament(
    page_text: str, found: str, kept: bool
) -> None:
    class Finding(Recogniser):
        def read_area(self, image: Image.Image, area: BBox, known: Sequence[BBox] = ()) -> list[TextLine]:
            return [TextLine(BBox(110, 110, 150, 130), found, 20, words="recognition")]

    page = PageImage(Image.new("RGB", (400, 300), "white"), 1, 1.0, "in.pdf")
    logo = Region(BBox(100, 100, 200, 200), Category.PICTURE)
    text = Region(BBox(0, 0, 300, 20), Category.TEXT, (page_text,))
    lines, _ = find_text(page, [text, logo], [], Finding())
    assert [line.text for line in lines] == ([found] if kept else [])


@pytest.mark.parametrize(("found", "kept"), [("0", False), ("I", False), ("1", False), ("7", True), ("10", True)])
def test_a_ring_or_a_bar_outside_of_pictures_is_no_figure(found: str, kept: bool) -> None:
    class Finding(Recogniser):
        def read_area(self, image: Image.Image, area: BBox, known: Sequence[BBox] = ()) -> list[TextLine]:
            return [TextLine(BBox(110, 110, 190, 190), found, 20, words="recognition")]

    page = PageImage(Image.new("RGB", (400, 300), "white"), 1, 1.0, "in.pdf")
    text, ink = Region(BBox(0, 0, 300, 20), Category.TEXT, ("Some text",)), BBox(100, 100, 200, 200)
    lines, _ = find_text(page, [text], [Region(ink, Category.PICTURE)], Finding())
    assert [line.text for line in lines] == ([found] if kept else [])
    in_picture, _ = find_text(page, [text, Region(ink, Category.PICTURE)], [], Finding())
    assert [line.text for line in in_picture] == [found]


def test_words_of_logos_at_the_edges_of_a_page_are_furniture(
    page_of: Callable[..., PageImage], recogniser: Recogniser
) -> None:
    logo, foot = picture(["HARBOUR PRESS", "free to all"], 22), picture(["NORTHERN LINES", "of Oban"], 20)

    def page(page: pymupdf.Page) -> None:
        page.insert_image((60, 10, 200, 50), stream=logo)
        page.insert_image((60, 545, 200, 585), stream=foot)
        page.insert_text((60, 100), "Minutes of March", fontsize=20, fontname="hebo")
        written(page, BODY * 4, 130, 10)

    drafter = TextLayerDrafter(recogniser=recogniser)
    regions = drafter.draft(page_of(page)).regions
    kinds = {region.texts[0]: region.category for region in regions if region.texts}
    heads = " ".join(text for text, kind in kinds.items() if kind is Category.PAGE_HEADER)
    feet = " ".join(text for text, kind in kinds.items() if kind is Category.PAGE_FOOTER)
    assert "HARBOUR" in heads and "NORTHERN" in feet, kinds
    assert regions[0].category is Category.PAGE_HEADER and regions[-1].category is Category.PAGE_FOOTER


def test_words_of_a_logo_are_its_labels_and_an_image_of_a_line_is_text(
    page_of: Callable[..., PageImage], recogniser: Recogniser
) -> None:
    logo, line = picture(["HARBOUR", "PRESS", "OBAN", "SHIPPING"], 22), picture(["Printed at the harbour of Oban"], 20)

    def page(page: pymupdf.Page) -> None:
        written(page, BODY, 60, 10)
        page.insert_image((300, 150, 560, 254), stream=logo)
        written(page, BODY, 300, 10)
        page.insert_image((60, 400, 400, 460), stream=line)
        written(page, BODY * 2, 500, 10)

    regions = TextLayerDrafter(recogniser=recogniser).draft(page_of(page)).regions
    [labelled] = [region for region in regions if region.labels]
    assert {label.text for label in labelled.labels} == {"HARBOUR", "PRESS", "OBAN", "SHIPPING"}
    texts = " ".join(region.texts[0] for region in regions if region.texts)
    assert "Printed at the harbour of Oban" in texts and "SHIPPING" not in texts


def test_words_at_an_edge_that_may_be_all_or_the_title_of_a_page_are_text() -> None:
    def lines(text: str, y: float) -> list[TextLine]:
        return [TextLine(BBox(50, y, 300, y + 20), text, 15, words="recognition")]

    def region(text: str, kind: Category = Category.TEXT) -> Region:
        return Region(BBox(50, 200, 500, 800), kind, (text,))

    long, head = region("Twenty letters or so. " * 9), region("A heading", Category.SECTION_HEADER)
    assert furniture_of(lines("A logo", 20), [head, long], 1000) == {Category.PAGE_HEADER: lines("A logo", 20)}
    assert furniture_of(lines("A logo", 960), [long], 1000) == {Category.PAGE_FOOTER: lines("A logo", 960)}
    assert furniture_of(lines("A title", 20), [long], 1000) == {}
    assert furniture_of(lines("A logo", 20), [head, region("Little")], 1000) == {}
    assert furniture_of(lines("A caption", 150), [head, long], 1000) == {}
    assert furniture_of(lines("Words of a letter " * 4, 20), [head, long], 1000) == {}


def test_many_areas_are_looked_at_together_without_what_is_known() -> None:
    shown: list[Image.Image] = []

    class Looking(Recogniser):
        def read_area(self, image: Image.Image, area: BBox, known: Sequence[BBox] = ()) -> list[TextLine]:
            shown.append(image)
            return [TextLine(BBox(100, 110, 150, 130), "Pasted", 20, words="recognition")]

    image = Image.new("RGB", (800, 600), "white")
    image.paste((0, 0, 0), (300, 100, 700, 500))
    pictures = [Region(BBox(100, 40 * row, 150, 40 * row + 20), Category.PICTURE) for row in range(9)]
    for one in pictures:
        image.paste((0, 0, 255), one.bbox.rounded())
    image.paste((0, 0, 255), (100, 110, 150, 130))
    known = Region(BBox(300, 100, 700, 500), Category.TEXT, ("known",))
    page = PageImage(image, 1, 1.0, "in.pdf")
    lines, _ = find_text(page, [known, *pictures], [Region(BBox(100, 110, 150, 130), Category.TEXT)], Looking())
    assert [line.text for line in lines] == ["Pasted"]
    [sheet] = shown
    assert sheet.size == image.size and sheet.getpixel((120, 120)) == (0, 0, 255)
    assert set(sheet.crop((300, 100, 700, 500)).getdata()) == {(254, 254, 254)}


def test_small_print_that_is_known_is_not_written_again() -> None:
    """The numbers of a listing's lines, around which a recogniser draws boxes of twice their size."""
    numbers = [BBox(66, 90 + 40 * row, 88, 100 + 40 * row) for row in range(4)]
    printed = [PrintedLine(box, str(309 + row)) for row, box in enumerate(numbers)]

    class Wide(Recogniser):
        def read_area(self, image: Image.Image, area: BBox, known: Sequence[BBox] = ()) -> list[TextLine]:
            found = [(box.grown(16), text) for box, text in zip(numbers, ("309", "319", "311", "3l2"), strict=True)]
            found.append((BBox(400, 300, 500, 320), "Pasted"))
            return [TextLine(box, text, 20, words="recognition") for box, text in found]

    listing = Region(BBox(60, 80, 300, 240), Category.TEXT, ("309 310 311 312",), lines=tuple(printed))
    page = PageImage(Image.new("RGB", (800, 600), "white"), 1, 1.0, "in.pdf")
    lines, _ = find_text(page, [listing], [Region(BBox(0, 0, 800, 600), Category.TEXT)], Wide())
    assert [line.text for line in lines] == ["Pasted"]


def test_what_is_found_in_two_places_is_no_paragraph_and_comes_in_the_order_of_reading() -> None:
    class Finding(Recogniser):
        def read_area(self, image: Image.Image, area: BBox, known: Sequence[BBox] = ()) -> list[TextLine]:
            return [TextLine(area, f"Words at {area.x0:.0f}", 20, block=0, words="recognition")]

    places = [BBox(500, 98, 700, 118), BBox(100, 100, 300, 120), BBox(100, 500, 300, 520)]
    page = PageImage(Image.new("RGB", (800, 600), "white"), 1, 1.0, "in.pdf")
    lines, _ = find_text(page, [], [Region(place, Category.TEXT) for place in places], Finding())
    regions = assemble((), lines)
    assert [region.bbox.grown(-2).rounded()[:2] for region in regions] == [(100, 100), (500, 98), (100, 500)]


@pytest.mark.parametrize(("drafter", "words"), [("text-layer", "evidence"), ("none", "model")])
def test_a_picture_in_which_nobody_looked_for_text_is_said(
    tmp_path: Path, read: Callable[..., PageResult], drafter: str, words: str
) -> None:
    noise = Image.effect_noise((400, 300), 90).convert("RGB")
    buffer = io.BytesIO()
    noise.save(buffer, "PNG")
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        written(page, BODY * 4, 80)
        page.insert_image((100, 300, 480, 600), stream=buffer.getvalue())
        pdf.save(tmp_path / "in.pdf")
    page = read(tmp_path / "in.pdf", drafter=drafter, words=words)
    [event] = [event for event in page.events if event.kind == "pictures_unread"]
    assert event.detail == "nobody looked for text in 1 picture (--drafter auto does)"
    assert linked(page) == ["not searched for text"]
    looked = read(tmp_path / "in.pdf")
    assert "pictures_unread" not in {event.kind for event in looked.events}
    assert linked(looked) == [""]


def test_a_picture_that_may_be_print_is_no_sound_page_where_the_drafter_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dense print looks like a picture from afar."""
    Image.effect_noise((800, 600), 90).save(tmp_path / "in.png")
    with Parser(ParseOptions()) as parser:
        assert parser.parse(tmp_path / "in.png").ok
        children = Isolation(parser.options, doubles.aborting)
        monkeypatch.setattr(parser._stream, "isolation", children)
        [page] = parser.parse(tmp_path / "in.png").pages
        children.close()
    assert page.damage is not None and "nobody looked for text" in page.damage


def test_ink_that_is_no_text_to_the_recogniser_is_said(tmp_path: Path, read: Callable[..., PageResult]) -> None:
    """A signature, say: as small as text, read by nobody where words of the text layer stand."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        written(page, BODY * 4, 80)
        loops = [(300 + 20 * math.cos(n / 4) + 0.6 * n, 600 + 6 * math.sin(n / 4)) for n in range(80)]
        page.draw_polyline(loops, width=0.8)
        pdf.save(tmp_path / "in.pdf")
    page = read(tmp_path / "in.pdf")
    [event] = [event for event in page.events if event.kind == "ink_without_text"]
    assert event.detail == "no text was recognised in 1 patch of ink outside all regions"


def recognised(text: str, x: float, y: float, width: float = 30) -> Region:
    box = BBox(x, y, x + width, y + 12)
    return Region(box, Category.TEXT, (text,), lines=(PrintedLine(box, text),), words="recognition")


def test_recognised_figures_in_a_chart_and_beside_it_are_its_labels() -> None:
    chart = Region(BBox(100, 100, 400, 300), Category.PICTURE)
    title, inside = recognised("Short term papers", 100, 70, 200), recognised("497", 200, 200)
    axis = recognised("1 500", 65, 110)
    legend, far = recognised("US CPs 1139", 150, 280, 80), recognised("32", 250, 700)
    regions = with_figures_as_labels([title, axis, chart, inside, legend, far])
    assert [region.texts for region in regions] == [title.texts, (), legend.texts, far.texts]
    assert [line.text for line in regions[1].labels] == ["1 500", "497"]
    assert regions[1].words == "recognition"


def test_figures_of_the_file_and_figures_without_a_picture_stay_text() -> None:
    chart = Region(BBox(100, 100, 400, 300), Category.PICTURE)
    known = replace(recognised("497", 200, 200), words="text layer")
    assert with_figures_as_labels([chart, known]) == [chart, known]
    alone = [recognised("497", 200, 200), recognised("Some words", 0, 0)]
    assert with_figures_as_labels(alone) == alone


def test_print_of_the_file_that_stands_in_a_table_is_not_recognised_again(
    page_of: Callable[..., PageImage], recogniser: Recogniser
) -> None:
    """Swatches of grey with labels: a table by its columns, a picture by its looks."""

    def swatches(page: pymupdf.Page) -> None:
        for number in range(12):
            x, y, grey = 20 + 100 * (number % 4), 60 + 100 * (number // 4), 0.1 + 0.07 * number
            page.draw_rect(pymupdf.Rect(x, y, x + 100, y + 100), color=None, fill=(grey, grey, grey))
            page.insert_text((x + 12, y + 85), f"A = {grey:.2f}", fontsize=8, color=(1, 1, 1) if grey < 0.7 else None)

    regions = TextLayerDrafter(recogniser=recogniser).draft(page_of(swatches)).regions
    words = "\n".join(
        (*(text for one in regions for text in one.texts[:1]), *(label.text for one in regions for label in one.labels))
    )
    assert words.count("0.10") == 1 and words.count("=") == 12, words


@pytest.mark.parametrize("own", [8, 0])
def test_prose_in_a_picture_of_a_screen_is_its_own_unless_it_is_all_the_text_of_the_page(
    page_of: Callable[..., PageImage], recogniser: Recogniser, own: int
) -> None:
    said = ["Visit the harbour of Oban for the", "tables of every tide of the year"]
    with Image.open(io.BytesIO(picture(said, 22))) as opened:
        screen = Image.new("RGB", (opened.width + 80, opened.height + 200), (40, 90, 170))
        screen.paste(opened, (40, 40))
        for at, colour in enumerate(((200, 60, 40), (240, 200, 60), (60, 160, 90), (250, 120, 200))):
            screen.paste(colour, (60 + 90 * at, opened.height + 70, 120 + 90 * at, opened.height + 150))
    buffer = io.BytesIO()
    screen.save(buffer, "PNG")

    def page(page: pymupdf.Page) -> None:
        page.insert_image((60, 120, 400, 330), stream=buffer.getvalue())
        if own:
            written(page, BODY * own, 360, 10)

    regions = TextLayerDrafter(recogniser=recogniser).draft(page_of(page)).regions
    labels = " ".join(label.text for region in regions for label in region.labels)
    texts = " ".join(region.texts[0] for region in regions if region.texts)
    assert ("Visit the harbour" in labels, "Visit the harbour" in texts) == (own > 0, own == 0)
