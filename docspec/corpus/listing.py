"""Lists the documents of a run: inputs and lists of inputs, narrowed by patterns, in an order that never changes."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from typing import TypeVar

from docspec.core import InputError, UsageError
from docspec.corpus.job import CorpusOptions
from docspec.documents import Expansion, Skipped, Source, expand_inputs, remote
from docspec.documents.inputs import Unreadable, is_pattern, root_of
from docspec.documents.remote import at_address
from docspec.documents.sources import shown
from docspec.reporting.figures import is_figure

S = TypeVar("S", Source, Unreadable)


def list_documents(
    inputs: Sequence[str], options: CorpusOptions, read_stdin: Callable[[], bytes] = lambda: sys.stdin.buffer.read()
) -> Expansion:
    """The documents behind ``inputs`` and the list that ``options`` name, without those that ``options`` exclude.

    Raises :class:`UsageError` where nothing is named, :class:`InputError` for a list that cannot be read.
    """
    if options.from_file is None and not inputs:
        raise UsageError("no input given; name a file, a folder, a pattern, - or --from-file FILE")
    if options.from_file == "-" and "-" in inputs:
        raise UsageError("standard input cannot be both a document (-) and a list (--from-file -)")
    listed = [] if options.from_file is None else names_in(options.from_file, read_stdin)
    expansion = expand_inputs(
        [*inputs, *listed], read_stdin, find=remote.listed, **({"fetch": at_address} if options.allow_urls else {})
    )
    paths = frozenset(map(Path, listed)) - frozenset(map(Path, inputs))
    sources = [_as_listed(source) if source.path in paths else source for source in expansion.sources]
    unreadable = [_as_listed(each) if each.path in paths else each for each in expansion.unreadable]
    kept: list[Source] = []
    left_out: list[Skipped] = []
    for source in sources:
        if _is_wanted(source, options):
            kept.append(source)
        else:
            left_out.append(Skipped(_address(source), "left out by --include or --exclude"))
    return Expansion(tuple(kept), (*expansion.skipped, *left_out), tuple(unreadable))


def without_outputs(expansion: Expansion, inputs: Sequence[str], folders: Sequence[Path]) -> Expansion:
    """``found`` without the outputs of runs: pictures beside documents, and all files in ``folders`` (this run's own)
    that are inside a folder that it reads. Files that ``inputs`` name themselves are kept."""
    named = {_real(Path(each)) for each in inputs}
    roots = [_real(root) for each in inputs if each != "-" and (root := _root(each)) is not None]
    inner = [folder for folder in map(_real, folders) if any(root in folder.parents for root in roots)]
    kept, left_out = [], []
    for source in expansion.sources:
        reason, place = None, _address(source)
        if (real := _real(place)) not in named:
            if is_figure(real):
                reason = "a picture that a run wrote beside a document"
            elif any(folder in real.parents for folder in inner):
                reason = "in a folder that this run writes to"
        if reason is None:
            kept.append(source)
        else:
            left_out.append(Skipped(place, reason))
    return replace(expansion, sources=tuple(kept), skipped=(*expansion.skipped, *left_out))


def _root(given: str) -> Path | None:
    return Path(given) if remote.is_remote(given) and not is_pattern(given) else root_of(given)


def _address(source: Source) -> Path:
    """Its place, here or elsewhere, to be compared with others."""
    return source.path or Path(source.url or source.name)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def names_in(place: str, read_stdin: Callable[[], bytes]) -> list[str]:
    """The names in a list, one a line, or ended by zero bytes as ``find -print0`` writes them."""
    try:
        data = read_stdin() if place == "-" else Path(place).read_bytes()
    except OSError as error:
        raise InputError(f"{shown(Path(place))}: the list cannot be read ({error.strerror})") from error
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # as shells of Windows write them
        data = data.decode("utf-16", "replace").encode()
    data = data.removeprefix(codecs.BOM_UTF8)
    lines = data.split(b"\0") if b"\0" in data else data.splitlines()
    names = [os.fsdecode(line) for line in lines if line.strip()]
    if not names:
        raise InputError(f"{'standard input' if place == '-' else place}: the list is empty")
    return names


def _as_listed(source: S) -> S:
    """A listed file keeps the path that it is listed by, so that its place is independent of the list."""
    path = PurePath(source.path or source.relative)
    parts = [part for part in path.parts if part not in (path.anchor, "..", ".")]
    return replace(source, relative=Path(*parts))


def _is_wanted(source: Source, options: CorpusOptions) -> bool:
    if source.path is None and source.url is None:
        return True
    names = (source.relative.name, source.relative.as_posix())

    def fits(patterns: Sequence[str] | None) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in patterns or () for name in names)

    return (options.include is None or fits(options.include)) and not fits(options.exclude)
