"""OmniDocBench v1.5 (arXiv 2412.07626): page images with blocks, reading order, tables and formulas.

Published as ``OmniDocBench.json`` with ``images/`` (opendatalab/OmniDocBench). Read after the publisher's own reader
(``dataset/end2end_dataset.py``, December 2025): blocks that a ``truncated`` relation joins are one block; text, tables
and displayed formulas are evaluated; captions, footnotes, headers, footers, page numbers, algorithms and formula
numbers are matched first, so that what was written for them costs nothing, and do not count.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.suites.item import Item, Scores, kind_means
from benchmarks.suites.omnidocbench_score import CDM_REMARK, PageFigures, TruthBlock, average, score_page
from benchmarks.suites.publisher import published_scores
from docspec.core import InputError

FILES = ("OmniDocBench.json", "OmniDocBench_demo.json")

TEXT = frozenset({"text_block", "title", "code_txt", "code_txt_caption", "reference"})
IGNORED = frozenset(
    {
        "figure_caption",
        "figure_footnote",
        "table_caption",
        "table_footnote",
        "code_algorithm",
        "code_algorithm_caption",
        "header",
        "footer",
        "page_footnote",
        "page_number",
        "equation_caption",
    }
)
"""What is written on a page and not evaluated. All other kinds (figures, masks) are not looked at."""

KINDS = {
    "PPT2PDF": "Slides",
    "academic_literature": "Academic Papers",
    "book": "Book",
    "colorful_textbook": "Textbook",
    "exam_paper": "Exam Papers",
    "magazine": "Magazine",
    "newspaper": "Newspaper",
    "note": "Notes",
    "research_report": "Financial Report",
}
"""``data_source`` of a page as the paper's table 1 calls it."""


class OmniDocBench:
    """The data set in a folder; images lie in ``images`` there."""

    name = "omnidocbench"
    title = "OmniDocBench v1.5"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.file = next((folder / name for name in FILES if (folder / name).is_file()), folder / FILES[0])

    @classmethod
    def fits(cls, folder: Path) -> bool:
        return any((folder / name).is_file() for name in FILES)

    def items(self) -> Sequence[Item]:
        try:
            pages = json.loads(self.file.read_text(encoding="utf-8"))
            found = [self._item(page) for page in pages]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{self.file}: is not as OmniDocBench is published ({error!r})") from error
        return sorted(found, key=lambda item: item.id)

    def score(self, items: Sequence[Item], outputs: Mapping[str, str]) -> Scores:
        return summed(items, [score_page(item.truth, outputs.get(item.id, "")) for item in items])

    def score_by(self, scorer: Path, items: Sequence[Item], outputs: Mapping[str, str], folder: Path) -> Scores:
        """The figures of the publisher's scorer, ``scorer`` being a checkout of its repository, run in ``folder``."""
        return published_scores(scorer, self.file, KINDS, items, outputs, folder)

    def _item(self, page: Mapping[str, Any]) -> Item:
        info = page["page_info"]
        attributes = {
            key: ", ".join(value) if isinstance(value, list) else str(value)
            for key, value in info["page_attribute"].items()
        }
        image = Path(info["image_path"]).name
        source = attributes["data_source"]
        return Item(
            # as the publisher's scorer names predictions
            image[:-4],
            self._folder / "images" / image,
            KINDS.get(source, source),
            attributes=attributes,
            truth=truth_blocks(page),
        )


def truth_blocks(page: Mapping[str, Any]) -> tuple[TruthBlock, ...]:
    """The blocks of one page of the file that are evaluated or ignored, in reading order."""
    chains: list[list[Any]] = []
    for relation in page.get("extra", {}).get("relation", ()):
        if relation["relation_type"] == "truncated":
            ends = [relation["source_anno_id"], relation["target_anno_id"]]
            chain = next((chain for chain in chains if set(chain) & set(ends)), None)
            if chain is None:
                chains.append(ends)
            else:
                chain.extend(end for end in ends if end not in chain)
    joined = {end for chain in chains for end in chain}
    blocks = {block["anno_id"]: block for block in page["layout_dets"]}
    found = [_block(block) for key, block in blocks.items() if key not in joined]
    for chain in chains:
        parts = sorted((blocks[end] for end in chain if end in blocks), key=_order)
        if parts:
            text = "".join(part.get("text", "") for part in parts)
            found.append(_block({**parts[0], "text": text}))
    return tuple(sorted((block for block in found if block is not None), key=lambda block: block.order))


def _block(block: Mapping[str, Any]) -> TruthBlock | None:
    category, order = block["category_type"], _order(block)
    if category in TEXT:
        return TruthBlock("text", str(block.get("text", "")), order)
    if category in IGNORED:
        return TruthBlock("ignored", str(block.get("text", "")), order)
    if category == "equation_isolated":
        return TruthBlock("formula", str(block.get("latex", "")), order)
    if category == "table":
        return TruthBlock("table", str(block.get("html", "")), order)
    return None


def _order(block: Mapping[str, Any]) -> float:
    return float(block.get("order") or 0)


def summed(items: Sequence[Item], pages: Sequence[PageFigures]) -> Scores:
    """Page averages and the overall score of v1.5; see :mod:`benchmarks.suites.omnidocbench_score`."""
    text, formula = average(pages, "text"), average(pages, "formula")
    teds = average(pages, "teds")
    parts = [100 * (1 - text) if text is not None else None, 100 * teds if teds is not None else None]
    parts.append(100 * (1 - formula) if formula is not None else None)
    known = [part for part in parts if part is not None]
    return Scores(
        {
            "text edit distance": text,
            "formula edit distance": formula,
            "TEDS": teds,
            "TEDS structure": average(pages, "teds_structure"),
            "reading order edit distance": average(pages, "order"),
        },
        overall=sum(known) / len(known) if known else None,
        overall_name="((1 - text edit distance) + TEDS + (1 - formula edit distance)) / 3 (%), of what the pages have",
        by_kind=kind_means(items, [None if page.text is None else page.text for page in pages]),
        kind_figure="text edit distance",
        remarks=(CDM_REMARK,) if formula is not None else (),
    )
