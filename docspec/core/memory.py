"""Recognises errors of exhausted memory, on every device, so that they cost one page and not the run; and those of a
lost accelerator, which cost all further pages."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Iterator

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
