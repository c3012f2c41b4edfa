"""The children of a parser: as many as pages are wanted ahead, none before the first document."""

from __future__ import annotations

import logging
import os
from collections.abc import Generator, Iterator
from functools import partial
from pathlib import Path

from docspec.core import PageError, ParseOptions
from docspec.core.processors import processors
from docspec.documents import PageFailure, Source
from docspec.drafting import make_drafter
from docspec.drafting.drafted_page import DraftedPage
from docspec.isolation.document import IsolatedDocument, Unread
from docspec.isolation.worker import DrafterMaker
from docspec.isolation.worker_handle import PrepareOptions, WorkerHandle, WorkerTerms
from docspec.lookahead import lookahead

MOST_MEMORY = 8 * 2**30
"""Bytes that a child may take, and never more than half of what the machine has."""
CHILD_MEMORY = 2**30
"""Bytes that a child takes where a page is nothing special."""
MOST_CHILDREN = 4
"""Children for every process that verifies."""
LEAST_BESIDE = 2
"""Children where another process decodes on this machine: drafting takes longer than a small model's decoding, and
parts of it run on one processor."""

PagePlace = tuple[IsolatedDocument | Unread, int]
"""A page by its number; one that cannot be read has a single page, which fails."""
Page = tuple[IsolatedDocument | Unread, DraftedPage | PageFailure]


class Isolation:
    """Opens, draws and drafts for one parser, which has so many ``verifiers``. ``memory`` are the bytes that a child
    may take; ``alone``: nobody verifies on this machine, and all of its processors may draft."""

    def __init__(
        self,
        options: ParseOptions,
        make: DrafterMaker = make_drafter,
        memory: int | None = None,
        verifiers: int = 1,
        alone: bool = False,
    ) -> None:
        quiet = logging.root.manager.disable >= logging.WARNING
        self._terms = WorkerTerms(options, make, memory or min(MOST_MEMORY, machine_memory() // 2), quiet)
        room = min(processors(), machine_memory() // CHILD_MEMORY)
        beside = max(LEAST_BESIDE if options.is_served else 1, min(MOST_CHILDREN * verifiers, processors() // 2))
        self._most = room if alone else min(room, beside)
        self._workers: list[WorkerHandle] = []

    def start(self, pages: int = 1) -> None:
        """Starts as many children as so many ``pages`` are prepared by, before the first document is asked for."""
        for worker in self._made(pages):
            worker.start()

    def open(self, source: Source) -> IsolatedDocument:
        """Opens an input; raises :class:`docspec.core.InputError`."""
        worker = self._free_worker()
        try:
            return worker.open(source)
        finally:
            worker.lock.release()

    def pages(self, pages: Iterator[PagePlace], preparation: PrepareOptions, ahead: int) -> Generator[Page]:
        """The numbered ``pages`` of documents in their order, up to ``ahead`` of them prepared before they are asked
        for, side by side where there are processors for it."""
        prepare = [partial(_prepare, worker, preparation) for worker in self._made(ahead)]
        return lookahead(pages, prepare, ahead)

    def close(self) -> None:
        """Ends all children."""
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.close()

    def _made(self, pages: int) -> list[WorkerHandle]:
        """The children that prepare so many pages side by side."""
        count = max(1, min(pages, self._most))
        while len(self._workers) < count:
            self._workers.append(WorkerHandle(self._terms))
        return self._workers[:count]

    def _free_worker(self) -> WorkerHandle:
        """A worker that nobody uses, locked; where all are at work, the first of them that comes free."""
        if not self._workers:
            self._workers.append(WorkerHandle(self._terms))
        for worker in self._workers:
            if worker.lock.acquire(blocking=False):
                return worker
        self._workers[0].lock.acquire()
        return self._workers[0]


def _prepare(worker: WorkerHandle, preparation: PrepareOptions, place: PagePlace) -> Page:
    document, number = place
    if isinstance(document, Unread):
        return document, PageFailure(number, document.name, PageError(str(document.error), document.error.failure))
    return document, worker.prepare(document, number, preparation)


def machine_memory() -> int:
    """Bytes that this machine, or the container around this process, has; much where the system does not say."""
    found = [2 * MOST_MEMORY]
    if hasattr(os, "sysconf"):
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    try:
        found.append(int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    except (OSError, ValueError):  # no such limit
        return min(found)
    return min(found)
