"""What reads drafted pages with one setup, whole or by regions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from docspec.core import PageResult
from docspec.hierarchy.grading import graded
from docspec.hierarchy.provenance import with_provenance
from docspec.hierarchy.regions.pages import RegionPages
from docspec.hierarchy.work import DraftedPage, Work


class ReadsWhole(Protocol):
    """An engine as reading pages whole uses it."""

    def read(self, works: Sequence[Work]) -> None:
        """Reads ``works``, one or more."""
        ...

    def requests(self, work: Work) -> list[Any]:
        """What the engine is asked for the page."""
        ...


class Readers:
    """Both ways of reading, over one engine."""

    def __init__(self, setup: Any, regions: RegionPages, whole: ReadsWhole) -> None:
        self.setup = setup
        self.regions = regions
        self._whole = whole

    def requests(self, drafted: DraftedPage) -> list[Any]:
        """What the engine is asked for a drafted page without Stage 1: the page, or its crops in reading order."""
        work = Work.begun(drafted)
        return (self.regions if self.regions.takes(work.page) else self._whole).requests(work)

    def read(self, drafted: Sequence[DraftedPage]) -> list[PageResult]:
        """The results of ``drafted``, their rows decoded side by side. Raises whatever goes wrong."""
        works = [Work.begun(one) for one in drafted]
        asked = [work for work in works if work.result.status == "ok"]
        by_regions = [work for work in asked if self.regions.takes(work.page)]
        whole = [work for work in asked if not self.regions.takes(work.page)]
        if by_regions:
            self.regions.read(by_regions)
        if whole:
            self._whole.read(whole)
        if self.setup.options.on_loop == "reread":
            self.regions.reread(
                [work for work in whole if work.result.cut and work.result.cut.reason == "loop"]
            )
        if self.setup.options.provenance:
            for work in works:
                with_provenance(work, self.setup)
        return [graded(work.result, work.draft, self.setup.card) for work in works]
