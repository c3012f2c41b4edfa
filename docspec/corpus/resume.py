"""Resumes runs: tells what earlier runs left of the documents, and notes in the manifest what this run does.

Which input wrote which document is kept, too, so that no other input of that name writes over it. Runs over several
documents note it in the manifest; a run over one document, of which many may write to one folder at a time, appends a
line to a file of its folder.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docspec.console import exits
from docspec.core import InputError
from docspec.core.paths import file_hash, inside, is_regular
from docspec.core.safe_text import dump_json
from docspec.corpus.identity import Identity
from docspec.corpus.job import CorpusOptions, Job, JobResult
from docspec.corpus.journal import Journal, journal_path
from docspec.corpus.manifest import Manifest, read_history
from docspec.corpus.mirror import Mirror
from docspec.corpus.records import DocumentRecord, OutputFile, RunRecord, Shard
from docspec.documents import Source
from docspec.documents.remote import fetched
from docspec.documents.sources import ADDRESS, is_address, shown

FILE = ".docspec.inputs"
MOST_BYTES = 2**24
"""Bytes of the file that are read, the last ones."""


def owners_in(folder: Path) -> dict[str, str]:
    """The documents of ``folder``, by their places below it, and the absolute paths of their inputs."""
    owners: dict[str, str] = {}
    with contextlib.suppress(OSError):
        history = read_history(folder)
        owners |= history.listed
        owners |= {document: record.input for document, record in history.records.items()}
    with contextlib.suppress(OSError), (folder / FILE).open("rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - MOST_BYTES))
        for line in file:
            with contextlib.suppress(ValueError, TypeError, KeyError):
                values = json.loads(line)
                owners[str(values["document"])] = str(values["input"])
    return owners


def note_owner(folder: Path, document: str, path: str) -> None:
    """Notes that the input at ``path`` writes ``document``. A folder that cannot be written to is found out later."""
    if owners_in(folder).get(document) == path:
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder / FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            os.write(handle, (dump_json({"document": document, "input": path}) + "\n").encode())
        finally:
            os.close(handle)


def of_others(folder: Path, owners: dict[str, str], own: set[str]) -> dict[str, str]:
    """The documents in ``owners`` that stand in ``folder`` and are of other inputs than ``own``, which are still there:
    one that was moved and is read again keeps its document."""
    return {
        document: path
        for document, path in owners.items()
        if path not in own and (folder / document).is_file() and os.path.lexists(path)
    }


@dataclass(frozen=True, slots=True)
class Division:
    """The documents of a run: to be read, done by earlier runs, and failed in them."""

    todo: tuple[Job, ...]
    done: tuple[DocumentRecord, ...] = ()
    failed: tuple[DocumentRecord, ...] = ()


class Resume:
    """Goes on where the runs in ``manifest`` ended. ``identity`` stands for this run's request and model, ``version``
    is docspec's. With a ``mirror`` outputs are put there."""

    def __init__(
        self, manifest: Manifest, identity: Identity, version: str | None, mirror: Mirror | None = None
    ) -> None:
        self.mirror = mirror
        self._manifest = manifest
        self._folder = manifest.folder
        self._made_by: dict[str, Any] = {"options": identity.options, "model": identity.model, "version": version}
        self._records = manifest.history.records

    def divide(self, jobs: Iterable[Job], options: CorpusOptions) -> Division:
        """Divides ``jobs`` into left, done and failed; removes journals of done documents."""
        todo: list[Job] = []
        done: list[DocumentRecord] = []
        failed: list[DocumentRecord] = []
        for job in jobs:
            record = self._records.get(job.document)
            if (
                record is None
                or options.force
                or not self._is_of(record, job)
                or (options.retry_failed and (not record.is_whole or (options.strict and record.doubtful_pages)))
            ):
                todo.append(job)
            elif not record.is_whole:
                failed.append(record)
            elif self._is_there(record, job):
                done.append(record)
            else:
                todo.append(job)
        self._tidy({record.document for record in (*done, *failed)})
        return Division(tuple(todo), tuple(done), tuple(failed))

    def begin(
        self, command: tuple[str, ...], model: str, listed: Sequence[Job], todo: Sequence[Job], shard: Shard | None
    ) -> None:
        """Notes the start of a run of ``command``, documents that are new, and unfinished ones that are gone.
        ``listed`` are the documents of all shards, ``todo`` those that this run is going to read.

        Nothing is written where nothing is to be done and nothing has changed.
        """
        run = RunRecord(
            command=command,
            listed=len(listed),
            shard=None if shard is None else str(shard),
            model_name=model,
            started=now(),
            **self._made_by,
        )
        history = self._manifest.history
        places = {job.document for job in listed}
        unfinished = {record.document: record.input for record in self._records.values() if not record.is_whole}
        gone = [
            {"record": "gone", "document": document, "input": path}
            for document, path in {**unfinished, **history.listed}.items()
            if document not in places and not ADDRESS.match(path) and not is_regular(Path(path))
        ]
        new = [
            {"record": "listed", "document": job.document, "input": _input(job)}
            for job in todo
            if job.document not in self._records and job.document not in history.listed
        ]
        if gone or todo:
            self._manifest.append([run.as_line(), *gone, *new])
        for line in gone:
            journal_path(self._folder, line["document"]).unlink(missing_ok=True)

    def begun(self, jobs: Iterable[Job]) -> frozenset[str]:
        """Those of ``jobs`` that have a journal."""
        names = {path.name for path in self._folder.iterdir()}
        return frozenset(job.document for job in jobs if journal_path(self._folder, job.document).name in names)

    def is_begun(self, job: Job) -> bool:
        """Whether ``job`` has a journal."""
        return journal_path(self._folder, job.document).exists()

    def held(self, jobs: Iterable[Job]) -> dict[str, frozenset[int]]:
        """The pages in the journals of those ``jobs`` that have one."""
        jobs = list(jobs)
        begun = self.begun(jobs)
        pages = {}
        for job in jobs:
            if job.document in begun and (sha256 := _hash_if_there(job)) is not None:
                journal = self.journal(job, sha256, with_pictures=False)
                pages[job.document] = journal.numbers
                journal.close()
        return pages

    def journal(self, job: Job, sha256: str, *, with_pictures: bool) -> Journal:
        """The pages of the document that were read before, if input, request, model and docspec are the same."""
        head = {"document": job.document, "sha256": sha256, **self._made_by}
        return Journal(journal_path(self._folder, job.document), head, with_pictures=with_pictures)

    def hash_input(self, outcome: JobResult) -> None:
        """Fills in the hash of an input that could not be opened. It may take long: interrupts are answered."""
        outcome.sha256 = outcome.sha256 or _hash_if_there(outcome.job)

    def finish(self, outcome: JobResult) -> DocumentRecord:
        """Notes the result of a document whose files are in place; removes its earlier files elsewhere."""
        job, totals = outcome.job, outcome.entry.totals
        before = self._records.get(job.document)
        size, modified = _stamp(job)
        record = DocumentRecord(
            document=job.document,
            input=_input(job),
            status=outcome.status,
            sha256=outcome.sha256,
            size=size,
            modified=modified,
            failure=outcome.failure,
            error=None if outcome.error is None else str(outcome.error),
            files=tuple(OutputFile(self._name(path), file_hash(path)) for path in outcome.files),
            pages=totals.pages,
            failed_pages=outcome.failed_pages,
            doubtful_pages=tuple(outcome.doubtful_pages),
            damage="; ".join(outcome.damage) or None,
            tokens=totals.output_tokens,
            steps=totals.stage2.steps,
            seconds=outcome.seconds,
            attempts=1 if before is None or not self._is_of(before, job, outcome.sha256) else before.attempts + 1,
            finished=now(),
            **self._made_by,
        )
        if before is not None and record.files:
            self._remove_stale(before, record)
        if self.mirror is not None:
            with exits.answered():
                self.mirror.put(outcome.files)
        self._manifest.append([record.as_line()])
        self._records[job.document] = record
        if self.mirror is not None:
            with exits.answered():
                self.mirror.put_manifest(self._manifest.path)
        return record

    def _is_of(self, record: DocumentRecord, job: Job, sha256: str | None = None) -> bool:
        """Whether ``record`` tells of this very document, request and model."""
        if (record.options, record.model) != (self._made_by["options"], self._made_by["model"]):
            return False
        if sha256 is not None:
            return record.sha256 == sha256
        size, modified = _stamp(job)
        if size is not None and (record.size, record.modified) == (size, modified):
            return True
        if isinstance(job.source, Source) and is_address(job.source.url or ""):
            return record.input == _input(job)  # an address is not fetched to compare: --force reads it again
        return record.sha256 == _hash_if_there(job)

    def _is_there(self, record: DocumentRecord, job: Job) -> bool:
        """Whether the outputs that ``record`` tells of are still in their places; names that are no UTF-8 are taken on
        trust, but for the document's own."""
        names = [file.path for file in record.files if "\\x" not in file.path]
        if self.mirror is not None:
            return all(map(self.mirror.has, names))
        path = job.destination.path
        if path is None or not path.is_file():
            return False
        return all(is_regular(self._folder / name) for name in names)

    def _remove_stale(self, before: DocumentRecord, now: DocumentRecord) -> None:
        """Removes files in the folder that the document had before and has no more, unless somebody changed them."""
        kept = {file.path for file in now.files}
        for file in before.files:
            path = inside(self._folder, file.path)
            with contextlib.suppress(OSError):
                if path is not None and file.path not in kept and file_hash(path) == file.sha256:
                    path.unlink()

    def _tidy(self, finished: set[str]) -> None:
        """Removes journals left by a run that died between its last line and their removal."""
        names = {journal_path(self._folder, document).name for document in finished}
        for path in self._folder.iterdir():
            if path.name in names:
                path.unlink(missing_ok=True)

    def _name(self, path: Path) -> str:
        """``path`` below the folder, or as a whole where it is elsewhere."""
        absolute = path.absolute()
        folder = self._folder.absolute()
        return shown(Path(absolute.relative_to(folder).as_posix() if absolute.is_relative_to(folder) else absolute))


def now() -> str:
    """The time in UTC, to the microsecond, as ISO 8601 has it."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds")


def _input(job: Job) -> str:
    """The document's source, the same wherever the next run is started."""
    path = job.source.path
    return job.source.name if path is None else shown(path.absolute())


def _stamp(job: Job) -> tuple[int | None, int | None]:
    """Size and time of the input, ``None`` where it is no file."""
    if isinstance(job.source, Source) and job.source.stamp is not None:
        return job.source.stamp
    with contextlib.suppress(OSError):
        if job.source.path is not None and is_regular(job.source.path):
            facts = job.source.path.stat()
            return facts.st_size, facts.st_mtime_ns
    return None, None


def _hash_if_there(job: Job) -> str | None:
    with contextlib.suppress(OSError, InputError):
        if isinstance(job.source, Source):
            return fetched(job.source).sha256()
        if job.source.path is not None:
            return file_hash(job.source.path)
    return None
