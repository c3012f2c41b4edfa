"""The path of pages through a run: prepared in child processes ahead of time, verified some at a time, in their order.

The verifier is behind one interface (:class:`PagesVerifier`): the model in this process
(:class:`docspec.verifier.Verifier`), an engine in another one (:class:`docspec.remote_verifier.RemoteVerifier`), or a
process on each of several devices (:class:`docspec.devices.DevicesVerifier`).
"""

from __future__ import annotations

import contextlib
import time
import weakref
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from docspec.accounting import accounted, visible_words
from docspec.core import PageResult, ParseOptions
from docspec.core.observer import Observer
from docspec.core.processors import processors
from docspec.documents import PageFailure
from docspec.documents.view import View
from docspec.drafting.drafted_page import DraftedPage
from docspec.isolation.document import IsolatedDocument, Unread
from docspec.isolation.pool import Isolation, Page, PageRef
from docspec.isolation.worker_handle import PrepareOptions
from docspec.lookahead import lookahead

if TYPE_CHECKING:
    from docspec.targets.model_profile import ModelProfile
    from docspec.targets.stepping.step import StepReport

Found = tuple[IsolatedDocument | Unread, PageResult]

PAGES_AHEAD = 32
"""Least number of pages drafted ahead if the model is loaded at the first page that needs it: two cores draft about 20
born-digital pages while the bundled reader is loaded."""


class PagesVerifier(ABC):
    """Verifies pages that were drawn and drafted elsewhere: ``pages_per_call`` of them in one call, in ``threads``
    threads (0: in that of the caller)."""

    load_seconds = 0.0
    loads_here = False
    """Whether this process loads the model."""

    def __init__(self, options: ParseOptions, observer: Observer, pages_per_call: int, threads: int) -> None:
        self._options = options
        self._observer = observer
        self.pages_per_call = pages_per_call
        self.threads = threads

    @property
    @abstractmethod
    def is_loaded(self) -> bool:
        """Whether the target has been loaded."""

    @property
    @abstractmethod
    def info(self) -> Any:
        """The target's description; loads it."""

    @property
    @abstractmethod
    def card(self) -> ModelProfile:
        """The target's profile; loads nothing that pages may not need."""

    @property
    def step_report(self) -> StepReport | None:
        """How steps are run; ``None`` before the target is loaded, and if another program runs them."""
        return None

    @abstractmethod
    def open(self) -> None:
        """Loads the target, unless the first page that needs it does."""

    def prepare_options(self, view: View, image_dpi: float | None, images: bool) -> PrepareOptions:
        """The options of preparing pages for it. Without ``images``, pages are drawn in full only if needed. Drafting
        beside the work of other processes always pays."""
        return PrepareOptions.complete(view, image_dpi)

    @abstractmethod
    def verify(self, prepared: Sequence[DraftedPage]) -> list[PageResult]:
        """The results of pages that were prepared; may be called from ``threads`` threads."""

    def report(self) -> Any:
        """The report of an engine in another process on its work so far; ``None`` without one."""
        return None

    @abstractmethod
    def close(self) -> None:
        """Releases the target."""


class PageStream:
    """Turns pages of documents that ``isolation`` opened into their results."""

    def __init__(
        self, options: ParseOptions, isolation: Isolation, verifier: PagesVerifier, observer: Observer, images: bool
    ) -> None:
        self._options = options
        self.isolation = isolation
        self._verifier = verifier
        self._observer = observer
        self._images = images
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
        if self._options.loads_late and self._verifier.loads_here:
            return max(self._options.in_flight, 2 * processors(), PAGES_AHEAD)
        return self._verifier.pages_per_call * max(1, self._verifier.threads)

    def abandon(self, document: IsolatedDocument | Unread) -> None:
        """Gives up the pages of ``document`` that have not been verified so far."""
        self._abandoned.add(document)

    def is_abandoned(self, document: IsolatedDocument | Unread) -> bool:
        """Whether ``document`` was given up."""
        return document in self._abandoned

    def read(self, pages: Iterator[PageRef], ahead: int, numbers: Sequence[int] = ()) -> Generator[Found]:
        """The results of ``pages``, while up to ``ahead`` of the next ones are prepared. ``numbers`` are their page
        numbers, if known beforehand."""
        self.left = []
        self._verifier.open()
        wanted = self._verifier.prepare_options(View.of(self._options, visible_words), self.image_dpi, self._images)
        with contextlib.closing(self._calls(self._groups(pages, wanted, ahead, numbers))) as calls:
            for found in calls:
                rest = deque(found)
                try:
                    while rest:
                        yield rest.popleft()
                finally:
                    self.left += rest

    def _calls(self, groups: Generator[list[Page]]) -> Generator[list[Found]]:
        """The results of ``groups``, verified here or in threads: twice as many are begun as there are threads, so that
        no thread waits for pages while the results of others are taken."""
        threads = self._verifier.threads
        if threads:
            yield from lookahead(groups, [self._verified] * threads, 2 * threads, left=self.left.extend)
        else:
            with contextlib.closing(groups):
                for group in groups:
                    yield self._verified(group)

    def _groups(
        self, pages: Iterator[PageRef], wanted: PrepareOptions, ahead: int, numbers: Sequence[int]
    ) -> Generator[list[Page]]:
        """``pages``, prepared, in groups of one call of the verifier."""
        expected = iter(numbers)
        with contextlib.closing(self.isolation.pages(pages, wanted, ahead)) as prepared:
            while True:
                group: list[Page] = []
                while len(group) < self._verifier.pages_per_call:
                    for number in islice(expected, 1):
                        self._observer.stage(number, "draft")
                    asked = time.perf_counter()
                    found = next(prepared, None)
                    if found is None:
                        break
                    document, page = found
                    if isinstance(page, DraftedPage):
                        page = replace(page, waited=time.perf_counter() - asked if ahead else None)
                    group.append((document, page))
                if not group:
                    return
                yield group

    def _verified(self, group: Sequence[Page]) -> list[Found]:
        """The results of a group, without those of documents that were given up."""
        group = [(document, page) for document, page in group if not self.is_abandoned(document)]
        prepared = [page for _, page in group if isinstance(page, DraftedPage)]
        read = self._verifier.verify(prepared) if prepared else []
        results = (accounted(result, page) for result, page in zip(read, prepared, strict=True))
        return [
            (document, next(results) if isinstance(page, DraftedPage) else _failed(page)) for document, page in group
        ]


def _failed(page: PageFailure) -> PageResult:
    return PageResult(page.source, page.number, "failed", error=str(page.error), failure=page.error.failure)
