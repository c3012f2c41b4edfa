"""Parses pages: drafts them, reads them whole or by regions, and returns their blocks.

A page fails alone: any error becomes a result with status ``failed`` and a message, and the run continues.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from docspec.core import Block, Event, ModelError, PageImage, PageResult, ParseOptions, Region
from docspec.core.choices import PlacesFrom
from docspec.core.observer import Observer
from docspec.dialects import Dialect
from docspec.drafting import SafeDrafter
from docspec.drafting.drafted_page import DraftedPage, draft_of
from docspec.generation.local import Engine
from docspec.hierarchy.grading import graded
from docspec.hierarchy.page_state import PageState, failed, page_of
from docspec.hierarchy.planner import Costs, Planner
from docspec.hierarchy.provenance import with_margins, with_provenance
from docspec.hierarchy.reading_context import ReadingContext
from docspec.hierarchy.regions.pages import RegionPages
from docspec.hierarchy.whole import WholePages
from docspec.targets.registry import LoadedTarget

_TOKEN = re.compile(r"<\|[^|<>\s]{1,40}\|>|</?think>")
_BROKEN = "\N{REPLACEMENT CHARACTER}"


def strange_marks(blocks: Iterable[Block], regions: Iterable[Region]) -> tuple[Event, ...]:
    """The event about such marks in the model's ``blocks``, unless they stand in the drafted ``regions`` too."""
    read = "\n".join(block.text for block in blocks if block.words == "model")
    drafted = "\n".join(text for region in regions for text in region.texts)
    tokens = sorted({mark for mark in _TOKEN.findall(read) if mark not in drafted})
    broken = read.count(_BROKEN) if _BROKEN not in drafted else 0
    marks = [f"{broken} characters that are broken (U+FFFD)"] if broken else []
    marks += [f"tokens of the model itself ({', '.join(tokens[:3])})"] if tokens else []
    if not marks:
        return ()
    return (Event("strange_marks", f"what was read has {' and '.join(marks)}; look at the server's settings"),)


PATIENCE = 0.3
"""Seconds that the end of a run waits for the engine's present step."""


class PageReader:
    """Reads drafted pages with one context, whole or by ``regions`` (it decides which pages are read so). Threads may
    share it; each reads its own pages."""

    def __init__(self, context: ReadingContext) -> None:
        self.context = context
        self.regions = RegionPages(context)
        self.whole = WholePages(context)

    def recording(self, places: PlacesFrom | None) -> PageReader:
        """A reader with the same engine that records what ``places`` need (``None``: what the options say)."""
        options = self.context.options
        if places in (None, options.places):
            return self
        return PageReader(replace(self.context, options=replace(options, places=places)))

    def verify(self, drafted: DraftedPage) -> PageResult:
        """The result of a drafted page. Raises :class:`docspec.core.ModelError` if the engine can answer no more
        requests; any other error fails the page."""
        try:
            return self._read(drafted)
        except ModelError:
            raise
        except Exception as error:
            return failed(page_of(drafted), error)

    def verify_all(self, drafted: Sequence[DraftedPage]) -> list[PageResult]:
        """The results of pages that are read at the same time."""
        if len(drafted) == 1:
            return [self.verify(drafted[0])]
        with ThreadPoolExecutor(max(1, len(drafted)), "docspec-page") as threads:
            return list(threads.map(self.verify, drafted))

    def _read(self, drafted: DraftedPage) -> PageResult:
        state, options = PageState.begun(drafted), self.context.options
        if state.result.status == "ok":
            if self.regions.takes(state.page):
                self.regions.read(state)
            else:
                self.whole.read(state)
                if options.on_loop == "reread" and state.result.cut and state.result.cut.reason == "loop":
                    self.regions.reread(state)
        if options.provenance:
            with_provenance(state, self.context)
        if options.places != "none":
            with_margins(state, self.context)
        result = graded(state.result, state.draft, self.context.card)
        if self.context.follows_fields:
            return result
        return replace(result, events=(*result.events, *strange_marks(result.blocks, state.draft.regions)))


class PageParser(PageReader):
    """Parses pages with one target in this process, one drafter and one set of options.

    ``region_drafter`` is the drafter for pages that are read by regions.
    """

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
        planner = planner or Planner(Costs())
        pace = planner.pacing() if options.stages == "auto" else None
        engine, target = Engine.of(loaded, options, planner.costs.node_price, pace), loaded.target
        super().__init__(
            ReadingContext(
                loaded.card,
                dialect,
                options,
                observer,
                target.sight,
                target.max_length,
                engine,
                planner,
                codec=target,
                pages_at_once=options.in_flight,
            )
        )
        self.planner = planner
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

    def close(self) -> None:
        """Ends the engine. A run that is interrupted does not wait for the prompts of large pages."""
        self.context.engine.close(PATIENCE)
