"""The calls that a child that opens, renders and drafts serves. It never uses the target and imports no torch."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from docspec import offline
from docspec.core import Event, PageDraft, PageImage, ParseOptions
from docspec.core.account import VisibleWord
from docspec.documents import Document, PageFailure, Source, open_document
from docspec.documents.claims import FileMade
from docspec.documents.layer_text import LayerPage
from docspec.documents.marked import MarkedPage, marked_pdf
from docspec.documents.memory import keep_free_memory
from docspec.documents.mupdf import mupdf
from docspec.documents.view import View
from docspec.drafting import DraftingPolicy, SafeDrafter
from docspec.drafting.blank import has_ink
from docspec.drafting.drafted_page import draft_of
from docspec.drafting.policy import DraftKind, PricedPolicy, Prices
from docspec.isolation.serving import SIZE, PixelsHandle, RecognisedLines, map_pixels
from docspec.process import silence

DrafterMaker = Callable[[ParseOptions, DraftingPolicy | None], SafeDrafter]
"""Makes a drafter in the child; it is pickled by its name (:func:`docspec.drafting.make_drafter`)."""


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """A document as the child has it open."""

    page_count: int
    damage: str | None


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """A rendered page without its pixels: the first of them are in the shared memory, none if the page is only
    ``sketched``. ``damage`` is the document's so far, ``words`` are those of the page's text."""

    size: tuple[int, int]
    scale: float
    events: tuple[Event, ...]
    damage: str | None
    sketched: bool
    words: tuple[VisibleWord, ...] | None


class DocumentWorker:
    """The state of a child: the drafters, the open document, and the page rendered last. ``say`` sends a message before
    an answer; ``serving.main`` sets it."""

    say: Callable[[RecognisedLines], None]
    answers: int
    """The file of its answers, set as ``say`` is."""

    def __init__(self, handle: PixelsHandle) -> None:
        keep_free_memory()
        with contextlib.suppress(ImportError):  # pictures need none
            mupdf()  # its loading counts as no page's time
        self._shared_pixels = map_pixels(handle)
        self._policy = PricedPolicy()
        self._drafters: tuple[SafeDrafter, SafeDrafter] | None = None  # of whole pages, of pages read by regions
        self._document: Document | None = None
        self._drawn: Iterator[PageImage | PageFailure] = iter(())
        self._page: PageImage | None = None
        self._pixels = b""

    def begin(self, options: ParseOptions, make: DrafterMaker, quiet: bool) -> None:
        """Makes the drafters; raises :class:`docspec.core.DrafterError` if one cannot work here."""
        if self._drafters is not None:  # made before it was forked
            return
        if quiet:
            silence()
        if options.offline and not offline.enforced():
            offline.enforce()
        self._drafters = make(options, self._policy), make(options, None)
        for drafter in self._drafters:
            drafter.warm()

    def open(self, source: Source, password: str | None) -> DocumentFacts:
        """Opens another document; raises :class:`docspec.core.InputError`."""
        self._leave_page()
        if self._document is not None:
            self._document.close()
            self._document = None
        self._document = open_document(source, password)
        return DocumentFacts(self._document.page_count, self._document.damage)

    def draw(self, number: int, view: View, dpi: float | None) -> DrawnPage | PageFailure:
        """Renders page ``number`` by ``view``, image files at ``dpi`` if the target's own tool does so."""
        self._leave_page()
        assert self._document is not None
        self._drawn = self._document.pages(str(number), view=view)
        page = next(self._drawn)
        if dpi is not None and not isinstance(page, PageFailure):
            from docspec.documents.images import through_pdf

            page = through_pdf(page, dpi)
        if isinstance(page, PageFailure):
            return page
        self._page, sketched = page, page.sketch is not None
        if not sketched:
            self.pixels()
        return DrawnPage(page.image.size, page.scale, page.events, self._document.damage, sketched, page.words)

    def pixels(self) -> None:
        """Renders the pixels of the present page and puts the first of them into the shared memory."""
        assert self._page is not None
        self._pixels = self._page.image.tobytes()
        self.show(0)

    def show(self, start: int) -> None:
        """Puts the pixels from byte ``start`` on into the shared memory, as many as fit."""
        part = memoryview(self._pixels)[start : start + SIZE]
        self._shared_pixels[: len(part)] = part

    def draft(
        self, by_regions: bool, prices: Prices, told: bool
    ) -> tuple[PageDraft, Sequence[tuple[DraftKind, float]]]:
        """The draft of the present page, and the seconds of each kind of drafting. With ``told``, lines are sent as
        they are recognised."""
        assert self._page is not None and self._drafters is not None
        self._policy.prices, self._policy.spent = prices, []
        self._policy.tell = self._recognised if told else None
        return draft_of(self._page, self._drafters[by_regions]), self._policy.spent

    def _recognised(self, lines: Sequence[str]) -> None:
        assert self._page is not None
        if lines or has_ink(self._page):  # a page without ink needs no model
            self.say(RecognisedLines(tuple(lines)))

    def mark(self, source: Source, password: str | None, view: View, pages: Sequence[MarkedPage]) -> FileMade:
        """``source`` as a PDF with the boxes of ``pages`` drawn over it."""
        with open_document(source, password) as document:
            return marked_pdf(document, view, pages), ()

    def layered(self, source: Source, password: str | None, view: View, pages: Sequence[LayerPage]) -> FileMade:
        """``source`` as a PDF with the text layers of ``pages``."""
        from docspec.documents.searchable import searchable_pdf

        with open_document(source, password) as document:
            return searchable_pdf(document, view, pages, password)

    def _leave_page(self) -> None:
        next(self._drawn, None)  # frees the page's resources
        self._page, self._pixels, self._drawn = None, b"", iter(())
