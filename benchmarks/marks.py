"""Are words marked as what they are? Drafts made of a page's own output with some characters changed, and a recount.

The draft of the second reading is what the target wrote in the first one, 10 % of its letters and digits replaced: so
it is known of every character whether the draft had it. The recount looks at characters, the marks at words, and they
share no code. What recording costs is the processor time of telling the marks, beside that of decoding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from benchmarks.corrections import corrupt
from docspec.bench.fidelity import FixedDraft
from docspec.core import PageDraft, PageResult, ParseOptions
from docspec.core.observer import NullObserver
from docspec.documents import PageFailure, Source, open_document
from docspec.drafting import SafeDrafter
from docspec.hierarchy.page import PageParser
from docspec.parser import Parser


@dataclass(frozen=True, slots=True)
class PageMarks:
    """Of the ``changed`` characters of a page's draft ``corrected`` stand in words marked so, ``agreed`` in words
    marked as the draft's own. Of ``marked`` corrected words ``right`` hold a changed character. ``seconds`` went into
    all of the page's marks, ``decode_seconds`` into decoding it."""

    source: str
    page: int
    changed: int
    corrected: int
    agreed: int
    marked: int
    right: int
    seconds: float
    decode_seconds: float

    @property
    def recall(self) -> float:
        """Share of the changed characters that are marked as corrected."""
        return self.corrected / self.changed if self.changed else 1.0

    @property
    def precision(self) -> float:
        """Share of the words marked as corrected that hold a changed character."""
        return self.right / self.marked if self.marked else 1.0


def recount(page: PageResult, changed: set[int]) -> tuple[int, int, int, int]:
    """Characters of the draft's changes in words marked corrected and agreed; words marked corrected, and those of them
    with a change. ``changed`` are indices of ``page.text``."""
    assert page.provenance is not None
    corrected = agreed = marked = right = at = 0
    for block, spans in zip(page.blocks, page.provenance.spans, strict=True):
        at = page.text.index(block.text, at)
        for span in spans:
            inside = sum(at + place in changed for place in range(span.start, span.end))
            if span.mark == "corrected":
                corrected += inside
                marked += 1
                right += inside > 0
            elif span.mark == "agreed":
                agreed += inside
        at += len(block.text)
    return corrected, agreed, marked, right


def measure(sources: Sequence[Source], options: ParseOptions, rate: float = 0.1, seed: int = 1) -> Iterator[PageMarks]:
    """Reads the pages of every source twice: as the options say, and with its own corrupted output as the draft."""
    with Parser(replace(options, provenance=False, read="page")) as parser:
        traced = replace(parser.options, provenance=True, stages="page", drafter="none")
        for source in sources:
            with open_document(source, options.password) as document:
                for page in parser.page_images(document, options.pages):
                    if isinstance(page, PageFailure):
                        continue
                    text = parser.parse_page(page).text.strip()
                    if not text:  # a blank page: nothing is marked
                        continue
                    drafted, wrong = corrupt(text, rate, seed)
                    drafter = SafeDrafter(FixedDraft(PageDraft(drafter="corrupted", page_texts=(drafted,))))
                    reader = PageParser(parser.loaded, parser.dialect, drafter, traced, NullObserver())
                    result = reader.parse(page)
                    if result.text.strip() != text:  # no recount without it
                        raise AssertionError(f"{source.name}, page {page.number}: a draft changed the output")
                    lead = len(result.text) - len(result.text.lstrip())
                    counts = recount(result, {lead + place for place in wrong})
                    yield PageMarks(source.name, page.number, len(wrong), *counts, *_seconds(result))


def _seconds(page: PageResult) -> tuple[float, float]:
    assert page.provenance is not None and page.stage2 is not None
    return page.provenance.seconds, page.stage2.decode_seconds
