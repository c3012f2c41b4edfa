"""The errors that users meet. Each message says what happened, to which input and page, and what to do next."""

from __future__ import annotations

from docspec.core.failures import Failure


class DocspecError(Exception):
    """Base of everything that docspec raises on purpose; its text is one line fit for a terminal.

    ``failure`` is its category (``None``: the class's own).
    """

    failure: Failure = Failure.UNEXPECTED

    def __init__(self, message: str = "", failure: Failure | None = None) -> None:
        super().__init__(message)
        if failure is not None:
            self.failure = failure


class UsageError(DocspecError):
    """The request makes no sense as it stands (exit code 2)."""

    failure = Failure.USAGE


class InputError(DocspecError):
    """An input cannot be read: missing, damaged, encrypted, empty, of an unknown kind (that input fails)."""

    failure = Failure.UNREADABLE


class OutputError(DocspecError):
    """An output cannot be written (exit code 1)."""

    failure = Failure.UNWRITABLE


class ModelError(DocspecError):
    """The target model cannot be loaded or run (exit code 1)."""


class DrafterError(DocspecError):
    """A drafter cannot work; the page goes on without its draft unless the drafter was asked for by name."""


class PageError(DocspecError):
    """One page failed; the run goes on and ends with exit code 3."""

    failure = Failure.DAMAGED
