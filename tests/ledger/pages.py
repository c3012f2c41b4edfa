"""Pages that were read once for all tests of the ledger: samples, and pages that are made on the spot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pymupdf

from docspec import ParseOptions, Parser, accounting
from docspec.core import PageDraft, PageImage, PageResult
from docspec.core.account import PageAccount, VisibleWord
from docspec.ledger import PageOutput, account_for, witness_of
from docspec.ledger.outputs import markdown_words
from docspec.reporting.formats import document_text
from docspec.reporting.renderer import Layout

SAMPLES = Path(__file__).parents[2] / "samples"
NAMES = ("book", "notes", "financial-report", "exam-paper", "magazine", "slides", "journal-article", "newspaper")


@dataclass(frozen=True)
class ReadPage:
    """A page that was read: what its witness saw, and what was written."""

    result: PageResult
    words: tuple[VisibleWord, ...]
    draft: PageDraft
    markdown: str

    def account(self, markdown: str | None = None) -> PageAccount:
        """The account of the page in ``markdown``, or in what was written."""
        witness, words = witness_of(self.words, self.draft)
        shown = markdown_words(self.markdown if markdown is None else markdown)
        return account_for(words, PageOutput(shown, self.result.blocks), witness)


@cache
def read_pages() -> tuple[ReadPage, ...]:
    """The first pages of the samples, and the page of :func:`typed`."""
    return tuple(page for name in NAMES for page in read(SAMPLES / f"{name}.pdf")) + tuple(read(typed()))


def read(source: Path | bytes) -> list[ReadPage]:
    """The pages of ``source``, read as the bare command reads them."""
    found: list[ReadPage] = []
    account_of = accounting.account_of

    def kept(result: PageResult, page: PageImage, draft: PageDraft) -> PageAccount:
        found.append(ReadPage(result, page.words or (), draft, document_text([result], "md", Layout())))
        return account_of(result, page, draft)

    accounting.account_of = kept  # type: ignore[assignment]
    try:
        with Parser(ParseOptions(), images=False) as parser:
            for _ in parser.pages(source):
                pass
    finally:
        accounting.account_of = account_of
    return found


def typed() -> bytes:
    """A page of two paragraphs, a list and a ruled table."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "Report of the harbour office", fontsize=16, fontname="hebo")
    y = 110.0
    for line in (
        "The pier was closed for nine days in March while the piles were driven.",
        "Eleven boats were moved to the inner basin, and two of them stayed there.",
        "A second survey in June found no further settlement of the quay wall.",
    ):
        page.insert_text((72, y), line, fontsize=11)
        y += 15
    y += 20
    for number, item in enumerate(("Check the lamps", "Grease the winch", "Paint the bollards"), start=1):
        page.insert_text((72, y), f"{number}. {item}", fontsize=11)
        y += 18
    y += 20
    rows = [("Berth", "Depth", "Length"), ("North", "4.1", "120"), ("South", "3.7", "95"), ("Inner", "2.9", "60")]
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            place = pymupdf.Rect(72 + 110 * column, y + 24 * row, 72 + 110 * (column + 1), y + 24 * (row + 1))
            page.draw_rect(place, color=(0, 0, 0))
            page.insert_text((place.x0 + 6, place.y1 - 8), cell, fontsize=11)
    data: bytes = document.tobytes()
    document.close()
    return data
