"""Engines that die: made in the child, where they answer a prompt with its text, or end their process.

What befalls a request is in its prompt, so that one process meets all.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path

from docspec.core import Failure, ModelError, PageError
from docspec.generation.interface import Generation, GenerationCounts, GenerationRequest, OnText, Progress
from docspec.generation.worker import Opened


class EngineDouble:
    """Answers ``page N`` with it, in threads; some prompts take the process along."""

    def __init__(self, place: str, rows: int = 4) -> None:
        self.opened = Opened("double", rows, 1000, follows_fields=True, facts={"place": place, "pid": os.getpid()})
        self._served = 0
        self._counting = threading.Lock()

    def submit_all(
        self, requests: Sequence[GenerationRequest], listeners: Sequence[OnText | None]
    ) -> list[Future[Generation]]:
        made = []
        for request, on_text in zip(requests, listeners, strict=True):
            future: Future[Generation] = Future()
            made.append(future)
            if request.prompt == "unsendable":
                future.set_result(Generation("", "stop", GenerationCounts(1), trail=threading.Lock()))  # type: ignore[arg-type]
                continue
            if request.prompt == "large":  # answered at once, in the thread that reads requests
                future.set_result(Generation("large" * 100_000, "stop", GenerationCounts(1)))
                continue
            threading.Thread(target=self._answer, args=(request, on_text, future), daemon=True).start()
        return made

    def steps(self) -> int:
        """The number of answers: reports that change."""
        return self._served

    def _answer(self, request: GenerationRequest, on_text: OnText | None, future: Future[Generation]) -> None:
        prompt = request.prompt
        if prompt == "abort":
            os.abort()
        if prompt.startswith("waits"):
            time.sleep(3600)
        if prompt == "slow":
            time.sleep(0.2)
        if prompt == "long":
            for number in range(60):
                time.sleep(0.1)
                assert request.on_progress is not None
                request.on_progress(Progress(number, number, 0))
        if prompt.startswith("hangs"):
            self._hang_once(Path(prompt.partition(" ")[2]))
        if on_text is not None:
            for word in prompt.split(" "):
                on_text(word)
                if word == "once":  # the first process that comes here ends in the middle of the text
                    self._end_once(Path(request.drafts[0]))
        if prompt == "lost":
            future.set_exception(RuntimeError("CUDA error: an illegal memory access was encountered"))
        elif prompt == "refused":
            future.set_exception(PageError("too long", Failure.TOO_LARGE))
        elif prompt == "memory":
            future.set_exception(RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"))
        elif not future.cancelled():
            with self._counting:
                self._served += 1
            size = getattr(request.image, "size", None)
            future.set_result(Generation(f"{prompt} {size} {os.getpid()}", "stop", GenerationCounts(1)))

    @staticmethod
    def _hang_once(marker: Path) -> None:
        if not marker.exists():
            marker.touch()
            time.sleep(3600)

    @staticmethod
    def _end_once(marker: Path) -> None:
        if not marker.exists():
            marker.touch()
            os.abort()


class DiesLoading(EngineDouble):
    """Takes its process along while it is loaded at the first place, so many times."""

    def __init__(self, place: str, times: int, folder: str) -> None:
        tries = len(list(Path(folder).iterdir()))
        if place == "cuda:0" and tries < times:
            Path(folder, str(tries)).touch()
            os.abort()
        super().__init__(place)


class DiesLoaded(EngineDouble):
    """The first process ends as soon as it is loaded."""

    def __init__(self, place: str, folder: str) -> None:
        super().__init__(place)
        marker = Path(folder, "died")
        if not marker.exists():
            marker.touch()
            threading.Timer(0.0, os.abort).start()


class Slow(EngineDouble):
    """Is never loaded."""

    def __init__(self, place: str) -> None:
        time.sleep(3600)


class DiesIdle(EngineDouble):
    """Ends soon after it was loaded, every time."""

    def __init__(self, place: str) -> None:
        super().__init__(place)
        threading.Timer(0.1, os.abort).start()


class Faulty(EngineDouble):
    """Fails at ``cuda:0`` from its load ``first`` on, with an error that no one expects."""

    def __init__(self, place: str, first: int, folder: str) -> None:
        super().__init__(place)
        Path(folder, f"{place}-{os.getpid()}").touch()
        if place == "cuda:0" and len(list(Path(folder).glob("cuda:0-*"))) >= first:
            raise RuntimeError("CUDA out of memory while measuring")


class OnceAlone(EngineDouble):
    """Can be had once at each place: its second process finds the device gone."""

    def __init__(self, place: str, folder: str) -> None:
        super().__init__(place)
        try:
            Path(folder, place).touch(exist_ok=False)
        except FileExistsError:
            raise ModelError("the device is gone") from None
