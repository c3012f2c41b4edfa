"""The command line: a thin layer that turns words into ``ParseOptions``, calls the parser, and writes files.

Importing it must stay cheap: torch, transformers and PyMuPDF are imported by the commands when they run.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn


def main(command: Callable[[], int] | None = None) -> None:
    """Entry point of ``docspec``: runs the command line, or another ``command``, and exits with its code."""
    try:
        from docspec.console import exits

        exits.stop_on_signals()
        _settle_streams()
        from docspec.cli.app import run

        code = _written((command or run)())
    except KeyboardInterrupt as error:  # while the command line itself is imported, or between two handlers
        print("docspec: interrupted", file=sys.stderr)
        code = getattr(error, "exit_code", 130)
    from docspec.console import exits

    exits.die_of_signals()
    _leave(code)


def _leave(code: int) -> NoReturn:
    """Ends the process with what was registered for its end, and without the interpreter's last collections: they walk
    all of torch, for a second, to free nothing, and its bindings complain of what is left."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


class _Deaf(io.FileIO):
    """A file that takes no notice of what it cannot write."""

    def write(self, data: Any) -> int:
        with contextlib.suppress(OSError):
            return super().write(data)
        return len(data)


def _settle_streams() -> None:
    """Makes the standard streams such that nothing printed fails, and no file takes the number of a closed one.

    Reading nothing and messages to nobody are fine; a document for nobody is an error, which the first write meets.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY if number == 1 else os.O_RDWR)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    if not sys.stderr.isatty():  # a pipe may be closed by its reader; nothing but messages is lost then
        sys.stderr = io.TextIOWrapper(
            io.BufferedWriter(_Deaf(2, "w", closefd=False)),
            encoding=sys.stderr.encoding,
            errors="backslashreplace",
            line_buffering=True,
        )
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")  # a console's code page lacks most characters


def _written(code: int) -> int:
    """``code``, or what it becomes where the last of standard output cannot be written."""
    from docspec.console import exits
    from docspec.console.terminal import drop_standard_output, say_error

    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        drop_standard_output()
        if isinstance(error, BrokenPipeError):
            return exits.PIPE_CLOSED
        say_error(f"standard output: cannot be written: {error.strerror or error}")
        return code or exits.FATAL
    return code
