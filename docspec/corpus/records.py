"""The lines of a manifest: documents listed, the result of each, and facts about each run: its shard, its command.

``docspec/reporting/manifest.schema.json`` is their documentation for programs.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

from docspec.core import Failure, UsageError
from docspec.core.safe_text import words_without_secrets
from docspec.core.validation import MOST, InvalidValues, values_as

SCHEMA = "docspec.manifest/1"
MOST_SHARDS = 100_000
"""A record of a run with more shards is not valid."""

Status = Literal["ok", "damaged", "partial", "failed"]

RETRY = "--retry-failed"


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file that was written: its path below the manifest's folder (else an absolute one) and its SHA-256."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class FailedPage:
    """A page that is missing from its document."""

    page: int
    failure: Failure | None
    error: str


@dataclass(frozen=True, slots=True)
class DoubtfulPage:
    """A page that was read and that a person should look at."""

    page: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRecord:
    """The result of a document. ``document`` is its place in the output tree, which identifies it.

    ``ok``, ``damaged`` (read, but something of it may be missing), ``partial`` (pages are missing) or ``failed``
    (nothing was written). ``failure`` is why, or why the first missing page is. ``modified`` is the input's time in
    nanoseconds: with the same size and time it is not hashed again.
    """

    document: str
    input: str
    status: Status
    options: str
    model: str
    sha256: str | None = None
    size: int | None = None
    modified: int | None = None
    failure: Failure | None = None
    error: str | None = None
    files: tuple[OutputFile, ...] = ()
    pages: int = 0
    failed_pages: tuple[FailedPage, ...] = ()
    doubtful_pages: tuple[DoubtfulPage, ...] = ()
    damage: str | None = None
    tokens: int = 0
    steps: int = 0
    seconds: float = 0.0
    attempts: int = 1
    finished: str = ""
    version: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it was read without a failed page."""
        return self.status in ("ok", "damaged")

    def as_line(self) -> dict[str, Any]:
        values = {"record": "document", **asdict(self), "seconds": round(self.seconds, 3)}
        return {name: value for name, value in values.items() if value not in (None, (), [])}

    @classmethod
    def from_line(cls, values: Mapping[str, Any]) -> DocumentRecord:
        """The record of a line; raises :class:`docspec.core.validation.InvalidValues` where it is none."""
        record = values_as(cls, values)
        counts = (record.pages, record.tokens, record.steps, record.attempts, record.seconds)
        if not all(0 <= count <= MOST for count in counts):
            raise InvalidValues(f"a count that is not of 0 to {MOST}")
        _check_place(record.document, record.input)
        return record


@dataclass(frozen=True, slots=True)
class Shard:
    """``--shard I/N``: part ``index`` (from 1) of ``count``. It depends on a document's place alone: files that come
    and go move no other file."""

    index: int
    count: int

    @classmethod
    def parsed(cls, text: str) -> Self:
        """``2/8``; raises :class:`UsageError` for anything else."""
        match = re.fullmatch(r"(?a:(\d{1,9})/(\d{1,9}))", text.strip())
        index, count = map(int, match.groups()) if match else (0, 0)
        if not 1 <= index <= count:
            raise UsageError(f"--shard {text}: write it like 1/8, the first of eight parts")
        return cls(index, count)

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def holds(self, document: str) -> bool:
        """Whether ``document``, named by its place in the output tree, is of this part."""
        drawn = hashlib.blake2b(document.encode("utf-8", "surrogateescape"), digest_size=8).digest()
        return int.from_bytes(drawn) % self.count == self.index - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One run: ``command`` is what was called (no password in it), ``listed`` how many documents all shards have."""

    command: tuple[str, ...]
    listed: int
    shard: str | None
    model_name: str
    options: str
    model: str
    version: str | None
    started: str

    def as_line(self) -> dict[str, Any]:
        return {"record": "run", "schema": SCHEMA, **asdict(self)}

    @classmethod
    def from_line(cls, values: Mapping[str, Any]) -> RunRecord:
        record = values_as(cls, values)
        try:
            shard = None if record.shard is None else Shard.parsed(record.shard)
        except UsageError as error:
            raise InvalidValues(str(error)) from error
        if not 0 <= record.listed <= MOST or (shard is not None and shard.count > MOST_SHARDS):
            raise InvalidValues(f"{record.listed} documents, shard {record.shard}")
        return record


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRecord:
    """A document that a run was going to read, or that is ``gone``."""

    document: str
    input: str

    @classmethod
    def from_line(cls, values: Mapping[str, Any]) -> ListedRecord:
        record = values_as(cls, values)
        _check_place(record.document, record.input)
        return record


def _check_place(document: str, path: str) -> None:
    if "\0" in document or "\0" in path:
        raise InvalidValues("a path with a zero byte")


def recorded_command(words: Sequence[str]) -> tuple[str, ...]:
    """``docspec`` and the words after it, without passwords and keys."""
    return ("docspec", *words_without_secrets(words))


def retry_command(command: Sequence[str]) -> str:
    """``command`` with ``--retry-failed``, as a shell takes it."""
    return shlex.join([*(word for word in command if word not in (RETRY, "--force")), RETRY])
