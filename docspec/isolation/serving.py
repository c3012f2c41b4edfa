"""The child's side: it serves one call at a time from standard input and answers on what was standard output.

It ends with its parent, when standard input ends; on Linux the kernel kills it even inside a native call.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import traceback
from dataclasses import dataclass
from functools import partial
from typing import Any


@dataclass(frozen=True, slots=True)
class RecognisedLines:
    """A message before an answer: recognised lines; none when recognition begins."""

    lines: tuple[str, ...]


def main() -> None:
    """Serves the parent's requests one after the other until it ends this process, or ends itself."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # sent to a whole group; the parent ends the child
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keeps what libraries print out of the answers
    make_worker, handle, lifeline = _next(requests)
    if lifeline is not None:
        _end_with(lifeline)
    worker = make_worker(handle)
    worker.say = partial(_send, answers)
    _answer(answers, None, None)
    while True:
        name, arguments = _next(requests)
        try:
            value, error = getattr(worker, name)(*arguments), None
        except BaseException as raised:  # Rust libraries panic, others raise SystemExit
            value, error = None, raised
        _answer(answers, value, error)


def _next(requests: Any) -> Any:
    """The parent's next message; exits if the parent has ended, perhaps in the middle of a message."""
    try:
        return pickle.load(requests)
    except (EOFError, pickle.UnpicklingError):
        os._exit(0)


def _answer(answers: Any, value: Any, error: BaseException | None) -> None:
    if error is not None:
        error.add_note("".join(traceback.format_exception(error)))
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            error = RuntimeError(f"{type(error).__name__}: {error}")
    _send(answers, (value, error))


def _send(answers: Any, value: Any) -> None:
    pickle.dump(value, answers)
    answers.flush()


def _end_with(lifeline: int) -> None:
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
