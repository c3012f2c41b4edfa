"""Expands the user's inputs (files, folders recursively, patterns, standard input) to an ordered list of files.

Only the first bytes of a file are read here. A name that cannot be read becomes an error of its own, so that
one bad input among many costs only itself.
"""

from __future__ import annotations

import glob
import hashlib
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Literal

from docspec.core import InputError, UsageError
from docspec.core.paths import file_hash, is_regular

FileKind = Literal["pdf", "image"]

SUFFIXES: dict[str, FileKind] = {
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
LINKS = 40
"""Most links to links that are followed, as by the system."""
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


@dataclass(frozen=True, slots=True)
class Source:
    """One thing to read.

    ``name`` is shown to users. ``relative`` is its place in an output tree (below the folder it was found
    in, its own suffix kept). ``path`` is ``None`` for standard input, whose bytes are in ``data``, and for a document
    on another file system (``url``), whose size and time are in ``stamp`` (:mod:`docspec.documents.remote`).
    """

    name: str
    kind: FileKind
    relative: PurePath
    path: Path | None = None
    data: bytes | None = field(default=None, repr=False)
    url: str | None = None
    stamp: tuple[int, int] | None = None

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


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An input that cannot be read, and why; ``name`` and ``relative`` as in :class:`Source`."""

    name: str
    error: InputError
    relative: Path
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Expansion:
    """The sources in order, the files of folders that were left out, and what cannot be read."""

    sources: tuple[Source, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()

    @property
    def errors(self) -> tuple[InputError, ...]:
        return tuple(each.error for each in self.unreadable)

    def raise_if_nothing(self) -> None:
        """Raise the first error when there is nothing at all to read."""
        if not self.sources:
            raise self.errors[0] if self.errors else InputError("no input given; name a file, a folder or -")


def sniff_kind(head: bytes) -> FileKind | None:
    """The kind of a file from its first kilobyte, ``None`` if it cannot be read as any."""
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")):
        return "image"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image"
    return None


def _refused(address: str) -> Source:
    raise InputError(f"{address}: is an address; download it first, or allow that with --allow-urls")


def expand_inputs(
    inputs: Iterable[str | Path],
    read_stdin: Callable[[], bytes] = lambda: sys.stdin.buffer.read(),
    fetch: Callable[[str], Source] = _refused,
    find: Callable[[str], Iterator[Source | Skipped]] | None = None,
) -> Expansion:
    """The files behind ``inputs``, each once, in the order given; those of a folder and of a pattern
    (``scans/**/*.pdf``) in natural order of their names.

    Raises nothing: unreadable inputs are in ``errors``. A path spelled ``-`` is standard input; an address of the web
    is fetched by ``fetch``, which refuses by default; ``find`` lists places on other file systems.
    """
    sources: list[Source] = []
    skipped: list[Skipped] = []
    unreadable: list[Unreadable] = []
    seen: set[Path | str | None] = set()
    for given in inputs:
        try:
            for found in _expand(given, read_stdin, fetch, find):
                if isinstance(found, Unreadable):
                    unreadable.append(found)
                    continue
                if isinstance(found, Skipped):
                    skipped.append(found)
                    continue
                key = found.path.resolve() if found.path else found.url
                if key is not None and key in seen:
                    skipped.append(Skipped(found.path or Path(found.name), "named twice"))
                else:
                    sources.append(found)
                    seen.add(key)
        except (InputError, UsageError) as error:
            if isinstance(error, UsageError):  # an unknown file system costs this input alone
                error = InputError(str(error))
            path = None if str(given) == "-" else Path(given)
            name = STDIN_NAME if path is None else str(given) if ADDRESS.match(str(given)) else shown(path)
            unreadable.append(Unreadable(name, error, Path(path.name if path else name), path))
    return Expansion(tuple(sources), tuple(skipped), tuple(unreadable))


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


def _expand(
    given: str | Path,
    read_stdin: Callable[[], bytes],
    fetch: Callable[[str], Source],
    find: Callable[[str], Iterator[Source | Skipped]] | None,
) -> Iterator[Source | Skipped | Unreadable]:
    if str(given) == "-":
        yield source_from_bytes(read_stdin())
        return
    if is_address(str(given)):
        yield fetch(str(given))
        return
    if find is not None and ADDRESS.match(str(given)):
        yield from find(str(given))
        return
    path = Path(given)
    if is_pattern(given):
        root, files = _matched(str(given))
    elif is_folder(path):
        root, files = path, _walk(path, path)
    else:
        yield source_from_path(path)
        return
    found_any = False
    for file in files:
        found = file if isinstance(file, Unreadable) else _listed(root, file)
        found_any = found_any or not isinstance(found, Skipped)
        yield found
    if not found_any:
        where = "fits this pattern" if is_pattern(given) else "in this folder"
        raise InputError(f"{shown(path)}: no {SUPPORTED} file {where}")


def is_address(given: str) -> bool:
    """Whether an input is named by an address of the web."""
    return re.match(r"https?://", given, re.IGNORECASE) is not None


def is_pattern(given: str | Path) -> bool:
    """Whether ``given`` is a pattern of names rather than the name of something that exists."""
    return glob.has_magic(str(given)) and not os.path.lexists(given)


def root_of(given: str | Path) -> Path | None:
    """The folder below which ``given``, a folder or a pattern, finds files; ``None`` for anything else."""
    if is_pattern(given):
        parts = Path(given).parts
        return Path(*parts[: next(index for index, part in enumerate(parts) if glob.has_magic(part))])
    return Path(given) if is_folder(Path(given)) else None


def _matched(pattern: str) -> tuple[Path, Iterator[Path | Unreadable]]:
    """The folder that a pattern starts in (up to the first part with ``*``, ``?`` or ``[``), and the files that fit it,
    those of fitting folders included."""
    root = root_of(pattern) or Path()
    found: dict[Path, Path | Unreadable] = {}
    for path in root.glob("/".join(Path(pattern).parts[len(root.parts) :])):
        if any(part.startswith(".") for part in path.relative_to(root).parts):
            continue
        for file in _walk(path, root) if is_folder(path) else (path,):
            found[(file.path or root) if isinstance(file, Unreadable) else file] = file
    return root, iter([found[path] for path in sorted(found, key=by_folder)])


def by_folder(path: PurePath) -> list[tuple[bool, object]]:
    """A sort key by which the files of a folder come before those of its sub-folders, both in natural order."""
    return [(index < len(path.parts) - 1, _in_order(part)) for index, part in enumerate(path.parts)]


def _walk(root: Path, top: Path) -> Iterator[Path | Unreadable]:
    """Files below ``root``, those of a folder before those of its sub-folders; links to folders are not followed. An
    unreadable place that may hold documents is an :class:`Unreadable`, with its place below ``top``.
    """
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(folder.iterdir(), key=lambda entry: _in_order(entry.name))
        except OSError as error:
            yield _unreadable(folder, top, f"({error.strerror})")
            continue
        folders = {entry for entry in entries if is_folder(entry)}
        for entry in entries:
            if entry in folders:
                continue
            wanted = not entry.name.startswith(".") and entry.suffix.lower() in SUFFIXES
            if wanted and not os.access(entry, os.R_OK):
                yield _unreadable(entry, top, "(check its permissions)")
            else:
                yield entry
        inner = [e for e in entries if e in folders and not e.is_symlink() and not e.name.startswith(".")]
        waiting += reversed(inner)


def _unreadable(path: Path, top: Path, why: str) -> Unreadable:
    name = shown(path)
    return Unreadable(name, InputError(f"{name}: cannot be read {why}"), path.relative_to(top), path)


def is_folder(path: Path) -> bool:
    """Whether ``path`` is a folder; false if that cannot be asked."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _listed(root: Path, file: Path) -> Source | Skipped:
    if file.name.startswith("."):
        return Skipped(file, "hidden")
    kind = SUFFIXES.get(file.suffix.lower())
    if kind is None:
        return Skipped(file, f"not a {SUPPORTED} file")
    if not is_regular(file):
        return Skipped(file, "not a file")
    return Source(shown(file), kind, file.relative_to(root), file)


def _in_order(name: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """A sort key by which ``page2`` comes before ``page10``, and the same names always come in the same order."""
    parts = re.split(r"(\d+)", name.casefold())
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part), name
