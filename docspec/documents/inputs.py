"""Expands the user's inputs (files, folders recursively, patterns, standard input) to an ordered list of files.

A name that cannot be read becomes an error of its own, so that one bad input among many costs only itself.
"""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

from docspec.core import InputError, UsageError
from docspec.core.paths import is_regular
from docspec.documents.sources import (
    ADDRESS,
    STDIN_NAME,
    SUFFIXES,
    SUPPORTED,
    Skipped,
    Source,
    is_address,
    kind_of,
    shown,
    source_from_bytes,
    source_from_path,
)


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
            for each in _expand(given, read_stdin, fetch, find):
                if isinstance(each, Unreadable):
                    unreadable.append(each)
                    continue
                if isinstance(each, Skipped):
                    skipped.append(each)
                    continue
                key = each.path.resolve() if each.path else each.url
                if key is not None and key in seen:
                    skipped.append(Skipped(each.path or Path(each.name), "named twice"))
                else:
                    sources.append(each)
                    seen.add(key)
        except (InputError, UsageError) as error:
            if isinstance(error, UsageError):  # an unknown file system costs this input alone
                error = InputError(str(error))
            path = None if str(given) == "-" else Path(given)
            name = STDIN_NAME if path is None else str(given) if ADDRESS.match(str(given)) else shown(path)
            unreadable.append(Unreadable(name, error, Path(path.name if path else name), path))
    return Expansion(tuple(sources), tuple(skipped), tuple(unreadable))


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
    has_any = False
    for file in files:
        each = file if isinstance(file, Unreadable) else _listed(root, file)
        has_any = has_any or not isinstance(each, Skipped)
        yield each
    if not has_any:
        where = "fits this pattern" if is_pattern(given) else "in this folder"
        raise InputError(f"{shown(path)}: no {SUPPORTED} file {where}")


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
    files: dict[Path, Path | Unreadable] = {}
    for path in root.glob("/".join(Path(pattern).parts[len(root.parts) :])):
        if any(part.startswith(".") for part in path.relative_to(root).parts):
            continue
        for file in _walk(path, root) if is_folder(path) else (path,):
            files[(file.path or root) if isinstance(file, Unreadable) else file] = file
    return root, iter([files[path] for path in sorted(files, key=by_folder)])


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
    if not is_regular(file):
        return Skipped(file, "not a file" if file.suffix.lower() in SUFFIXES else f"not a {SUPPORTED} file")
    kind = kind_of(file)
    if kind is None:
        return Skipped(file, f"not a {SUPPORTED} file")
    return Source(shown(file), kind, file.relative_to(root), file)


def _in_order(name: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """A sort key by which ``page2`` comes before ``page10``, and the same names always come in the same order."""
    parts = re.split(r"(\d+)", name.casefold())
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part), name
