"""Parses pages: drafts them, reads them whole or by regions, and returns their blocks.

A page fails alone: any error becomes a result with status ``failed`` and a message, and the run continues.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from docspec.core import Event, Failure, PageImage, PageResult, ParseOptions
from docspec.core.memory import is_out_of_memory, release_memory
from docspec.core.observer import Observer
from docspec.core.safe_text import first_line
from docspec.dialects import Dialect
from docspec.drafting import SafeDrafter
from docspec.drafting.drafted_page import DraftedPage, draft_of
from docspec.engine.request import Request
from docspec.hierarchy.page_state import PageState, failed, page_of
from docspec.hierarchy.planner import Costs, Planner
from docspec.hierarchy.readers import Readers
from docspec.hierarchy.reading_context import FRUGAL_TREE, LocalContext
from docspec.hierarchy.regions.reading import RegionReading
from docspec.hierarchy.whole import WholePages
from docspec.targets.registry import LoadedTarget


class PageParser(Readers):
    """Parses pages with one target, one drafter and one set of options, alone or several in flight.

    ``region_drafter`` is the drafter for pages that are read by regions.
    """

    context: LocalContext

    def __init__(
        self,
        loaded: LoadedTarget,
        dialect: Dialect,
        drafter: SafeDrafter,
        options: ParseOptions,
        observer: Observer,
        planner: Planner | None = None,
        region_drafter: SafeDrafter | None = None,
    ) -> None:
        context = LocalContext.of(loaded, dialect, options, observer, planner or Planner(Costs()))
        super().__init__(context, RegionReading(context), WholePages(context).read)
        self._drafter, self._region_drafter = drafter, region_drafter or drafter

    def parse(self, page: PageImage) -> PageResult:
        """The result of the page. Raises nothing but interrupts and programming errors outside the page."""
        self.context.observer.stage(page.number, "draft")
        return self.verify(self.draft(page))

    def draft(self, page: PageImage) -> DraftedPage:
        """The page with its draft, made in this process."""
        try:
            return DraftedPage(
                page, draft_of(page, self._region_drafter if self.regions.takes(page) else self._drafter)
            )
        except Exception as error:
            return DraftedPage(page, error=error)

    def verify(self, drafted: DraftedPage) -> PageResult:
        """The result of a drafted page; raises the same as :meth:`parse`. If memory runs out, the page is read once
        more with smaller trees and without Stage 1."""
        try:
            [result] = self.read([drafted])
            return result
        except Exception as error:
            self.context.engine.release()
            result = failed(page_of(drafted), error)
        # The error and the tensors of its frames are freed by now.
        return self._with_less(drafted) if result.failure is Failure.OUT_OF_MEMORY else result

    def verify_all(self, drafted: Sequence[DraftedPage]) -> list[PageResult]:
        """The results of pages whose rows are decoded in one batch. If that fails, the pages are read one after the
        other."""
        if len(drafted) == 1:
            return [self.verify(drafted[0])]
        try:
            return self.read(drafted)
        except Exception as error:
            self.context.engine.release()
            short = is_out_of_memory(error)
            what = f"{type(error).__name__}: {first_line(error)}"
        if short:
            release_memory()
        event = Event("pages_separated", f"{what}, with {len(drafted)} pages in flight")
        return [self.verify(one.noted(event)) for one in drafted]

    def requests(self, drafted: DraftedPage) -> list[Request]:
        """The engine's requests for a drafted page without Stage 1: the page, or its crops in reading order."""
        state = PageState.begun(drafted)
        if self.regions.takes(state.page):
            return self.regions.requests(state)
        return [WholePages(self.context).request(state)]

    def _with_less(self, drafted: DraftedPage) -> PageResult:
        """The page read with the least memory."""
        from docspec.targets.stepping.choice import as_they_come

        release_memory()
        try:
            with as_they_come(self.context.target):
                less = self.context.with_less()
                [result] = Readers(less, RegionReading(less), WholePages(less).read).read([drafted])
        except Exception as error:
            self.context.engine.release()
            return failed(page_of(drafted), error)
        detail = f"memory ran out; read with trees of {FRUGAL_TREE} tokens, steps as they come, without Stage 1"
        return replace(result, events=(*result.events, Event("memory_short", detail)))
