"""What reads drafted pages with one setup, whole or by regions."""

from __future__ import annotations

from collections.abc import Sequence

from docspec.core import PageResult
from docspec.engine.request import Request
from docspec.hierarchy.provenance import with_provenance
from docspec.hierarchy.regions.pages import RegionPages
from docspec.hierarchy.setup import Setup
from docspec.hierarchy.whole import WholePages
from docspec.hierarchy.work import DraftedPage, Work


class Readers:
    """Both ways of reading, over one engine."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.regions = RegionPages(setup)
        self._whole = WholePages(setup)

    def requests(self, drafted: DraftedPage) -> list[Request]:
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
        return [work.result for work in works]
