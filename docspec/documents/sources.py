"""What the user named, as an ordered list of files to read: files, folders (recursively) and standard input.

Nothing is opened here beyond the first bytes of a file. A name that cannot be read becomes an error of its
own, so that one bad input among many costs only itself.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from docspec.core import InputError

Kind = Literal["pdf", "image"]

SUFFIXES: dict[str, Kind] = {
    ".pdf": "pdf",
    ".png": "image",
    ".jpg": "image",
    ".jpeg": "image",
    ".tif": "image",
    ".tiff": "image",
    ".webp": "image",
}
SUPPORTED = "PDF, PNG, JPEG, TIFF or WebP"
STDIN_NAME = "stdin"


@dataclass(frozen=True, slots=True)
class Source:
    """One thing to read.

    ``name`` is what users see. ``relative`` is its place in an output tree (below the folder it was found
    in, its own suffix kept). ``path`` is ``None`` for standard input, whose bytes are in ``data``.
    """

    name: str
    kind: Kind
    relative: Path
    path: Path | None = None
    data: bytes | None = field(default=None, repr=False)

    def sha256(self) -> str:
        """Hexadecimal hash of its bytes; reads them all."""
        if self.path is None:
            return hashlib.sha256(self.data or b"").hexdigest()
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was found but not taken, and why."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class Expansion:
    """The sources in order, the files of folders that were left out, and one error per input that cannot be
    read.
    """

    sources: tuple[Source, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    errors: tuple[InputError, ...] = ()

    def raise_if_nothing(self) -> None:
        """Raise the first error when there is nothing at all to read."""
        if not self.sources:
            raise self.errors[0] if self.errors else InputError("no input given; name a file, a folder or -")


def sniff_kind(head: bytes) -> Kind | None:
    """The kind of a file from its first kilobyte, ``None`` if it is none that can be read."""
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")):
        return "image"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image"
    return None


def expand_inputs(
    inputs: Iterable[str | Path], read_stdin: Callable[[], bytes] = lambda: sys.stdin.buffer.read()
) -> Expansion:
    """The files behind ``inputs``, each once, in the order given; a folder's files in natural order of
    their names.

    Raises nothing: what cannot be read is in ``errors``. A path spelled ``-`` is standard input.
    """
    sources: list[Source] = []
    skipped: list[Skipped] = []
    errors: list[InputError] = []
    seen: set[Path | str] = set()
    for given in inputs:
        try:
            for found in _expand(given, read_stdin):
                key = found.path.resolve() if isinstance(found, Source) and found.path else None
                if isinstance(found, InputError):
                    errors.append(found)
                elif isinstance(found, Skipped):
                    skipped.append(found)
                elif key is not None and key in seen:
                    skipped.append(Skipped(found.path or Path(found.name), "named twice"))
                else:
                    sources.append(found)
                    seen.update([key] if key else [])
        except InputError as error:
            errors.append(error)
    return Expansion(tuple(sources), tuple(skipped), tuple(errors))


def source_from_path(path: str | Path) -> Source:
    """The source of one named file. Raises :class:`InputError` when it is missing, unreadable or of another
    kind.
    """
    path = Path(path)
    try:
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


def _expand(given: str | Path, read_stdin: Callable[[], bytes]) -> Iterator[Source | Skipped | InputError]:
    if str(given) == "-":
        yield source_from_bytes(read_stdin())
        return
    path = Path(given)
    if not is_folder(path):
        yield source_from_path(path)
        return
    found_any = False
    for file in _walk(path):
        if isinstance(file, InputError):
            found_any = True
            yield file
            continue
        reason = _why_skipped(path, file)
        if reason is None:
            found_any = True
            relative = file.relative_to(path)
            yield Source(shown(file), SUFFIXES[file.suffix.lower()], relative, file)
        else:
            yield Skipped(file, reason)
    if not found_any:
        raise InputError(f"{shown(path)}: no {SUPPORTED} file in this folder")


def _walk(root: Path) -> Iterator[Path | InputError]:
    """Files below ``root``, those of a folder before those of its sub-folders; links to folders are not
    followed. What cannot be read although it may hold documents is an error of its own.
    """
    try:
        entries = sorted(root.iterdir(), key=lambda entry: _natural(entry.name))
    except OSError as error:
        yield InputError(f"{shown(root)}: cannot be read ({error.strerror})")
        return
    folders = {entry for entry in entries if is_folder(entry)}
    for entry in entries:
        if entry in folders:
            continue
        wanted = not entry.name.startswith(".") and entry.suffix.lower() in SUFFIXES
        unreadable = wanted and not os.access(entry, os.R_OK)
        yield InputError(f"{shown(entry)}: cannot be read (check its permissions)") if unreadable else entry
    for entry in entries:
        if entry in folders and not entry.is_symlink() and not entry.name.startswith("."):
            yield from _walk(entry)


def is_folder(path: Path) -> bool:
    """Whether ``path`` is a folder; what cannot be asked is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _why_skipped(root: Path, file: Path) -> str | None:
    if file.name.startswith("."):
        return "hidden"
    if file.suffix.lower() not in SUFFIXES:
        return f"not a {SUPPORTED} file"
    if not file.is_file():
        return "not a file"
    return None


def _natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key by which ``page2`` comes before ``page10``."""
    parts = re.split(r"(\d+)", name.casefold())
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part)
