"""Calls one child and replaces it if it is lost: a rendered page then loses its draft, any other page fails."""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from docspec.core import DocspecError, Event, Failure, InputError, PageDraft, PageImage, ParseOptions
from docspec.core.concurrency import FairLock
from docspec.core.safe_text import first_line
from docspec.documents import PageFailure, Source
from docspec.documents.memory import return_free_memory
from docspec.documents.view import View
from docspec.drafting.blank import is_blank
from docspec.drafting.drafted_page import DraftedPage, DraftFuture
from docspec.drafting.policy import FREE, DraftKind, Prices
from docspec.isolation.child import Child, WorkerLost
from docspec.isolation.document import IsolatedDocument
from docspec.isolation.nursery import Nursery
from docspec.isolation.serving import SIZE
from docspec.isolation.worker import DocumentFacts, DrafterMaker, DrawnPage

if TYPE_CHECKING:
    from PIL.Image import Image


NICENESS = 5
"""Of children whose documents wait for others."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """The settings of all children, which ``nursery`` starts; ``quiet`` suppresses libraries' warnings."""

    options: ParseOptions
    make: DrafterMaker
    quiet: bool
    nursery: Nursery


@dataclass(frozen=True, slots=True, eq=False)
class PrepareOptions:
    """How pages are prepared: ``view`` and ``image_dpi`` decide how they are rendered, ``by_regions`` which of them are
    read by regions; ``prices`` returns the present costs of drafting, and ``drafted`` receives the seconds that it
    took. ``overlaps``: pages that are read whole are returned while their text is still being recognised. ``looks``:
    whether the pixels of a drafted page are needed; other pages are only sketched (``None``: all are needed)."""

    view: View
    image_dpi: float | None
    by_regions: Callable[[PageImage], bool]
    prices: Callable[[], Prices]
    drafted: Callable[[DraftKind, float], None]
    overlaps: bool = False
    looks: Callable[[PageImage, PageDraft], bool] | None = None

    @classmethod
    def complete(cls, view: View, image_dpi: float | None) -> PrepareOptions:
        """The options for pages that another process verifies: drafting always pays, and pages are drafted fully, as
        for reading by regions; the target decides whether they are read so."""
        return cls(view, image_dpi, lambda page: True, lambda: FREE, lambda kind, seconds: None)


class WorkerHandle:
    """One child, which serves one call at a time; other threads wait for ``lock``. A lost child is replaced.
    ``gives_way``: processors are others' first."""

    def __init__(self, settings: WorkerSettings, gives_way: bool = False) -> None:
        self._settings = settings
        self._gives_way = gives_way
        self._child: Child | None = None
        self._begun = False
        self._at: IsolatedDocument | None = None
        self._closed = False
        self.lock = FairLock()

    def start(self) -> None:
        """Starts the child before the first document and lets it make its drafters in the background."""
        with self.lock, contextlib.suppress(WorkerLost):
            self._start()
            self._begin()

    def open(self, source: Source) -> IsolatedDocument:
        """Opens an input; raises :class:`docspec.core.InputError`. The child then makes its drafters in the
        background."""
        options = self._settings.options
        document = IsolatedDocument(source, DocumentFacts(0, None), options.document_timeout)
        try:
            opened = self._open(document)
        except WorkerLost as lost:
            self._drop()
            raise InputError(f"{source.name}: cannot be opened: opening it {_why(lost)}", lost.failure) from None
        document.page_count, document.damage = opened.page_count, opened.damage
        return document

    def prepare(
        self, document: IsolatedDocument, number: int, preparation: PrepareOptions
    ) -> DraftedPage | PageFailure:
        """Page ``number``, rendered and drafted. Raises :class:`docspec.core.DrafterError` if the drafters cannot be
        made, because no page can then be drafted as requested."""
        return_free_memory()  # of earlier pages, which was allocated in large pieces
        self.lock.acquire()
        future = None
        try:
            if document.seconds_left() == 0.0:
                return document.failed(number, "", Failure.TIMED_OUT)
            page = self._shown(document, number, preparation)
            if isinstance(page, PageFailure):
                return page
            if not preparation.overlaps or preparation.by_regions(page):
                return self._drafted(document, page, preparation)
            future = DraftFuture()
        finally:
            if future is None:
                self.lock.release()
        thread = threading.Thread(
            target=self._draft_on, args=(document, page, preparation, future), name="docspec-draft", daemon=True
        )
        thread.start()
        future.await_begin()
        return DraftedPage(page, waited=0.0, future=future).with_draft()

    def _draft_on(
        self, document: IsolatedDocument, page: PageImage, preparation: PrepareOptions, future: DraftFuture
    ) -> None:
        """Drafts ``page``, then releases the lock."""
        try:
            drafted = self._drafted(document, page, preparation, future)
            assert isinstance(drafted, DraftedPage), "what is handed over while it is drafted was drawn before"
            future.finish(drafted.draft, drafted.error)
        except BaseException as error:
            future.finish(PageDraft(), error if isinstance(error, Exception) else RuntimeError(repr(error)))
        finally:
            self.lock.release()

    def close(self) -> None:
        """Ends the child, whatever it is doing."""
        self._closed = True
        child, idle = self._child, self.lock.acquire(blocking=False)
        if idle:
            self._child = None
            self.lock.release()
        if child is not None:
            self._end(child, idle)

    @staticmethod
    def _end(child: Child, idle: bool) -> None:
        """Ends ``child``; ``idle``: nobody waits for an answer of it."""
        child.kill()

    def _start(self) -> Child:
        """The child; a new one if there is none."""
        if self._child is not None:
            return self._child
        if self._closed:
            raise WorkerLost("was given up", Failure.CRASHED)
        try:
            self._child = self._settings.nursery.child()
        except OSError as error:
            why = f"needs a process, and none can be started ({error})"
            raise WorkerLost(why, Failure.UNEXPECTED) from error
        if self._gives_way and hasattr(os, "setpriority"):
            with contextlib.suppress(OSError):  # it has ended already
                os.setpriority(os.PRIO_PROCESS, self._child.pid, NICENESS)
        self._begun = False
        return self._child

    def _begin(self) -> None:
        """Lets the child make its drafters, once and without waiting."""
        if self._child is not None and not self._begun:
            self._child.post("begin", self._settings.options, self._settings.make, self._settings.quiet)
            self._begun = True

    def _open(self, document: IsolatedDocument) -> DocumentFacts:
        """Makes a child open ``document`` in the place of the one before."""
        child, options = self._start(), self._settings.options
        seconds = self._seconds(document, options.page_timeout)
        self._at = None  # the child closes the one before, even if this one cannot be opened
        source, password = document.source, document.source.password or options.password
        opened: DocumentFacts = child.call("open", source, password, seconds=seconds)
        self._at = document
        self._begin()
        return opened

    def _ready(self, document: IsolatedDocument) -> None:
        """Ensures that a child has ``document`` open and its drafters made."""
        if self._child is None or self._at is not document:
            self._open(document)
        assert self._child is not None
        try:
            self._child.wait_posted()
        except Exception:
            self._drop()
            raise

    def _shown(self, document: IsolatedDocument, number: int, preparation: PrepareOptions) -> PageImage | PageFailure:
        """Page ``number``, rendered by the child or, if there is none, a new one."""
        try:
            self._ready(document)
            return self._drawn(document, number, preparation)
        except WorkerLost as lost:
            return self._not_drawn(document, number, lost)
        except InputError as error:  # the file has changed since
            return document.failed(number, f"cannot be rendered: {error}", error.failure)

    def _not_drawn(self, document: IsolatedDocument, number: int, lost: WorkerLost) -> PageFailure:
        self._drop()
        return document.failed(number, f"cannot be rendered: drawing it {_why(lost)}", lost.failure)

    def _drawn(self, document: IsolatedDocument, number: int, preparation: PrepareOptions) -> PageImage | PageFailure:
        from docspec.documents.drawing import Undrawn

        assert self._child is not None
        began = time.perf_counter()
        limit = self._settings.options.page_timeout
        view = replace(preparation.view, sketched=preparation.looks is not None)
        try:
            drawn: DrawnPage | PageFailure = self._child.call(
                "draw", number, view, preparation.image_dpi, seconds=self._seconds(document, limit)
            )
        except WorkerLost:
            raise
        except Exception as error:
            failure = error.failure if isinstance(error, DocspecError) else Failure.UNEXPECTED
            return document.failed(number, f"cannot be rendered ({first_line(error)})", failure)
        if isinstance(drawn, PageFailure):
            return drawn
        document.damage = drawn.damage or document.damage
        image = Undrawn(drawn.size) if drawn.sketched else self._pixels(drawn.size)
        seconds = time.perf_counter() - began
        return PageImage(image, number, drawn.scale, document.name, None, seconds, drawn.events, words=drawn.words)

    def _seen(self, document: IsolatedDocument, page: PageImage) -> PageImage | PageFailure:
        """``page``, which was only sketched, with its pixels."""
        assert self._child is not None
        began = time.perf_counter()
        try:
            self._child.call("pixels", seconds=self._seconds(document, self._settings.options.page_timeout))
            image = self._pixels(page.image.size)
        except WorkerLost as lost:
            return self._not_drawn(document, page.number, lost)
        except Exception as error:
            return document.failed(page.number, f"cannot be rendered ({first_line(error)})", Failure.UNEXPECTED)
        return replace(page, image=image, render_seconds=page.render_seconds + time.perf_counter() - began)

    def _pixels(self, size: tuple[int, int]) -> Image:
        """The pixels of the page rendered last."""
        from PIL import Image as Pillow

        assert self._child is not None
        shared_pixels, count = memoryview(self._child.shared_pixels.memory), 3 * size[0] * size[1]
        if count <= SIZE:
            return Pillow.frombytes("RGB", size, shared_pixels[:count])
        pixels = bytearray(shared_pixels)
        while len(pixels) < count:
            self._child.call("show", len(pixels), seconds=self._settings.options.page_timeout)
            pixels += shared_pixels[: count - len(pixels)]
        return Pillow.frombytes("RGB", size, pixels)

    def _drafted(
        self,
        document: IsolatedDocument,
        page: PageImage,
        preparation: PrepareOptions,
        future: DraftFuture | None = None,
    ) -> DraftedPage | PageFailure:
        if not document.is_drafted:
            seen = page if page.is_drawn else self._seen(document, page)
            if isinstance(seen, PageFailure):
                return seen
            return self._undrafted(seen, "given up after several losses", Failure.CRASHED, 0.0)
        assert self._child is not None
        began = time.perf_counter()
        limit = max(0.0, self._settings.options.page_timeout - page.render_seconds)
        regions, prices = preparation.by_regions(page), preparation.prices()
        useful = math.inf if regions else prices.most
        try:
            draft, spent = self._child.call(
                "draft",
                regions,
                prices,
                future is not None,
                seconds=self._seconds(document, min(limit, useful)),
                hear=None if future is None else lambda said: future.heard(said.lines),
            )
        except WorkerLost as lost:
            self._drop()
            document.note_draft(lost=True)
            in_vain = lost.failure is Failure.TIMED_OUT and useful < limit
            why = f"took longer than plain decoding of a page ({useful:.1f} s)" if in_vain else _why(lost)
            seconds = time.perf_counter() - began
            seen = page if page.is_drawn else self._shown(document, page.number, replace(preparation, looks=None))
            if isinstance(seen, PageFailure):
                return seen
            return self._undrafted(seen, why, lost.failure, seconds)
        except Exception as error:
            return DraftedPage(page, error=error, waited=0.0)
        document.note_draft(lost=False)
        for kind, seconds in spent:
            preparation.drafted(kind, seconds)
        if not page.is_drawn and (preparation.looks is None or preparation.looks(page, draft)):
            seen = self._seen(document, page)
            return seen if isinstance(seen, PageFailure) else DraftedPage(seen, draft, waited=0.0)
        return DraftedPage(page, draft, waited=0.0)

    def _undrafted(self, page: PageImage, why: str, failure: Failure, seconds: float) -> DraftedPage:
        name = self._settings.options.drafter
        event = Event("drafter_failed", f"{name}: {why}; decoded without a draft", failure)
        draft = PageDraft(drafter=name, reason=f"failed: {why}", seconds=seconds, events=(event,), blank=is_blank(page))
        return DraftedPage(page, draft, waited=0.0)

    def _seconds(self, document: IsolatedDocument, limit: float) -> float:
        left = document.seconds_left()
        return limit if left is None else min(limit, left)

    def _drop(self) -> None:
        """Kills the child; the next page gets another one."""
        if self._child is not None:
            self._child.kill()
        self._child = self._at = None


def _why(lost: WorkerLost) -> str:
    return f"{lost} (--page-timeout)" if lost.failure is Failure.TIMED_OUT else str(lost)
