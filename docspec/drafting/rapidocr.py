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
from typing import Any

from PIL import Image

from docspec.core import DrafterError, Event, PageDraft, PageImage, PrintedLine, Region
from docspec.documents.mupdf import load_layout_model, mupdf
from docspec.drafting.assembly import assemble
from docspec.drafting.layout import write_hidden
from docspec.drafting.lines import TextLine
from docspec.drafting.order import layout_of
from docspec.drafting.picture_text import find_text, is_prose, picture_around, with_labels
from docspec.drafting.pictures import find_pictures, with_pictures
from docspec.drafting.policy import DraftingPolicy
from docspec.drafting.recogniser import PageReader, Recogniser
from docspec.drafting.tables import find_tables
from docspec.drafting.tilt import as_printed, straightened
from docspec.drafting.turning import turns_of, upright
from docspec.drafting.type_size import measured
from docspec.drafting.unread import unread_regions

LONG_SIDE = 842.0  # points of a sheet whose true size is not known: A4
SHEET_DPI = 100.0  # of the picture under the text; the layout model looks at 72


class RapidOcrDrafter:
    """Drafts by recognition. One recogniser may be shared with the check of text layers; ``policy`` is told lines as
    they are recognised. ``upright``: a page that lies on its side or stands on its head gets the draft of the upright
    page (``turns``)."""

    def __init__(
        self,
        recogniser: PageReader | None = None,
        policy: DraftingPolicy | None = None,
        upright: bool = False,
        name: str = "rapidocr",
    ) -> None:
        self.recogniser: PageReader = recogniser or Recogniser()
        self.name = name
        self._policy = policy or DraftingPolicy()
        self._upright = upright

    def check(self) -> None:
        self.recogniser.check()

    def warm(self) -> None:
        load_layout_model()

    def draft(self, page: PageImage) -> PageDraft:
        start = time.perf_counter()
        try:
            self._policy.recognised(())
            reading = self.recogniser.read(page, self._policy.recognised)
            turns = 0
            if self._upright:
                turns = reading.turns or turns_of(page.image, reading.lines, reading.recogniser)
            if turns:
                page = upright(page, turns)
                reading = self.recogniser.read(page, self._policy.recognised)
            lines, tilt = reading.lines, reading.tilt
            found, layout, events = regions_of_lines(page, lines, tilt)
            regions = with_pictures(page.image, found)
            straight, drafted = straightened(page, PageDraft(tuple(regions), tilt=tilt))
            unread = unread_regions(straight.image, drafted.regions)
            more, mute = find_text(straight, drafted.regions, unread, reading.recogniser)
            told = (*lines, *more)
            late = [line for line in more if picture_around(line.bbox, drafted.regions) is None]
            if is_prose(late):
                found, layout, events = regions_of_lines(page, [*lines, *late], tilt)
                regions = with_pictures(page.image, found)
                more = [line for line in more if line not in late]
            new = [replace(one, bbox=as_printed(one.bbox, tilt, page)) for one in assemble((), more)]
            regions, events = with_labels(regions, new), (*reading.events, *events, *mute)
        except DrafterError:
            raise
        except Exception as error:
            raise DrafterError(f"{page.source}, page {page.number}: recognition failed ({error})") from error
        reason = f"{len(lines)} lines recognised" + (f", page {tilt:+.1f} degrees askew" if tilt else "")
        seconds = time.perf_counter() - start
        return PageDraft(
            tuple(regions),
            self.name,
            reason,
            seconds,
            layout=layout,
            events=events,
            tilt=tilt,
            searched=True,
            turns=turns,
            recognised=tuple(PrintedLine(as_printed(line.bbox, tilt, page), line.text) for line in told),
            scripts=reading.recogniser.scripts,
        )


def regions_of_lines(
    page: PageImage, lines: Sequence[TextLine], tilt: float = 0.0
) -> tuple[list[Region], str, tuple[Event, ...]]:
    """Regions in pixels for recognised ``lines`` (pixels of the page turned upright by ``tilt`` degrees), the source of
    their layout, and the events."""
    if not lines:
        return [], "", ()
    known_size = page.pdf_page is not None
    per_point = page.scale if known_size else max(page.width, page.height) / LONG_SIDE
    image = page.image.rotate(tilt, fillcolor="white") if tilt else page.image
    in_points = [line.scaled(1 / per_point) for line in measured(image, lines)]
    document = mupdf().open()
    try:
        sheet_page = sheet_of(document, image, in_points, per_point)
        boxes, layout, events = layout_of(sheet_page, in_points)
        tables = find_tables(sheet_page) if any(box.category == "Table" for box in boxes) else []
        regions = assemble(
            boxes,
            in_points,
            tables,
            drawings=lambda: [box.scaled(1 / per_point) for box in find_pictures(image, [line.bbox for line in lines])],
        )
    finally:
        document.close()
    upright = [region.moved(lambda box: box.scaled(per_point)) for region in regions]
    return [replace(region, bbox=as_printed(region.bbox, tilt, page)) for region in upright], layout, events


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
