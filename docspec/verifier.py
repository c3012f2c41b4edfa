"""The target, wherever it runs, and the reader of pages with it: each part is made at its first use and kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from docspec.core import (
    Category,
    Failure,
    ModelError,
    PageDraft,
    PageError,
    PageImage,
    PageResult,
    ParseOptions,
    UsageError,
)
from docspec.core.choices import PlacesFrom
from docspec.core.observer import NullObserver, Observer
from docspec.device_engine import measured_costs
from docspec.documents.view import View
from docspec.drafting.drafted_page import DraftedPage
from docspec.isolation.worker_handle import PrepareOptions
from docspec.opening import RemoteInfo, check_offline, context_elsewhere, context_on_devices, dialect_of, start_devices

if TYPE_CHECKING:
    from docspec.dialects import Dialect
    from docspec.generation.choice import OpenedEngine
    from docspec.generation.processes import EngineProcesses
    from docspec.hierarchy.page import PageParser, PageReader
    from docspec.targets.model_profile import ModelProfile
    from docspec.targets.registry import LoadedTarget, TargetInfo
    from docspec.targets.stepping.step import StepReport


def _without_model(drafted: DraftedPage, error: ModelError) -> PageError:
    """Why a page is not read: what kept its draft from being enough, and that no model runs here."""
    lost = next(
        (event.detail.partition(";")[0] for event in drafted.draft.events if event.kind == "drafter_failed"), ""
    )
    return PageError(f"{lost}; {error}" if lost else str(error), Failure.NO_MODEL)


TICK = 0.05
"""Seconds between two looks at whether a model is being loaded."""


class Verifier:
    """Verifies pages that were drawn and drafted elsewhere, in ``threads`` threads (0: in that of the caller), with the
    target in this process, in a process on each of ``devices``, or in the program that ``options`` name. Raises
    :class:`docspec.core.ModelError` when it cannot be loaded or reached, or no longer answers."""

    def __init__(self, options: ParseOptions, observer: Observer, devices: Sequence[str] = ()) -> None:
        check_offline(options)
        self._options = options
        self._observer = observer
        self._devices = tuple(devices)
        self._opening = threading.RLock()
        self._begun: list[EngineProcesses] = []
        self.load_seconds = 0.0
        side_by_side = max(1, len(devices)) * options.in_flight
        self.threads = side_by_side if side_by_side > 1 or devices or options.has_other_engine else 0

    @property
    def is_here(self) -> bool:
        """Whether the target runs in this process."""
        return not (self._devices or self._options.has_other_engine)

    @property
    def is_loaded(self) -> bool:
        """Whether the target has been loaded."""
        return any(name in self.__dict__ for name in ("loaded", "processes", "engine"))

    @property
    def info(self) -> TargetInfo | RemoteInfo:
        """The target's description; loads it."""
        with self._opening:
            return self.loaded.info if self.is_here else self._described[1]

    @property
    def step_report(self) -> StepReport | None:
        """How steps are run; ``None`` before the target is loaded, and if another program runs them."""
        if "processes" in self.__dict__:
            steps: StepReport | None = self.processes.steps
            return steps
        return self.loaded.target.steps.report if "loaded" in self.__dict__ else None

    def report(self) -> dict[str, Any] | None:
        """The report of an engine in another program on its work so far; ``None`` without one."""
        return self.engine.report() if "engine" in self.__dict__ else None

    def open(self) -> None:
        """Loads the target, unless the first page that needs it does, and what reads pages without it."""
        if self._options.loads_late:
            import docspec.hierarchy.regions.known_pages  # noqa: F401
        else:
            self.reader()

    def prepare_options(
        self, view: View, image_dpi: float | None, images: bool, places: PlacesFrom | None = None
    ) -> PrepareOptions:
        """The options of preparing pages for it. Without ``images``, pages are drawn in full only if needed, also for
        ``places`` (``None``: those of the options). Drafting depends on its cost and savings if the target runs here
        and is loaded; else all pages are drafted, which always pays beside the work of others."""
        if not self.is_here or self._options.loads_late:
            complete = PrepareOptions.complete(view, image_dpi)
            looks = None if images or not self._options.loads_late else partial(self.looks, places=places)
            return replace(complete, looks=looks)
        pages = self.pages
        planner, takes = pages.planner, pages.regions.takes
        return PrepareOptions(view, image_dpi, takes, planner.prices, planner.drafted, self._options.overlaps)

    def verify(self, prepared: Sequence[DraftedPage], places: PlacesFrom | None = None) -> list[PageResult]:
        """The results of pages that were prepared, with what ``places`` need (``None``: those of the options); may be
        called from ``threads`` threads."""
        if not self._options.loads_late:
            return self.reader().recording(places).verify_all([page.with_draft() for page in prepared])
        from docspec.hierarchy.regions.known_pages import results_of

        return results_of(prepared, self.card, partial(self._read_late, places=places))

    def _read_late(self, prepared: Sequence[DraftedPage], places: PlacesFrom | None) -> list[PageResult]:
        """The results of pages that need the model. Where no model runs, such a page fails, and the others of the run
        do not."""
        try:
            reader = self.reader().recording(places)
        except ModelError as error:
            if error.failure is not Failure.NO_MODEL:
                raise
            from docspec.hierarchy.page_state import failed

            return [failed(one.page, _without_model(one, error)) for one in prepared]
        return reader.verify_all(prepared)

    def looks(self, page: PageImage, draft: PageDraft, places: PlacesFrom | None = None) -> bool:
        """Whether the pixels of a page are needed: for the model, for grading what was recognised, for the places of
        its words, or for pictures."""
        from docspec.hierarchy.regions.known_pages import result_without_model

        if draft.drafter != "text-layer" or draft.unread is None:
            return True
        is_read = draft.recognised or any(region.words == "recognition" for region in draft.regions)
        places = places or self._options.places
        if places == "recognise" or (places == "drafts" and is_read):
            return True
        result = result_without_model(DraftedPage(page, draft), self.card)
        return result is None or any(block.category is Category.PICTURE for block in result.blocks)

    def close(self) -> None:
        """Releases the target; the next page loads it again."""
        while not self._opening.acquire(timeout=TICK):  # whoever loads holds it, one thread after the other
            self._end_processes()
        try:
            self._end_processes()
            if "engine" in self.__dict__:
                self.engine.generator.close()
            if "pages" in self.__dict__:
                self.pages.close()
            for name in ("card", "loaded", "dialect", "pages", "processes", "engine", "_described"):
                self.__dict__.pop(name, None)
        finally:
            self._opening.release()

    def _end_processes(self) -> None:
        while self._begun:
            self._begun.pop().close()

    def reader(self) -> PageReader:
        """The reader of pages; loads the model once, whichever thread comes first."""
        with self._opening:
            return self.pages if self.is_here else self._described[0]

    @cached_property
    def card(self) -> ModelProfile:
        """The target's profile; loads nothing that pages may not need."""
        from docspec.targets.registry import card_of

        if self._options.loads_late:
            return card_of(self._options)
        return self.loaded.card if self.is_here else self.reader().context.card

    @cached_property
    def loaded(self) -> LoadedTarget:
        """The target in this process. Raises :class:`docspec.core.UsageError` if another one has it."""
        from docspec.targets.registry import load_target

        if self._options.has_other_engine:
            raise UsageError(f"this needs the engine in this process, not --engine {self._options.reads_with}")
        started = time.perf_counter()
        loaded = load_target(self._options)
        self.load_seconds = time.perf_counter() - started
        self._say(loaded.info.remarks)
        return loaded

    @cached_property
    def dialect(self) -> Dialect:
        """The target's forms of prompts and answers."""
        return dialect_of(self.loaded) if self.is_here else self.reader().context.dialect

    @cached_property
    def pages(self) -> PageParser:
        """The reader of pages in this process, with the costs of steps, crops and drafts here."""
        from docspec.drafting import make_drafter
        from docspec.hierarchy.page import PageParser
        from docspec.hierarchy.planner import Planner

        options = self._options
        costs, notes = measured_costs(self.loaded, options)
        self._say(notes)
        longest = options.max_tokens or self.loaded.card.max_new_tokens
        planner = Planner(costs, longest if options.drafter == "auto" else None)
        # If the layout is part of the reading, its cost is not weighed.
        drafter, of_regions = make_drafter(options, planner), make_drafter(options)
        # Pages in many threads say nothing; the run is told of finished ones.
        observer = NullObserver() if self.threads else self._observer
        pages = PageParser(self.loaded, self.dialect, drafter, options, observer, planner, of_regions)
        self._say(pages.context.engine.notes)
        return pages

    @cached_property
    def processes(self) -> EngineProcesses:
        """The target on each of the devices."""
        return start_devices(self._options, self._devices, self._begun.append)

    @cached_property
    def engine(self) -> OpenedEngine:
        """The engine in another program."""
        from docspec.generation.choice import open_engine

        return open_engine(self._options, self._observer.note)

    @cached_property
    def _described(self) -> tuple[PageReader, TargetInfo | RemoteInfo]:
        """The reader of pages with an engine in other processes, and the target's description; starts them."""
        from docspec.hierarchy.page import PageReader

        started = time.perf_counter()
        if self._options.has_other_engine:
            context, info = context_elsewhere(self._options, self.engine)
            self.load_seconds = time.perf_counter() - started
            self._say(info.remarks)
            return PageReader(context), info
        processes = self.processes
        self.load_seconds = time.perf_counter() - started
        facts = processes.opened[0].facts
        described = replace(facts.info, device=", ".join(processes.names))
        self._say((*processes.lost, *described.remarks, *facts.notes))
        return PageReader(context_on_devices(self._options, processes)), described

    def _say(self, lines: Sequence[str]) -> None:
        for line in lines:
            self._observer.note(line)
