"""The errors that users meet, and their categories. Each message says what happened, to which input and page, and what
to do next."""

from __future__ import annotations

from enum import StrEnum


class Failure(StrEnum):
    """The category of a failure; reports and manifests write its value."""

    UNREADABLE = "unreadable"
    """The input is missing, empty, of an unknown kind, or may not be read."""
    ENCRYPTED = "encrypted"
    """A password is needed, or the one given is wrong."""
    DAMAGED = "damaged"
    """The file's content is not what it should be."""
    TOO_LARGE = "too_large"
    """It exceeds a limit: of rendering, of the model's context, of ``--kv-memory``."""
    TIMED_OUT = "timed_out"
    """It took longer than ``--page-timeout`` or ``--document-timeout`` allow."""
    CRASHED = "crashed"
    """The process that opened, drew or drafted it died."""
    OUT_OF_MEMORY = "out_of_memory"
    """Memory ran out, or its process exceeded its limit."""
    DEVICE_LOST = "device_lost"
    """The accelerator cannot be used again until the process is restarted."""
    NO_MODEL = "no_model"
    """It cannot be read without a model, and no model runs here."""
    REFUSED = "refused"
    """The model or its server answered without the page's text: a filter, a refusal, nothing at all."""
    UNWRITABLE = "unwritable"
    """The output could not be written."""
    USAGE = "usage"
    """The request does not fit the document (a page that does not exist)."""
    UNEXPECTED = "unexpected"
    """An unforeseen fault."""


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
