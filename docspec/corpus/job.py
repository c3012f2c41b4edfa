"""A document to be read, with its source and its destination, and its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from docspec.core import DocspecError, Failure, PageResult
from docspec.corpus.records import DoubtfulPage, FailedPage, Status
from docspec.documents import Source
from docspec.documents.inputs import Unreadable
from docspec.reporting.destinations import Destination
from docspec.reporting.timing import DocumentEntry


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
