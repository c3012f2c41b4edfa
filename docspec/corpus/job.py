"""A document to be read, with its source and its destination, and its result; and the options of runs over many
documents, which change which documents are read when, never what is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from docspec.core import DocspecError, Failure, PageResult, UsageError
from docspec.core.option import DOCUMENTS, MACHINES, check, option, setting
from docspec.corpus.records import DoubtfulPage, FailedPage, Status
from docspec.documents import Source
from docspec.documents.inputs import Unreadable
from docspec.reporting.destinations import Destination
from docspec.reporting.timing import DocumentEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusOptions:
    """Which documents are read, and how earlier runs count. Raises ``UsageError`` for values out of bounds."""

    from_file: str | None = option(
        None, "Read the documents listed in this file, one a line; - for standard input.", DOCUMENTS, "FILE|-"
    )
    include: list[str] | None = option(
        None,
        "Read only documents whose name, or path below their folder, matches; * also crosses folders. May be repeated.",
        DOCUMENTS,
        "PATTERN",
    )
    exclude: list[str] | None = option(None, "Leave out documents that match. May be repeated.", DOCUMENTS, "PATTERN")
    allow_urls: bool = option(False, "Download inputs that are addresses (https://...), up to 256 MiB each.", DOCUMENTS)
    shard: str | None = option(
        None, "Read the I-th of N parts of the documents, for schedulers that start N runs.", DOCUMENTS, "I/N"
    )
    manifest: Literal["auto", "none"] = setting(
        "auto",
        "Keep docspec.manifest.jsonl in the output folder, by which the next run goes on (auto), or nothing (none).",
        DOCUMENTS,
    )
    retry_failed: bool = option(
        False, "Read documents again that failed before (with --strict: or are doubtful).", DOCUMENTS
    )
    force: bool = option(False, "Read all documents again, finished ones too.", DOCUMENTS)
    strict: bool = option(False, "Exit with code 3 if pages are doubtful, too.", DOCUMENTS)
    max_failures: int | None = setting(
        None, "End the run when this many documents have failed.", DOCUMENTS, "N", least=1
    )

    devices: str | None = option(
        None,
        "Verify in several processes, each with a copy of the model: one for each GPU (0,1 or all), or two "
        "that share the CPU (cpu,cpu).",
        MACHINES,
        "0,1|all|cpu,cpu",
    )
    scheduler: Literal["local", "ray"] = setting(
        "local",
        "Run in this process (local), or on the machines of a Ray cluster (ray: pip install 'docspec-vlm[ray]').",
        MACHINES,
    )
    ray_address: str | None = setting(
        None, "Address of the Ray cluster. Default: Ray is started on this machine.", MACHINES, "auto|ADDRESS"
    )
    ray_actors: int = setting(1, "Ray actors that hold the model.", MACHINES, "N", least=1)
    ray_gpus: float = setting(0.0, "GPUs of each Ray actor that holds the model.", MACHINES, "N", least=0)
    ray_drafters: int = setting(1, "Ray actors that render and draft pages.", MACHINES, "N", least=1)

    def __post_init__(self) -> None:
        check(self)
        if self.devices is not None and self.scheduler == "ray":
            raise UsageError("--devices and scheduler ray: choose one of them (there ray-actors says how many verify)")


@dataclass(frozen=True, slots=True)
class Job:
    """A document to be read. ``document`` is its place in the output tree, by which other runs know it."""

    source: Source | Unreadable
    destination: Destination
    document: str = ""


@dataclass(slots=True)
class JobResult:
    """The result of a job; it grows while the document is read. ``entry`` is its part of the run's report, which counts
    its pages; ``files`` are those that were written."""

    job: Job
    entry: DocumentEntry
    sha256: str | None = None
    failed: list[PageResult] = field(default_factory=list)
    doubtful_pages: list[DoubtfulPage] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)
    files: Sequence[Path] = ()
    seconds: float = 0.0
    error: DocspecError | None = None
    trace: str | None = None

    @property
    def status(self) -> Status:
        if self.error is not None:
            return "failed"
        if self.failed:
            return "partial"
        return "damaged" if self.damage else "ok"

    @property
    def failure(self) -> Failure | None:
        """Why the document, or the first of its missing pages, failed."""
        if self.error is not None:
            return self.error.failure
        return self.failed[0].failure or Failure.UNEXPECTED if self.failed else None

    @property
    def failed_pages(self) -> tuple[FailedPage, ...]:
        return tuple(FailedPage(page.number, page.failure, page.error or "unknown error") for page in self.failed)

    @property
    def complaints(self) -> list[tuple[str, str | None]]:
        """The messages about it, a line and a traceback each."""
        messages: list[tuple[str, str | None]] = []
        for page in self.failed:
            message = page.error or "unknown error"
            if page.source not in message:
                message = f"{page.source}, page {page.number}: {message}"
            messages.append((message, page.trace))
        messages += [(message, None) for message in self.damage]
        return messages if self.error is None else [*messages, (str(self.error), self.trace)]

    def add(self, result: PageResult) -> None:
        """Notes what a page lacks; nothing of its text or pixels is kept."""
        if result.status == "failed":
            self.failed.append(replace(result, image=None, blocks=(), text="", token_ids=()))
            return
        if result.doubtful is not None:
            self.doubtful_pages.append(DoubtfulPage(result.number, result.doubtful))
        here = [event.detail for event in result.events if event.kind in ("damaged_page", "page_unread")]
        self.damage += [f"{result.source}, page {result.number}: {detail}" for detail in here]
