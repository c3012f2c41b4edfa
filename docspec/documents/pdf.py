"""PDF files: opens them in any state, and renders one private copy of a page at a time.

The copy lets later stages turn, mark and analyse a page freely. MuPDF's caches are emptied after every page
and the file is opened anew from time to time, so that memory does not grow with the number of pages.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from PIL.Image import Image

from docspec.core import Event, PageError, PageImage
from docspec.core.page import HiddenText
from docspec.documents.damage import (
    DAMAGED_PAGE,
    damage_on,
    dynamic_form,
    events_of,
    heard,
    is_loss,
    lost_contents,
    lost_size,
    of_opening,
)
from docspec.documents.document import Document
from docspec.documents.drawing import POINTS_PER_INCH, Drawing, pictures_of
from docspec.documents.edges import Edges
from docspec.documents.glyph_shapes import GlyphShapes
from docspec.documents.hidden import event_of, on_layers, take_out
from docspec.documents.mupdf import mupdf
from docspec.documents.pages import bookmarks_of, links_of, make_upright
from docspec.documents.pagetree import is_plain, open_pdf
from docspec.documents.printed import SecondLook
from docspec.documents.signs import name_signs
from docspec.documents.sources import Source
from docspec.documents.view import View, padded, reduced
from docspec.documents.weight import MAX_CHARACTERS, weigh

REOPEN_AFTER = 64  # pages; MuPDF keeps every object it has parsed until the file is closed
MAX_USER_UNIT = 1000.0  # points; a page of 14,400 units is then 5 km wide


class PdfDocument(Document):
    """An open PDF."""

    def __init__(self, source: Source, password: str | None = None) -> None:
        super().__init__(source)
        self._password = password
        with heard() as warnings:  # MuPDF warns of an object once: here of objects that the page tree needs
            self._pdf, self._tree = open_pdf(source, password)
        self.page_count = len(self._tree.indices)
        self._edges = Edges(self._open_again)
        self._shapes = GlyphShapes()
        self._rendered = 0
        self._look: SecondLook | None = None
        self._lost: str | None = None
        self._lost_of: dict[int, str] = {}
        self._remarks: list[str] = []  # of opening, for the first page that is drawn
        if self._is_suspect(warnings):
            with heard() as causes:
                self._look = self._second_look()
            self._lost, self._lost_of = of_opening(causes, self._look.is_repaired)
            self._remarks = list(dict.fromkeys((*warnings, *causes)))

    @property
    def damage(self) -> str | None:
        # Also later: MuPDF repairs a fault when it first meets it.
        cut = "its end is missing" if self._look is not None and self._look.is_cut else None
        known = [what for what in (cut, self._tree.damage, self._lost) if what]
        return f"the PDF is damaged ({'; '.join(known)}); something may be missing" if known else None

    def unrendered(self) -> Iterator[tuple[int, Any]]:
        """The numbers of all pages with the page in the file itself, undrawn; ``None`` for one that is not there."""
        for number, index in enumerate(self._tree.indices, start=1):
            try:
                yield number, None if index is None else self._pdf[index]
            except Exception:  # MuPDF's errors have no base of their own
                yield number, None

    def is_dynamic(self, page: Any) -> bool:
        """Whether ``page`` stands for a dynamic form (XFA)."""
        return dynamic_form(self._pdf, page) is not None

    @property
    def is_encrypted(self) -> bool:
        """Whether the file is encrypted, be it without a password."""
        return bool((self._pdf.metadata or {}).get("encryption"))

    @property
    def language(self) -> str | None:
        """The language that the file says it is in."""
        kind, value = self._pdf.xref_get_key(self._pdf.pdf_catalog(), "Lang")
        return value.strip() or None if kind == "string" else None

    @property
    def attachments(self) -> int:
        """How many files are attached."""
        return int(self._pdf.embfile_count())

    def _is_suspect(self, warnings: list[str]) -> bool:
        return bool(self._pdf.is_repaired) or any(map(is_loss, warnings))

    def _second_look(self) -> SecondLook:
        path = self.source.path if self.source.path is not None and is_plain(self.source.path) else None
        return SecondLook(path, b"" if path else self.source.read(), self._password)

    def _lost_on(self, index: int, warnings: list[str]) -> tuple[list[str], str | None]:
        """What MuPDF says of the objects that a page prints, if its ``warnings`` may be about them, and what is missing
        of them after a repair, whose cause is then a remark."""
        if not self._is_suspect(warnings) and not self._lost_of:
            return [], None
        number = self._pdf.page_xref(index)
        was_repaired = self._look is not None and self._look.is_repaired
        with heard() as lost:
            self._look = self._look or self._second_look()
            lacking = self._look.load(number, self._lost_of)
        if self._look.is_repaired and not was_repaired:
            self._remarks += lost
            return [], lacking
        return lost, lacking

    @cached_property
    def _bookmarks(self) -> dict[int, list[tuple[int, str]]]:
        """Bookmarks by MuPDF's page numbers, from 1."""
        return bookmarks_of(self._pdf)

    def _load(self, number: int, view: View) -> PageImage:
        start = time.perf_counter()
        if self._rendered and self._rendered % REOPEN_AFTER == 0:
            self._pdf.close()
            self._pdf, self._tree = open_pdf(self.source, self._password)
            self._edges.close()
        self._rendered += 1
        index = self._tree.indices[number - 1]
        if index is None:
            raise PageError("the file names it and does not hold it")

        def view_of(page: Any) -> Image:
            drawn, small = pictures_of(Drawing(page, view.dpi, view.max_pixels), view)
            return small or drawn

        with heard() as warnings:
            weight = weigh(self._pdf, self._pdf[index])
            readable = weight.characters <= MAX_CHARACTERS
            page = self._private_page(index)
            layered = self._words_on_layers(index, view.upright) if readable else ()
        with heard():  # of fonts that are drawn apart from the page
            self._shapes.name(page)
        with heard() as drawn:
            try:
                _mend_unit(page)
                _mend_crop(page)
                name_signs(page)
                turn = make_upright(page, by_text=view.upright and readable)
                drawing = Drawing(page, view.dpi, view.max_pixels)
                image, sketch = pictures_of(drawing, view)
                shown = PageImage(image, number, drawing.scale, self.name, page if readable else None, sketch=sketch)
                words = None if view.witness is None else view.witness(shown)
                hidden = (*layered, *(take_out(page, sketch or image, view_of) if readable else ()))
            except BaseException:
                page.parent.close()
                raise
        told, lacking = self._lost_on(index, warnings)
        events = list(events_of([*told, *drawn], remarks=(*self._remarks, *warnings)))
        self._remarks = []
        own = self._pdf[index]
        lost = (drawing.trouble, lost_size(own), lost_contents(self._pdf, own), dynamic_form(self._pdf, own))
        for what in filter(None, (lacking, *lost)):
            events.append(Event(DAMAGED_PAGE, f"{what}; some of the page is missing"))
        if DAMAGED_PAGE not in {event.kind for event in events} and (damage := damage_on(self._pdf, index)):
            events.append(Event(DAMAGED_PAGE, f"a picture is damaged ({damage}); some of it may be missing"))
        if turn:
            events.append(Event("page_turned", f"its text runs sideways; turned by {turn} degrees clockwise"))
        events += [event_of(hidden, view.hidden)] if hidden else []
        events += reduced(drawing.scale * POINTS_PER_INCH / view.dpi, f" at {view.dpi:g} dpi")
        image, widened = padded(image)
        if not readable:
            page.parent.close()
            detail = f"{weight.characters:,} characters are too many; drafted as if it were a picture"
            events.append(Event("text_layer_skipped", detail))
        return PageImage(
            image=image,
            number=number,
            scale=drawing.scale,
            source=self.name,
            pdf_page=page if readable else None,
            render_seconds=time.perf_counter() - start,
            events=(*events, *widened),
            links=() if turn or not readable else links_of(self._pdf[index]),
            bookmarks=tuple(self._bookmarks.get(index + 1, ())),
            words=words,
            sketch=sketch,
            hidden=hidden if view.hidden else (),
            edges=() if turn or not readable or self.page_count == 1 else self._edges.of(number, self.page_count),
            language=self._language,
        )

    @cached_property
    def _language(self) -> str:
        """The language that the document states (``/Lang`` of its catalogue)."""
        try:
            return self._pdf.language or ""
        except Exception:  # a damaged catalogue
            return ""

    @cached_property
    def _layers_off(self) -> set[str]:
        """The names of the layers that are off."""
        try:
            return {str(layer["name"]) for layer in self._pdf.get_ocgs().values() if not layer["on"]}
        except Exception:  # a damaged list of layers: all are shown
            return set()

    def _open_again(self) -> tuple[Any, Sequence[int | None]]:
        pdf, tree = open_pdf(self.source, self._password)
        return pdf, tree.indices

    def _private_page(self, index: int) -> Any:
        """A page in a document of its own: a copy, or, if objects that it refers to cannot be copied, the page itself
        in the file opened again (a reference to a missing object counts as null and is harmless). A copy knows no
        layers, and shows those that are off, and none of the fields of a file that names no form (pages that were taken
        out of one)."""
        loose_fields = not self._pdf.is_form_pdf and self._pdf[index].first_widget is not None
        if not (self._layers_off or loose_fields):
            copy = mupdf().open()
            try:
                self._copy_to(copy, index)
                return copy[0]
            except Exception:
                copy.close()
        return open_pdf(self.source, self._password)[0][index]

    def _copy_to(self, copy: Any, index: int) -> None:
        # insert_pdf visits every page of the source when it is asked for widgets: only ask if there are any.
        has_widgets = bool(self._pdf.is_form_pdf) and self._pdf[index].first_widget is not None
        copy.insert_pdf(self._pdf, from_page=index, to_page=index, links=False, annots=True, widgets=has_widgets)

    def _words_on_layers(self, index: int, by_text: bool) -> tuple[HiddenText, ...]:
        """The words of a page on layers that are off: its copy shows them."""
        if not self._layers_off:
            return ()
        with mupdf().open() as copy:
            try:
                self._copy_to(copy, index)
                make_upright(copy[0], by_text=by_text)
                return on_layers(copy[0], self._layers_off)
            except Exception:  # it cannot be copied
                return ()

    def _release(self, page: PageImage) -> None:
        if page.pdf_page is not None and page.pdf_page.parent is not None:
            page.pdf_page.parent.close()
        mupdf().TOOLS.store_shrink(100)

    def close(self) -> None:
        self._look = None
        self._edges.close()
        if not self._pdf.is_closed:
            self._pdf.close()
        mupdf().TOOLS.store_shrink(100)


def _mend_unit(page: Any) -> None:
    """Removes a ``/UserUnit`` that no page can have: zero, negative, or beyond measure."""
    kind, value = page.parent.xref_get_key(page.xref, "UserUnit")
    if kind == "null":
        return
    try:
        unit = float(value)
    except ValueError:
        unit = 0.0
    if not (math.isfinite(unit) and 0 < unit <= MAX_USER_UNIT):
        page.parent.xref_set_key(page.xref, "UserUnit", "null")


def _mend_crop(page: Any) -> None:
    """Removes a ``/CropBox`` that shows nothing of the sheet."""
    kind, value = page.parent.xref_get_key(page.xref, "CropBox")
    numbers = re.findall(r"[-+.\d]+", value) if kind == "array" else []
    sheet = page.mediabox
    try:
        x0, y0, x1, y1 = map(float, numbers)
    except ValueError:
        return
    across = min(max(x0, x1), sheet.x1) - max(min(x0, x1), sheet.x0)
    down = min(max(y0, y1), sheet.y1) - max(min(y0, y1), sheet.y0)
    if across <= 0 or down <= 0:
        page.parent.xref_set_key(page.xref, "CropBox", "null")
