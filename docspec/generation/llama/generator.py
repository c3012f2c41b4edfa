"""llama.cpp as a generator: requests go to a child process that has the model.

A crash of the native library ends the child, not the run: the requests that it was decoding fail, the waiting ones go
to a new child.
"""

from __future__ import annotations

import contextlib
import itertools
import pickle
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from docspec.core import ModelError, PageError
from docspec.core.closing import Closing
from docspec.generation.interface import Generation, GenerationRequest, OnText
from docspec.generation.llama.settings import ChildRequest, Facts, LlamaSettings

ROOT = Path(__file__).parents[3]

BOOT = "import sys; sys.path.append(sys.argv[1]); from docspec.generation.llama.serving import main; main()"

END_SECONDS = 5.0
"""Seconds for the listener to end after its child."""


@dataclass(slots=True, eq=False)
class _PendingRequest:
    """An unanswered request; ``is_begun`` by the child."""

    ask: ChildRequest
    future: Future[Generation]
    on_text: OnText | None
    is_begun: bool = False


class LlamaGenerator(Closing):
    """One model in llama.cpp. ``python`` is an interpreter that has llama-cpp-python (``None``: this one). ``fit``
    resizes an image to the size that llama.cpp is given.

    Loading begins at once; :meth:`facts` waits for it. If the model cannot be loaded, :meth:`facts` and every future
    raise :class:`docspec.core.ModelError`.
    """

    def __init__(
        self,
        settings: LlamaSettings,
        name: str,
        python: Path | None = None,
        fit: Callable[[Any], Any] = lambda image: image,
    ) -> None:
        self.name = name
        self._settings = settings
        self._python = str(python or sys.executable)
        self._fit = fit
        self._numbers = itertools.count()
        self._lock = threading.RLock()
        self._asked: dict[int, _PendingRequest] = {}
        self._loaded: Future[Facts] = Future()
        self._broken: ModelError | None = None
        self._closed = False
        self._start()

    def facts(self) -> Facts:
        """The child's facts about its model; waits until it is loaded."""
        return self._loaded.result()

    @property
    def max_length(self) -> int:
        """Tokens of prompt and answer together."""
        return self._settings.cells

    @property
    def pid(self) -> int:
        return self._process.pid

    def submit(self, request: GenerationRequest, on_text: OnText | None = None) -> Future[Generation]:
        future: Future[Generation] = Future()
        size, pixels = (0, 0), None
        if request.image is not None:
            image = self._fit(request.image.convert("RGB"))
            size, pixels = image.size, image.tobytes()
        number = next(self._numbers)
        bare = replace(request, image=None, template_arguments=dict(request.template_arguments))
        ask = ChildRequest(number, bare, size, pixels, on_text is not None)
        with self._lock:
            if self._broken is not None:
                future.set_exception(self._broken)
                return future
            if self._closed:
                raise ModelError("the engine is closed")
            self._asked[number] = _PendingRequest(ask, future, on_text)
            self._write(ask)
        future.add_done_callback(lambda done: self._cancelled(number, done))
        return future

    def close(self) -> None:
        with self._lock:
            self._closed = True
            left, self._asked = list(self._asked.values()), {}
            process = self._process
        for one in left:
            one.future.cancel()
        process.kill()
        process.wait()
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        self._listener.join(END_SECONDS)

    def _start(self) -> None:
        """Starts a child and a thread that reads its answers."""
        errors = tempfile.TemporaryFile()  # noqa: SIM115 (until the child has ended)
        self._process = subprocess.Popen(
            [self._python, "-c", BOOT, str(ROOT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,  # this process handles the terminal's interrupts
        )
        self._write(self._settings)
        self._listener = threading.Thread(
            target=self._listen, args=(self._process, errors), name="docspec-llama", daemon=True
        )
        self._listener.start()

    def _write(self, value: Any) -> None:
        assert self._process.stdin is not None
        try:
            pickle.dump(value, self._process.stdin)
            self._process.stdin.flush()
        except (OSError, ValueError):  # the child has ended; the listener notices
            return

    def _cancelled(self, number: int, future: Future[Generation]) -> None:
        if future.cancelled():
            with self._lock:
                if self._asked.pop(number, None) is not None:
                    self._write(number)

    def _listen(self, process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        """Reads the child's answers until it ends, then handles its end."""
        said_last = ""
        assert process.stdout is not None
        try:
            while True:
                kind, *values = pickle.load(process.stdout)
                if kind == "broken":
                    said_last = values[0]
                    break
                self._hear(kind, *values)
        except Exception:  # also half an answer
            pass
        process.wait()
        with errors:
            self._ended(process, said_last, _last_line(errors))

    def _hear(self, kind: str, first: Any, value: Any = None) -> None:
        if kind == "loaded":
            self._loaded.set_result(first) if not self._loaded.done() else None
            return
        asked = self._asked.get(first)
        if asked is None:
            return
        if kind == "begun":
            asked.is_begun = True
        elif kind == "text":
            assert asked.on_text is not None
            try:
                asked.on_text(value)
            except Exception:
                asked.future.cancel()
        else:
            with self._lock:
                self._asked.pop(first, None)
            if not asked.future.set_running_or_notify_cancel():
                return
            if kind == "done":
                asked.future.set_result(value)
            else:
                asked.future.set_exception(PageError(value))

    def _ended(self, process: subprocess.Popen[bytes], broken: str, noted: str) -> None:
        """Handles the end of the child: the requests that it was decoding fail, the others go to a new one. A child
        that could not load the model is not replaced."""
        with self._lock:
            if self._closed:
                return
            if broken or not self._loaded.done():
                ended = f"llama.cpp ended with {process.returncode} while the model was loaded; it said last: {noted}"
                self._broken = ModelError(f"{broken}; it said last: {noted}" if broken and noted else broken or ended)
                lost, self._asked = self._asked, {}
            else:
                lost = {number: one for number, one in self._asked.items() if one.is_begun}
                self._asked = {number: one for number, one in self._asked.items() if not one.is_begun}
                self._start()
                for one in self._asked.values():
                    self._write(one.ask)
        crashed = PageError(f"llama.cpp crashed ({_name(process.returncode)}); it said last: {noted or 'nothing'}")
        if self._broken is not None and not self._loaded.done():
            self._loaded.set_exception(self._broken)
        for one in lost.values():
            if one.future.set_running_or_notify_cancel():
                one.future.set_exception(self._broken or crashed)


def _name(code: int) -> str:
    import signal

    return signal.Signals(-code).name if -code in set(signal.Signals) else f"exit code {code}"


def _last_line(errors: IO[bytes]) -> str:
    """The last line that mentions an error, else the last one."""
    errors.seek(0)
    lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    telling = [line for line in lines if "error" in line.lower()] or lines
    return telling[-1].strip()[:300] if lines else ""
