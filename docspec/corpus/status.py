"""Adds up the manifests of an output folder."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docspec.core import InputError
from docspec.core.paths import file_hash, inside
from docspec.corpus.counts import DocumentCounts
from docspec.corpus.manifest import History, Manifest, read_history
from docspec.corpus.records import DocumentRecord, retry_command

SHOWN = 10
"""Names of documents that a list for people holds."""


@dataclass(frozen=True, slots=True)
class FolderStatus:
    """Sums of ``history``; ``absent`` shards have not begun."""

    history: History
    counts: DocumentCounts
    absent: tuple[str, ...]
    unlisted: int
    gone: tuple[DocumentRecord, ...] = ()
    """Documents with outputs whose input is there no more."""

    @property
    def missing(self) -> int:
        """Documents that no run has finished."""
        return len(self.history.listed) + self.unlisted

    @property
    def is_complete(self) -> bool:
        """Whether every document was read, whole and without damage."""
        return not (self.missing or self.counts.failed or self.counts.partial or self.counts.damaged)

    @property
    def pages(self) -> int:
        return sum(record.pages for record in self.history.records.values())

    @property
    def seconds(self) -> float:
        """Spent on all documents by all shards."""
        return sum(record.seconds for record in self.history.records.values())

    @property
    def pages_per_minute(self) -> float:
        """Of a single run."""
        return 60 * self.pages / self.seconds if self.seconds > 0 else 0.0

    @property
    def retry(self) -> str | None:
        """The command that reads again what failed, where anything did."""
        return retry_command(self.history.runs[-1].command) if self.counts.failures and self.history.runs else None

    def as_object(self) -> dict[str, Any]:
        records = self.history.records.values()
        return {
            "complete": self.is_complete,
            "done": self.counts.ok,
            "damaged": self.counts.damaged,
            "partial": self.counts.partial,
            "failed": self.counts.failed,
            "missing": self.missing,
            "failures": {failure.value: count for failure, count in self.counts.failures.items()},
            "pages": self.pages,
            "doubtful_pages": [
                {"document": r.document, "input": r.input, "page": page.page, "reason": page.reason}
                for r in records
                for page in r.doubtful_pages
            ],
            "failed_pages": sum(len(record.failed_pages) for record in records),
            "seconds": round(self.seconds, 3),
            "pages_per_minute": round(self.pages_per_minute, 2),
            "absent_shards": list(self.absent),
            "failed_documents": [
                {"document": r.document, "input": r.input, "failure": r.failure and r.failure.value, "error": r.error}
                for r in records
                if r.failure is not None
            ],
            "inputs_gone": [{"document": r.document, "input": r.input} for r in self.gone],
            "missing_documents": list(self.history.listed.values()),
            "unread_lines": self.history.unread,
            "retry": self.retry,
        }

    def lines(self) -> list[str]:
        counts, records = self.counts, self.history.records.values()
        parts = [f"{counts.ok:,} done"]
        parts += [f"{counts.damaged:,} damaged"] if counts.damaged else []
        parts += [f"{counts.partial:,} with missing pages"] if counts.partial else []
        parts += [f"{counts.failed:,} failed", f"{self.missing:,} missing"]
        lines = [f"{', '.join(parts)} of {counts.total + self.missing:,} documents"]
        if self.pages:
            lines.append(f"{self.pages:,} pages, {self.pages_per_minute:.1f} a minute while a run was at work")
        lost = [f"{record.input}: {record.failure}" for record in records if record.failure is not None]
        lines += _listed(f"failed: {counts.categories}", lost)
        doubtful = [f"{one.input}, page {page.page}: {page.reason}" for one in records for page in one.doubtful_pages]
        lines += _listed(f"doubtful: {len(doubtful):,} page{'' if len(doubtful) == 1 else 's'}", doubtful)
        many = f"{len(self.gone):,} document{'' if len(self.gone) == 1 else 's'}"
        lines += _listed(f"inputs that are gone, of {many} (--prune removes them):", [one.input for one in self.gone])
        lines += _listed("missing:", list(self.history.listed.values()))
        if self.absent:
            lines.append(f"shards that have not begun: {', '.join(self.absent)}")
        if self.history.unread:
            lines.append(lines_unread(self.history))
        if self.retry is not None:
            lines.append(f"to read again what failed: {self.retry}")
        return lines


def _listed(title: str, names: list[str]) -> list[str]:
    """The lines of a list, which is shortened; none where it is empty."""
    more = [f"  and {len(names) - SHOWN:,} more (--json has all)"] if len(names) > SHOWN else []
    return [title, *(f"  {name}" for name in names[:SHOWN]), *more] if names else []


def lines_unread(history: History) -> str:
    """How many lines of the manifests are no records."""
    count = history.unread
    if count == 1:
        return "1 line of the manifest is no record and counts for nothing"
    return f"{count:,} lines of the manifest are no records and count for nothing"


def examine(folder: Path) -> FolderStatus:
    """The status of ``folder``; raises :class:`docspec.core.InputError` where it has no manifest."""
    try:
        history = read_history(folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror})") from error
    if not history.runs:
        raise InputError(f"{folder}: no docspec.manifest.jsonl of a run in this folder")
    last = max(history.runs, key=lambda run: run.started)
    absent: tuple[str, ...] = ()
    unlisted = 0
    if last.shard is not None:
        count = int(last.shard.partition("/")[2])
        begun = {run.shard for run in history.runs}
        absent = tuple(f"{index}/{count}" for index in range(1, count + 1) if f"{index}/{count}" not in begun)
        if absent:
            unlisted = max(0, last.listed - len(history.records) - len(history.listed))
    gone = tuple(record for record in history.records.values() if record.files and _is_gone(record.input))
    return FolderStatus(history, DocumentCounts.of(history.records.values()), absent, unlisted, gone)


def _is_gone(path: str) -> bool:
    """Whether an input was a file and is there no more; of one whose folder is away, too, that cannot be told: its disk
    may not be mounted."""
    place = Path(path)
    return place.is_absolute() and "\\x" not in path and place.parent.is_dir() and not os.path.lexists(place)


def prune(folder: Path, gone: Sequence[DocumentRecord]) -> list[str]:
    """Removes the outputs of documents whose input is ``gone``, but for files that somebody changed, and notes it in
    the manifest; returns the names of the files. Raises :class:`docspec.core.OutputError` while a run is at work."""
    manifest = Manifest(folder)
    removed = []
    try:
        for record in gone:
            for file in record.files:
                path = inside(folder, file.path)
                with contextlib.suppress(OSError):
                    if path is not None and file_hash(path) == file.sha256:
                        path.unlink()
                        removed.append(file.path)
        manifest.append({"record": "gone", "document": one.document, "input": one.input} for one in gone)
    finally:
        manifest.close()
    return removed
