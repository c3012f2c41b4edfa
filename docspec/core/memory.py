"""Running out of memory: recognised on every device, so that it costs one page and not the run."""

from __future__ import annotations

import gc

_SIGNS = ("out of memory", "can't allocate memory", "not enough memory", "cannot allocate memory")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether ``error``, or one that it followed upon, says that memory ran out: Python's, the CPU allocator's or the
    accelerator's way. (A capture that ran out of memory fails once more where it is ended.)"""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, MemoryError) or any(sign in str(seen).lower() for sign in _SIGNS):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def release_memory() -> None:
    """Gives back what can be given back before the next page."""
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
