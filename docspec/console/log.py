"""Messages for people, as records of the standard library's logger ``docspec``: to the terminal, and to a file.

Records go to the handlers past ``logging.disable``, which keeps libraries quiet. A ``trace`` (text) beside a record is
shown on the terminal with ``-vv`` and always in the file.
"""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Callable
from logging.handlers import MemoryHandler
from pathlib import Path

from docspec.core import OutputError
from docspec.core.safe_text import one_line, safe_text, without_secrets

LOG = logging.getLogger("docspec")


class Terminal(logging.Handler):
    """``docspec: message`` and ``docspec: error: message`` on standard error, each on one line, never wrapped."""

    def __init__(self) -> None:
        super().__init__()
        self.traces = False
        self.write: Callable[[str], None] = _to_standard_error

    def emit(self, record: logging.LogRecord) -> None:
        word = "error: " if record.levelno >= logging.ERROR else ""
        self.write(f"docspec: {word}{one_line(record.getMessage())}")
        trace = getattr(record, "trace", None)
        if trace and self.traces:
            self.write(safe_text(trace).rstrip())


class LogFile(logging.FileHandler):
    """``2026-11-22 04:37:30,123 ERROR message`` in a file, a traceback below the record that it belongs to."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, encoding="utf-8", errors="backslashreplace")
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        self._path = path
        self._is_lost = False

    def emit(self, record: logging.LogRecord) -> None:
        if not self._is_lost:
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """A file that cannot be written any more, as on a full disk, ends there; the run goes on."""
        self._is_lost = True
        error = sys.exception()
        TERMINAL.write(f"docspec: {self._path}: cannot be written: {getattr(error, 'strerror', None) or error}")

    def close(self) -> None:
        with contextlib.suppress(OSError):  # what it still holds
            super().close()

    def format(self, record: logging.LogRecord) -> str:
        trace = getattr(record, "trace", None)
        text = one_line(super().format(record))
        return text + "\n" + safe_text(trace).rstrip() if trace else text


def _to_standard_error(line: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        print(line, file=sys.stderr, flush=True)


TERMINAL = Terminal()
MOST_KEPT = 100_000
"""Records that are kept until the log file is opened."""


def start(*, quiet: bool = False, verbosity: int = 0, keep: bool = False) -> None:
    """Sets which records are shown; with ``keep`` all are kept for a file that :func:`open_file` names later."""
    LOG.setLevel(logging.DEBUG if verbosity else logging.INFO)
    TERMINAL.setLevel(logging.WARNING if quiet else logging.NOTSET)
    TERMINAL.traces = verbosity >= 2
    if TERMINAL not in LOG.handlers:
        LOG.addHandler(TERMINAL)
    LOG.propagate = False
    if keep:
        LOG.addHandler(MemoryHandler(MOST_KEPT, flushLevel=logging.CRITICAL + 1, flushOnClose=False))


def open_file(path: Path) -> None:
    """Writes records to the file at ``path``, too, from now on, after the kept ones. Raises :class:`OutputError` if it
    cannot be written."""
    try:
        file = LogFile(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
    for handler in [each for each in LOG.handlers if isinstance(each, MemoryHandler)]:
        handler.setTarget(file)
        handler.flush()
        LOG.removeHandler(handler)
    LOG.addHandler(file)


def stop() -> None:
    """Closes the log file; later messages go to the terminal alone."""
    for handler in [each for each in LOG.handlers if isinstance(each, LogFile | MemoryHandler)]:
        LOG.removeHandler(handler)
        handler.close()
    start()


def tell(level: int, message: str, trace: str | None = None) -> None:
    """Logs one record with a message fit for any handler."""
    if level >= LOG.getEffectiveLevel():
        message, trace = without_secrets(one_line(message)), None if trace is None else without_secrets(trace)
        record = LOG.makeRecord(LOG.name, level, "docspec", 0, message, (), None, extra={"trace": trace})
        LOG.handle(record)


start()  # only commands import this module: every command's messages are shown
