"""Counts of a run: documents by status, failures by category, pages, how fast, how much longer."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from docspec.core import Failure, PageResult
from docspec.core.stats import AcceptanceRatios, summed
from docspec.corpus.job import JobResult
from docspec.corpus.pace import Stopwatch
from docspec.corpus.records import DocumentRecord


@dataclass(slots=True)
class DocumentCounts:
    """Documents by status. ``doubtful`` counts those with doubtful pages, ``failures``, by category, those that
    failed or lack pages."""

    ok: int = 0
    damaged: int = 0
    partial: int = 0
    failed: int = 0
    doubtful: int = 0
    failures: Counter[Failure] = field(default_factory=Counter)

    @classmethod
    def of(cls, ended: Iterable[DocumentRecord]) -> DocumentCounts:
        """The counts of all these."""
        counts = cls()
        for each in ended:
            counts.add(each)
        return counts

    def add(self, ended: DocumentRecord | JobResult) -> None:
        setattr(self, ended.status, getattr(self, ended.status) + 1)
        self.doubtful += bool(ended.doubtful_pages)
        if ended.failure is not None:
            self.failures[ended.failure] += 1

    def __add__(self, other: DocumentCounts) -> DocumentCounts:
        return summed(self, other)

    @property
    def written(self) -> int:
        """Documents that were written, whole or not."""
        return self.ok + self.damaged + self.partial

    @property
    def total(self) -> int:
        return self.written + self.failed

    @property
    def categories(self) -> str:
        """``4 unreadable, 3 encrypted``, the most frequent first; empty where nothing failed."""
        order = sorted(self.failures.items(), key=lambda each: (-each[1], each[0]))
        return ", ".join(f"{count:,} {failure.value}" for failure, count in order)


@dataclass(slots=True)
class Tally(AcceptanceRatios):
    """Counts of a run that is going on, of the ``total`` documents that are left to it."""

    total: int
    counts: DocumentCounts = field(default_factory=DocumentCounts)
    pages: int = 0
    failed_pages: int = 0
    accepted: int = 0
    steps: int = 0
    at_page: int = 0
    of_pages: int = 0
    started: float = field(default_factory=time.monotonic)
    watch: Stopwatch = field(default_factory=Stopwatch)

    def document_started(self, of_pages: int) -> None:
        self.at_page, self.of_pages = 0, of_pages

    def page_done(self, result: PageResult, *, anew: bool = True) -> None:
        """A page is done; ``anew``: by this run."""
        self.at_page += 1
        if not anew:
            return
        self.pages += 1
        self.failed_pages += result.status == "failed"
        self.watch.page_done(result)
        if result.stage2 is not None:
            self.accepted += result.stage2.accepted
            self.steps += result.stage2.steps

    def document_done(self, outcome: JobResult) -> None:
        self.counts.add(outcome)
        self.at_page = self.of_pages = 0

    @property
    def finished(self) -> int:
        """Documents that were read or have failed."""
        return self.counts.total

    @property
    def failed(self) -> int:
        """Documents that failed or lack pages."""
        return self.counts.failed + self.counts.partial

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return time.monotonic() - self.started

    @property
    def pages_per_minute(self) -> float:
        return 60 * self.pages / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """If the documents to come are like those before; ``None`` before anything is known."""
        done = self.finished + (self.at_page / self.of_pages if self.of_pages else 0.0)
        return self.seconds / done * (self.total - done) if done > 0 else None

    def line(self) -> str:
        """``12 of 200 documents, 1 failed; 45 pages, 32.1 a minute, 5.4 tokens/step; about 12 min left``."""
        failed = f", {self.failed:,} failed" if self.failed else ""
        pages = f"{self.pages:,} page{'' if self.pages == 1 else 's'}"
        lost = f", {self.failed_pages:,} failed" if self.failed_pages else ""
        speed = f", {self.pages_per_minute:.1f} a minute" if self.pages else ""
        tokens = f", {self.tokens_per_step:.1f} tokens/step" if self.steps else ""
        left = self.seconds_left if self.finished < self.total else None
        until = "" if left is None else f"; about {duration(left)} left"
        counts = f"{self.finished:,} of {self.total:,} documents"
        return f"{counts}{failed}; {pages}{lost}{speed}{tokens}{until}"

    def short_line(self) -> str:
        """The same in few words: ``12/200, 1 failed, 12 min left``."""
        left = self.seconds_left if self.finished < self.total else None
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.finished}/{self.total}{failed}" + ("" if left is None else f", {duration(left)} left")


def duration(seconds: float) -> str:
    """``45 s``, ``12 min``, ``3 h 20 min``, ``5 d 3 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours = minutes // 60
    return f"{hours} h {minutes % 60} min" if hours < 48 else f"{hours // 24} d {hours % 24} h"
