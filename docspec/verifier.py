"""The target in this process, and the reader of pages with it: each part is made at its first use and kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from docspec.core import Category, PageDraft, PageImage, PageResult, ParseOptions
from docspec.core.observer import NullObserver, Observer
from docspec.documents.view import View
from docspec.drafting.drafted_page import DraftedPage
from docspec.isolation.worker_handle import PrepareOptions
from docspec.page_stream import PagesVerifier

if TYPE_CHECKING:
    from docspec.dialects import Dialect
    from docspec.hierarchy.page import PageParser
    from docspec.targets.model_profile import ModelProfile
    from docspec.targets.registry import LoadedTarget, TargetInfo
    from docspec.targets.stepping.step import StepReport


class Verifier(PagesVerifier):
    """Verifies pages with the target in this process; raises :class:`docspec.core.ModelError` when it cannot be
    loaded."""

    loads_here = True

    def __init__(self, options: ParseOptions, observer: Observer) -> None:
        super().__init__(options, observer, 1, threads=options.in_flight if options.in_flight > 1 else 0)
        self._opening = threading.RLock()

    @property
    def is_loaded(self) -> bool:
        return "loaded" in self.__dict__

    @property
    def info(self) -> TargetInfo:
        return self.loaded.info

    @property
    def step_report(self) -> StepReport | None:
        return self.loaded.target.steps.report if self.is_loaded else None

    def open(self) -> None:
        if not self._options.loads_late:
            self.reader()

    def prepare_options(self, view: View, image_dpi: float | None, images: bool) -> PrepareOptions:
        """Drafting depends on its cost and savings here; if the target is loaded late, all pages are drafted."""
        if self._options.loads_late:
            complete = PrepareOptions.complete(view, image_dpi)
            return complete if images else replace(complete, looks=self.looks)
        pages = self.reader()
        planner, takes = pages.planner, pages.regions.takes
        return PrepareOptions(view, image_dpi, takes, planner.prices, planner.drafted, self._options.overlaps)

    def close(self) -> None:
        with self._opening:
            if "pages" in self.__dict__:
                self.pages.close()
            for name in ("card", "loaded", "dialect", "pages"):
                self.__dict__.pop(name, None)

    def verify(self, prepared: Sequence[DraftedPage]) -> list[PageResult]:
        if not self._options.loads_late:
            return self.reader().verify_all([page.settled() for page in prepared])
        from docspec.hierarchy.regions.known_pages import results_of

        return results_of(prepared, self.card, lambda others: self.reader().verify_all(others))

    def looks(self, page: PageImage, draft: PageDraft) -> bool:
        """Whether the pixels of a page are needed: for the model, for grading what was recognised, or for pictures."""
        from docspec.hierarchy.regions.known_pages import result_without_model

        if draft.drafter != "text-layer" or draft.unread is None:
            return True
        result = result_without_model(DraftedPage(page, draft), self.card)
        return result is None or any(block.category is Category.PICTURE for block in result.blocks)

    def reader(self) -> PageParser:
        """The reader of pages; loads the model once, whichever thread comes first."""
        with self._opening:
            return self.pages

    @cached_property
    def card(self) -> ModelProfile:
        from docspec.targets.registry import card_of

        return card_of(self._options) if self._options.loads_late else self.loaded.card

    @cached_property
    def loaded(self) -> LoadedTarget:
        from docspec.targets.registry import load_target

        started = time.perf_counter()
        loaded = load_target(self._options)
        self.load_seconds = time.perf_counter() - started
        for remark in loaded.info.remarks:
            self._observer.note(remark)
        return loaded

    @cached_property
    def dialect(self) -> Dialect:
        return dialect_of(self.loaded)

    @cached_property
    def pages(self) -> PageParser:
        """The reader of pages, with the costs of steps, crops and drafts here."""
        from docspec.drafting import make_drafter
        from docspec.hierarchy.calibration import calibrate
        from docspec.hierarchy.page import PageParser
        from docspec.hierarchy.planner import Costs, Planner

        longest = self._options.max_tokens or self.loaded.card.max_new_tokens
        planner = Planner(Costs(), longest if self._options.drafter == "auto" else None)
        drafter = make_drafter(self._options, planner)
        if "auto" in (self._options.drafter, self._options.stages):
            seconds = calibrate(self.loaded.target, planner.costs, kv_limit=self._options.kv_limit)
            self._observer.note(
                f"measured in {seconds:.1f} s: {1e3 * planner.costs.step_seconds(1):.1f} ms for a step of one token, "
                f"{1e3 * planner.costs.step_seconds(64):.1f} ms for one of 64"
            )
        # If the layout is part of the reading, its cost is not weighed.
        of_regions = make_drafter(self._options)
        # Pages in many threads say nothing; the run is told of finished ones.
        observer = NullObserver() if self.threads else self._observer
        return PageParser(self.loaded, self.dialect, drafter, self._options, observer, planner, of_regions)


def dialect_of(loaded: LoadedTarget) -> Dialect:
    """The forms of prompts and answers of ``loaded``, by its card and its image processor."""
    scaled = loaded.card.dialect == "layout-json"
    return spoken(loaded.card, loaded.target.processing.pixel_limits if scaled else {})


def spoken(card: ModelProfile, pixel_limits: Mapping[str, int]) -> Dialect:
    """The dialect of a model with ``card``; its pictures are scaled to ``pixel_limits``."""
    from docspec.dialects import make_dialect

    settings: dict[str, Any] = {"page_prompt": card.prompt, "crop_prompt": card.crop_prompts}
    if card.dialect == "layout-json":
        settings.update(pixel_limits)
    elif card.dialect == "markdown":
        settings["table_style"] = card.table_style
    return make_dialect(card.dialect, **settings)
