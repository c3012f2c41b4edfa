"""Recognises text where the draft has no line: inside pictures, and in ink outside all regions.

A text layer lacks letters that were pasted in as a scan, outlined letters and handwriting; a layout model calls them
pictures.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from PIL import Image

from docspec.core import BBox, Category, Event, PageImage, PrintedLine, Region
from docspec.core.geometry import in_rows
from docspec.core.scripts import scripts_of
from docspec.documents.painting import images_of
from docspec.drafting.assembly import assemble
from docspec.drafting.ink import ground_of, is_print_alone
from docspec.drafting.lines import TextLine, in_groups, printed_lines
from docspec.drafting.order import index_in_order
from docspec.drafting.recogniser import AREA_MARGIN, KNOWN, Recogniser

LABELLED = 3
"""From so many lines of the text layer in a drawing on, its text is known."""

LEAST_SIDE = 10.0
"""Pixels: an area with a shorter side holds no readable text."""

MOST_AREAS = 8
"""More areas than these are recognised together, on a sheet that holds nothing else of the page."""

PLAUSIBLE = 0.6
"""Confidence (0..1) below which a line found in a picture is texture."""

SURE = 0.8
"""Confidence below which what has no word, and labels of pictures, are not written."""

INSIDE = 0.85
"""Least share of a picture within a larger one that is part of it."""

LONE = 2
"""Recognised signs that are no text: so few of a script that the page does not use are a logo or an ornament."""

SHAPES = "01"
"""Figures that drawn rings and bars look like."""

LETTERS = 20
"""Least letters of a page that show its scripts."""

EDGE = 0.1
"""Share of the height of a page at its upper and lower edge where logos stand."""

FEW = 12
"""Most words of all logos at one edge."""

WRITTEN = 100
"""Least letters of a page whose text is in its file: on other pages the found text may be all."""

_WORD = re.compile(r"[^\W\d_]{3}")

PROSE = 3
"""Least words of three letters and more that make the text in a picture prose, and not labels."""

TEXT = 8
"""Least words of an image that shows text."""

BESIDE = 0.25
"""Least letters of the text layer, as a share of those in an image, beside which the image is an illustration (such as
a picture of a screen) although it shows prose, and not the page."""

BACKGROUND = 0.7
"""Least share of a page that an image takes behind it, such as a scan."""


def find_text(
    page: PageImage,
    regions: Sequence[Region],
    unread: Sequence[Region],
    recogniser: Recogniser,
    printed: Sequence[TextLine] = (),
) -> tuple[list[TextLine], tuple[Event, ...]]:
    """The lines, in pixels, that ``recogniser`` finds in pictures without known text among ``regions`` (pixels) and in
    ``unread``, the ink outside all regions; and the events for ink of the size of text in which it finds none.
    ``printed`` lines are known, too, whatever became of them: tables of ``regions`` do not tell theirs."""
    images = _images(page)
    unread = [region for region in unread if _is_readable(region.bbox)]
    unlabelled = [one for one in regions if not one.texts and not _is_labelled(one, images) and _is_readable(one.bbox)]
    areas = [region.bbox for region in (*unlabelled, *unread)]
    known: list[TextLine | PrintedLine] = [*printed]
    known += (line for region in regions for line in (*region.lines, *region.labels))
    boxes = [line.bbox for line in known]
    if len(areas) > MOST_AREAS:
        sheet, everywhere = _sheet_of(page.image, areas), BBox(0, 0, page.width, page.height)
        read = recogniser.read_area(sheet, everywhere, boxes)
        recognised = [line for line in read if any(line.bbox.overlap(area) > 0.5 for area in areas)]
    else:
        recognised = [line for area in areas for line in recogniser.read_area(page.image, area, boxes)]
    scripts = scripts_of("".join(text for region in regions for text in region.texts[:1]))
    lines: list[TextLine] = []
    for line in recognised:
        seen = any(line.bbox.overlap(one.bbox) > 0.5 for one in lines)  # areas may cover each other
        if not (seen or _is_ornament(line.text, scripts) or _is_known(line, known)) and _is_plausible(line, unread):
            lines.append(line)
    ordered = [line for row in printed_lines(lines) for line in row]
    lines = [replace(line, block=-1 - number) for number, line in enumerate(ordered)]  # areas are no paragraphs
    mute = sum(
        one.category is Category.TEXT and not any(one.bbox.intersection(line.bbox) for line in lines) for one in unread
    )
    where = f"{mute} patch{'' if mute == 1 else 'es'} of ink outside all regions"
    return lines, (Event("ink_without_text", f"no text was recognised in {where}"),) if mute else ()


def _is_plausible(line: TextLine, unread: Sequence[Region]) -> bool:
    """Whether a found line is print: where it has no word, it must be sure, and a lone letter, ring or bar that is in
    no picture is a tick, a logo or a rule."""
    letters = [letter for letter in line.text if letter.isalnum()]
    is_shape = len(letters) == 1 and (letters[0].isalpha() or letters[0] in SHAPES)
    alone = is_shape and any(line.bbox.overlap(one.bbox) > 0.5 for one in unread)
    least = PLAUSIBLE if _WORD.search(line.text) else SURE
    return bool(letters) and not alone and line.confidence >= least


def _is_known(line: TextLine, known: Sequence[TextLine | PrintedLine]) -> bool:
    """Whether a found line is print that is ``known``: it lies in a known line, or has known ones in its box with about
    as many letters. Recognisers draw wide boxes around small type."""
    inside = [one.text for one in known if one.bbox.overlap(line.bbox) > 0.5]
    letters = [sum(map(str.isalnum, text)) for text in ("".join(inside), line.text)]
    return 2 * letters[0] >= letters[1] or any(line.bbox.overlap(one.bbox) > KNOWN for one in known)


def _is_readable(box: BBox) -> bool:
    return min(box.width, box.height) >= LEAST_SIDE


def _is_ornament(text: str, scripts: Counter[str]) -> bool:
    """Whether ``text`` is a sign or two of a script that the page does not use; ``scripts`` counts its letters."""
    own = scripts_of(text)
    lone = 0 < own.total() == sum(map(str.isalnum, text)) <= LONE
    return lone and scripts.total() >= LETTERS and not own.keys() & scripts.keys()


def _sheet_of(image: Image.Image, areas: Sequence[BBox]) -> Image.Image:
    """A sheet of the size and the paper of ``image`` with its ``areas`` alone: known text is not read again."""
    ground = ground_of(image.convert("L").histogram())
    sheet = Image.new("RGB", image.size, (ground, ground, ground))
    for area in areas:
        box = area.grown(AREA_MARGIN).clamped(*image.size).rounded()
        sheet.paste(image.crop(box), box[:2])
    return sheet


def _is_labelled(region: Region, images: Sequence[BBox]) -> bool:
    """Whether a picture is a drawing whose text is known. A text layer does not tell the text inside one of the
    ``images``; a recogniser has seen it all."""
    if len(region.labels) < LABELLED:
        return False
    return region.words == "recognition" or not any(region.bbox.overlap(image) > 0.5 for image in images)


def _images(page: PageImage) -> list[BBox]:
    """The places of images on a PDF page, in pixels."""
    shown = [] if page.pdf_page is None else images_of(page.pdf_page)
    return [BBox(*one["bbox"]).scaled(page.scale) for one in shown]


def is_prose(lines: Sequence[TextLine]) -> bool:
    """Whether ``lines`` are text to be laid out with the page, and not labels of a picture."""
    return _words(lines) >= PROSE


def _words(lines: Sequence[TextLine]) -> int:
    return sum(sum(map(str.isalpha, word)) >= 3 for line in lines for word in line.text.split())


def words_of_images(
    page: PageImage, found: Sequence[TextLine], furniture: Mapping[Category, Sequence[TextLine]], written: int
) -> list[tuple[BBox, list[TextLine]]]:
    """The images of ``page`` (pixels) with the lines ``found`` in each: the words of a logo or a chart belong to it
    wherever they stand in it. An image of nothing but print shows text and has none here, nor has one of prose on a
    page with little text of its own, ``written`` letters, or one that is ``furniture``."""
    images, rest = [], list(found)
    edges = [line for band in furniture.values() for line in band]
    for image in sorted(_images(page), key=lambda box: -box.area) if found else ():
        own = [line for line in rest if image.has_center_of(line.bbox)]
        behind = image.area >= BACKGROUND * page.width * page.height
        if not behind and not all(line in edges for line in own) and not _shows_text(page, image, own, written):
            images.append((image, own))
            rest = [line for line in rest if line not in own]
    return images


def with_words_of_images(regions: Sequence[Region], images: Sequence[tuple[BBox, Sequence[TextLine]]]) -> list[Region]:
    """``regions`` with the surest words of ``images`` as labels of their pictures, which are as large as they are."""
    result = list(regions)
    for image, lines in images:
        own = [one for one in result if one.category is Category.PICTURE and image.overlap(one.bbox) > 0.5]
        own = own or [one for one in result if one.category is Category.PICTURE and one.bbox.overlap(image) > INSIDE]
        picture = own[0] if own else Region(image, Category.PICTURE)
        labels = [line for region in assemble((), lines) for line in region.lines if line.confidence >= SURE]
        whole = replace(
            picture,
            bbox=BBox.union((picture.bbox, image)),
            labels=_in_order((*picture.labels, *labels)),
            words="recognition",
        )
        if own:
            result[result.index(picture)] = whole
        else:
            result.insert(index_in_order(image, [one.bbox for one in result]), whole)
    return result


def _shows_text(page: PageImage, image: BBox, lines: Sequence[TextLine], written: int) -> bool:
    """Whether an ``image`` of ``page`` with these ``lines`` shows text, and no chart or logo with words; the text layer
    of the page has ``written`` letters."""
    words = _words(lines)
    is_text = words >= PROSE * len(lines)
    if is_text and written < BESIDE * sum(map(str.isalpha, "".join(line.text for line in lines))):
        return True
    return (is_text or words >= TEXT) and is_print_alone(page.image, image, [line.bbox for line in lines])


def furniture_of(lines: Sequence[TextLine], regions: Sequence[Region], height: float) -> dict[Category, list[TextLine]]:
    """The running head and foot among ``lines``, found on a page of ``height`` whose own text is in ``regions``: a few
    words, such as logos, at the edge of the page, above or below all of its text. Words above the text of a page
    without a heading may be its title."""
    body = [region for region in regions if region.texts and not region.category.is_furniture]
    if sum(map(str.isalpha, "".join(region.texts[0] for region in body))) < WRITTEN:
        return {}
    headed = any(region.category.is_heading for region in body)
    top = min(EDGE * height, *(region.bbox.y0 for region in body)) if headed else 0.0
    bottom = max((1 - EDGE) * height, *(region.bbox.y1 for region in body))
    bands = {
        Category.PAGE_HEADER: [line for line in lines if line.bbox.y1 <= top],
        Category.PAGE_FOOTER: [line for line in lines if line.bbox.y0 >= bottom],
    }
    return {kind: band for kind, band in bands.items() if 0 < sum(len(line.text.split()) for line in band) <= FEW}


def with_furniture(regions: Sequence[Region], furniture: Mapping[Category, Sequence[TextLine]]) -> list[Region]:
    """``regions`` with the ``furniture`` of :func:`furniture_of`: heads before all, feet after all."""
    edges = {kind: [replace(one, category=kind) for one in assemble((), lines)] for kind, lines in furniture.items()}
    return [*edges.get(Category.PAGE_HEADER, ()), *regions, *edges.get(Category.PAGE_FOOTER, ())]


def picture_around(box: BBox, regions: Sequence[Region]) -> int | None:
    """The index of the first picture among ``regions`` in which most of ``box`` stands."""
    pictures = (at for at, one in enumerate(regions) if one.category is Category.PICTURE)
    return next((at for at in pictures if box.overlap(regions[at].bbox) > 0.5), None)


def with_figures_as_labels(regions: Sequence[Region]) -> list[Region]:
    """``regions``, in which recognised figures and letters in a picture, or right beside it, are labels of it, and so
    are the lines there with words if it is a chart: laid out with the page, the ends of an axis, its title and the
    values of columns look like text."""
    with_values = _as_labels(regions, [one for one in regions if _is_value(one)], 0)
    titled = _as_labels(with_values, [one for one in with_values if _is_read(one) and len(one.lines) == 1], LABELLED)
    whole = [one for one in titled if not any(_is_part(one, other) for other in titled)]
    return [replace(one, labels=_in_order(one.labels)) if one.labels else one for one in whole]


def _is_part(region: Region, picture: Region) -> bool:
    """Whether ``region`` is a picture without words in a larger one that has some: the frame of a chart's legend."""
    pictures = region.category is picture.category is Category.PICTURE and region is not picture
    return pictures and bool(picture.labels) and not region.labels and region.bbox.overlap(picture.bbox) > INSIDE


def _as_labels(regions: Sequence[Region], labels: Sequence[Region], least: int) -> list[Region]:
    """``regions``, in which those that are ``labels`` belong to the picture beside them that has ``least`` labels."""
    result = [one for one in regions if not any(one is label for label in labels)]
    for new in labels:
        near = new.bbox.grown(new.bbox.height)
        beside = (at for at, one in enumerate(result) if _is_beside(one, near) and len(one.labels) >= least)
        index = next(beside, None)
        if index is None:
            result.insert(index_in_order(new.bbox, [one.bbox for one in result]), new)
            continue
        sure = [line for line in new.lines if line.confidence >= SURE]
        own = replace(result[index], labels=(*result[index].labels, *sure), words=new.words)
        result[index] = replace(own, bbox=BBox.union([own.bbox, *(line.bbox for line in sure)]))
    return result if len(result) < len(regions) else list(regions)


def _in_order(labels: Sequence[PrintedLine]) -> tuple[PrintedLine, ...]:
    """``labels`` group by group, each row by row."""
    groups = in_groups(labels, lambda line: line.bbox)
    return tuple(line for group in groups for row in in_rows(group, lambda line: line.bbox) for line in row)


def _is_value(region: Region) -> bool:
    """Whether a region has nothing but figures and letters that a recogniser has read, and no word."""
    return _is_read(region) and not any(_WORD.search(line.text) for line in region.lines)


def _is_read(region: Region) -> bool:
    """Whether ``region`` is text that a recogniser has read; what stands high in a picture is called a head."""
    kind = region.category
    return region.words == "recognition" and (kind.is_running_text or kind.is_furniture) and len(region.lines) > 0


def _is_beside(picture: Region, box: BBox) -> bool:
    return picture.category is Category.PICTURE and picture.bbox.intersection(box) is not None


def with_labels(regions: Sequence[Region], recognised: Sequence[Region]) -> list[Region]:
    """``regions`` with ``recognised`` text: inside a picture it becomes the labels, elsewhere a region of its own."""
    result = list(regions)
    for new in recognised:
        index = picture_around(new.bbox, result)
        if index is None:
            result.insert(index_in_order(new.bbox, [one.bbox for one in result]), new)
        else:
            labels = (*result[index].labels, *new.lines)
            result[index] = replace(result[index], labels=labels, words=new.words)
    return result
