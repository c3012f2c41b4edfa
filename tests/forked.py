"""Runs of the command line that are forked from a process which has imported it: most of what a short run takes is that
import. A forked run is a process of its own, with the arguments, streams, folder and environment that it is given.

For tests of what a run prints, writes and answers. Tests of the start, of what is imported, and of what libraries read
in the environment when they are imported start processes as users do.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PRELOADED = (
    "docspec.cli.app",
    "tests.cli.scripted_parser",
    "docspec.serve.app",
    "docspec.serve.running",
    "benchmarks.serving.standin",
)
LARGEST = 2**20
"""Bytes of a request: words and environment."""


class ForkedRun(subprocess.Popen[Any]):
    """``ForkedRun(["module:function", *words], ...)``: the function is called with ``words`` as the command line. Of
    what Popen takes it knows the streams, ``text``, ``cwd`` and ``env``."""

    def _execute_child(self, args: Any, _: Any, __: Any, ___: Any, ____: Any, cwd: Any, env: Any, *rest: Any) -> None:
        ends = rest[3:9]  # of the pipes: ours and theirs of standard input, output and error
        streams = [each if each != -1 else number for number, each in enumerate((ends[0], ends[3], ends[5]))]
        status, theirs = os.pipe()
        environment = dict(os.environ if env is None else env)
        request = pickle.dumps((list(args), str(cwd or Path.cwd()), environment))
        socket.send_fds(_server(), [request], [*streams, theirs])
        os.close(theirs)
        self._status = os.fdopen(status, "rb", 0)
        self.pid = int(self._status.readline())
        self._child_created = True
        self._close_pipe_fds(*ends)  # type: ignore[attr-defined]

    def _try_wait(self, flags: int) -> tuple[int, int]:
        if flags & os.WNOHANG and not select.select([self._status], [], [], 0)[0]:
            return 0, 0
        with self._status:
            return self.pid, int(self._status.readline())

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        if self.returncode is None and (found := self._try_wait(os.WNOHANG))[0]:
            self._handle_exitstatus(found[1])  # type: ignore[attr-defined]
        return self.returncode


def run_forked(
    words: Sequence[str], main: str = "docspec.cli:main", timeout: float = 180.0, **keywords: Any
) -> subprocess.CompletedProcess[Any]:
    """As ``subprocess.run`` with both streams captured, unless ``keywords`` say what becomes of them."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with ForkedRun([main, *words], **pipes | keywords) as run:
        try:
            out, err = run.communicate(timeout=timeout)
        except BaseException:
            run.kill()
            raise
    return subprocess.CompletedProcess(list(words), run.returncode, out, err)


@cache
def _server() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    # -P: this folder is not on the path, where tests/vllm would pass for vLLM
    command = [sys.executable, "-P", __file__, str(theirs.fileno())]
    server = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=path)
    theirs.close()
    atexit.register(lambda: (ours.close(), server.wait()))
    return ours


def _serve(requests: socket.socket) -> None:
    for name in PRELOADED:
        importlib.import_module(name)
    while True:
        message, files, _, _ = socket.recv_fds(requests, LARGEST, 4)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
        if not message:
            return
        if os.fork() == 0:
            _watch(message, files[:3], files[3])
        for each in files:
            os.close(each)


def _watch(message: bytes, streams: Sequence[int], status: int) -> None:
    """Forks the run, tells its number, waits for its end and tells how it ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if (pid := os.fork()) == 0:
        _run(*pickle.loads(message), streams)
    os.write(status, b"%d\n" % pid)
    for each in streams:
        os.close(each)
    _, how = os.waitpid(pid, 0)
    with contextlib.suppress(OSError):  # nobody wants to know
        os.write(status, b"%d\n" % how)
    os._exit(0)


def _run(words: Sequence[str], cwd: str, environment: dict[str, str], streams: Sequence[int]) -> None:
    code = 1
    try:
        for each in (signal.SIGTERM, signal.SIGHUP):  # whatever the server was started with
            signal.signal(each, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(environment)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(3, max(streams) + 100)
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


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
