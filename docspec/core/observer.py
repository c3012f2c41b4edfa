"""Reports of a run while it goes on: progress for a terminal and notes for people. No result depends on them."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from docspec.core.result import PageResult


@runtime_checkable
class Observer(Protocol):
    """Listens to a parser. Calls come from the parser's thread; an observer must return quickly and raise nothing
    but ``KeyboardInterrupt``, which ends the run.
    """

    def document_started(self, source: str, pages: int) -> None:
        """``source`` (display name) was opened and ``pages`` of its pages are going to be read."""
        ...

    def stage(self, number: int, name: str) -> None:
        """Page ``number`` enters ``render``, ``draft``, ``prefill``, ``stage1``, ``stage2`` or
        ``baseline``.
        """
        ...

    def decoding(self, number: int, stage: str, tokens: int, tokens_per_step: float) -> None:
        """Page ``number`` has ``tokens`` tokens in ``stage`` so far; called at most about ten times a
        second.
        """
        ...

    def page_done(self, result: PageResult) -> None:
        """A page has its final result, failed ones included."""
        ...

    def note(self, message: str) -> None:
        """One line for people: which model is used, which files were skipped."""
        ...


class NullObserver:
    """Ignores everything; the default of the API and the base of observers that care about a few calls."""

    def document_started(self, source: str, pages: int) -> None:
        pass

    def stage(self, number: int, name: str) -> None:
        pass

    def decoding(self, number: int, stage: str, tokens: int, tokens_per_step: float) -> None:
        pass

    def page_done(self, result: PageResult) -> None:
        pass

    def note(self, message: str) -> None:
        pass
