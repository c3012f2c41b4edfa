"""A document to read: a named file, or bytes without a name; its kind is told from its first bytes alone."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Literal

from docspec.core import InputError
from docspec.core.paths import file_hash

FileKind = Literal["pdf", "image"]

SUFFIXES: dict[str, FileKind] = {
    ".pdf": "pdf",
    ".png": "image",
    ".jpg": "image",
    ".jpeg": "image",
    ".tif": "image",
    ".tiff": "image",
    ".webp": "image",
    ".bmp": "image",
    ".gif": "image",
}
SUPPORTED = "PDF, PNG, JPEG, TIFF, WebP, BMP or GIF"
STDIN_NAME = "stdin"
LINKS = 40
"""Most links to links that are followed, as by the system."""
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


@dataclass(frozen=True, slots=True)
class Source:
    """One thing to read.

    ``name`` is shown to users. ``relative`` is its place in an output tree (below the folder it was found
    in, its own suffix kept). ``path`` is ``None`` for standard input, whose bytes are in ``data``, and for a document
    on another file system (``url``), whose size and time are in ``stamp`` (:mod:`docspec.documents.remote`).
    ``password`` is its own, where the options' is not meant.
    """

    name: str
    kind: FileKind
    relative: PurePath
    path: Path | None = None
    data: bytes | None = field(default=None, repr=False)
    url: str | None = None
    stamp: tuple[int, int] | None = None
    password: str | None = field(default=None, repr=False)

    def read(self) -> bytes:
        """All of its bytes. Raises ``OSError``."""
        return self.data or b"" if self.path is None else self.path.read_bytes()

    def sha256(self) -> str:
        """Hexadecimal hash of its bytes; reads them all. Raises ``OSError``."""
        if self.path is None:
            return hashlib.sha256(self.data or b"").hexdigest()
        return file_hash(self.path)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was found but not taken, and why."""

    path: PurePath
    reason: str


def sniff_kind(head: bytes) -> FileKind | None:
    """The kind of a file from its first kilobyte, ``None`` if it cannot be read as any."""
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")):
        return "image"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image"
    if head.startswith((b"GIF87a", b"GIF89a")) or (head[:2] == b"BM" and head[6:10] == bytes(4)):
        return "image"
    return None


def kind_of(path: Path) -> FileKind | None:
    """The kind of a file that was found: by its content, whatever its ending says. If the content is of no known kind,
    or cannot be read here, the ending names what it ought to be. A file with the ending of something else is only taken
    if it begins as a PDF or a picture does (raw photographs begin as TIFF files do, and are none)."""
    named = SUFFIXES.get(path.suffix.lower())
    try:
        with path.open("rb") as file:
            head = file.read(1024)
    except OSError:
        return named
    if named is None and not head.startswith((b"%PDF-", b"\x89PNG", b"\xff\xd8\xff", b"RIFF", b"GIF8")):
        return None
    return sniff_kind(head) or named


def source_from_path(path: str | Path) -> Source:
    """The source of one named file. Raises :class:`InputError` when it is missing, unreadable or of another
    kind. A pipe (``<(command)``, ``/dev/stdin``) is read to its end, as standard input is.
    """
    path = Path(path)
    try:
        if (
            stat.S_ISFIFO(mode := path.stat().st_mode)
            or stat.S_ISSOCK(mode)
            or (stat.S_ISREG(mode) and _is_of_this_process(path))
        ):
            return source_from_bytes(path.read_bytes(), shown(path))
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise InputError(f"{shown(path)}: is a device, not a file")
        with path.open("rb") as file:
            head = file.read(1024)
    except FileNotFoundError:
        raise InputError(f"{shown(path)}: no such file; check the path") from None
    except IsADirectoryError:
        raise InputError(f"{shown(path)}: is a folder, not a file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{shown(path)}: cannot be read ({reason})") from None
    if not head:
        raise InputError(f"{shown(path)}: the file is empty")
    kind = sniff_kind(head) or SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise InputError(f"{shown(path)}: not a {SUPPORTED} file; convert it first")
    return Source(shown(path), kind, Path(path.name), path)


def _is_of_this_process(path: Path) -> bool:
    """Whether ``path`` is something that this process has open, and another thing to its children: ``/dev/stdin``."""
    for _ in range(LINKS):
        name = os.path.abspath(path)  # noqa: PTH100 - of the link, not of its target
        if name.startswith(("/dev/stdin", "/dev/fd/", "/proc/")):
            return True
        if not path.is_symlink():
            break
        path = Path(name).parent / path.readlink()
    return False


def shown(path: Path) -> str:
    """``path`` as text that can be printed and stored: bytes that are no UTF-8 as ``\\xff``."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def source_from_bytes(data: bytes, name: str = STDIN_NAME) -> Source:
    """The source of bytes that came without a name. Raises :class:`InputError` when they are of no known
    kind.
    """
    if not data:
        raise InputError(f"{name}: nothing to read (0 bytes)")
    kind = sniff_kind(data[:1024])
    if kind is None:
        raise InputError(f"{name}: not a {SUPPORTED} file")
    return Source(name, kind, Path(name), data=data)


def is_address(given: str) -> bool:
    """Whether an input is named by an address of the web."""
    return re.match(r"https?://", given, re.IGNORECASE) is not None
