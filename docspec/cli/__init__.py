"""The command line: a thin layer that turns words into ``ParseOptions``, calls the parser, and writes files.

Importing it must stay cheap: torch, transformers and PyMuPDF are imported by the commands when they run.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from docspec.isolation.serving import GARBAGE


def main(command: Callable[[], int] | None = None) -> None:
    """Entry point of ``docspec``: runs the command line, or another ``command``, and exits with its code."""
    gc.set_threshold(*GARBAGE)
    try:
        from docspec.console import exits

        exits.stop_on_signals()
        _prepare_streams()
        if command is None:
            _load_ahead(sys.argv[1:])
        code = exits.FATAL if _is_overwritten() else _written((command or _command_line())())
    except (KeyboardInterrupt, Exception) as error:  # while the command line is imported, or between two handlers
        from docspec.console import exits

        interrupt = error if isinstance(error, KeyboardInterrupt) else exits.asked_to_stop()
        if interrupt is None:
            raise
        print("docspec: interrupted", file=sys.stderr)
        code = getattr(interrupt, "exit_code", exits.INTERRUPTED)
    exits.die_of_signals()
    _leave(code)


def _load_ahead(words: Sequence[str]) -> None:
    """Starts the process of ``docspec parse`` that loads what reads pages, while this one loads the command line. It
    keeps what libraries print for itself, so that a run that shows it (``-v``) starts it later."""
    first = words[0] if words else ""
    reads = first == "parse" or any(sign in first for sign in "./\\")  # no other command has such a name
    if reads and not any(word.startswith(("-h", "--help", "-v", "--verbose")) for word in words):
        from docspec.isolation.nursery import start_early

        start_early()


def _command_line() -> Callable[[], int]:
    from docspec.cli.app import run

    return run


def _is_overwritten() -> bool:
    """Whether another project's package has this one's name, and its files where ours should be; says so. Only the
    command ``docspec-vlm`` comes here then, as ``docspec`` is the other project's."""
    import docspec

    if "Parser" in getattr(docspec, "__all__", ()):
        return False
    from docspec.versions import APART, NAMESAKE

    print(f"docspec-vlm: {NAMESAKE}; {APART}", file=sys.stderr)
    return True


def _leave(code: int) -> NoReturn:
    """Ends the process after its registered exit functions, without the interpreter's last collections: they walk all
    of torch, for a second, to free nothing, and its bindings complain of objects that remain."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


class _Deaf(io.FileIO):
    """A file that ignores failed writes."""

    def write(self, data: Any) -> int:
        with contextlib.suppress(OSError):
            return super().write(data)
        return len(data)


def _prepare_streams() -> None:
    """Sets the standard streams so that no print fails, and no file takes the number of a closed one.

    Closed standard input or error is fine; closed standard output is an error of the first write of a document.
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
    if not sys.stderr.isatty():  # the reader of a pipe may close it; only messages are lost then
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
    """``code``, or the one of the error if the rest of standard output cannot be written."""
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
