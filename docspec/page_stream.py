"""The path of pages through a run: prepared in child processes ahead of time, verified side by side, in their order."""

from __future__ import annotations

import contextlib
import time
import weakref
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from docspec.accounting import visible_words
from docspec.core import PageResult, ParseOptions
from docspec.core.choices import PlacesFrom
from docspec.core.concurrency import FairLock
from docspec.core.container import processors
from docspec.core.observer import Observer
from docspec.documents import PageFailure
from docspec.documents.view import View
from docspec.drafting.drafted_page import DraftedPage
from docspec.isolation.document import IsolatedDocument, Unread
from docspec.isolation.pool import Isolation, Page, PageRef
from docspec.isolation.worker_handle import PrepareOptions
from docspec.lookahead import lookahead
from docspec.verifier import Verifier

Found = tuple[IsolatedDocument | Unread, PageResult, DraftedPage | None]
"""A document, the result of one of its pages, and that page with its draft (``None`` if it could not be drawn), by
which the result is accounted for when it is in its final form."""

PAGES_AHEAD = 32
"""Least number of pages drafted ahead if the model is loaded at the first page that needs it: two cores draft about 20
born-digital pages while the bundled reader is loaded."""


class PageStream:
    """Turns pages of documents that ``isolation`` opened into their results. Threads that share it prepare pages side
    by side; a verifier without threads of its own is given one page at a time, in ``turn``."""

    def __init__(
        self,
        options: ParseOptions,
        isolation: Isolation,
        verifier: Verifier,
        observer: Observer,
        images: bool,
        turn: FairLock,
    ) -> None:
        self._options = options
        self.isolation = isolation
        self._verifier = verifier
        self._observer = observer
        self._images = images
        self._turn = turn
        self._abandoned: weakref.WeakSet[IsolatedDocument | Unread] = weakref.WeakSet()
        self.left: list[Found] = []
        """Results of the last :meth:`read` that nobody took: they were verified ahead of the page at which it ended."""

    @property
    def image_dpi(self) -> float | None:
        """Pixels per inch of the images that the target was trained on, if pages are to resemble them."""
        return self._verifier.card.image_dpi if self._options.image_scale == "published" else None

    @property
    def ahead(self) -> int:
        """The number of pages prepared before they are requested."""
        if self._options.baseline:
            return 0
        if self._options.loads_late and self._verifier.is_here:
            return max(self._options.in_flight, 2 * processors(), PAGES_AHEAD)
        return max(1, self._verifier.threads)

    def abandon(self, document: IsolatedDocument | Unread) -> None:
        """Gives up the pages of ``document`` that have not been verified so far."""
        self._abandoned.add(document)

    def is_abandoned(self, document: IsolatedDocument | Unread) -> bool:
        """Whether ``document`` was given up."""
        return document in self._abandoned

    def read(
        self,
        pages: Iterator[PageRef],
        ahead: int,
        numbers: Sequence[int] = (),
        single: bool = False,
        places: PlacesFrom | None = None,
    ) -> Generator[Found]:
        """The results of ``pages``, while up to ``ahead`` of the next ones are prepared. ``numbers`` are their page
        numbers, if known beforehand; ``single``: that of a document which has no other. What ``places`` need is
        recorded (``None``: those of the options)."""
        self.left = []
        self._verifier.open()
        view = View.of(self._options, visible_words)
        wanted = self._verifier.prepare_options(view, self.image_dpi, self._images, places)
        prepared = self._prepared(pages, wanted, ahead, numbers, single)
        with contextlib.closing(self._results(prepared, places)) as results:
            for result in results:
                if result is not None:
                    yield result

    def _results(self, prepared: Generator[Page], places: PlacesFrom | None) -> Generator[Found | None]:
        """The results of pages, verified here or in threads: twice as many are begun as there are threads, so that no
        thread waits for pages while the results of others are taken."""
        threads, verified = self._verifier.threads, partial(self._verified, places=places)
        if threads:
            yield from lookahead(prepared, [verified] * threads, 2 * threads, left=self._leave)
        else:
            with contextlib.closing(prepared):
                for page in prepared:
                    yield verified(page)

    def _leave(self, result: Found | None) -> None:
        if result is not None:
            self.left.append(result)

    def _prepared(
        self, pages: Iterator[PageRef], wanted: PrepareOptions, ahead: int, numbers: Sequence[int], single: bool
    ) -> Generator[Page]:
        expected = iter(numbers)
        with contextlib.closing(self.isolation.pages(pages, wanted, ahead, single)) as prepared:
            while True:
                for number in islice(expected, 1):
                    self._observer.stage(number, "draft")
                began = time.perf_counter()
                page_prepared = next(prepared, None)
                if page_prepared is None:
                    return
                document, page = page_prepared
                if isinstance(page, DraftedPage):
                    page = replace(page, waited=time.perf_counter() - began if ahead else None)
                yield document, page

    def _verified(self, prepared: Page, places: PlacesFrom | None) -> Found | None:
        """The result of a page; ``None`` if its document was given up."""
        document, page = prepared
        if self.is_abandoned(document):
            return None
        if not isinstance(page, DraftedPage):
            return document, _failed(page), None
        with contextlib.nullcontext() if self._verifier.threads else self._turn:
            [result] = self._verifier.verify([page], places)
        return document, result, page


def _failed(page: PageFailure) -> PageResult:
    return PageResult(page.source, page.number, "failed", error=str(page.error), failure=page.error.failure)
