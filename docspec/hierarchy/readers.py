"""Reads drafted pages with one context, whole or by regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from docspec.core import PageResult
from docspec.drafting.drafted_page import DraftedPage
from docspec.hierarchy.grading import graded
from docspec.hierarchy.page_state import PageState
from docspec.hierarchy.provenance import with_provenance
from docspec.hierarchy.regions.pages import RegionPages
from docspec.hierarchy.regions.regions_read import CropReader


class Readers:
    """The two ways of reading a page, over one engine: by ``regions`` (it decides which pages are read so), and whole
    with ``read_whole``."""

    def __init__(self, context: Any, reading: CropReader, read_whole: Callable[[Sequence[PageState]], None]) -> None:
        self.context = context
        self.regions = RegionPages(context, reading)
        self._read_whole = read_whole

    def read(self, drafted: Sequence[DraftedPage]) -> list[PageResult]:
        """The results of ``drafted``, whose rows are decoded in one batch. Errors are not caught here."""
        states = [PageState.begun(one) for one in drafted]
        asked = [state for state in states if state.result.status == "ok"]
        by_regions = [state for state in asked if self.regions.takes(state.page)]
        whole = [state for state in asked if not self.regions.takes(state.page)]
        if by_regions:
            self.regions.read(by_regions)
        if whole:
            self._read_whole(whole)
        if self.context.options.on_loop == "reread":
            self.regions.reread([state for state in whole if state.result.cut and state.result.cut.reason == "loop"])
        if self.context.options.provenance:
            for state in states:
                with_provenance(state, self.context)
        return [graded(state.result, state.draft, self.context.card) for state in states]
