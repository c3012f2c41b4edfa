"""Checks paths that come from files or from elsewhere: what may be opened, and what lies inside a folder."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from io import FileIO
from itertools import takewhile
from pathlib import Path, PurePosixPath, PureWindowsPath


def inside(folder: Path, name: str) -> Path | None:
    """The path ``name`` (with ``/``) below ``folder``; ``None`` for a name that leads out of it, also through a link
    or a drive, or that no file can have."""
    parts = PurePosixPath(name).parts
    if not parts or "\0" in name or ".." in parts or PurePosixPath(name).is_absolute():
        return None
    if os.name == "nt" and (PureWindowsPath(name).drive or "\\" in name):
        return None
    path = folder / name
    try:
        real = Path(os.path.realpath(path.parent))
    except (OSError, ValueError):
        return None
    return path if real.is_relative_to(os.path.realpath(folder)) else None


def is_regular(path: Path) -> bool:
    """Whether ``path`` is a file with bytes of its own: no folder, device, pipe or socket, and nothing whose status
    cannot be read."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def open_regular(path: Path) -> FileIO:
    """``path`` opened for reading. Raises ``OSError`` for anything but a regular file, without waiting for the other
    end of a pipe."""
    file = FileIO(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)))
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return file


def make_folder(folder: Path) -> None:
    """Makes ``folder`` and its missing parents at any depth; Python's own way is a recursion. Raises ``OSError``."""
    missing = list(takewhile(lambda each: not each.is_dir(), (folder, *folder.parents)))
    for each in reversed(missing):
        each.mkdir(exist_ok=True)


def config_folder() -> Path:
    """The folder of docspec's settings; it may not exist."""
    return _base_folder("XDG_CONFIG_HOME", ".config")


def cache_folder() -> Path:
    """The folder of docspec's caches; it may not exist."""
    return _base_folder("XDG_CACHE_HOME", ".cache")


def state_folder() -> Path:
    """The folder of what runs tell later ones; it may not exist."""
    return _base_folder("XDG_STATE_HOME", ".local/state")


def _base_folder(variable: str, default: str) -> Path:
    given = os.environ.get(variable)
    return (Path(given) if given and Path(given).is_absolute() else Path.home() / default) / "docspec"


def file_hash(path: Path) -> str:
    """SHA-256 of a regular file's bytes, in hexadecimal. Raises ``OSError``."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
