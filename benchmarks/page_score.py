"""One page's output against its true Markdown, with the measures of OmniDocBench v1.5 (arXiv 2412.07626).

* text: blocks of text matched with those of the truth, letters and digits only; edits of all matches over the sum
  of their longer texts, so that missing and invented blocks count in full.
* TEDS and TEDS-S: mean over the tables of the truth, 0 for a table that is missing.
* reading order: edit distance between the order of the truth's text blocks and the order in which they stand in the
  output, over the longer one.

Display formulas are left out of ``text``; their measure there (CDM) compares rendered LaTeX and is not computed here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from rapidfuzz.distance import Levenshtein

from benchmarks.matching import Match, assign, edits, match_blocks
from benchmarks.teds import parse_table, teds
from docspec.core import Block, Category

_OTHER_THAN_WORDS = re.compile(r"[^\w]|_")


@dataclass(frozen=True, slots=True)
class PageScore:
    """``page``, ``text`` and ``order`` are distances (0 is right), ``teds`` similarities (1 is right).

    ``page`` is the distance of the whole texts, tables and formulas included. ``None`` where the truth has no text or
    no table.
    """

    page: float
    text: float | None
    order: float | None
    teds: float | None
    teds_structure: float | None


def score(output: Sequence[Block], truth: Sequence[Block]) -> PageScore:
    """Compares blocks; running heads, page numbers and pictures do not count on either side."""
    ours, true = _text_blocks(output), _text_blocks(truth)
    matches = match_blocks(true, ours)
    similar = table_scores(_tables(output), _tables(truth))
    return PageScore(
        page=distance(normalise(page_text(output)), normalise(page_text(truth))),
        text=text_distance(matches, true, ours) if true else None,
        order=order_distance(matches) if true else None,
        teds=fmean(one for one, _ in similar) if similar else None,
        teds_structure=fmean(structure for _, structure in similar) if similar else None,
    )


def text_distance(matches: Sequence[Match], truth: Sequence[str], output: Sequence[str]) -> float:
    """Edits of all ``matches`` over the sum of their longer texts."""
    counted = [edits(match, truth, output) for match in matches]
    longest = sum(length for _, length in counted)
    return sum(distance for distance, _ in counted) / longest if longest else 0.0


def order_distance(matches: Sequence[Match]) -> float:
    """Edit distance (0..1) between the order of the truth and that of the output; invented blocks do not count."""
    true = sorted(index for match in matches for index in match.truth)
    found = sorted((match for match in matches if match.truth and match.output), key=lambda m: m.output)
    read = [index for match in found for index in match.truth]
    return float(Levenshtein.normalized_distance(read, true))


def table_scores(output: Sequence[str], truth: Sequence[str]) -> list[tuple[float, float]]:
    """TEDS and TEDS-S of each table of ``truth`` with the output's table that is likest it in text."""
    flat = [[distance(_flat(one), _flat(other)) for other in output] for one in truth]
    partner = dict(assign(flat))
    return [
        (teds(output[partner[index]], table), teds(output[partner[index]], table, structure_only=True))
        if index in partner
        else (0.0, 0.0)
        for index, table in enumerate(truth)
    ]


def page_text(blocks: Sequence[Block]) -> str:
    """The text of all blocks but furniture and pictures."""
    return "\n\n".join(block.text for block in blocks if _counts(block))


def normalise(markdown: str) -> str:
    """Text without Markdown's and HTML tables' marks, with single spaces."""
    text = re.sub(r"(?m)^\|?(\s*:?-{3,}:?\s*\|)+(\s*:?-{3,}:?)?\s*$", "", markdown)
    text = re.sub(r"</?(table|thead|tbody|tr|td|th|br)\b[^>]*>", " ", text)
    text = re.sub(r"(?m)^\s*(#{1,6} |[-*] |\d+\. )", "", text)
    text = text.replace("|", " ").replace("$", "").replace("**", "")
    return " ".join(text.split())


def distance(one: str, other: str) -> float:
    """Levenshtein distance over the longer length, 0 for two empty texts."""
    return float(Levenshtein.normalized_distance(one, other))


def _counts(block: Block) -> bool:
    return not block.category.is_furniture and block.category is not Category.PICTURE


def _text_blocks(blocks: Sequence[Block]) -> list[str]:
    kept = (b for b in blocks if _counts(b) and b.category not in (Category.TABLE, Category.FORMULA))
    return [text for block in kept if (text := _OTHER_THAN_WORDS.sub("", block.text))]


def _tables(blocks: Sequence[Block]) -> list[str]:
    return [block.text for block in blocks if block.category is Category.TABLE]


def _flat(table: str) -> str:
    parsed = parse_table(table)
    return "" if parsed is None else " ".join(cell.text for row in parsed.rows for cell in row)
