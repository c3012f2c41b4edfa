"""Drafts of scans and photographs: lines read by RapidOCR, in the regions that PyMuPDF's layout model sees
over them.

The layout model needs text to look at, so the recognised lines are written as hidden text onto a sheet with
the page's picture. The texts of the draft are the recogniser's own, with its confidences.
"""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PIL import Image

from docspec.core import Category, DrafterError, Event, PageDraft, PageImage, PrintedLine, Region
from docspec.core.running_text import in_place
from docspec.core.straightening import NOTHING, Corners, Straightening
from docspec.documents.mupdf import load_layout_model, mupdf
from docspec.drafting.assembly import assemble
from docspec.drafting.columns import cut_layout
from docspec.drafting.ink import is_print_alone, unread_regions
from docspec.drafting.layout import WHITE_SPACE, LayoutBox, write_hidden
from docspec.drafting.light import evened, read_evenly
from docspec.drafting.line_numbers import line_numbers, numbers_region
from docspec.drafting.lines import TextLine
from docspec.drafting.lost_lines import with_lost_lines
from docspec.drafting.number_check import numbers_unsure
from docspec.drafting.order import in_order, layout_of
from docspec.drafting.picture_text import find_text, is_prose, picture_around, with_labels
from docspec.drafting.pictures import with_pictures
from docspec.drafting.policy import DraftingPolicy
from docspec.drafting.printed import WORDS, Printed
from docspec.drafting.recogniser import PageReader, Reading, Recogniser
from docspec.drafting.sheet import lone_sheet_in
from docspec.drafting.stacked import with_columns
from docspec.drafting.straightening import as_printed, straight_image, straight_page, straightened, turns_of
from docspec.drafting.structure.blocks import with_blocks
from docspec.drafting.structure.placing import doubts, found_tables, with_tables
from docspec.drafting.structure.recognised import recognised_tokens
from docspec.drafting.structure.relations import relations
from docspec.drafting.structure.tables import structure_of
from docspec.drafting.type_size import measured
from docspec.drafting.vertical import vertical_regions

LONG_SIDE = 842.0  # points of a sheet whose true size is not known: A4
SHEET_DPI = 100.0  # of the picture under the text; the layout model looks at 72


class RapidOcrDrafter:
    """Drafts by recognition. One recogniser may be shared with the check of text layers; ``policy`` is told lines as
    they are recognised. ``upright``: a page that lies on its side or stands on its head gets the draft of the upright
    page. ``sheets``: a sheet that was photographed in perspective is recognised as from above. ``straighten``: the
    target sees pages as straight as the recogniser."""

    def __init__(
        self,
        recogniser: PageReader | None = None,
        policy: DraftingPolicy | None = None,
        upright: bool = False,
        name: str = "rapidocr",
        straighten: bool = False,
        sheets: bool = True,
    ) -> None:
        self.recogniser: PageReader = recogniser or Recogniser()
        self.name = name
        self._policy = policy or DraftingPolicy()
        self._upright = upright
        self._straighten = straighten
        self._sheets = sheets

    def check(self) -> None:
        self.recogniser.check()

    def warm(self) -> None:
        load_layout_model()

    def draft(self, page: PageImage) -> PageDraft:
        start = time.perf_counter()
        try:
            self._policy.recognised(())
            sheet = lone_sheet_in(page.image, self.recogniser.finder) if self._sheets else None
            turns, picture, page, reading = self._read(page, sheet)
            if sheet is not None and not reading.lines:  # a window, a wall
                sheet = None
                turns, picture, page, reading = self._read(picture, None)
            even = read_evenly(page, reading, self.recogniser)
            if even is None and sheet is not None:  # a shadow beside its text is no ink
                even = replace(page, image=evened(page.image)), reading
            page, reading = even or (page, reading)
            lines, tilt = reading.lines, reading.tilt
            lean = Straightening(tilt=tilt)
            columns, lines = with_columns(page.image, lines, reading.recogniser)
            lines, lost = with_lost_lines(partial(straight_image, page.image, lean), lines, reading.recogniser)
            found, layout, events = regions_of_lines(page, lines, lean, columns)
            regions = with_pictures(page.image, found)
            straight, drafted = straightened(page, PageDraft(tuple(regions), straight=lean))
            unread = unread_regions(straight.image, drafted.regions)
            more, mute = find_text(straight, drafted.regions, unread, reading.recogniser)
            told = (*columns, *lines, *more)
            late = [line for line in more if picture_around(line.bbox, drafted.regions) is None]
            if is_prose(late):
                found, layout, events = regions_of_lines(page, [*lines, *late], lean, columns)
                regions = with_pictures(page.image, found)
                more = [line for line in more if line not in late]
            new = [replace(one, bbox=as_printed(one.bbox, lean, page)) for one in assemble((), more)]
            regions = with_labels(regions, new)
            events = (*reading.events, *events, *lost, *mute, *numbers_unsure(lines))
        except DrafterError:
            raise
        except Exception as error:
            raise DrafterError(f"{page.source}, page {page.number}: recognition failed ({error})") from error
        reason = f"{len(columns) + len(lines)} lines recognised" + (f", page {tilt:+.1f} degrees askew" if tilt else "")
        how = replace(Straightening(sheet=sheet).turned(turns), tilt=tilt)
        draft = PageDraft(
            tuple(regions),
            self.name,
            reason,
            layout=layout,
            events=events,
            searched=True,
            seen=Straightening(turns),
            straight=lean,
            evened=even is not None,
            recognised=tuple(PrintedLine(line.bbox, line.text, confidence=line.confidence) for line in told),
            scripts=reading.recogniser.scripts,
        )
        draft = _shown_straight(page, draft, how) if self._straighten else _on_picture(picture, draft, how)
        return replace(draft, seconds=time.perf_counter() - start)

    def _read(self, page: PageImage, sheet: Corners | None) -> tuple[int, PageImage, PageImage, Reading]:
        """The quarter turns that bring ``page`` upright, the page turned by them, the same with its ``sheet`` seen from
        above, and what is read on that."""
        above = straight_page(page, Straightening(sheet=sheet))
        reading = self.recogniser.read(above, self._policy.recognised)
        turns = 0
        if self._upright:
            turns = reading.turns or turns_of(above.image, reading.lines, reading.recogniser)
        if turns:
            page = straight_page(page, Straightening(turns))
            above = straight_page(page, Straightening(sheet=sheet).turned(turns))
            reading = self.recogniser.read(above, self._policy.recognised)
        return turns, page, above, reading


def _shown_straight(page: PageImage, draft: PageDraft, how: Straightening) -> PageDraft:
    """``draft``, of ``page`` as from above, for a target that sees the page straightened."""
    _, drafted = straightened(page, draft)
    return replace(drafted, seen=replace(how, turns=draft.seen.turns))


def _on_picture(picture: PageImage, draft: PageDraft, how: Straightening) -> PageDraft:
    """``draft``, of the page as from above, for a target that sees the ``picture`` as it is."""
    recognised = tuple(replace(line, bbox=as_printed(line.bbox, how, picture)) for line in draft.recognised)
    regions = draft.regions
    if how.sheet:
        on_picture = replace(how, tilt=0.0)
        regions = tuple(replace(one, bbox=as_printed(one.bbox, on_picture, picture)) for one in regions)
    return replace(draft, regions=regions, straight=how, recognised=recognised)


def regions_of_lines(
    page: PageImage, lines: Sequence[TextLine], lean: Straightening = NOTHING, columns: Sequence[TextLine] = ()
) -> tuple[list[Region], str, tuple[Event, ...]]:
    """Regions in pixels for recognised ``lines`` (pixels of the page without its ``lean``), the source of
    their layout, and the events. ``columns`` are those lines that run from top to bottom."""
    if columns:
        text, others = vertical_regions(columns), assemble(cut_layout(lines, page.height), lines)
        ordered = in_place([*text, *others], lambda region: region in others, lambda region: region.bbox)
        return [replace(one, bbox=as_printed(one.bbox, lean, page)) for one in ordered], WHITE_SPACE, ()
    if not lines:
        return [], "", ()
    known_size = page.pdf_page is not None
    per_point = page.scale if known_size else max(page.width, page.height) / LONG_SIDE
    image = page.image.rotate(lean.tilt, fillcolor="white") if lean else page.image
    numbers, in_points = line_numbers([line.scaled(1 / per_point) for line in measured(image, lines)])
    document = mupdf().open()
    try:
        sheet_page = sheet_of(document, image, in_points, per_point)
        boxes, layout, events = layout_of(Printed(sheet_page), in_points)
        boxes = [
            replace(box, category=Category.TEXT) if _is_print(box, image, in_points, per_point) else box
            for box in boxes
        ]
        tokens = recognised_tokens(in_points, image, per_point, boxes)
        structure = structure_of(tokens, relations())
        found, in_points = found_tables([structure], in_points)
        boxes = with_tables(boxes, found)
        if layout != WHITE_SPACE:
            boxes, in_points = with_blocks(boxes, in_points, structure)
            boxes = in_order(boxes, in_points)
        own = [numbers_region(numbers, sheet_page.rect.height)] if numbers else []
        regions = own + assemble(boxes, in_points)
    finally:
        document.close()
    upright = [region.moved(lambda box: box.scaled(per_point)) for region in regions]
    settled = [replace(region, bbox=as_printed(region.bbox, lean, page)) for region in upright]
    return settled, layout, (*events, *doubts(found))


def _is_print(box: LayoutBox, image: Image.Image, lines: Sequence[TextLine], per_point: float) -> bool:
    """Whether ``box`` is a supposed picture of words and rules alone; ``image`` has so many pixels ``per_point``."""
    if box.category is not Category.PICTURE:
        return False
    own = [line for line in lines if box.bbox.has_center_of(line.bbox)]
    words = sum(sum(map(str.isalpha, word)) > 2 for line in own for word in line.text.split())
    return words >= WORDS and is_print_alone(
        image, box.bbox.scaled(per_point), [line.bbox.scaled(per_point) for line in own]
    )


def sheet_of(document: Any, image: Image.Image, lines: Sequence[TextLine], per_point: float) -> Any:
    """A page with the picture and, invisibly, the lines: each scaled to fill its box, in points."""
    page = document.new_page(width=image.width / per_point, height=image.height / per_point)
    small = image.copy()
    small.thumbnail((int(page.rect.width * SHEET_DPI / 72) + 1, int(page.rect.height * SHEET_DPI / 72) + 1))
    jpeg = io.BytesIO()
    small.save(jpeg, "JPEG", quality=80)
    page.insert_image(page.rect, stream=jpeg.getvalue())
    write_hidden(page, lines)
    return page
