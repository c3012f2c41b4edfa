"""The queue of documents, in SQLite: a gateway that is started again on the same folder continues with it.

The name of a job is a random key and only its own client may see the job. The document is deleted when it has been
read, the result after a day or when newer results need the room.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import sqlite3
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from docspec.core import UsageError
from docspec.serve.converter import Submission
from docspec.serve.wishes import Wishes

FILE = "jobs.sqlite"
KEPT_SECONDS = 24 * 3600.0
MOST_BYTES = 2**30
"""Size limit of the results, of which the oldest are deleted beyond it, and of the documents that wait, half of it for
those of one client."""

OPEN_BYTES, MOST_OF_ONE = 256 * 2**20, 8
"""Size limit of the documents that are read side by side (a larger one is read alone), and how many of them may be of
one client."""

JobStatus = Literal["pending", "started", "success", "partial_success", "failure"]
ENDED = ("success", "partial_success", "failure")

PREFIX = "docspec-serve-"
"""The names of temporary folders begin so."""
BEGINNING_SECONDS = 60.0

SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    name TEXT PRIMARY KEY, client TEXT NOT NULL, title TEXT NOT NULL, wanted TEXT NOT NULL, status TEXT NOT NULL,
    document BLOB, result BLOB, error TEXT, pages INTEGER NOT NULL DEFAULT 0, made REAL NOT NULL, ended REAL
) STRICT;
CREATE INDEX IF NOT EXISTS waiting ON jobs (status, made);
"""


@dataclass(frozen=True, slots=True)
class ConversionJob:
    """A job by its ``name``: ``pages`` of its document have been read, and ``position`` (from 1) is its place in the
    queue while it waits: clients are served in turn."""

    name: str
    status: JobStatus
    pages: int = 0
    error: str | None = None
    position: int | None = None
    kind: Literal["convert", "chunk"] = "convert"

    @property
    def has_ended(self) -> bool:
        return self.status in ENDED

    def as_object(self) -> dict[str, Any]:
        """The status of the job as docling-serve returns it."""
        succeeded, failed = self.status in ("success", "partial_success"), self.status == "failure"
        counts = {"num_processed": int(self.has_ended), "num_succeeded": int(succeeded), "num_failed": int(failed)}
        return {
            "task_id": self.name,
            "task_type": self.kind,
            "task_status": self.status,
            "task_position": self.position,
            "task_meta": {"num_docs": 1, **counts},
            "error_message": self.error,
            "pages": self.pages,
        }


class Jobs:
    """All jobs in a ``folder``, for this process alone; safe for use by several threads. Raises
    :class:`docspec.core.UsageError` if the folder cannot be used."""

    def __init__(self, folder: Path, most: int = MOST_BYTES) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / FILE
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), 0o600))
        self._most = most
        self._lock = threading.Lock()
        self._database = sqlite3.connect(path, timeout=1.0, check_same_thread=False, isolation_level=None)
        try:
            for line in (
                "locking_mode = EXCLUSIVE",
                "journal_mode = WAL",
                "synchronous = NORMAL",
                "secure_delete = ON",
            ):
                self._database.execute(f"PRAGMA {line}")
            self._database.executescript(SCHEMA)
            self.start_again()
        except sqlite3.Error as error:
            self._database.close()
            if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
                raise UsageError(f"{folder}: documents cannot be stored there ({error})") from None
            raise UsageError(
                f"{folder}: another gateway stores its documents there; give each its own --state"
            ) from None

    def start_again(self, running: Sequence[str] = ()) -> None:
        """Lets jobs wait again that were begun and not ended, but for those that are ``running``."""
        self._do(
            "UPDATE jobs SET status = 'pending', pages = 0 WHERE status = 'started' "
            f"AND name NOT IN ({', '.join('?' * len(running))})",
            tuple(running),
        )

    def add(self, given: Submission) -> str:
        """Stores a document to be read; returns the name of the job."""
        name = secrets.token_urlsafe(24)
        wanted = json.dumps({"formats": given.formats, "pages": given.pages, "wishes": given.wishes.as_object()})
        values = (name, given.client, given.title, wanted, given.data, time.time())
        self._do("INSERT INTO jobs (name, client, title, wanted, status, document, made) "
                 "VALUES (?, ?, ?, ?, 'pending', ?, ?)", values)  # fmt: skip
        return name

    def has_room(self, given: Submission) -> bool:
        """Whether the documents that wait leave room for one more, of all and of its client's."""
        [(every, own)] = self._do(
            "SELECT coalesce(sum(length(document)), 0), "
            "coalesce(sum(CASE WHEN client = ? THEN length(document) END), 0) FROM jobs WHERE document IS NOT NULL",
            (given.client,),
        )
        size = len(given.data)
        return every + size <= self._most and own + size <= self._most // 2

    def take(self, open_jobs: Iterable[tuple[str, int]] = ()) -> tuple[str, Submission] | None:
        """Starts the oldest waiting job of the client that has the fewest open ones: its name and its document;
        ``None`` if no job waits that may be opened beside ``open_jobs`` (their clients and sizes)."""
        own, room = Counter[str](), OPEN_BYTES
        for client, size in open_jobs:
            own[client] += 1
            room -= size
        oldest = self._do(
            "SELECT client, name, length(document), min(made) FROM jobs WHERE status = 'pending' GROUP BY client"
        )
        oldest = [one for one in oldest if own[one[0]] < MOST_OF_ONE and (one[2] <= room or not own)]
        if not oldest:
            return None
        rows = self._do(
            "UPDATE jobs SET status = 'started' WHERE name = ? AND status = 'pending' "
            "RETURNING name, client, title, wanted, document",
            (min(oldest, key=lambda one: (own[one[0]], one[3]))[1],),
        )
        if not rows:
            return None
        name, client, title, wanted, document = rows[0]
        options = json.loads(wanted)
        wishes = Wishes.from_object(options.get("wishes", {}))  # an older gateway's jobs have none
        return name, Submission(document, title, tuple(options["formats"]), options["pages"], wishes, client)

    def read(self, name: str, pages: int) -> bool:
        """Records that ``pages`` of a job have been read; returns whether the job still exists."""
        return bool(self._do("UPDATE jobs SET pages = ? WHERE name = ? RETURNING name", (pages, name)))

    def end(self, name: str, status: JobStatus, result: bytes | None, error: str | None = None) -> None:
        """Ends a job: deletes its document, and results that are too old or too many."""
        self._do(
            "UPDATE jobs SET status = ?, result = ?, error = ?, ended = ?, document = NULL, "
            "wanted = json_remove(wanted, '$.wishes.password') WHERE name = ?",
            (status, result, error, time.time(), name),
        )
        self._do("DELETE FROM jobs WHERE ended < ?", (time.time() - KEPT_SECONDS,))
        kept = self._do("SELECT name, length(result) FROM jobs WHERE ended IS NOT NULL ORDER BY ended DESC")
        room = self._most
        for each, size in kept:
            room -= size or 0
            if room < 0 and each != name:
                self._do("DELETE FROM jobs WHERE name = ?", (each,))

    def of(self, client: str, name: str) -> ConversionJob | None:
        """A client's own job; ``None`` if it has no such job."""
        rows = self._do(
            "SELECT status, pages, error, coalesce(json_extract(wanted, '$.wishes.chunks'), 0), "
            "(SELECT place FROM (SELECT name AS other, row_number() OVER (ORDER BY turn, made) AS place FROM (SELECT "
            "name, made, row_number() OVER (PARTITION BY client ORDER BY made) AS turn FROM jobs "
            "WHERE status = 'pending')) WHERE other = jobs.name) FROM jobs WHERE name = ? AND client = ?",
            (name, client),
        )
        if not rows:
            return None
        status, pages, error, chunks, position = rows[0]
        place = position if status == "pending" else None
        return ConversionJob(name, status, pages, error, place, "chunk" if chunks else "convert")

    def result(self, client: str, name: str) -> bytes | None:
        rows = self._do("SELECT result FROM jobs WHERE name = ? AND client = ?", (name, client))
        return rows[0][0] if rows else None

    def forget(self, name: str) -> None:
        self._do("DELETE FROM jobs WHERE name = ?", (name,))

    def cancel(self, client: str, name: str) -> bool:
        """Deletes a client's own job, its document and its result; whether there was one."""
        return bool(self._do("DELETE FROM jobs WHERE name = ? AND client = ? RETURNING name", (name, client)))

    def clear(self, client: str, seconds: float) -> None:
        """Deletes a client's own jobs that ended so many ``seconds`` ago, with their results."""
        self._do("DELETE FROM jobs WHERE client = ? AND ended <= ?", (client, time.time() - seconds))

    def waiting(self) -> int:
        count: int = self._do("SELECT count(*) FROM jobs WHERE status IN ('pending', 'started')")[0][0]
        return count

    def close(self) -> None:
        with self._lock:
            self._database.close()

    def _do(self, line: str, values: tuple[Any, ...] = ()) -> list[Any]:
        with self._lock:
            return self._database.execute(line, values).fetchall()


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for jobs that need not outlive the gateway. Removes those that killed gateways of this user have left,
    unless they are so new that their gateway may be about to begin."""
    for other in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError, UsageError):
            status = other.lstat()
            ours = status.st_uid == os.getuid() if hasattr(os, "getuid") else True
            if ours and time.time() - status.st_mtime > BEGINNING_SECONDS and other.is_dir() and not other.is_symlink():
                Jobs(other).close()  # nobody else has it
                shutil.rmtree(other)
    return tempfile.TemporaryDirectory(prefix=PREFIX)
