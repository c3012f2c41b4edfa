"""Pages through the hierarchy: drafted, read whole or by regions, blocks out.

A page fails alone: whatever goes wrong becomes a result with status ``failed`` and a message, and the run goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from docspec.core import Event, PageImage, PageResult, ParseOptions
from docspec.core.memory import is_out_of_memory, release_memory
from docspec.core.observer import Observer
from docspec.core.safe_text import first_line
from docspec.dialects import Dialect
from docspec.drafting import SafeDrafter
from docspec.drafting.page import PageDrafters
from docspec.engine.request import Request
from docspec.hierarchy import results
from docspec.hierarchy.costs import Costs
from docspec.hierarchy.planner import Planner
from docspec.hierarchy.provenance import with_provenance
from docspec.hierarchy.regions.pages import RegionPages
from docspec.hierarchy.setup import Setup
from docspec.hierarchy.whole import WholePages
from docspec.hierarchy.work import DraftedPage, Work
from docspec.targets.registry import LoadedTarget


class PageParser:
    """Parses pages with one target, one drafter and one set of options, alone or several in flight.

    ``layout`` drafts the pages that are read by regions.
    """

    def __init__(
        self,
        loaded: LoadedTarget,
        dialect: Dialect,
        drafter: SafeDrafter,
        options: ParseOptions,
        observer: Observer,
        planner: Planner | None = None,
        layout: SafeDrafter | None = None,
    ) -> None:
        self.setup = Setup.of(loaded, dialect, options, observer, planner or Planner(Costs()))
        self._drafters = PageDrafters(drafter, layout)
        self._whole = WholePages(self.setup)
        self.regions = RegionPages(self.setup)

    def parse(self, page: PageImage) -> PageResult:
        """The page's result; never raises but for interrupts and programming errors outside the page."""
        self.setup.observer.stage(page.number, "draft")
        return self.verify(self.draft(page))

    def draft(self, page: PageImage) -> DraftedPage:
        """The page with its draft, made in this process."""
        try:
            return DraftedPage.of(page, self._drafters.draft(page, self.regions.takes(page)))
        except Exception as error:
            return DraftedPage(page, error=error)

    def verify(self, drafted: DraftedPage) -> PageResult:
        """The result of a drafted page; raises no more than :meth:`parse`."""
        try:
            [result] = self._verify([drafted])
            return result
        except Exception as error:
            self.setup.engine.release()
            return results.failed(drafted.page, error)

    def verify_all(self, drafted: Sequence[DraftedPage]) -> list[PageResult]:
        """The results of pages whose rows are decoded side by side; one after the other where that fails."""
        if len(drafted) == 1:
            return [self.verify(drafted[0])]
        try:
            return self._verify(drafted)
        except Exception as error:
            self.setup.engine.release()
            if is_out_of_memory(error):
                release_memory()
            what = f"{type(error).__name__}: {first_line(error)}"
            event = Event("pages_separated", f"{what}, with {len(drafted)} pages in flight")
            return [self.verify(replace(one, events=(*one.events, event))) for one in drafted]

    def requests(self, drafted: DraftedPage) -> list[Request]:
        """What the engine is asked for a drafted page without Stage 1: the page, or its crops in reading order."""
        work = Work.begun(drafted)
        return (self.regions if self.regions.takes(work.page) else self._whole).requests(work)

    def _verify(self, drafted: Sequence[DraftedPage]) -> list[PageResult]:
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
