"""The category of a failed page or document, in one word for programs."""

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
    REFUSED = "refused"
    """The model or its server answered without the page's text: a filter, a refusal, nothing at all."""
    UNWRITABLE = "unwritable"
    """The output could not be written."""
    USAGE = "usage"
    """The request does not fit the document (a page that does not exist)."""
    UNEXPECTED = "unexpected"
    """An unforeseen fault."""
