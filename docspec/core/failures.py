"""Why a page or a document is missing, in one word that programs can count and choose by."""

from __future__ import annotations

from enum import StrEnum


class Failure(StrEnum):
    """The category of a failure; reports and manifests write its value."""

    UNREADABLE = "unreadable"
    """The input is missing, empty, of an unknown kind, or may not be read."""
    ENCRYPTED = "encrypted"
    """A password is needed, or the one given is wrong."""
    DAMAGED = "damaged"
    """The file does not hold what it should."""
    TOO_LARGE = "too_large"
    """It is beyond a limit: of what is drawn, of the model's context, of ``--kv-memory``."""
    TIMED_OUT = "timed_out"
    """It took longer than ``--page-timeout`` or ``--document-timeout`` allow."""
    CRASHED = "crashed"
    """The process that opened, drew or drafted it died."""
    OUT_OF_MEMORY = "out_of_memory"
    """Memory ran out, or its process took more than it may."""
    DEVICE_LOST = "device_lost"
    """The accelerator cannot be used again before the process is started anew."""
    UNWRITABLE = "unwritable"
    """The output could not be written."""
    USAGE = "usage"
    """The request does not fit the document (a page that does not exist)."""
    UNEXPECTED = "unexpected"
    """A fault that nobody foresaw."""
