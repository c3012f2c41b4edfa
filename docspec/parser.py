"""The Python interface: ``parse`` for one document, ``Parser`` for many with one loaded model.

The command line is a thin layer over :class:`Parser`. Pages stream: one page is held at a time, whatever the
length of the document, beside the next one, which is rendered and drafted in the background.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from docspec import offline
from docspec.core import DocumentResult, Event, PageImage, PageResult, ParseOptions
from docspec.core.observer import NullObserver, Observer
from docspec.documents import (
    Document,
    PageFailure,
    PageSelection,
    Source,
    open_document,
    parse_page_ranges,
)
from docspec.documents.sources import source_from_bytes
from docspec.documents.view import View
from docspec.lookahead import lookahead
from docspec.proposing.registry import source_names

if TYPE_CHECKING:
    from docspec.dialects import Dialect
    from docspec.hierarchy.page import PageParser
    from docspec.hierarchy.work import DraftedPage
    from docspec.targets.registry import LoadedTarget, TargetInfo
    from docspec.targets.stepping.step import StepReport

Input = Source | str | Path | bytes


class Parser:
    """Parses documents with one target, loaded at first use and kept.

    Raises :class:`docspec.core.ModelError` when the target cannot be loaded, :class:`docspec.core.DrafterError`
    when a drafter asked for by name cannot work, and :class:`docspec.core.InputError` for an input that cannot be
    read. A page that fails comes as a result with status ``failed``.
    """

    def __init__(self, options: ParseOptions | None = None, observer: Observer | None = None) -> None:
        self.options = options or ParseOptions()
        source_names(self.options.align)  # a wrong name is an error of the request, not of its pages
        self.observer: Observer = observer or NullObserver()
        self._dials = True
        self._go_offline()

    @property
    def target_info(self) -> TargetInfo:
        """What the target is; loads it."""
        return self.loaded.info

    @property
    def step_report(self) -> StepReport | None:
        """How verification steps are run at present; ``None`` before the target is loaded."""
        return self.loaded.target.steps.report if "loaded" in self.__dict__ else None

    def open(self, source: Input) -> Document:
        """Opens an input: a path, a :class:`docspec.documents.Source`, or the bytes of a PDF or an image."""
        self._go_offline()
        if isinstance(source, bytes):
            source = source_from_bytes(source)
        return open_document(source, self.options.password)

    def pages(
        self, source: Input | Document, selection: PageSelection | None = None
    ) -> Iterator[PageResult]:
        """The results of the selected pages (``selection``, else those of the options), one at a time; an already open
        document stays open."""
        if isinstance(source, Document):
            yield from self._pages(source, selection)
            return
        with self.open(source) as document:
            yield from self._pages(document, selection)

    def parse(self, source: Input | Document) -> DocumentResult:
        """All selected pages at once, without their images. Stream long documents with :meth:`pages` instead."""
        if isinstance(source, Document):
            return DocumentResult(
                source.name, tuple(replace(page, image=None) for page in self.pages(source))
            )
        with self.open(source) as document:
            return self.parse(document)

    def page_images(
        self, document: Document, selection: PageSelection | str | None = None
    ) -> Iterator[PageImage | PageFailure]:
        """The selected pages of ``document`` as the target is shown them; see :meth:`Document.pages`."""
        from docspec.documents.image_scale import through_pdf

        dpi = self.loaded.card.image_dpi if self.options.image_scale == "published" else None
        options = self.options
        limit = None if options.max_megapixels == 0 else round(1e6 * options.max_megapixels)
        view = View(options.dpi, not options.keep_rotation, not options.ignore_exif, limit)
        for page in document.pages(selection, view=view):
            yield page if dpi is None or isinstance(page, PageFailure) else through_pdf(page, dpi)

    def parse_page(self, page: PageImage) -> PageResult:
        """The result of one page that was rendered elsewhere; never raises for what is wrong with the page."""
        return self._page_parser.parse(page)

    def close(self) -> None:
        """Lets go of the model, and of the process if this was offline; the parser can be used again and will load it
        again."""
        for name in ("loaded", "dialect", "_page_parser"):
            self.__dict__.pop(name, None)
        if not self._dials:
            offline.release()
            self._dials = True

    def _go_offline(self) -> None:
        if self.options.offline and self._dials:
            offline.enforce()
            self._dials = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _pages(self, document: Document, selection: PageSelection | None) -> Iterator[PageResult]:
        selection = selection or parse_page_ranges(self.options.pages)
        numbers = selection.resolve(document.page_count, document.name)
        page_parser = self._page_parser
        self.observer.document_started(document.name, len(numbers))
        for result in self._results(page_parser, self.page_images(document, selection), numbers):
            if document.damage is not None:
                result = replace(result, events=(Event("damaged_input", document.damage), *result.events))
            self.observer.page_done(result)
            yield result

    def _results(
        self, page_parser: PageParser, pages: Iterator[PageImage | PageFailure], numbers: Sequence[int]
    ) -> Iterator[PageResult]:
        """Verifies ``pages``, as many at a time as may be in flight; the next ones are rendered and drafted meanwhile
        (not where times are compared)."""
        if len(numbers) < 2 or self.options.baseline:
            for page in pages:
                yield _failed(page) if isinstance(page, PageFailure) else page_parser.parse(page)
            return
        depth = self.options.pages_in_flight
        drafts = lookahead((p if isinstance(p, PageFailure) else page_parser.draft(p) for p in pages), depth)
        with contextlib.closing(drafts):
            for first in range(0, len(numbers), depth):
                yield from self._in_flight(page_parser, drafts, numbers[first : first + depth])

    def _in_flight(
        self, page_parser: PageParser, drafts: Iterator[DraftedPage | PageFailure], numbers: Sequence[int]
    ) -> list[PageResult]:
        """The results of the next pages, which are those with ``numbers``, verified side by side."""
        drafted: list[DraftedPage] = []
        lost: dict[int, PageFailure] = {}
        for place, number in enumerate(numbers):
            self.observer.stage(number, "draft")
            asked = time.perf_counter()
            one = next(drafts)
            if isinstance(one, PageFailure):
                lost[place] = one
            else:
                drafted.append(replace(one, waited=time.perf_counter() - asked))
        found = iter(page_parser.verify_all(drafted) if drafted else ())
        return [_failed(lost[place]) if place in lost else next(found) for place in range(len(numbers))]

    @cached_property
    def loaded(self) -> LoadedTarget:
        """The target itself, its card and its description; loaded at first use."""
        from docspec.targets.registry import load_target

        self._go_offline()
        loaded = load_target(self.options)
        for remark in loaded.info.remarks:
            self.observer.note(remark)
        return loaded

    @cached_property
    def dialect(self) -> Dialect:
        """How the target is asked and how it answers, with what its card and its image processor say."""
        from docspec.dialects import make_dialect

        card = self.loaded.card
        settings: dict[str, Any] = {}
        if card.prompt is not None:
            settings["page_prompt"] = card.prompt
        if card.crop_prompts is not None:
            settings["crop_prompt"] = card.crop_prompts
        if card.dialect == "layout-json":
            settings.update(self.loaded.target.processing.pixel_limits)
        elif card.dialect == "markdown":
            settings["table_style"] = card.table_style
        return make_dialect(card.dialect, **settings)

    @cached_property
    def _page_parser(self) -> PageParser:
        from docspec.drafting import make_drafter
        from docspec.hierarchy.calibration import calibrate
        from docspec.hierarchy.costs import Costs
        from docspec.hierarchy.page import PageParser
        from docspec.hierarchy.planner import Planner

        planner = Planner(Costs())
        drafter = make_drafter(self.options, planner)
        if "auto" in (self.options.drafter, self.options.stages):
            seconds = calibrate(self.loaded.target, planner.costs, kv_limit=self.options.kv_limit)
            self.observer.note(
                f"measured in {seconds:.1f} s: {1e3 * planner.costs.step_seconds(1):.1f} ms for a step of one token, "
                f"{1e3 * planner.costs.step_seconds(64):.1f} ms for one of 64"
            )
        layout = make_drafter(
            self.options
        )  # where the layout is part of the reading, it is not weighed against it
        return PageParser(self.loaded, self.dialect, drafter, self.options, self.observer, planner, layout)


def _failed(page: PageFailure) -> PageResult:
    return PageResult(page.source, page.number, "failed", error=str(page.error), failure=page.error.failure)


def parse(source: Input, **options: Any) -> DocumentResult:
    """Parses one document with :class:`docspec.core.ParseOptions` given as keywords.

    >>> result = parse("report.pdf", pages="1-3")  # doctest: +SKIP
    """
    with Parser(ParseOptions(**options)) as parser:
        return parser.parse(source)
