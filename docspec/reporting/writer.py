"""Documents reach the disk page by page but appear whole or not at all; standard output gets pages as they
come.

A file is written under a hidden temporary name in its own folder and renamed at the end, together with its
figures.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol

from docspec.core import OutputError, PageResult
from docspec.reporting.figures import FigureSink, NoFigures
from docspec.reporting.renderer import Renderer


class TextSink(Protocol):
    """Where a document's text goes."""

    def write(self, text: str) -> None: ...

    def commit(self) -> None: ...

    def discard(self) -> None: ...


class AtomicFile:
    """A text file (UTF-8) that exists under its name only after :meth:`commit`.

    A link is followed; a device or pipe (``/dev/null``) is written to directly. Creating it creates missing
    folders; raises :class:`OutputError` at once where the place cannot be written to.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._target = Path(os.path.realpath(path))
        self._temporary: Path | None = None
        try:
            if self._target.exists() and not self._target.is_file() and not self._target.is_dir():
                self._file: BinaryIO = self._target.open("wb")
                return
            self._target.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(
                prefix=f".{self._target.name[:100]}.", suffix=".part", dir=self._target.parent
            )
            self._temporary = Path(name)
            self._file = os.fdopen(handle, "wb")
        except OSError as error:
            raise self._error(error) from error

    def write(self, text: str) -> None:
        try:
            self._file.write(text.encode("utf-8", errors="backslashreplace"))
        except OSError as error:
            raise self._error(error) from error

    def commit(self) -> None:
        try:
            self._file.flush()
            if self._temporary is not None:
                os.fsync(self._file.fileno())
                os.fchmod(self._file.fileno(), self._mode())
            self._file.close()
            if self._temporary is not None:
                self._temporary.replace(self._target)
                self._temporary = None
        except OSError as error:
            raise self._error(error) from error

    def discard(self) -> None:
        with contextlib.suppress(OSError):
            self._file.close()
        if self._temporary is not None:
            self._temporary.unlink(missing_ok=True)
            self._temporary = None

    def _mode(self) -> int:
        """Permissions of the file being replaced, or what any new file of this user gets."""
        with contextlib.suppress(OSError):
            return stat.S_IMODE(self._target.stat().st_mode)
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask

    def _error(self, error: OSError) -> OutputError:
        reason = error.strerror or str(error)
        if isinstance(error, (FileExistsError, NotADirectoryError)):
            reason = f"{error.filename} is a file, not a folder"
        return OutputError(f"{self.path}: cannot be written: {reason}")


class StreamSink:
    """A stream that others own, such as standard output. Every write is flushed; ``BrokenPipeError`` passes
    through.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        if text:
            self._stream.write(text.encode("utf-8", errors="backslashreplace"))
            self._stream.flush()

    def commit(self) -> None:
        pass

    def discard(self) -> None:
        pass


class DocumentWriter:
    """Writes one document: ``with DocumentWriter(...) as writer: writer.add(page)``.

    Leaving the block normally makes document and figures visible; leaving it by any exception, an interrupt
    included, removes every trace.
    """

    def __init__(
        self,
        sink: TextSink,
        renderer: Renderer,
        figures: FigureSink | None = None,
        *,
        source: str = "",
        sha256: str = "",
    ) -> None:
        self._sink = sink
        self._renderer = renderer
        self._figures: FigureSink = NoFigures() if figures is None else figures
        self._source = source
        self._sha256 = sha256

    def __enter__(self) -> DocumentWriter:
        try:
            self._sink.write(self._renderer.begin(self._source, self._sha256))
        except BaseException:
            self._sink.discard()
            raise
        return self

    def add(self, result: PageResult) -> None:
        """Writes one page; the page image is needed only here."""
        self._sink.write(self._renderer.page(result, self._figures.page(result)))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._sink.write(self._renderer.end())
                self._figures.commit()
                self._sink.commit()
        finally:
            self._figures.discard()
            self._sink.discard()


def write_whole(path: Path, text: str) -> None:
    """Writes a small file whole or not at all; raises :class:`OutputError`."""
    file = AtomicFile(path)
    try:
        file.write(text)
        file.commit()
    finally:
        file.discard()
