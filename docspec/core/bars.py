"""Progress bars of transformers, held back where docspec shows its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def without_bars() -> Iterator[None]:
    """Within it transformers and the hub draw no bar; afterwards they do as before."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
