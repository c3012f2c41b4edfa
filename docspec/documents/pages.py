"""Page ranges as people write them (``1-3,7``), checked against a document once its page count is known.

Parsing needs no document, so that a typing error is a usage error before anything is opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from docspec.core import Failure, InputError, UsageError

_PART = re.compile(r"(?a:(\d*)\s*-\s*(\d*)|(\d+))")


@dataclass(frozen=True, slots=True)
class PageSelection:
    """Closed ranges of 1-based page numbers; an end of ``None`` is the last page. No ranges at all: every
    page.
    """

    ranges: tuple[tuple[int, int | None], ...] = ()

    @classmethod
    def of(cls, numbers: Iterable[int]) -> Self:
        """The pages ``numbers`` and no others; there is at least one."""
        return cls(tuple((number, number) for number in numbers))

    def resolve(self, page_count: int, name: str = "the document") -> tuple[int, ...]:
        """The selected page numbers of a document of ``page_count`` pages: ascending, each once.

        The end of a range is the last page at most, as over a folder of longer and shorter documents. Raises
        :class:`InputError` where the document has no page with which a range begins.
        """
        if not self.ranges:
            return tuple(range(1, page_count + 1))
        chosen: set[int] = set()
        for start, end in self.ranges:
            if start > page_count:
                pages = "1 page" if page_count == 1 else f"{page_count} pages"
                message = f"{name}: page {start} does not exist, it has {pages}; correct --pages"
                raise InputError(message, Failure.USAGE)
            chosen.update(range(start, min(end or page_count, page_count) + 1))
        return tuple(sorted(chosen))


def parse_page_ranges(text: str | None) -> PageSelection:
    """Parse ``"1-3,7"``, ``"5-"`` (to the end) or ``"-4"`` (from the start); ``None`` selects every page.

    Raises :class:`UsageError` for anything else, for page 0 and for ranges that run backwards.
    """
    if text is None:
        return PageSelection()
    ranges: list[tuple[int, int | None]] = []
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None or part.strip() == "-" or len(part) > 40:
            raise UsageError(f"--pages {text!r}: {part.strip()!r} is not a page or a range; write it like 1-3,7 or 5-")
        first, last, single = match.groups()
        start = int(single or first or 1)
        end = int(single) if single else int(last) if last else None
        if start < 1 or end == 0:
            raise UsageError(f"--pages {text!r}: pages are counted from 1")
        if end is not None and end < start:
            raise UsageError(f"--pages {text!r}: {part.strip()} runs backwards; write it as {end}-{start}")
        ranges.append((start, end))
    return PageSelection(tuple(ranges))
