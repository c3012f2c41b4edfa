"""How far a run is: documents and pages, how fast, how much longer."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from docspec.core import PageResult
from docspec.corpus.job import JobResult


@dataclass(slots=True)
class Tally:
    """Counts of a run that is going on, of the ``total`` documents that are left to it."""

    total: int
    finished: int = 0
    failed: int = 0
    pages: int = 0
    failed_pages: int = 0
    accepted: int = 0
    steps: int = 0
    at_page: int = 0
    of_pages: int = 0
    started: float = field(default_factory=time.monotonic)

    def document_started(self, of_pages: int) -> None:
        self.at_page, self.of_pages = 0, of_pages

    def page_done(self, result: PageResult, *, anew: bool = True) -> None:
        """A page is done; ``anew``: by this run."""
        self.at_page += 1
        if not anew:
            return
        self.pages += 1
        self.failed_pages += result.status == "failed"
        if result.stage2 is not None:
            self.accepted += result.stage2.accepted
            self.steps += result.stage2.steps

    def document_done(self, outcome: JobResult) -> None:
        self.finished += 1
        self.failed += outcome.status in ("partial", "failed")
        self.at_page = self.of_pages = 0

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return time.monotonic() - self.started

    @property
    def pages_per_minute(self) -> float:
        return 60 * self.pages / self.seconds if self.seconds > 0 else 0.0

    @property
    def tokens_per_step(self) -> float:
        """Of the pages that this run read, the target's own tokens included."""
        return (self.accepted + self.steps) / self.steps if self.steps else 0.0

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
