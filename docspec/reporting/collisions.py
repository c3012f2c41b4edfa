"""Checks, before any model is loaded, that outputs can be written, and that none is an input or another output."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from docspec.core import OutputError, UsageError
from docspec.reporting.destinations import Destination, InputFile, check_name
from docspec.reporting.staging import clear, nearest_folder
from docspec.reporting.writer import AtomicFile

_IN_FOLDERS = re.compile(r"page-\d+-\d+\.(png|csv)")


def check(
    destinations: Sequence[Destination],
    inputs: Sequence[InputFile],
    report: Path | None = None,
    more: Sequence[Path] = (),
) -> None:
    """Raises :class:`OutputError` for a place that cannot be written to, :class:`UsageError` for one that is an input.

    Every folder is tried by creating (and removing) a temporary file, and what dead runs left in it is removed; missing
    folders are created. ``more`` are files written beside the documents.
    """
    files = [destination.path for destination in destinations if destination.path is not None]
    taken = set(map(os.path.realpath, files))
    if report is not None:
        if os.path.realpath(report) in taken.union(map(os.path.realpath, more)):
            raise UsageError(f"{report}: is named both as output and as report")
        files.append(report)
    for file in more:
        if (real := os.path.realpath(file)) in taken:
            raise UsageError(f"{file}: is named for two outputs")
        taken.add(real)
        files.append(file)
    sources = {os.path.realpath(file.path) for file in inputs if file.path is not None}
    tried: set[Path] = set()
    for file in files:
        if os.path.realpath(file) in sources:
            raise UsageError(f"{file}: is an input; name another output")
        check_name(str(file))
        _check_file(file)
        if file.parent not in tried and not (file.exists() and not file.is_file()):
            AtomicFile(file).discard()
            clear(file.parent)
            tried.add(file.parent)
    folders = {destination.figures for destination in destinations if destination.figures is not None}
    replaced = set(map(os.path.realpath, folders))
    for source in map(Path, sorted(sources)):
        if str(source.parent) in replaced and _IN_FOLDERS.fullmatch(source.name):
            raise UsageError(f"{source}: is an input that a picture could replace; name another --figures folder")
    for folder in folders:
        if folder.exists() and not folder.is_dir():
            raise OutputError(f"{folder}: is a file; figures need a folder (--figures FOLDER or none)")
        if (nearest := nearest_folder(folder)) not in tried:
            clear(nearest)
            tried.add(nearest)


def check_own(
    own: Mapping[str, Path],
    destinations: Sequence[Destination],
    inputs: Sequence[InputFile],
    more: Sequence[Path] = (),
    read: Sequence[Path] = (),
) -> None:
    """Raises :class:`UsageError` where one of the run's own files (what it is, and its path) is an input, an output,
    another of them, or one of the files ``read`` beside the inputs, and where an output is one of these. ``more`` are
    files written beside the documents. Nothing is opened; devices may be named twice."""
    taken = {os.path.realpath(file.path): "an input" for file in inputs if file.path is not None}
    also_read = {os.path.realpath(path): "read by this run" for path in read}
    written = [*more, *(destination.path for destination in destinations if destination.path is not None)]
    for path in written:
        if (real := os.path.realpath(path)) in also_read:
            raise UsageError(f"{path}: is named as output and is {also_read[real]}; name another file")
        taken.setdefault(real, "an output")
    taken |= also_read
    folders = {
        os.path.realpath(folder)
        for destination in destinations
        for folder in (destination.figures, destination.tables)
        if folder is not None
    }
    for what, path in own.items():
        real = os.path.realpath(path)
        if path.exists() and not path.is_file():
            continue
        if real in taken:
            raise UsageError(f"{path}: is named as {what} and is {taken[real]}; name another file")
        if str(Path(real).parent) in folders and _IN_FOLDERS.fullmatch(path.name):
            raise UsageError(f"{path}: is named as {what} and could be replaced by a picture or table; name another")
        taken[real] = what


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise OutputError(f"{path}: is a folder; name a file, or end with / to write into the folder")
    # Asked of the mode as well: the superuser may write to anything, but a read-only file was made so on
    # purpose.
    if path.is_file() and (not path.stat().st_mode & 0o222 or not os.access(path, os.W_OK)):
        raise OutputError(f"{path}: is read-only; name another output or make it writable")
