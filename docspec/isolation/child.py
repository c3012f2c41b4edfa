"""The parent's side of every child process of docspec's own: one that serves one call at a time and is killed if it
exceeds its limits, or one that works on many requests and says when each is done.

It is started by ``subprocess`` and not by ``multiprocessing``, which would run the caller's own script once more and is
not allowed in the workers of a pool.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Protocol

from docspec.core import Failure
from docspec.documents.memory import resident
from docspec.isolation.serving import Call, PixelsHandle, RecognisedLines, Reply, SharedPixels

BOOT = """
import pickle, sys
try:
    added, replaced = pickle.load(sys.stdin.buffer)
    sys.path[:] = replaced or [*sys.path, *added]
except (EOFError, pickle.UnpicklingError):  # the parent ended before it had written it
    sys.exit(0)
from docspec.isolation.serving import main
main()
"""
ROOT = Path(__file__).parents[2]
"""The folder that has this package."""
START_SECONDS = 120.0
"""Seconds for a child to start, and for posted calls; an idle machine needs tenths of one."""
END_SECONDS = 5.0
"""Seconds for a process to end after its last answer."""
TICK = 0.1
"""Seconds between two checks of a child's limits."""


class WorkerLost(Exception):
    """The child has died and its present call is lost; the message says in a few words why."""

    def __init__(self, why: str, failure: Failure) -> None:
        super().__init__(why)
        self.failure = failure


class Process(Protocol):
    """What :class:`Child` needs of a ``subprocess.Popen``."""

    pid: int
    returncode: int | Any
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None

    def kill(self) -> None: ...

    def wait(self, timeout: float | None = None) -> int: ...


class Child:
    """A running child. It calls ``worker``, which is pickled by its name, with the handle of the shared pixels, and
    serves the methods of the result; ``memory`` is its limit of resident bytes (checked on Linux).

    ``python`` runs it instead of this interpreter, with its own packages and ours; ``errors`` takes what it writes on
    standard error; ``inherited`` are further files that it has open, ``variables`` those of its environment that are
    not set. ``fork`` forks a process that has its worker already, given the files of the pixels and of the lifeline
    (``nursery.py``). ``hear`` receives what its worker says beside answers, ``ended`` is called when it has ended; both
    in the thread that listens to it, which must not wait for it.
    """

    def __init__(
        self,
        worker: Callable[[PixelsHandle], Any],
        memory: int = sys.maxsize,
        *,
        python: Path | None = None,
        errors: IO[bytes] | None = None,
        inherited: Sequence[int] = (),
        variables: Mapping[str, str] | None = None,
        fork: Callable[[Sequence[int]], Process] | None = None,
        hear: Callable[[Any], None] | None = None,
        ended: Callable[[], None] | None = None,
    ) -> None:
        self.memory = memory
        self.shared_pixels = SharedPixels()
        lifeline = os.pipe() if sys.platform == "linux" else None
        kept = [end for end in (self.shared_pixels.handle, lifeline and lifeline[0]) if isinstance(end, int)]
        try:
            self._process = fork(kept) if fork is not None else _started(python, errors, [*kept, *inherited], variables)
        except BaseException:
            if lifeline is not None:
                os.close(lifeline[1])
            raise
        finally:
            self.shared_pixels.inherited()
            if lifeline is not None:
                os.close(lifeline[0])
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        listener = threading.Thread(
            target=_listen,
            args=(self._process.stdout, self._answers.put, hear or self._answers.put, ended),
            name="docspec-child",
            daemon=True,
        )
        listener.start()
        held = None if lifeline is None else lifeline[1]
        self._end = weakref.finalize(self, _end, self._process, listener, held)
        self._owed = 1  # answers not yet waited for: the first says that it has started
        if fork is None:
            self._write(([str(ROOT)], [] if python else [str(Path(each).absolute()) for each in sys.path]))
            self._write((worker, self.shared_pixels.handle, lifeline and lifeline[0]))

    @property
    def pid(self) -> int:
        return self._process.pid

    def post(self, name: str, *arguments: Any) -> None:
        """Calls without waiting; the next :meth:`wait_posted` or :meth:`call` raises its error."""
        self._owed += 1
        self._write(Call(name, arguments))

    def send(self, name: str, *arguments: Any) -> None:
        """Calls without an answer; an error of the call ends the child. Waits while the child does not read."""
        self._write(Call(name, arguments, one_way=True))

    def wait_posted(self) -> None:
        """Waits for the posted calls."""
        while self._owed:
            self._answer(START_SECONDS)

    def call(
        self,
        name: str,
        *arguments: Any,
        seconds: float | None = None,
        hear: Callable[[RecognisedLines], None] | None = None,
    ) -> Any:
        """The child's answer; ``hear`` receives the messages before it. Raises the error that the child raised, and
        :class:`WorkerLost` if it died or was killed because it took more than ``seconds`` (counted after the posted
        calls) or too much memory."""
        self.wait_posted()
        self.post(name, *arguments)
        return self._answer(seconds, hear)

    def kill(self) -> None:
        """Ends the process now; may be called twice, and from any thread."""
        self._end()

    def _write(self, value: Any) -> None:
        assert self._process.stdin is not None
        data = pickle.dumps(value)  # whole, so that what cannot be pickled leaves nothing in the pipe
        try:
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except (OSError, ValueError):  # closed: waiting for the answer reports it
            return

    def _answer(self, seconds: float | None, hear: Callable[[RecognisedLines], None] | None = None) -> Any:
        end = None if seconds is None else time.monotonic() + seconds
        while True:
            left = TICK if end is None else min(TICK, end - time.monotonic())
            try:
                message = self._answers.get(timeout=max(0.0, left))
            except queue.Empty:
                self._look(end)
                continue
            if isinstance(message, RecognisedLines):
                if hear is not None:
                    hear(message)
                continue
            self._owed -= 1
            if message is None:
                raise self.death()
            answer: Reply = message
            if answer.error is not None:
                raise answer.error
            return answer.value

    def _look(self, end: float | None) -> None:
        """Kills the child and raises :class:`WorkerLost` if it exceeds its limits."""
        if end is not None and time.monotonic() >= end:
            self.kill()
            raise WorkerLost("was not done in time", Failure.TIMED_OUT)
        if resident(self.pid) > self.memory:
            self.kill()
            raise WorkerLost(f"took more than {self.memory >> 20:,} MiB of memory", Failure.OUT_OF_MEMORY)

    def death(self) -> WorkerLost:
        """Why the child has died."""
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:  # it still runs, and its answer could not be read
            self.kill()
            return WorkerLost("answered what cannot be read", Failure.CRASHED)
        code = self._process.returncode
        self.kill()
        if code == -getattr(signal, "SIGKILL", 9):
            return WorkerLost("killed by the system, as where memory runs out", Failure.OUT_OF_MEMORY)
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"exit code {code}"
        return WorkerLost(f"crashed ({name})", Failure.CRASHED)


def _started(
    python: Path | None, errors: IO[bytes] | None, inherited: Sequence[int], variables: Mapping[str, str] | None
) -> subprocess.Popen[bytes]:
    flags = subprocess._args_from_interpreter_flags() if python is None else []  # type: ignore[attr-defined]
    with interrupts_blocked():
        return subprocess.Popen(
            [str(python or sys.executable), *flags, "-P", "-c", BOOT],  # no module of the working folder
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            pass_fds=inherited,
            env=None if variables is None else {**variables, **os.environ},
        )


@contextlib.contextmanager
def interrupts_blocked() -> Iterator[None]:
    """A child that is started within does not get Ctrl-C before it ignores it (:func:`docspec.isolation.serving.main`):
    the terminal sends it to the whole group."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _listen(
    answers: IO[bytes], answered: Callable[[Any], None], hear: Callable[[Any], None], ended: Callable[[], None] | None
) -> None:
    """Passes on the child's answers, and ``None`` when it has ended, and to ``hear`` what else it says."""
    try:
        with answers:
            while True:
                try:
                    message = pickle.load(answers)
                except Exception:  # also half an answer
                    return
                (answered if isinstance(message, Reply) else hear)(message)
    finally:
        answered(None)
        if ended is not None:
            ended()


def _end(process: Process, listener: threading.Thread, lifeline: int | None) -> None:
    process.kill()
    if lifeline is not None:
        os.close(lifeline)
    process.wait()
    if listener is not threading.current_thread():
        listener.join(1.0)
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
