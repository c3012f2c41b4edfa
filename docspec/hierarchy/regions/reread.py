"""Finds the regions that the text of a page cut short has not reached, by comparison with the draft."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from docspec.core import Region

BEGINNING = 40
"""Letters at the beginning of a region by which it is recognised."""

LEAST = 12
"""Texts with fewer letters are ignored: they may stand anywhere."""

ALIKE = 85.0
"""Least similarity (0 to 100) at which a beginning counts as found."""

_TAG = re.compile(r"<[^<>]{1,200}>")
_NOT_LETTER = re.compile(r"[\W_]+")


def unreached(regions: Sequence[Region], text: str) -> list[Region] | None:
    """The ``regions`` after the last one whose beginning stands in ``text``; all of them if none does.

    ``None`` where no region has enough text for the comparison. Regions that ``text`` left out before that one are not
    found.
    """
    written = _letters(text)
    beginnings = [[_letters(one)[:BEGINNING] for one in region.texts] for region in regions]
    known = [any(len(one) >= LEAST for one in ways) for ways in beginnings]
    if not any(known):
        return None
    reached = [
        any(len(one) >= LEAST and len(written) >= LEAST and fuzz.partial_ratio(one, written) >= ALIKE for one in ways)
        for ways in beginnings
    ]
    last = max((index for index, found in enumerate(reached) if found), default=-1)
    return list(regions[last + 1 :])


def _letters(text: str) -> str:
    return _NOT_LETTER.sub("", _TAG.sub(" ", text).casefold())
