"""Marks in what was read that no page has: characters that nobody could put together, and a model's own tokens.

A server writes them if its decoding of tokens is broken, or its chat template or its settings do not fit the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from docspec.core import Block, Event, Region

_TOKEN = re.compile(r"<\|[^|<>\s]{1,40}\|>|</?think>")
_BROKEN = "\N{REPLACEMENT CHARACTER}"


def strange_marks(blocks: Iterable[Block], regions: Iterable[Region]) -> tuple[Event, ...]:
    """The event about such marks in the model's ``blocks``, unless they stand in the drafted ``regions`` too."""
    read = "\n".join(block.text for block in blocks if block.words == "model")
    drafted = "\n".join(text for region in regions for text in region.texts)
    tokens = sorted({mark for mark in _TOKEN.findall(read) if mark not in drafted})
    broken = read.count(_BROKEN) if _BROKEN not in drafted else 0
    marks = [f"{broken} characters that are broken (U+FFFD)"] if broken else []
    marks += [f"tokens of the model itself ({', '.join(tokens[:3])})"] if tokens else []
    if not marks:
        return ()
    return (Event("strange_marks", f"what was read has {' and '.join(marks)}; look at the server's settings"),)
