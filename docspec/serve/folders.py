"""The files that a tool may read: those in the folders that were named at start."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from docspec.core import InputError, UsageError


class Folders:
    """Opens files by path or ``file:`` URL. Links are followed if their targets are inside the folders, too."""

    def __init__(self, folders: Iterable[Path], most: int) -> None:
        self._folders: list[Path] = []
        self._most = most
        for folder in folders:
            if not folder.is_dir():
                raise UsageError(f"{folder}: no such folder")
            self._folders.append(folder.resolve())

    def read(self, uri: str) -> tuple[bytes, str]:
        """The content and the name of a file. Raises :class:`InputError`. The message is the same for a missing file
        and a forbidden one, so that it tells nothing about files outside."""
        for path in self._candidates(uri):
            try:
                real = path.resolve(strict=True)
                if not any(real.is_relative_to(folder) for folder in self._folders):
                    continue
                handle = os.open(real, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
            except (OSError, ValueError, RuntimeError):
                continue
            try:
                known = os.fstat(handle)
                if not stat.S_ISREG(known.st_mode):
                    continue
                if known.st_size > self._most:
                    raise InputError(f"{real.name}: larger than {self._most / 2**20:g} MiB")
                with open(handle, "rb", closefd=False) as file:
                    return file.read(self._most + 1), real.name
            finally:
                os.close(handle)
        raise InputError(f"{uri}: no file in the folders that this server was started with")

    def _candidates(self, uri: str) -> list[Path]:
        """The paths that ``uri`` may name: an absolute path is itself, a relative one is tried below each folder."""
        if uri[:5].lower() == "file:":
            parts = urlsplit(uri)
            if parts.netloc not in ("", "localhost"):
                return []
            uri = unquote(parts.path)
        if "\0" in uri or not uri:
            return []
        path = Path(uri)
        return [path] if path.is_absolute() else [folder / path for folder in self._folders]
