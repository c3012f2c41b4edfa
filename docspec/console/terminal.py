"""Standard error for people, standard output for the document, and no output of libraries on either unless wanted."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

from rich.console import Console, ConsoleOptions
from rich.segment import Segment

from docspec.console import log
from docspec.core.paths import cache_folder
from docspec.core.safe_text import safe_text
from docspec.process import set_defaults, silence


class CleanConsole(Console):
    """A Rich console that prints texts as they are, without markup, but for their control characters.

    Colour and width follow the terminal, ``NO_COLOR`` and ``COLUMNS``.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **settings)

    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            text = segment.text
            yield segment if segment.control or text.isprintable() else segment._replace(text=safe_text(text))


def stderr_console() -> Console:
    """A console on standard error, which takes everything but the document."""
    return CleanConsole(stderr=True)


def say(message: str) -> None:
    """Prints one line about progress."""
    log.tell(logging.INFO, message)


def say_warning(message: str) -> None:
    """Prints a warning, or why a run ends early, with ``-q``, too."""
    log.tell(logging.WARNING, message)


def say_error(message: str, trace: str | None = None) -> None:
    """Prints one line about a failure; ``trace`` goes to the log file alone."""
    log.tell(logging.ERROR, message, trace)


@contextlib.contextmanager
def document_stream() -> Iterator[BinaryIO]:
    """Standard output, for the document alone.

    While it is open, all other writes to standard output (a library's ``print``, native code) reach standard error. If
    standard output is not a real file (a test's buffer), only Python's own writes are moved.
    """
    own = sys.stdout
    try:
        if own is not None:
            own.flush()
        number = 1 if own is None else own.fileno()  # None: it was closed, and writing to it says so
    except (AttributeError, OSError, ValueError):
        number = -1
    with contextlib.redirect_stdout(sys.stderr):
        if number != 1:
            yield cast(BinaryIO, getattr(own, "buffer", None))
            return
        saved = os.dup(1)
        os.dup2(2, 1)
        stream = os.fdopen(saved, "wb", closefd=False)
        try:
            yield stream
            stream.flush()
        finally:
            os.dup2(saved, 1)
            # A closed pipe was reported by the write that met it; the rest of the buffer is dropped.
            with contextlib.suppress(OSError):
                stream.close()
            os.close(saved)


def quiet_libraries(verbosity: int) -> None:
    """Keeps libraries' warnings, logs and download bars off the terminal; ``verbosity`` 2 and above shows all."""
    if verbosity >= 2:
        return
    silence()
    set_defaults({"TRANSFORMERS_VERBOSITY": "error", "TOKENIZERS_PARALLELISM": "false"})
    with contextlib.suppress(OSError, RuntimeError):  # torch would make one in the folder for temporary files
        compiled = cache_folder() / "torchinductor"
        compiled.mkdir(parents=True, exist_ok=True)
        set_defaults({"TORCHINDUCTOR_CACHE_DIR": str(compiled)})
    if not sys.stderr.isatty():
        set_defaults({"HF_HUB_DISABLE_PROGRESS_BARS": "1"})


def drop_standard_output() -> None:
    """After a closed pipe: lets the interpreter's last flush succeed in silence."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
