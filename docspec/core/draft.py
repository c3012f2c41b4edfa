"""What a cheap pipeline believes is on a page: the input of speculation, never the output."""

from __future__ import annotations

from dataclasses import dataclass

from docspec.core.categories import Category
from docspec.core.geometry import BBox


@dataclass(frozen=True, slots=True)
class Region:
    """One drafted region.

    ``texts`` are alternative readings, the most trusted first. They are neutral, not yet in any target's spelling:
    plain text with ``\\n`` where the print breaks a line; a table as HTML (``<table>...</table>``); a formula as bare
    LaTeX or Unicode without ``$``; a heading without ``#``; a list item with its bullet as printed. A picture has
    no texts. ``confidence`` is the drafter's own, 0..1.
    """

    bbox: BBox
    category: Category
    texts: tuple[str, ...] = ()
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class PageDraft:
    """The regions of one page in reading order, and where they come from.

    ``page_texts`` are further spellings of the whole page (such as PyMuPDF's own Markdown). ``reason`` says in
    a few words why this drafter was chosen. ``seconds`` is the wall time that drafting took; it is always counted.
    """

    regions: tuple[Region, ...] = ()
    drafter: str = "none"
    reason: str = ""
    seconds: float = 0.0
    page_texts: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing that a target could accept."""
        return not self.page_texts and not any(region.texts for region in self.regions)
