"""A page with its draft, as it goes from the drafting process to the verifying one, and the making of that draft."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from docspec.core import PageDraft, PageImage
from docspec.drafting.blank import is_blank
from docspec.drafting.safe import SafeDrafter


def draft_of(page: PageImage, drafter: SafeDrafter) -> PageDraft:
    """The page's draft, which says whether the page is blank. Errors of judging an odd page are raised."""
    draft = drafter.draft(page)
    return replace(draft, blank=is_blank(page, draft))


class DraftFuture:
    """A draft that another process makes while its page is being read: lines as they are recognised, then the whole
    draft. One thread adds pieces, another one reads them; pieces are never removed.

    ``pieces`` are the texts so far, a few printed lines each; ``head_seconds`` passed, with nothing else done, until
    recognition began, and ``seconds`` until the draft was whole (0 before)."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.pieces: list[str] = []
        self.head_seconds = 0.0
        self.seconds = 0.0
        self._begun = threading.Event()
        self._whole = threading.Event()
        self._draft = PageDraft()
        self._error: Exception | None = None

    def heard(self, lines: Sequence[str]) -> None:
        """Adds recognised ``lines``; an empty sequence says that recognition begins."""
        if lines:
            self.pieces.append("\n".join(lines))
        self._begin()

    def finish(self, draft: PageDraft, error: Exception | None = None) -> None:
        """Sets the whole draft, or the ``error`` that prevented it."""
        self._draft, self._error = draft, error
        self.seconds = time.perf_counter() - self.began
        self._whole.set()
        self._begin()

    def await_begin(self) -> None:
        """Waits until recognition has begun, or there is a draft without any."""
        self._begun.wait()

    @property
    def is_whole(self) -> bool:
        """Whether :meth:`whole` answers at once."""
        return self._whole.is_set()

    def whole(self) -> PageDraft:
        """Waits for the draft. Raises the error that prevented it."""
        self._whole.wait()
        if self._error is not None:
            raise self._error
        return self._draft

    def _begin(self) -> None:
        if not self._begun.is_set():
            self.head_seconds = time.perf_counter() - self.began
            self._begun.set()


@dataclass(frozen=True, slots=True, eq=False)
class DraftedPage:
    """A drawn page with its draft so far; ``error`` is an exception from outside the drafter
    (drawing, the child process), which ends the page. ``waited`` are the seconds
    spent on nothing but waiting for it, ``None`` where it was not made beside other work. ``future`` is a draft that is
    still being made."""

    page: PageImage
    draft: PageDraft = field(default_factory=PageDraft)
    error: Exception | None = None
    waited: float | None = None
    future: DraftFuture | None = None

    def with_draft(self) -> DraftedPage:
        """The page with its finished draft in place of the future one, if that is whole."""
        if self.future is None or not self.future.is_whole:
            return self
        try:
            return replace(self, draft=self.future.whole(), future=None)
        except Exception as error:
            return replace(self, error=error, future=None)
