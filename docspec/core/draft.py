"""A drafter's guess of what is on a page: the input of speculation, never the output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from docspec.core.categories import Category
from docspec.core.geometry import BBox
from docspec.core.marks import Mark
from docspec.core.result import Event, WordsOf
from docspec.core.straightening import NOTHING, Straightening

CellBoxes = tuple[tuple[BBox, ...], ...]
"""Boxes of a table's cells by rows and columns."""


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """One printed line: its box, its text, and the size of its type in pixels (0: unknown). ``turns`` are the clockwise
    quarter turns that bring it upright; ``confidence`` (0..1) is the recogniser's, 1 for text of the file. ``marks``
    say how its words are printed; ``points`` is the size of its type on paper (0: unknown), ``look`` the font and the
    colour of most of it (empty: unknown)."""

    bbox: BBox
    text: str
    size: float = 0.0
    turns: int = 0
    confidence: float = 1.0
    marks: tuple[Mark, ...] = ()
    points: float = 0.0
    look: str = ""

    def moved(self, move: Callable[[BBox], BBox]) -> PrintedLine:
        """The line with its box moved; the size of type follows the height of the box."""
        box = move(self.bbox)
        size = self.size * box.height / self.bbox.height if self.bbox.height else 0.0
        return replace(self, bbox=box, size=size)


@dataclass(frozen=True, slots=True)
class Region:
    """One drafted region.

    ``texts`` are alternative readings, the most trusted first. They are neutral, not yet in any target's spelling:
    plain text with ``\\n`` where the print breaks a line; a table as HTML (``<table>...</table>``); a formula as bare
    LaTeX or Unicode without ``$``; a heading without ``#``; a list item with its bullet as printed. A picture has
    no texts. ``confidence`` is the drafter's own, 0..1. ``lines`` are the printed lines of the first text, top to
    bottom, if the drafter knows them; their boxes are those of the straightened page. ``chart``: a
    picture that readers of charts can read. ``grid`` are the boxes of a table's cells by rows, if the drafter knows
    them, one for each cell of its HTML with spans opened. ``agreed``: text layer and recognition read it alike.
    ``listing``: text in which line breaks and indents have a meaning (program text). ``labels`` are the printed lines
    inside a picture. ``words`` names the source of the first text, or of the labels, if that source was judged sound.
    ``level`` is that of the bookmark with a heading's words (0: there is none). ``links`` are the linked words of a
    table with their addresses, in the order of the print. ``unsearched``: a picture in which no recogniser has looked
    for text. ``running``: whether a head or foot is known to be the number of the page, or repeated on pages nearby; if
    not (``False``), it is text. ``broken``: text whose lines are not to be joined (an address).
    """

    bbox: BBox
    category: Category
    texts: tuple[str, ...] = ()
    confidence: float = 1.0
    lines: tuple[PrintedLine, ...] = ()
    chart: bool = False
    grid: CellBoxes = ()
    agreed: bool = False
    listing: bool = False
    words: WordsOf | None = None
    labels: tuple[PrintedLine, ...] = ()
    level: int = 0
    links: tuple[tuple[str, str], ...] = ()
    unsearched: bool = False
    running: bool | None = None
    broken: bool = False

    def moved(self, move: Callable[[BBox], BBox]) -> Region:
        """The region with every box moved; sizes of type follow the height of their lines."""
        lines, labels = (tuple(line.moved(move) for line in own) for own in (self.lines, self.labels))
        grid = tuple(tuple(move(cell) for cell in row) for row in self.grid)
        return replace(self, bbox=move(self.bbox), lines=lines, labels=labels, grid=grid)


def stacked(regions: Sequence[Region]) -> Region:
    """``regions`` below each other as one: the first one with the place, the first texts and the lines of all."""
    return replace(
        regions[0],
        bbox=BBox.union(region.bbox for region in regions),
        texts=("\n".join(region.texts[0] for region in regions if region.texts),),
        lines=tuple(line for region in regions for line in region.lines),
    )


@dataclass(frozen=True, slots=True)
class PageDraft:
    """The regions of one page in reading order, and where they come from.

    ``page_texts`` are further spellings of the whole page (such as PyMuPDF's own Markdown). ``reason`` says in a few
    words why this drafter was chosen. ``layout`` names the source of the regions (``white space``: no model saw the
    page). ``seconds`` is the wall time of drafting, which is always counted. ``events`` report faults (a layout model
    that failed, a draft that was cut). ``searched``: a recogniser has looked for text wherever there is ink, pictures
    included; it found none outside the regions.
    ``unread`` is the ink outside all regions (:func:`docspec.drafting.ink.unread_regions`; ``None``: not searched).
    ``soundness`` (0..1) is the likeness of a hidden text layer to the print, 1 for a visible one. ``seen`` is what is
    done to the picture of the page before the target sees it: boxes are those of the page as it is seen.
    ``straight`` is what the drafter did to it beyond that; only lines have boxes of the page as it was then.
    ``evened``: it lies in uneven light, which the drafter took out. ``blank``: nothing is printed on it. ``recognised``
    are all lines as a recogniser told them, before anything was made of them, with their boxes on the page as it is
    seen. ``scripts`` are those that the recogniser was made for (names of :mod:`docspec.core.scripts`; empty: not
    known).
    """

    regions: tuple[Region, ...] = ()
    drafter: str = "none"
    reason: str = ""
    seconds: float = 0.0
    page_texts: tuple[str, ...] = ()
    layout: str = ""
    events: tuple[Event, ...] = ()
    searched: bool = False
    soundness: float = 1.0
    seen: Straightening = NOTHING
    straight: Straightening = NOTHING
    evened: bool = False
    unread: tuple[Region, ...] | None = None
    blank: bool = False
    recognised: tuple[PrintedLine, ...] = ()
    scripts: tuple[str, ...] = ()

    @property
    def laid_out_by(self) -> str:
        """The source of the regions: ``layout``, else the drafter; empty if there are none."""
        return self.layout or (self.drafter if self.regions else "")

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing that a target could accept."""
        return not self.page_texts and not any(region.texts for region in self.regions)


SPARSEST = 0.8
"""Least number of characters of a line per line height of its length. A line with fewer has letters that were not
recognised (Latin print has about 2, Chinese 1)."""


class RecognisedLine(Protocol):
    """A line with its box, its text and the recogniser's confidence (0..1)."""

    @property
    def bbox(self) -> BBox: ...

    @property
    def text(self) -> str: ...

    @property
    def confidence(self) -> float: ...


def certainty_of(lines: Iterable[RecognisedLine]) -> float | None:
    """The recogniser's mean confidence over the characters of ``lines``, counting characters that it must have missed
    as 0; ``None`` without text."""
    written = [line for line in lines if line.text]
    total = sum(expected(line.text, line.bbox.width, line.bbox.height) for line in written)
    return sum(line.confidence * len(line.text) for line in written) / total if total else None


def expected(text: str, width: float, height: float) -> float:
    """Characters of a line of that size: those that were recognised, or the least number for its length if that is
    more."""
    low, long = sorted((width, height))  # turned lines stand upright
    return max(len(text), SPARSEST * (long / low) if low else 0.0)
