"""Reads drafted pages with one context, whole or by regions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from docspec.core import PageResult
from docspec.drafting.drafted_page import DraftedPage
from docspec.hierarchy.grading import graded
from docspec.hierarchy.page_state import PageState
from docspec.hierarchy.provenance import with_provenance
from docspec.hierarchy.regions.pages import RegionPages


class ReadsWhole(Protocol):
    """Reads pages whole, with any engine."""

    def read(self, states: Sequence[PageState]) -> None:
        """Reads one or more pages."""
        ...


class Readers:
    """The two ways of reading a page, over one engine."""

    def __init__(self, context: Any, regions: RegionPages, whole: ReadsWhole) -> None:
        self.context = context
        self.regions = regions
        self._whole = whole

    def read(self, drafted: Sequence[DraftedPage]) -> list[PageResult]:
        """The results of ``drafted``, whose rows are decoded in one batch. Errors are not caught here."""
        states = [PageState.begun(one) for one in drafted]
        asked = [state for state in states if state.result.status == "ok"]
        by_regions = [state for state in asked if self.regions.takes(state.page)]
        whole = [state for state in asked if not self.regions.takes(state.page)]
        if by_regions:
            self.regions.read(by_regions)
        if whole:
            self._whole.read(whole)
        if self.context.options.on_loop == "reread":
            self.regions.reread([state for state in whole if state.result.cut and state.result.cut.reason == "loop"])
        if self.context.options.provenance:
            for state in states:
                with_provenance(state, self.context)
        return [graded(state.result, state.draft, self.context.card) for state in states]
