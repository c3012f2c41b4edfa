"""Pages of one's own: ``NAME.pdf`` with its true Markdown in ``NAME.md`` beside it, as the samples of this project.

Measures are docspec's own after OmniDocBench v1.5 (:mod:`benchmarks.page_score`). ``NAME-scan.pdf`` shares the truth
of ``NAME``; the kind of a page is its file's name without number.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from benchmarks.accuracy import mean_score, truth_of
from benchmarks.page_score import score
from benchmarks.suites.item import SCAN, Item, Scores, kind_means
from docspec.dialects.markdown_blocks import parse_blocks
from docspec.documents.sources import Source


class Pairs:
    """A folder of documents with their truth, of all kinds or of those named; page 1 of each."""

    name = "pairs"
    title = "pages with their true Markdown"

    def __init__(self, folder: Path, kinds: Collection[str] | None = None) -> None:
        self._folder = folder
        self._kinds = kinds

    @classmethod
    def fits(cls, folder: Path) -> bool:
        return any(_truth_file(path).is_file() for path in folder.glob("*.pdf"))

    def items(self) -> Sequence[Item]:
        found = []
        for path in sorted(self._folder.glob("*.pdf")):
            kind = re.sub(r"[-_ ]?\d+$", "", path.stem) or path.stem
            wanted = self._kinds is None or kind.removesuffix(SCAN) in self._kinds
            if wanted and _truth_file(path).is_file():
                truth = truth_of(Source(path.name, "pdf", Path(path.name), path))
                found.append(Item(path.stem, path, kind, truth=truth))
        return found

    def score(self, items: Sequence[Item], outputs: Mapping[str, str]) -> Scores:
        each = [score(parse_blocks(outputs.get(item.id, "")), parse_blocks(item.truth)) for item in items]
        mean = mean_score(each)
        return Scores(
            {
                "page edit distance": mean.page,
                "text edit distance": mean.text,
                "reading order edit distance": mean.order,
                "TEDS": mean.teds,
                "TEDS structure": mean.teds_structure,
            },
            overall=100 * (1 - mean.page),
            overall_name="100 less the normalised edit distance of whole pages (%)",
            by_kind=kind_means(items, [100 * (1 - one.page) for one in each]),
            kind_figure="100 less the page's edit distance",
        )


def _truth_file(path: Path) -> Path:
    return path.with_name(path.stem.removesuffix(SCAN) + ".md")
