"""A process that has loaded what children need and serves no document: children are forked from it (Linux).

Loading takes most of the processor time of a child's start, and the memory of what is loaded is shared. Where processes
cannot be forked, or a library has started a thread, which a fork would lack, each child is started and loads by itself.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from subprocess import TimeoutExpired
from typing import IO, Any

from docspec.core import Failure, ParseOptions
from docspec.documents.mupdf import load_layout_model
from docspec.isolation.child import Child, WorkerLost
from docspec.isolation.serving import end_with, map_pixels
from docspec.isolation.worker import DocumentWorker, DrafterMaker
from docspec.process import silence

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
"""Of numpy, whose products are small here."""
FORK_SECONDS = 10.0
"""Seconds for a fork, which takes thousandths of one."""
THREADS = Path("/proc/self/task")


def can_fork() -> bool:
    """Whether this system can fork processes and tell how they end."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):  # not Linux, an old one, or forbidden
        return False
    return THREADS.exists()


class ForkingWorker(DocumentWorker):
    """The state of the process that is forked, and of those that have been forked off."""

    def load(self) -> None:
        """Loads what most drafters need; whatever is missing is told when they are made."""
        silence()
        with contextlib.suppress(Exception):
            import_module("docspec.drafting.auto")
            load_layout_model()

    def become_nursery(self, control: int) -> None:
        """Prepares for :meth:`fork`, which takes files from the socket ``control``. Raises RuntimeError if there is
        another thread."""
        if os.name != "posix" or len(list(THREADS.iterdir())) > 1:
            raise RuntimeError("a thread would not be forked")
        self._control = socket.socket(fileno=control)
        self._exit_codes: dict[int, int] = {}
        signal.signal(signal.SIGCHLD, self._tell_ends)
        gc.freeze()

    def fork(self) -> int:
        """Forks a process that serves other files than this one: its requests, answers, pixels and lifeline. Returns
        its number here; in the new process 0, which answers as one that has started."""
        if os.name != "posix":
            raise OSError("processes cannot be forked here")
        requests, answers, exit_code, pixels, lifeline = socket.recv_fds(self._control, 1, 5)[1]
        pid = os.fork()
        if pid:
            for file in (requests, answers, pixels, lifeline):
                os.close(file)
            self._exit_codes[pid] = exit_code
            self._tell_ends()  # it may have ended before
            return pid
        try:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            end_with(lifeline)
            os.dup2(requests, sys.stdin.fileno())
            os.dup2(answers, self.answers)
            self._shared_pixels = map_pixels(pixels)
            for file in (requests, answers, exit_code, pixels, *self._exit_codes.values()):
                os.close(file)
            self._control.close()
        except BaseException:
            os._exit(1)
        return 0

    def _tell_ends(self, *signalled: Any) -> None:
        """Writes how processes that were forked have ended into their pipes."""
        for pid in list(self._exit_codes):
            with contextlib.suppress(OSError):  # told by a signal meanwhile, or nobody hears it any more
                has_ended, status = os.waitpid(pid, os.WNOHANG)
                if has_ended:
                    with os.fdopen(self._exit_codes.pop(pid), "w") as exit_code:
                        exit_code.write(str(os.waitstatus_to_exitcode(status)))


class ForkedProcess:
    """A process that another one has forked, with what :class:`Child` needs of a ``subprocess.Popen``. ``exit_code`` is
    the pipe through which the process that forked it tells how it has ended."""

    def __init__(self, pid: int, requests: int, answers: int, exit_code: int) -> None:
        self.pid = pid
        self.stdin: IO[bytes] | None = os.fdopen(requests, "wb")
        self.stdout: IO[bytes] | None = os.fdopen(answers, "rb")
        self.returncode: Any = None
        self._handle = os.pidfd_open(pid)
        self._exit_code = exit_code
        self._waiting = threading.Lock()

    def kill(self) -> None:
        with self._waiting:
            if self.returncode is None and os.name == "posix":
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code; 1 if nobody knows it, because the process that forked it has died."""
        with self._waiting:
            if self.returncode is None:
                if not select.select([self._handle], [], [], timeout)[0]:
                    raise TimeoutExpired("docspec", timeout or 0.0)
                code = int(os.read(self._exit_code, 16) or b"1")
                os.close(self._handle)
                os.close(self._exit_code)
                self.returncode = code
            return int(self.returncode)


@dataclass(frozen=True, slots=True)
class Begun:
    """A process that serves :class:`ForkingWorker`, the socket for its forks' files, and that socket's number there."""

    process: Child
    control: socket.socket
    number: int


def begun() -> Begun:
    """Starts such a process, without waiting; raises OSError if none can be started."""
    control, theirs = socket.socketpair()
    with theirs:
        os.set_inheritable(theirs.fileno(), True)
        try:
            process = Child(ForkingWorker, inherited=(theirs.fileno(),), variables=ONE_THREAD)
        except OSError:
            control.close()
            raise
        return Begun(process, control, theirs.fileno())


_early: list[Begun] = []


def start_early() -> None:
    """Starts the process that the first :class:`Nursery` will have, before its options are known: it loads while a
    command line does. Nothing happens where processes cannot be forked."""
    if can_fork():
        with contextlib.suppress(OSError):  # the nursery meets it again, and does without
            begin = begun()
            begin.process.post("load")
            _early.append(begin)


class Nursery:
    """Starts children that have made their drafters."""

    def __init__(self, options: ParseOptions, make: DrafterMaker, memory: int, quiet: bool) -> None:
        self._begin = options, make, quiet
        self._memory = memory
        self._process: Child | None = None
        self._control: socket.socket | None = None
        self._forks = can_fork()
        self._closings = 0
        self._making = threading.Lock()

    def start(self) -> bool:
        """Starts loading, without waiting; whether children will be forked."""
        with self._making:
            return self._started() is not None

    def child(self) -> Child:
        """A new child. Raises OSError if no process can be started, and :class:`WorkerLost` if it was closed
        meanwhile."""
        with self._making:
            closings = self._closings
            if (process := self._started()) is not None:
                try:
                    process.wait_posted()
                    return Child(DocumentWorker, self._memory, fork=self._forked)
                except Exception:  # a child that is started by itself meets the same error, and says so
                    if closings != self._closings:
                        raise WorkerLost("was given up", Failure.CRASHED) from None
                    self._give_up()
        return Child(DocumentWorker, self._memory, variables=ONE_THREAD)

    def close(self) -> None:
        """Ends the process, whatever it is doing; its children live on."""
        self._closings += 1
        if (process := self._process) is not None:
            process.kill()  # whoever waits for it lets go of the lock
        with self._making:
            self._end()

    def _started(self) -> Child | None:
        if self._process is None and self._forks:
            try:
                begin = _early.pop() if _early else begun()
            except OSError:
                self._give_up()
                return None
            self._process, self._control = begin.process, begin.control
            self._process.memory = self._memory
            self._process.post("begin", *self._begin)
            self._process.post("become_nursery", begin.number)
        return self._process

    def _forked(self, handles: Sequence[int]) -> ForkedProcess:
        """A process forked off with ``handles``: the pixels and the lifeline of the child."""
        assert self._process is not None and self._control is not None
        pipes = [os.pipe() for _ in range(3)]
        (their_requests, requests), (answers, their_answers), (exit_code, their_exit_code) = pipes
        theirs = [their_requests, their_answers, their_exit_code]
        try:
            socket.send_fds(self._control, [b"."], [*theirs, *handles])
            return ForkedProcess(self._process.call("fork", seconds=FORK_SECONDS), requests, answers, exit_code)
        except BaseException:
            for end in (requests, answers, exit_code):
                os.close(end)
            raise
        finally:
            for end in theirs:
                os.close(end)

    def _give_up(self) -> None:
        self._forks = False
        self._end()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
        if self._control is not None:
            self._control.close()
        self._process = self._control = None
