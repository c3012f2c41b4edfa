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
from typing import BinaryIO, Self

from docspec.core import OutputError, PageResult
from docspec.core.paths import make_folder
from docspec.core.safe_text import safe_text
from docspec.process import new_file_mode
from docspec.reporting.figures import FigureSink
from docspec.reporting.renderer import Renderer
from docspec.reporting.staging import Staged


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


class PageWriter:
    """Takes a document's pages one by one in a ``with`` block; if that ends by an exception, an interrupt included,
    nothing appears and no trace is left."""

    files: Sequence[Path] = ()
    """The files that were written, once the block is left normally."""

    remarks: Sequence[str] = ()
    """What people should know of these files, a sentence each."""

    def begin(self) -> None:
        """Called before the first page."""

    def add(self, result: PageResult) -> None:
        """Writes one page; the page image is needed only here."""
        raise NotImplementedError

    def commit(self) -> None:
        """Makes the files visible."""
        raise NotImplementedError

    def discard(self) -> None:
        """Removes what was not committed; never raises."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        try:
            self.begin()
        except BaseException:
            self.discard()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        try:
            if kind is None:
                self.commit()
        finally:
            self.discard()


class DocumentWriter(PageWriter):
    """Writes one document with its figures."""

    def __init__(
        self,
        sink: AtomicFile | StreamSink,
        renderer: Renderer,
        figures: FigureSink | None = None,
        *,
        source: str = "",
        sha256: str = "",
    ) -> None:
        self._sink = sink
        self._renderer = renderer
        self._figures = figures or FigureSink()
        self._source = source
        self._sha256 = sha256

    def begin(self) -> None:
        self._sink.write(self._renderer.begin(self._source, self._sha256))

    def add(self, result: PageResult) -> None:
        self._sink.write(self._renderer.page(result, self._figures.page(result)))

    def commit(self) -> None:
        self._sink.write(self._renderer.end())
        self._figures.commit()
        self._sink.commit()
        document = [self._sink.path] if isinstance(self._sink, AtomicFile) else []
        self.files = [*document, *self._figures.files]

    def discard(self) -> None:
        self._figures.discard()
        self._sink.discard()


class Together(PageWriter):
    """Several writers of a document, used as one."""

    def __init__(self, writers: Sequence[PageWriter]) -> None:
        self._writers = writers

    def begin(self) -> None:
        for writer in self._writers:
            writer.begin()

    def add(self, result: PageResult) -> None:
        for writer in self._writers:
            writer.add(result)

    def commit(self) -> None:
        for writer in self._writers:
            writer.commit()
        self.files = list(dict.fromkeys(file for writer in self._writers for file in writer.files))
        self.remarks = [remark for writer in self._writers for remark in writer.remarks]

    def discard(self) -> None:
        with contextlib.ExitStack() as all_of_them:  # an interrupt in one of them ends no other
            for writer in self._writers:
                all_of_them.callback(writer.discard)


def write_whole(path: Path, text: str) -> None:
    """Writes a small file whole or not at all; raises :class:`OutputError`."""
    file = AtomicFile(path)
    try:
        file.write(text)
        file.commit()
    finally:
        file.discard()
