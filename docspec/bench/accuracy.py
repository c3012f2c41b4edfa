"""How right the text is: draft and output against the true Markdown that lies beside a document.

Distances are Levenshtein over the longer length (OmniDocBench's normalised edit distance), after Markdown marks and
white space have been normalised on both sides. Furniture is not in the truth and is dropped from both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import Levenshtein

from docspec.core import Block, Category, ParseOptions, UsageError
from docspec.dialects.locate import attach_boxes
from docspec.documents import PageFailure, Source
from docspec.drafting import make_drafter
from docspec.parser import Parser


@dataclass(frozen=True, slots=True)
class PageAccuracy:
    """Normalised edit distances (0 is right, 1 is nothing right) of one page, and its lengths in characters."""

    source: str
    page: int
    truth_characters: int
    draft: float
    output: float
    tokens: int
    status: str
    seconds: float


def measure(sources: Sequence[Source], options: ParseOptions) -> Iterator[PageAccuracy]:
    """Parses page 1 of every source that has a ``.md`` beside it; ``NAME-scan.pdf`` shares the truth of ``NAME``."""
    with Parser(replace(options, pages="1")) as parser:
        drafter = make_drafter(parser.options)
        for source in sources:
            truth = normalise(truth_of(source))
            with parser.open(source) as document:
                for page in document.pages("1", options.dpi):
                    if isinstance(page, PageFailure):
                        continue
                    draft = drafter.draft(page)
                    drafted = next(iter(parser.dialect.page_drafts(draft, page.width, page.height)), "")
                    blocks = attach_boxes(parser.dialect.parse(drafted, page.width, page.height), draft)
                    result = parser.parse_page(page)
                    yield PageAccuracy(
                        source=source.name,
                        page=page.number,
                        truth_characters=len(truth),
                        draft=distance(normalise(_text(blocks)), truth),
                        output=distance(normalise(_text(result.blocks)), truth),
                        tokens=len(result.token_ids),
                        status=result.status,
                        seconds=result.timings.total,
                    )


def truth_of(source: Source) -> str:
    """The true Markdown of a source. Raises :class:`UsageError` where there is none."""
    if source.path is not None:
        stem = source.path.stem.removesuffix("-scan")
        beside = source.path.with_name(f"{stem}.md")
        if beside.is_file():
            return beside.read_text(encoding="utf-8")
    raise UsageError(
        f"{source.name}: there is no {source.name.removesuffix('.pdf')}.md beside it to compare with"
    )


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


def _text(blocks: Sequence[Block]) -> str:
    kept = (b for b in blocks if not b.category.is_furniture and b.category is not Category.PICTURE)
    return "\n\n".join(block.text for block in kept)
