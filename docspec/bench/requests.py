"""What the engine is asked for a page, for measurements of the engine alone."""

from __future__ import annotations

from docspec.drafting.drafted_page import DraftedPage
from docspec.engine.request import Request
from docspec.hierarchy.page import PageParser
from docspec.hierarchy.page_state import PageState
from docspec.hierarchy.regions.own_layout import lay_out


def requests_of(pages: PageParser, drafted: DraftedPage) -> list[Request]:
    """The decoder's requests for a drafted page without Stage 1: the page, or its crops in reading order."""
    state, context = PageState.begun(drafted), pages.context
    if not pages.regions.takes(state.page):
        return [context.engine.request_of(pages.whole.request(state))]
    lay_out(context, state)
    return [context.engine.request_of(crop.request) for crop in pages.regions.cut(state.page, state.draft).crops]
