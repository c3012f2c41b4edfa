"""Documents reach the disk page by page but appear whole or not at all; standard output gets pages as they
come.

A file is written under a hidden temporary name in its own folder and renamed at the end, together with its
figures.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Protocol

from docspec.core import OutputError, PageResult
from docspec.core.paths import make_folder
from docspec.core.safe_text import safe_text
from docspec.process import new_file_mode
from docspec.reporting.figures import FigureSink, NoFigures
from docspec.reporting.renderer import Renderer
from docspec.reporting.staging import Staged


class TextSink(Protocol):
    """Takes a document's text."""

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
        self._staged: Staged | None = None
        try:
            if path.exists() and not path.is_file() and not path.is_dir():
                self._file: BinaryIO = path.open("wb")
                return
            self._target = Path(os.path.realpath(path))
            make_folder(self._target.parent)
            self._staged = Staged(self._target.parent)
            self._file = self._staged.file
        except (OSError, ValueError) as error:
            raise self._error(error) from error

    def write(self, text: str) -> None:
        self.write_bytes(safe_text(text).encode())

    def write_bytes(self, data: bytes) -> None:
        """For files that hold no text."""
        try:
            self._file.write(data)
        except OSError as error:
            raise self._error(error) from error

    def commit(self) -> None:
        try:
            self._file.flush()
            if self._staged is not None:
                os.fsync(self._file.fileno())
                self._staged.path.chmod(self._mode())
                if os.name == "nt":  # an open file cannot be renamed there; elsewhere the open file is the lock
                    self._file.close()
                self._staged.path.replace(self._target)
                self._staged = None
            self._file.close()
        except OSError as error:
            raise self._error(error) from error

    def discard(self) -> None:
        if self._staged is not None:
            self._staged.discard()
            self._staged = None
        with contextlib.suppress(OSError):
            self._file.close()

    def _mode(self) -> int:
        """Permissions of the file being replaced, or what any new file of this user gets."""
        with contextlib.suppress(OSError):
            return stat.S_IMODE(self._target.stat().st_mode)
        return new_file_mode()

    def _error(self, error: OSError | ValueError) -> OutputError:
        reason = getattr(error, "strerror", None) or str(error)
        if isinstance(error, (FileExistsError, NotADirectoryError)):
            reason = f"{error.filename} is a file, not a folder"
        return OutputError(f"{self.path}: cannot be written: {reason}")


class StreamSink:
    """Standard output, or another stream that others own. Every write is flushed; ``BrokenPipeError`` passes through,
    any other fault is an :class:`OutputError`.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        try:
            if text:
                self._stream.write(safe_text(text).encode())
                self._stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(f"standard output: cannot be written: {error.strerror or error}") from error

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

    @property
    def files(self) -> Sequence[Path]:
        """The files that were written, once the block is left normally: the document, then its figures."""
        document = [self._sink.path] if isinstance(self._sink, AtomicFile) else []
        return [*document, *self._figures.files]

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


class PageWriter(Protocol):
    """Takes a document's pages one by one in a ``with`` block; if that ends by an exception, nothing appears."""

    def __enter__(self) -> Any: ...

    def add(self, result: PageResult) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    @property
    def files(self) -> Sequence[Path]: ...


class Together:
    """Several writers of a document, used as one."""

    def __init__(self, writers: Sequence[PageWriter]) -> None:
        self._writers = writers
        self._open = contextlib.ExitStack()

    def __enter__(self) -> Together:
        with contextlib.ExitStack() as entered:
            for writer in reversed(self._writers):  # left in the order given
                entered.enter_context(writer)
            self._open = entered.pop_all()
        return self

    def add(self, result: PageResult) -> None:
        for writer in self._writers:
            writer.add(result)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, trace)

    @property
    def files(self) -> Sequence[Path]:
        return list(dict.fromkeys(file for writer in self._writers for file in writer.files))


def write_whole(path: Path, text: str) -> None:
    """Writes a small file whole or not at all; raises :class:`OutputError`."""
    file = AtomicFile(path)
    try:
        file.write(text)
        file.commit()
    finally:
        file.discard()
