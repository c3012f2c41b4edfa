"""A document that a child has open, in the parent process: its page count, damage and remaining time."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property

from docspec.core import Failure, InputError, PageError
from docspec.core.closing import Closing
from docspec.documents import PageFailure, Source
from docspec.isolation.worker import DocumentFacts

MOST_LOST = 3
"""Lost drafts in succession after which the other pages of a document are not drafted."""


@dataclass(frozen=True, slots=True)
class Unread:
    """One of several inputs that cannot be read; it keeps its place among them."""

    name: str
    error: InputError


class IsolatedDocument(Closing):
    """An opened input; :meth:`docspec.Parser.pages` reads it. ``damage`` says what is wrong with the file although it
    could be opened, as far as it is known."""

    def __init__(self, source: Source, opened: DocumentFacts, seconds: float | None) -> None:
        path = source.path
        self.source = source if path is None else replace(source, path=path.absolute())
        self.page_count = opened.page_count
        self.damage = opened.damage
        self._seconds = seconds
        self._end: float | None = None
        self._lost_drafts = 0

    @property
    def name(self) -> str:
        return self.source.name

    @cached_property
    def sha256(self) -> str:
        return self.source.sha256()

    def begin(self) -> None:
        """Starts its time limit, if ``document-timeout`` sets one."""
        if self._end is None and self._seconds is not None:
            self._end = time.monotonic() + self._seconds

    def seconds_left(self) -> float | None:
        """Seconds left of its time; ``None`` without a limit."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())

    def failed(self, number: int, what: str, failure: Failure) -> PageFailure:
        """The result of page ``number``, which was lost because of ``what``."""
        if self.seconds_left() == 0.0:
            what = "the document was not done in time (document-timeout)"
        return PageFailure(number, self.name, PageError(f"{self.name}, page {number}: {what}", failure))

    def note_draft(self, lost: bool) -> None:
        """Counts the last draft as ``lost`` with the child that made it, or not."""
        self._lost_drafts = self._lost_drafts + 1 if lost else 0

    @property
    def is_drafted(self) -> bool:
        """Whether its pages are still drafted."""
        return self._lost_drafts < MOST_LOST

    def close(self) -> None:
        """Does nothing: this process holds nothing of the document."""
