"""Turns off transformers' progress bars while docspec shows its own."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

_lock = threading.Lock()
_holders = 0
_shown = True  # before the first holder


@contextlib.contextmanager
def without_bars() -> Iterator[None]:
    """Turns off the bars of transformers and the hub until the last of several threads has left."""
    from transformers.utils import logging

    global _holders, _shown
    with _lock:
        if not _holders:
            _shown = logging.is_progress_bar_enabled()
            logging.disable_progress_bar()
        _holders += 1
    try:
        yield
    finally:
        with _lock:
            _holders -= 1
            if not _holders and _shown:
                logging.enable_progress_bar()
