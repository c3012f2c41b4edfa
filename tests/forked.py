"""Runs of the command line that are forked from a process which has imported it: most of what a short run takes is that
import. A forked run is a process of its own, with the arguments, streams, folder and environment that it is given.

For tests of what a run prints, writes and answers. Tests of the start, of what is imported, and of what libraries read
in the environment when they are imported start processes as users do.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Sequence
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[1]
PRELOADED = (
    "docspec.cli.app",
    "tests.cli.scripted_parser",
    "docspec.serve.app",
    "docspec.serve.running",
    "benchmarks.serving.standin",
)


class ForkedRun:
    """``ForkedRun(["module:function", *words], ...)``: the function is called with ``words`` as the command line. Of
    what ``subprocess.Popen`` takes and gives it knows what is here."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        stdin: Any = None,
        stdout: Any = None,
        stderr: Any = None,
        text: bool = False,
        cwd: str | Path | None = None,
        env: dict[str, str] | None = None,
    ) -> None:
        ours: list[IO[Any] | None] = []
        theirs: list[int] = []
        for number, stream in enumerate((stdin, stdout, stderr)):
            here, there = _ends(number, stream, theirs)
            mode = ("w" if number == 0 else "r") + ("" if text else "b")
            ours.append(None if here is None else os.fdopen(here, mode, encoding="utf-8" if text else None))
            theirs.append(there)
        self.stdin, self.stdout, self.stderr = ours
        environment = dict(os.environ if env is None else env)
        streams = [Connection(number) for number in theirs]
        self._process = _forks().Process(
            target=_run, args=(list(command), str(cwd or Path.cwd()), environment, streams)
        )
        self._process.start()
        for each in streams:
            each.close()
        assert self._process.pid is not None
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(["docspec"], timeout or 0.0)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[Any, Any]:
        """What it wrote to the pipes of both streams until its end."""
        written: list[Any] = [None, None]

        def read(number: int, stream: IO[Any]) -> None:
            with stream:
                written[number] = stream.read()

        if self.stdin is not None:
            self.stdin.close()
        pipes = [(number, each) for number, each in enumerate((self.stdout, self.stderr)) if each is not None]
        readers = [threading.Thread(target=read, args=pipe, daemon=True) for pipe in pipes]
        for reader in readers:
            reader.start()
        self.wait(timeout)
        for reader in readers:
            reader.join(timeout)
        return written[0], written[1]

    def __enter__(self) -> ForkedRun:
        return self

    def __exit__(self, *_: object) -> None:
        for each in (self.stdin, self.stdout, self.stderr):
            if each is not None:
                each.close()
        self.wait()


def run_forked(
    words: Sequence[str], main: str = "docspec.cli:main", timeout: float = 180.0, **keywords: Any
) -> subprocess.CompletedProcess[Any]:
    """As ``subprocess.run`` with both streams captured, unless ``keywords`` say what becomes of them."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with ForkedRun([main, *words], **pipes | keywords) as run:
        try:
            out, err = run.communicate(timeout)
        except BaseException:
            run.kill()
            raise
    return subprocess.CompletedProcess(list(words), run.wait(), out, err)


@cache
def _forks() -> Any:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pytest", *PRELOADED])
    return context


def _ends(number: int, stream: Any, before: Sequence[int]) -> tuple[int | None, int]:
    """Our end of a stream, if it is a pipe, and the run's. ``before`` are the run's ends of the streams before it."""
    if stream == subprocess.PIPE:
        reading, writing = os.pipe()
        return (writing, reading) if number == 0 else (reading, writing)
    if stream == subprocess.DEVNULL:
        return None, os.open(os.devnull, os.O_RDWR)
    if stream == subprocess.STDOUT:
        return None, os.dup(before[1])
    return None, os.dup(number if stream is None else stream if isinstance(stream, int) else stream.fileno())


def _run(words: Sequence[str], cwd: str, environment: dict[str, str], streams: Sequence[Connection]) -> None:
    code = 1
    try:
        for each in (signal.SIGTERM, signal.SIGHUP):  # whatever the tests were started with
            signal.signal(each, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(environment)
        for number, stream in enumerate(streams):
            os.dup2(stream.fileno(), number)
            stream.close()
        sys.stdin, sys.stdout, sys.stderr = _opened(0), _opened(1), _opened(2)
        module, _, name = words[0].partition(":")
        sys.argv = ["docspec", *words[1:]]
        getattr(importlib.import_module(module), name)()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        os._exit(code)


def _opened(number: int) -> Any:
    """The stream ``number`` as the interpreter makes it."""
    buffering, errors = 1 if number == 2 or os.isatty(number) else -1, "strict" if number < 2 else "backslashreplace"
    return open(number, "w" if number else "r", buffering, "utf-8", errors, closefd=False)
