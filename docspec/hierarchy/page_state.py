"""The state of a page while it is read."""

from __future__ import annotations

from dataclasses import dataclass, replace

from docspec.core import Event, PageDraft, PageError, PageImage, PageResult
from docspec.drafting.drafted_page import DraftedPage, DraftFuture
from docspec.drafting.turning import turning, upright
from docspec.engine.request import Output
from docspec.hierarchy import results


def page_of(drafted: DraftedPage) -> PageImage:
    """The page as it is read: turned upright if its draft says how."""
    return upright(drafted.page, drafted.draft.turns)


@dataclass(slots=True, eq=False)
class PageState:
    """A page with its ``result`` so far. ``crops``: whether its regions are verified (Stage 1); ``texts`` are the
    outputs of Stage 1, ``outputs`` those that make up the page's text. ``future`` is the draft while it is still being
    made."""

    page: PageImage
    draft: PageDraft
    result: PageResult
    crops: bool = False
    texts: list[str] | None = None
    encode_seconds: float = 0.0
    outputs: tuple[Output, ...] = ()
    future: DraftFuture | None = None

    @classmethod
    def begun(cls, drafted: DraftedPage) -> PageState:
        """The initial state. The page is finished already if drafting failed or nothing is printed on it."""
        page, draft = page_of(drafted), drafted.draft
        if drafted.error is not None:
            return cls(page, draft, results.failed(page, drafted.error))
        events = (*page.events, *turning(draft.turns), *draft.events)
        begun = results.begun(page, draft, events, drafted.waited)
        state = cls(page, draft, begun, future=drafted.future)
        if draft.blank and state.result.damage is not None:
            lost = PageError(f"nothing of it can be shown; {state.result.damage}")
            state.result = replace(results.failed(page, lost), events=state.result.events)
        elif draft.blank:
            state.happened("blank_page", "nothing is printed on the page; the model was not asked")
            state.result = replace(state.result, status="blank")
        return state

    @property
    def number(self) -> int:
        return self.page.number

    def arrived(self, draft: PageDraft, seconds: float, beside: float) -> None:
        """Takes the complete draft: ``seconds`` of drafting counted on the clock, ``beside`` passed while the page was
        read."""
        self.draft = draft
        self.result = replace(
            self.result,
            drafter=draft.drafter,
            drafter_reason=draft.reason,
            layout=draft.laid_out_by,
            regions=len(draft.regions),
            events=(*self.result.events, *draft.events),
            timings=replace(self.result.timings, draft=seconds, beside=beside),
        )

    def happened(self, kind: str, detail: str) -> None:
        """Adds an event to the result."""
        self.result = replace(self.result, events=(*self.result.events, Event(kind, detail)))
