"""A stand-in for PyMuPDF, which is too large to be carried: pages come as pictures, which are read without it."""

from __future__ import annotations

import types
from typing import Any


class _Tools:
    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: None


TOOLS = _Tools()
pymupdf4llm = types.SimpleNamespace()
_get_layout = None


def set_messages(*args: Any, **kwargs: Any) -> None:
    return None
