"""Markdown pipe tables made rectangular: readers of Markdown leave out the cells that have no header above them."""

from __future__ import annotations

import re
from collections.abc import Iterable

_BORDER = re.compile(r"(?<!\\)\|")
_PREFIX = re.compile(r"[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*\|?")
_LINE_END = re.compile(r"\r\n|\r|\n")


def squared(markdown: str, tables: Iterable[tuple[int, int]]) -> str:
    """``markdown`` with further header cells, empty, over the cells that have none.

    ``tables`` are ranges of lines, the first of each its header and the second its row of dashes.
    """
    lines = _LINE_END.split(markdown)
    for start, end in tables:
        missing = max(map(_columns, lines[start:end])) - _columns(lines[start])
        if missing > 0:
            lines[start] = _closed(lines[start]) + "  |" * missing
            lines[start + 1] = _closed(lines[start + 1]) + "---|" * missing
    return "\n".join(lines)


def _columns(line: str) -> int:
    return len(_BORDER.findall(_PREFIX.sub("", _closed(line), count=1)))


def _closed(line: str) -> str:
    """The line with a border at its end."""
    line = line.rstrip()
    return line if line.endswith("|") and not line.endswith("\\|") else line + "|"
