"""Running out of memory: recognised on every device, so that it costs one page and not the run. And what costs all
pages to come: an accelerator that is lost to this process."""

from __future__ import annotations

import gc
import re
import sys

_SIGNS = ("out of memory", "can't allocate memory", "not enough memory", "cannot allocate memory")

_LOST = re.compile(
    r"illegal memory access|device-side assert|unspecified launch failure|misaligned address|illegal instruction"
    r"|invalid program counter|uncorrectable ECC|hardware stack error|launch timed out|unknown error|NVLink"
    r"|busy or unavailable|driver shutting down",
    re.IGNORECASE,
)
"""Of the errors of CUDA those after which every further call fails (the driver's documentation of its error codes)."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether ``error``, or one that it followed upon, says that memory ran out: Python's, the CPU allocator's or the
    accelerator's way. (A capture that ran out of memory fails once more where it is ended.)"""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, MemoryError) or any(sign in str(seen).lower() for sign in _SIGNS):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def is_device_lost(error: BaseException) -> bool:
    """Whether ``error``, or one that it followed upon, says that the accelerator cannot be used before the process is
    started anew."""
    seen: BaseException | None = error
    while seen is not None:
        if re.search(r"CUDA|cuDNN|cuBLAS", str(seen)) and _LOST.search(str(seen)):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def release_memory() -> None:
    """Gives back what can be given back before the next page."""
    gc.collect()
    torch = sys.modules.get("torch")  # without it nothing of an accelerator is held
    if torch is not None and torch.accelerator.is_available():
        torch.get_device_module(torch.accelerator.current_accelerator()).empty_cache()
