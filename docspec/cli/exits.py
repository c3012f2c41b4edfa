"""Exit codes and what leads to them; documented in the README and kept stable.

Codes above 128 follow the shell's habit of 128 plus the number of the signal.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence

from docspec.core import DocspecError, UsageError

OK = 0
FATAL = 1
USAGE = 2
PARTIAL = 3
PIPE_CLOSED = 128 + 13
INTERRUPTED = 128 + 2


class Interrupted(KeyboardInterrupt):
    """A request to stop that came as a signal other than Ctrl-C; handled like it."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = 128 + number


def stop_on_signals() -> None:
    """Makes ``SIGTERM`` and ``SIGHUP`` unwind like Ctrl-C, so that no temporary file stays behind."""

    def handler(number: int, frame: object) -> None:
        raise Interrupted(number)

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, handler)


def code_of(error: BaseException) -> int:
    """The exit code of a run that ended with this error."""
    if isinstance(error, KeyboardInterrupt):
        return getattr(error, "exit_code", INTERRUPTED)
    if isinstance(error, BrokenPipeError):
        return PIPE_CLOSED
    return USAGE if isinstance(error, UsageError) else FATAL


def code_of_run(done: int, failed_pages: int, errors: Sequence[DocspecError]) -> int:
    """The exit code of a run that went to its end: ``done`` inputs written, ``errors`` of those that were
    not.
    """
    if not errors and not failed_pages:
        return OK
    if errors and not done:
        return USAGE if all(isinstance(error, UsageError) for error in errors) else FATAL
    return PARTIAL
