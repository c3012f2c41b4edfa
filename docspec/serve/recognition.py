"""Recognises images in worker processes, with limits on their number, on waiting images and on time.

A malicious image costs a worker, never the gateway: a worker that crashes, hangs or takes too much memory is killed and
replaced (:mod:`docspec.isolation.child`).
"""

from __future__ import annotations

import asyncio
import queue
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from PIL import Image

from docspec.core import PageDraft, PageImage
from docspec.core.container import processors
from docspec.documents.images import as_rgb
from docspec.drafting.by_language import ByLanguage
from docspec.drafting.rapidocr import RapidOcrDrafter
from docspec.drafting.recogniser import Recogniser
from docspec.isolation.child import Child, WorkerLost
from docspec.isolation.serving import PixelsHandle, RecognisedLines
from docspec.serve.picture import opened

MEMORY = 1536 * 2**20
"""Memory limit of a worker in bytes."""
SECONDS = 60.0
"""Time limit for one image."""
MOST_WAITING = 16
"""Images that may wait for a worker; further requests are sent without a draft."""


FINGERPRINT = 32
"""Cells of an image's fingerprint on a side."""


class Recognition:
    """``workers`` processes, started at the first image. ``on_lost`` is called for each worker that is lost."""

    def __init__(self, workers: int, on_lost: Callable[[], None] = lambda: None) -> None:
        self._workers = workers
        self._threads = max(1, processors() // max(1, workers) - 1)
        self._pool = ThreadPoolExecutor(max(1, workers), "docspec-recognition")
        self._children: queue.SimpleQueue[Child | None] = queue.SimpleQueue()
        for _ in range(workers):
            self._children.put(None)
        self._running: set[Child] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._on_lost = on_lost
        self.waiting = 0

    async def recognise(self, data: bytes) -> PageDraft | None:
        """The draft of an image file; ``None`` if too many images wait or this one cannot be read."""
        return await self._called("recognise", data, self._threads)

    async def fingerprint(self, data: bytes) -> bytes | None:
        return await self._called("fingerprint", data)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            running, self._running = self._running, set()
        for child in running:
            child.kill()
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _called(self, name: str, *arguments: Any) -> Any:
        if self._closed or self.waiting >= self._workers + MOST_WAITING:
            return None
        self.waiting += 1
        work = asyncio.get_running_loop().run_in_executor(self._pool, self._call, name, arguments)
        work.add_done_callback(self._left)  # also if its request was cancelled
        return await work

    def _left(self, work: asyncio.Future[Any]) -> None:
        self.waiting -= 1
        if not work.cancelled():
            work.exception()

    def _call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        child = self._children.get()
        try:
            if child is None:
                with self._lock:
                    if self._closed:
                        return None
                    child = Child(RecognitionWorker, MEMORY)
                    self._running.add(child)
            return child.call(name, *arguments, seconds=SECONDS)
        except WorkerLost:
            with self._lock:
                self._running.discard(child)
            child = None
            self._on_lost()
            return None
        except Exception:  # the image's fault; the worker goes on
            return None
        finally:
            self._children.put(child)


class RecognitionWorker:
    """The worker of :class:`docspec.serve.recognition.Recognition`."""

    say: Callable[[RecognisedLines], None]

    def __init__(self, place: PixelsHandle) -> None:
        warnings.simplefilter("ignore")  # of images; this process is for them alone
        self._drafter: RapidOcrDrafter | None = None

    def recognise(self, data: bytes, threads: int) -> PageDraft:
        """The draft of an image file whose size was checked."""
        image = as_rgb(opened(data))
        if self._drafter is None:
            self._drafter = RapidOcrDrafter(ByLanguage(Recogniser(threads)))
        return self._drafter.draft(PageImage(image, 1, 1.0, "image"))

    def fingerprint(self, data: bytes) -> bytes:
        """A small grey picture of an image file, nearly the same at all resolutions: see
        :mod:`docspec.serve.uploads`."""
        image = opened(data)
        image.draft("L", (8 * FINGERPRINT, 8 * FINGERPRINT))  # JPEG alone: decoded at a fraction
        return fingerprint_of(as_rgb(image))


def fingerprint_of(image: Image.Image) -> bytes:
    """The image in ``FINGERPRINT`` by ``FINGERPRINT`` grey pixels, as bytes: near copies of a page have near ones."""
    return image.convert("L").resize((FINGERPRINT, FINGERPRINT), Image.Resampling.BOX).tobytes()
