"""The child processes of a parser: as many as pages are prepared ahead, none before the first document."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Generator, Iterator
from functools import partial

from docspec.core import PageError, ParseOptions
from docspec.core.container import memory_limit, processors
from docspec.documents import PageFailure, Source
from docspec.drafting import make_drafter
from docspec.drafting.drafted_page import DraftedPage
from docspec.isolation.document import IsolatedDocument, Unread
from docspec.isolation.nursery import Nursery
from docspec.isolation.worker import DrafterMaker
from docspec.isolation.worker_handle import PrepareOptions, WorkerHandle, WorkerSettings
from docspec.lookahead import lookahead

MOST_MEMORY = 8 * 2**30
"""The most bytes of memory of a child, and never more than half of the machine's."""
CHILD_MEMORY = 2**30
"""Bytes of memory that a child uses for an ordinary page."""
MOST_CHILDREN = 4
"""The most children per verifying process."""
LEAST_BESIDE = 2
"""The least children if another process decodes on this machine: drafting takes longer than a small model's decoding,
and parts of it run on one processor."""

MOST_PIXELS = 64_000_000
"""Pixels of prepared pages waiting to be verified, from which on no page is prepared ahead of time: sixteen A4 pages at
200 dpi, 192 MB."""

PageRef = tuple[IsolatedDocument | Unread, int]
"""A document and a page number; an input that cannot be read has a single page, which fails."""
Page = tuple[IsolatedDocument | Unread, DraftedPage | PageFailure]


class Isolation:
    """Opens, renders and drafts for one parser, which has so many ``verifiers``. ``memory`` is the limit of a child in
    bytes; ``alone``: this machine verifies nothing, so that all of its processors may draft. So many ``spare`` children
    more open documents and prepare those of a single page, which are not to wait for those of long ones; the others
    give way to them."""

    def __init__(
        self,
        options: ParseOptions,
        make: DrafterMaker = make_drafter,
        memory: int | None = None,
        verifiers: int = 1,
        alone: bool = False,
        spare: int = 0,
    ) -> None:
        quiet = logging.root.manager.disable >= logging.WARNING
        memory = memory or min(MOST_MEMORY, machine_memory() // 2)
        self._nursery = Nursery(options, make, memory, quiet)
        self._settings = WorkerSettings(options, make, quiet, self._nursery)
        room = min(processors(), machine_memory() // CHILD_MEMORY)
        beside = max(LEAST_BESIDE if options.has_other_engine else 1, min(MOST_CHILDREN * verifiers, processors() // 2))
        self._most = room if alone else min(room, beside)
        self._spare = spare
        self._workers: list[WorkerHandle] = []
        self._making = threading.Lock()

    def start(self, pages: int = 1) -> None:
        """Starts the children that prepare so many ``pages``, before the first document is opened."""
        if self._nursery.start():
            return
        for worker in self._made(pages):
            worker.start()

    def open(self, source: Source) -> IsolatedDocument:
        """Opens an input; raises :class:`docspec.core.InputError`."""
        worker = self._free_worker()
        try:
            return worker.open(source)
        finally:
            worker.lock.release()

    def pages(
        self, pages: Iterator[PageRef], preparation: PrepareOptions, ahead: int, single: bool = False
    ) -> Generator[Page]:
        """The numbered ``pages`` of documents in their order, up to ``ahead`` of them prepared in advance, in parallel
        if there are processors for it. ``single``: the page of a document that has no other."""
        prepare = [partial(_prepare, worker, preparation) for worker in self._made(ahead, single)]
        return lookahead(pages, prepare, ahead, _pixels_of, MOST_PIXELS)

    def close(self) -> None:
        """Ends all children."""
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.close()
        self._nursery.close()

    def _made(self, pages: int, single: bool = False) -> list[WorkerHandle]:
        """The children that prepare so many pages in parallel, those that least is wanted of first: threads that share
        this one's children are not to wait for each other while another child is free."""
        count = max(1, min(pages, self._most))
        with self._making:
            while len(self._workers) < count + self._spare:
                gives_way = len(self._workers) >= self._spare > 0
                self._workers.append(WorkerHandle(self._settings, gives_way))
        workers = self._workers[: self._spare] if single and self._spare else self._workers[self._spare :]
        return sorted(workers, key=lambda worker: worker.lock.wanted)[:count]

    def _free_worker(self) -> WorkerHandle:
        """A free worker, locked; if all are busy, waits for the first one."""
        self._made(1)  # at least one
        for worker in self._workers:
            if worker.lock.acquire(blocking=False):
                return worker
        self._workers[0].lock.acquire()
        return self._workers[0]


def _prepare(worker: WorkerHandle, preparation: PrepareOptions, page: PageRef) -> Page:
    document, number = page
    if isinstance(document, Unread):
        return document, PageFailure(number, document.name, PageError(str(document.error), document.error.failure))
    return document, worker.prepare(document, number, preparation)


def _pixels_of(prepared: Page) -> int:
    """The pixels that a prepared page holds; pages that nobody looks at hold none."""
    page = prepared[1]
    return page.page.width * page.page.height if isinstance(page, DraftedPage) and page.page.is_drawn else 0


def machine_memory() -> int:
    """Bytes of memory of this machine or of the container around this process; a large number if it is unknown."""
    limits = [2 * MOST_MEMORY]
    if hasattr(os, "sysconf"):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    if (allowed := memory_limit()) is not None:
        limits.append(allowed)
    return min(limits)
