"""Temporary files and folders that tell whether the run that made them is alive, so that the next one can clear away
what dead runs left; and files of a document that appear together.

A living run holds a lock on its file; where files cannot be locked (Windows) an open file cannot be removed either.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from docspec.core import OutputError
from docspec.core.paths import make_folder

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PREFIX, FILE, FOLDER = ".docspec-", ".part", ".figures"


class Staged:
    """An open, locked, empty file in ``folder`` under a hidden name, with room for a folder beside it.

    Raises ``OSError`` where the folder cannot be written to. Close it with :meth:`discard`, or rename its ``path``.
    """

    def __init__(self, folder: Path) -> None:
        while True:
            handle, name = tempfile.mkstemp(prefix=PREFIX, suffix=FILE, dir=folder)
            if fcntl is not None:
                with contextlib.suppress(OSError):  # a file system without locks: nothing will be cleared there
                    fcntl.flock(handle, fcntl.LOCK_EX)
            self.path = Path(name)
            if self.path.exists():  # else it was cleared away before it was locked
                break
            os.close(handle)
        self.file: BinaryIO = os.fdopen(handle, "wb")

    def folder(self) -> Path:
        """The folder beside the file; it lives as long."""
        folder = self.path.with_suffix(FOLDER)
        folder.mkdir(exist_ok=True)
        return folder

    def discard(self) -> None:
        """Removes file and folder."""
        shutil.rmtree(self.path.with_suffix(FOLDER), ignore_errors=True)
        with contextlib.suppress(OSError):
            if fcntl is None:
                self.file.close()
            self.path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.file.close()


class StagedFiles:
    """Files that appear in ``folder`` at :meth:`commit`, all together; ``what`` they are is said in errors
    (:class:`OutputError`)."""

    def __init__(self, folder: Path, what: str) -> None:
        self._folder, self._what = folder, what
        self._staged: Staged | None = None
        self._names: list[str] = []
        self.files: Sequence[Path] = ()
        """Those that have appeared."""

    def put(self, name: str, data: bytes) -> None:
        try:
            if self._staged is None:
                self._staged = Staged(nearest_folder(self._folder))
            (self._staged.folder() / name).write_bytes(data)
        except OSError as error:
            raise self._error(error) from error
        self._names.append(name)

    def commit(self) -> None:
        if self._staged is None:
            return
        try:
            make_folder(self._folder)
            for name in self._names:
                (self._staged.folder() / name).replace(self._folder / name)
            self.files = [self._folder / name for name in self._names]
        except OSError as error:
            raise self._error(error) from error
        finally:
            self.discard()

    def discard(self) -> None:
        """Forgets what was not committed."""
        if self._staged is not None:
            self._staged.discard()
            self._staged = None
            self._names.clear()

    def _error(self, error: OSError) -> OutputError:
        return OutputError(f"{self._folder}: cannot write {self._what} here: {error.strerror or error}")


def nearest_folder(path: Path) -> Path:
    """``path`` if it is a folder, else the nearest folder above it."""
    return next((each for each in (path, *path.parents) if each.is_dir()), Path())


def clear(folder: Path) -> None:
    """Removes what dead runs left in ``folder``; nothing of a living one, and no error where that is not possible."""
    with contextlib.suppress(OSError):
        left = [Path(entry.path) for entry in os.scandir(folder) if entry.name.startswith(PREFIX)]
        for path in left:
            if path.suffix == FILE:
                _clear(path)
        for path in left:
            if path.suffix == FOLDER and not path.with_suffix(FILE).exists():
                shutil.rmtree(path, ignore_errors=True)


def _clear(path: Path) -> None:
    with contextlib.suppress(OSError):
        if fcntl is None:
            path.unlink()  # refused while it is open
            return
        handle = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # an error where a living run holds it
            path.unlink()
        finally:
            os.close(handle)
