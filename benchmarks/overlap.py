"""What it brings that a recognised page begins before its draft is there: both ways over the same pages."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from docspec.core import Moment, PageResult, ParseOptions
from docspec.documents import PageSelection, Source, parse_page_ranges
from docspec.hierarchy.arriving_draft import WHOLE
from docspec.parser import Parser

WAYS = ("off", "auto")
"""The draft first; and beside the page."""


@dataclass(frozen=True, slots=True)
class Overlapped:
    """One page: seconds on the clock, and those of drafting on it and ``beside`` it, medians for each of ``WAYS``;
    ``before`` are the tokens that were written before the draft was whole. The timeline is that of the last turn."""

    source: str
    page: int
    tokens: int
    wall: tuple[float, ...]
    draft: tuple[float, ...]
    beside: float
    before: int
    identical: bool
    timeline: tuple[Moment, ...]

    @property
    def faster(self) -> float:
        """Seconds with the draft first over those with the draft beside."""
        return self.wall[0] / self.wall[1] if self.wall[1] else 1.0


def measure(
    options: ParseOptions, sources: Sequence[Source], repeats: int, on_page: Callable[[Overlapped], None] | None = None
) -> list[Overlapped]:
    """Reads every page of ``sources`` whole, ``repeats`` times each way; a first document that is not timed warms all
    processes up. Pages for which nothing is recognised have nothing beside them."""
    options = replace(options, read="page")
    parsers = [Parser(replace(options, overlap=way)) for way in WAYS]  # type: ignore[arg-type]
    parsers[1].loaded = parsers[0].loaded
    found: list[Overlapped] = []
    try:
        for parser in parsers if sources else ():
            list(parser.pages(sources[0]))
        for source in sources:
            turns = [[_read(parser, source) for parser in parsers] for _ in range(repeats)]
            for pages in zip(*(zip(*turn, strict=True) for turn in turns), strict=True):
                found.append(_page(pages))
                if on_page is not None:
                    on_page(found[-1])
    finally:
        for parser in parsers:
            parser.close()
    return found


Timed = tuple[PageResult, float]


def _read(parser: Parser, source: Source) -> list[Timed]:
    """The pages of ``source``, each with its seconds on the clock: one by one, nothing is prepared beside another."""
    document, found = parser.open(source), []
    for number in parse_page_ranges(parser.options.pages).resolve(document.page_count, document.name):
        start = time.perf_counter()
        [page] = parser.pages(document, PageSelection.of([number]))
        found.append((replace(page, image=None), time.perf_counter() - start))
    return found


def _page(turns: Sequence[Sequence[Timed]]) -> Overlapped:
    """One page of which each turn read it both ways."""
    first = turns[0][0][0]
    last = turns[-1][1][0]
    whole = [moment.tokens for moment in last.timeline if moment.what == WHOLE]
    return Overlapped(
        first.source,
        first.number,
        len(first.token_ids),
        tuple(median(turn[way][1] for turn in turns) for way in range(len(WAYS))),
        tuple(median(turn[way][0].timings.draft for turn in turns) for way in range(len(WAYS))),
        median(turn[1][0].timings.beside for turn in turns),
        whole[0] if whole else 0,
        all(page.status == "ok" and page.text == first.text for turn in turns for page, _ in turn),
        last.timeline,
    )
