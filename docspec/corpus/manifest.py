"""``docspec.manifest.jsonl``: one line for every document that is finished, appended when its outputs are in place.

A line is written by one call and synchronised, so that only the last line of a run that dies may be torn; the next run
cuts it off. Shards write ``docspec.manifest.I-of-N.jsonl``; all manifests of a folder are read together.

It is no SQLite database: people read it with ``grep`` and ``jq``, a mirror uploads it as it stands, shards on a
network file system lock only their own file. SQLite would need records, their checks and that lock, too.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docspec.core import OutputError
from docspec.core.paths import is_regular, make_folder
from docspec.core.safe_text import dump_json
from docspec.core.validation import InvalidValues
from docspec.corpus.records import DocumentRecord, ListedRecord, RunRecord, Shard

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

NAME = re.compile(r"docspec\.manifest(\.\d+-of-\d+)?\.jsonl")


@dataclass(slots=True)
class History:
    """The contents of a folder's manifests. ``listed`` are documents (place to input) that no run has finished;
    ``unread`` counts lines that are no records."""

    records: dict[str, DocumentRecord] = field(default_factory=dict)
    listed: dict[str, str] = field(default_factory=dict)
    runs: list[RunRecord] = field(default_factory=list)
    unread: int = 0

    def add(self, values: Mapping[str, Any]) -> None:
        """Adds a line; of two about the same document the one that finished later counts. Raises
        :class:`docspec.core.validation.InvalidValues` for a line that is no record."""
        kind = values.get("record")
        if kind == "document":
            record = DocumentRecord.from_line(values)
            known = self.records.get(record.document)
            if known is None or known.finished <= record.finished:
                self.records[record.document] = record
            self.listed.pop(record.document, None)
        elif kind == "listed":
            listed = ListedRecord.from_line(values)
            if listed.document not in self.records:
                self.listed[listed.document] = listed.input
        elif kind == "gone":
            gone = ListedRecord.from_line(values)
            self.records.pop(gone.document, None)
            self.listed.pop(gone.document, None)
        elif kind == "run":
            self.runs.append(RunRecord.from_line(values))
        elif not isinstance(kind, str):
            raise InvalidValues("a line that names no kind of record")


def manifest_name(shard: Shard | None) -> str:
    """The file that a run writes."""
    return "docspec.manifest" + ("" if shard is None else f".{shard.index}-of-{shard.count}") + ".jsonl"


def read_history(folder: Path) -> History:
    """Reads all manifests in ``folder``; raises ``OSError`` where they cannot be read. Lines that are no records are
    only counted; a torn last line is ignored."""
    history = History()
    manifests = [path for path in folder.iterdir() if NAME.fullmatch(path.name) and is_regular(path)]
    for path in sorted(manifests):
        with path.open("rb") as file:
            for line in file:
                try:
                    values = json.loads(line)
                    if not isinstance(values, dict):
                        raise InvalidValues("no record")
                    history.add(values)
                except (ValueError, RecursionError):
                    history.unread += line.endswith(b"\n") and bool(line.strip())
    for document in history.records:
        history.listed.pop(document, None)
    return history


class Manifest:
    """The manifest of a run, open for appending and locked. Raises :class:`OutputError` where another run has it, or
    where it cannot be written."""

    def __init__(self, folder: Path, shard: Shard | None = None) -> None:
        self.folder = folder
        self.path = folder / manifest_name(shard)
        try:
            make_folder(folder)
        except OSError as error:
            raise self._error(error) from error
        if self.path.exists() and not is_regular(self.path):
            raise OutputError(f"{self.path}: is no regular file; a manifest cannot be kept there")
        self._lock = FolderLock(folder, self.path, shared=shard is not None)
        try:
            self._handle = os.open(self.path, os.O_RDWR | os.O_APPEND)
            self._take_torn_line_off()
            self.read()
        except OSError as error:
            raise self._error(error) from error

    def read(self) -> None:
        """Reads the manifests of the folder again."""
        self.history = read_history(self.folder)

    def append(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Writes lines and waits until they are on the disk."""
        data = "".join(dump_json(values) + "\n" for values in lines).encode()
        try:
            while data:
                data = data[os.write(self._handle, data) :]
            os.fsync(self._handle)
        except OSError as error:
            raise self._error(error) from error

    def close(self) -> None:
        """Closes and unlocks the manifest; removes it where it is empty."""
        if os.fstat(self._handle).st_size == 0:
            self.path.unlink(missing_ok=True)
        os.close(self._handle)
        self._lock.release()

    def _take_torn_line_off(self) -> None:
        size = os.fstat(self._handle).st_size
        with self.path.open("rb") as file:
            end = size
            while end:
                start = max(0, end - 2**16)
                file.seek(start)
                place = file.read(end - start).rfind(b"\n")
                if place >= 0:
                    end = start + place + 1
                    break
                end = start
        if end < size:
            os.truncate(self.path, end)

    def _error(self, error: OSError) -> OutputError:
        return OutputError(f"{self.path}: cannot be written: {error.strerror or error}")


class FolderLock:
    """Locks a folder, or a shard of it, for one run. The kernel holds the lock until :meth:`release`, or until the
    process is gone, however it ended.

    Runs of several shards share the folder; each has a manifest file of its own. File systems without locks are used
    without one. Raises :class:`docspec.core.OutputError` where another run is at work.
    """

    def __init__(self, folder: Path, manifest: Path, shared: bool) -> None:
        self._handles: list[int] = []
        busy = OutputError(
            f"{manifest if shared else folder}: another run is writing here; wait for it to end"
            + ("" if shared else ", or split the work with --shard I/N")
        )
        try:
            if fcntl is not None:
                self._hold(os.open(folder, os.O_RDONLY), shared)
            self._hold(os.open(manifest, os.O_RDWR | os.O_CREAT, 0o666), shared=False)
        except BlockingIOError:
            self.release()
            raise busy from None
        except OSError as error:
            self.release()
            raise OutputError(f"{manifest}: cannot be written: {error.strerror or error}") from error

    def _hold(self, handle: int, shared: bool) -> None:
        self._handles.append(handle)
        try:
            if fcntl is not None:
                fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            else:
                _lock_far_byte(handle)
        except BlockingIOError:
            raise
        except OSError as error:
            if error.errno == errno.EACCES:
                raise BlockingIOError from error

    def release(self) -> None:
        for handle in self._handles:
            with contextlib.suppress(OSError):
                os.close(handle)
        self._handles.clear()


def _lock_far_byte(handle: int) -> None:
    """On Windows a lock forbids others to read what it covers: it is put where no manifest reaches."""
    import msvcrt

    os.lseek(handle, 2**31 - 2, os.SEEK_SET)
    msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
