"""The errors that users meet, and their categories. Each message says what happened, to which input and page, and what
to do next.

Errors of exhausted memory are recognised on every device, so that they cost one page and not the run; and those of a
lost accelerator, which cost all further pages.
"""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Iterator
from enum import StrEnum

ADVICE = "out of memory; lower --dpi or --max-tokens, or choose a smaller model"
"""What people are told where memory ran out."""

_SIGNS = ("out of memory", "can't allocate memory", "not enough memory", "cannot allocate memory")

_LOST = re.compile(
    r"illegal memory access|device-side assert|unspecified launch failure|misaligned address|illegal instruction"
    r"|invalid program counter|uncorrectable ECC|hardware stack error|launch timed out|unknown error|NVLink"
    r"|busy or unavailable|driver shutting down",
    re.IGNORECASE,
)
"""The CUDA errors after which every further call fails (the driver's documentation of its error codes)."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether ``error``, or one that caused it, says that memory ran out, in the words of Python, the CPU's allocator
    or the accelerator. (A graph capture that runs out of memory fails once more when it is ended.)"""
    return any(
        isinstance(one, MemoryError) or any(sign in str(one).lower() for sign in _SIGNS) for one in _with_causes(error)
    )


def is_device_lost(error: BaseException) -> bool:
    """Whether ``error``, or one that caused it, says that the accelerator cannot be used until the process is
    restarted."""
    return any(re.search(r"CUDA|cuDNN|cuBLAS", str(one)) and _LOST.search(str(one)) for one in _with_causes(error))


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def release_memory() -> None:
    """Frees unused memory before the next page."""
    gc.collect()
    torch = sys.modules.get("torch")  # without it there is no memory of an accelerator
    if torch is not None and torch.accelerator.is_available():
        torch.get_device_module(torch.accelerator.current_accelerator()).empty_cache()


class Failure(StrEnum):
    """The category of a failure; reports and manifests write its value."""

    UNREADABLE = "unreadable"
    """The input is missing, empty, of an unknown kind, or may not be read."""
    ENCRYPTED = "encrypted"
    """A password is needed, or the one given is wrong."""
    DAMAGED = "damaged"
    """The file's content is not what it should be."""
    TOO_LARGE = "too_large"
    """It exceeds a limit: of rendering, of the model's context, of ``kv-memory``."""
    TIMED_OUT = "timed_out"
    """It took longer than ``--page-timeout`` or ``document-timeout`` allow."""
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
