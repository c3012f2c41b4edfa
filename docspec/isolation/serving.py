"""The child's side: it serves one call at a time from standard input and answers on what was standard output. Its
worker may ``say`` more in between, from any thread.

It ends with its parent, when standard input ends; on Linux the kernel kills it even inside a native call.

Pixels travel in shared memory.
"""

from __future__ import annotations

import gc
import mmap
import os
import pickle
import secrets
import select
import signal
import sys
import tempfile
import threading
import traceback
from dataclasses import dataclass
from functools import partial
from typing import Any

SIZE = 16 * 2**20
"""Bytes: a page of A4 at 200 dpi in RGB has 11.6 million. Larger pages go through it in parts."""

GARBAGE = (100_000, 20, 50)
"""When Python looks for garbage (``gc.set_threshold``). A page is read as dictionaries by the hundred thousand, all of
which are in use: at the usual 700 objects the searches take a tenth of the time of a page."""

PixelsHandle = int | str
"""How a child finds the memory: an inherited file descriptor, on Windows a name that only open handles keep alive."""


class SharedPixels:
    """``SIZE`` bytes at ``handle``, made by the parent; ``handle`` is open until :meth:`inherited`."""

    def __init__(self) -> None:
        self.handle: PixelsHandle
        if sys.platform == "win32":
            self.handle = f"docspec-{secrets.token_hex(16)}"
        elif hasattr(os, "memfd_create"):  # bounded by no /dev/shm, which containers keep small
            self.handle = os.memfd_create("docspec")
            os.ftruncate(self.handle, SIZE)
        else:
            with tempfile.TemporaryFile() as file:
                self.handle = os.dup(file.fileno())
            os.ftruncate(self.handle, SIZE)
        self.memory = map_pixels(self.handle)

    def inherited(self) -> None:
        """Closes ``handle`` once the child has inherited it."""
        if isinstance(self.handle, int):
            os.close(self.handle)


def map_pixels(handle: PixelsHandle) -> mmap.mmap:
    """Maps the memory at ``handle``."""
    if sys.platform == "win32":
        return mmap.mmap(-1, SIZE, tagname=str(handle))
    return mmap.mmap(int(handle), SIZE)


@dataclass(frozen=True, slots=True)
class Call:
    """A message of the parent: the method ``name`` of the worker with ``arguments``. If it is ``one_way`` nobody waits
    for its answer, and an error of it ends the child."""

    name: str
    arguments: tuple[Any, ...]
    one_way: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a call: its value, or the error that it raised."""

    value: Any = None
    error: BaseException | None = None


@dataclass(frozen=True, slots=True)
class RecognisedLines:
    """A message before an answer: recognised lines; none when recognition begins."""

    lines: tuple[str, ...]


def main() -> None:
    """Serves the parent's requests one after the other until it ends this process, or ends itself."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # sent to a whole group; the parent ends the child
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):  # blocked by the parent until here
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keeps what libraries print out of the answers
    make_worker, handle, lifeline = _next(requests)
    if lifeline is not None:
        end_with(lifeline)
    gc.set_threshold(*GARBAGE)
    worker = make_worker(handle)
    gc.freeze()  # what has been loaded is not garbage
    worker.say = say = partial(_send, answers, threading.Lock())
    worker.answers = answers.fileno()
    say(Reply())
    while True:
        call: Call = _next(requests)
        try:
            answer = Reply(getattr(worker, call.name)(*call.arguments))
        except BaseException as raised:  # Rust libraries panic, others raise SystemExit
            if call.one_way:
                traceback.print_exc()
                sys.stderr.flush()
                os._exit(1)
            answer = Reply(error=portable(raised))
        if not call.one_way:
            say(answer)


def _next(requests: Any) -> Any:
    """The parent's next message; exits if the parent has ended, perhaps in the middle of a message."""
    try:
        return pickle.load(requests)
    except (EOFError, pickle.UnpicklingError):
        os._exit(0)


def portable(error: BaseException) -> BaseException:
    """``error`` with its traceback as a note; as a ``RuntimeError`` if it cannot be pickled."""
    error.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _send(answers: Any, lock: threading.Lock, value: Any) -> None:
    data = pickle.dumps(value)  # whole, so that what cannot be pickled leaves nothing in the pipe
    with lock:
        answers.write(data)
        answers.flush()


def end_with(lifeline: int) -> None:
    """Lets the kernel kill this process when the other end of the pipe ``lifeline`` is closed: no Python thread could
    end it while a native call holds the interpreter."""
    if os.name != "posix":
        return
    import fcntl

    setsig = 10  # F_SETSIG, which the module does not name
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, setsig, signal.SIGKILL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([lifeline], [], [], 0)[0]:
        os._exit(0)  # it was closed before
