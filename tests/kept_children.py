"""Children that open, draw and draft pages are handed on from one test to the next: their start takes most of what a
short test takes. Tests that ``conftest.ABOUT_CHILDREN`` names have children of their own."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Sequence

from docspec import offline
from docspec.isolation import worker_handle
from docspec.isolation.child import Child, WorkerLost
from docspec.isolation.nursery import Nursery
from docspec.isolation.serving import PixelsHandle
from docspec.isolation.worker import DocumentWorker

MOST = 2
"""Children that wait for the next test."""


class KeptWorker(DocumentWorker):
    """A worker that can begin anew: as a child that was started now, but for what it has imported."""

    def __init__(self, place: PixelsHandle) -> None:
        super().__init__(place)
        self._filters = warnings.filters[:]

    def renew(self, folder: str, environment: dict[str, str], paths: Sequence[str]) -> None:
        """Lets go of document and drafters; ``paths`` are those of ``sys.path``. All three are the parent's."""
        self._leave_page()
        if self._document is not None:
            self._document.close()
        self._document = self._drafters = None
        while offline.enforced():
            offline.release()
        logging.disable(logging.NOTSET)
        warnings.filters[:] = self._filters  # type: ignore[index]
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:] = paths


class KeptChildren:
    """Keeps the children of handles that are closed while nobody waits for an answer. ``is_on``: whether the present
    test takes part."""

    def __init__(self) -> None:
        self.is_on = False
        self._idle: list[Child] = []

    def give_to_handles(self) -> None:
        """From now on all handles of this process get their children here."""
        start, child = Nursery.start, Nursery.child

        def starts(self: Nursery, kept: KeptChildren = self) -> bool:
            return not kept.is_on and start(self)

        def begun(self: Nursery, kept: KeptChildren = self) -> Child:
            return kept.begin(self._memory) if kept.is_on else child(self)

        Nursery.start, Nursery.child = starts, begun  # type: ignore[method-assign]
        worker_handle.WorkerHandle._end = staticmethod(self.end)  # type: ignore[method-assign]

    def begin(self, memory: int) -> Child:
        """A child that waits, else a new one."""
        paths = [os.path.abspath(each) for each in sys.path]  # noqa: PTH100
        while self._idle:
            child = self._idle.pop()
            try:
                _settle(child)
                child.call("renew", os.getcwd(), dict(os.environ), paths, seconds=60.0)  # noqa: PTH109
            except WorkerLost:
                child.kill()
                continue
            child.memory = memory
            return child
        return Child(KeptWorker, memory)

    def end(self, child: Child, idle: bool) -> None:
        if not (self.is_on and idle):
            child.kill()
            return
        self._idle.append(child)
        while len(self._idle) > MOST:
            self._idle.pop(0).kill()


def _settle(child: Child) -> None:
    """Waits for what was posted; what came of it was the last parser's."""
    while child._owed:
        try:
            child.wait_posted()
        except WorkerLost:
            raise
        except Exception:
            continue
