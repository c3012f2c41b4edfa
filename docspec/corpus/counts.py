"""Counts documents by status, and failures by category."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from docspec.core import Failure
from docspec.core.sums import summed
from docspec.corpus.records import Status


class Ended(Protocol):
    """A finished document, of a run or in a manifest."""

    @property
    def status(self) -> Status: ...

    @property
    def failure(self) -> Failure | None: ...

    @property
    def doubtful_pages(self) -> Sequence[object]: ...


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
    def of(cls, ended: Iterable[Ended]) -> DocumentCounts:
        """The counts of all these."""
        counts = cls()
        for each in ended:
            counts.add(each)
        return counts

    def add(self, ended: Ended) -> None:
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
