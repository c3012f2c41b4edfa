"""Running out of memory: recognised on every device, so that it costs one page and not the run."""

from __future__ import annotations

import gc

_SIGNS = ("out of memory", "can't allocate memory", "not enough memory", "cannot allocate memory")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether ``error`` says that memory ran out: Python's, the CPU allocator's or the accelerator's way."""
    return isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in _SIGNS)


def release_memory() -> None:
    """Gives back what can be given back before the next page."""
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
