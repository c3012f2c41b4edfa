"""How right the text is: draft, plain decoding, Stage 1 alone and both stages against the true Markdown (the paper's
table 7).

The truth lies beside a document as NAME.md; measures are those of :mod:`benchmarks.page_score`. With exact
acceptance both stages write what plain decoding writes: their rows differ only with ``tau`` or below float32.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from time import perf_counter

from benchmarks.page_score import PageScore, score
from benchmarks.suites.item import SCAN
from docspec.bench.fidelity import FixedDraft
from docspec.core import Block, Category, PageDraft, PageImage, PageResult, UsageError
from docspec.core.observer import NullObserver
from docspec.dialects.locate import attach_boxes
from docspec.dialects.markdown_blocks import parse_blocks
from docspec.documents import PageFailure, Source, open_document
from docspec.drafting import SafeDrafter, make_drafter
from docspec.hierarchy.page import PageParser
from docspec.hierarchy.whole import verify_regions
from docspec.parser import Parser

ROWS = ("draft", "autoregressive", "stage 1", "stage 1+2")
VERIFIED = "verified"
"""The row beside those with verification skipped: the page alone, drafted alike, every token verified."""
TRUSTED = "trusted agreement"
"""The row with regions taken from the draft, unread, where two readings agree."""
_PAGE_MARK = re.compile(r"(?m)^<!-- page (\d+) -->\s*$")


@dataclass(frozen=True, slots=True)
class AccuracyRow:
    """One way to a page's text: its scores, its tokens and seconds (drafting in all but ``autoregressive``), and the
    forward passes of the target that decoding took, each row of a batch counted (0: not known). ``taken`` are regions
    that were taken from the draft."""

    name: str
    score: PageScore
    tokens: int
    seconds: float
    status: str = "ok"
    steps: int = 0
    taken: int = 0


@dataclass(frozen=True, slots=True)
class PageAccuracy:
    """All rows of one page, in the order of :data:`ROWS`."""

    source: str
    page: int
    truth_characters: int
    drafter: str
    rows: tuple[AccuracyRow, ...]


def measure(parser: Parser, sources: Sequence[Source], skips: Sequence[str] = ()) -> Iterator[PageAccuracy]:
    """Reads page 1 of every source that has a ``.md`` beside it; ``NAME-scan.pdf`` shares the truth of ``NAME``.
    Each of ``skips`` is a way to skip verification; they get rows of their own.

    Raises :class:`UsageError` for a source without truth and :class:`docspec.core.PageError` for an unreadable page.
    """
    options = parser.options
    drafter = make_drafter(options)
    for source in sources:
        truth = truth_of(source)
        with open_document(source, parser.options.password) as document:
            for page in parser.page_images(document, "1"):
                if isinstance(page, PageFailure):
                    raise page.error
                yield _measure_page(parser, page, drafter.draft(page), truth, skips)


def mean_score(scores: Sequence[PageScore]) -> PageScore:
    """Mean over the pages that have the measure (OmniDocBench's page average)."""

    def mean(field: str) -> float | None:
        values = [value for one in scores if (value := getattr(one, field)) is not None]
        return fmean(values) if values else None

    return PageScore(mean("page") or 0.0, *map(mean, ("text", "order", "teds", "teds_structure")))


def truth_of(source: Source, page: int = 1) -> str:
    """The true Markdown of a page. Raises :class:`UsageError` where there is none.

    A file without ``<!-- page N -->`` lines is the truth of page 1.
    """
    if source.path is not None:
        stem = source.path.stem.removesuffix(SCAN)
        beside = source.path.with_name(f"{stem}.md")
        if beside.is_file():
            return _page_of(beside.read_text(encoding="utf-8"), page)
    raise UsageError(f"{source.name}: there is no {source.name.removesuffix('.pdf')}.md beside it to compare with")


def _page_of(text: str, page: int) -> str:
    parts = _PAGE_MARK.split(text)
    numbered = {int(number): part for number, part in zip(parts[1::2], parts[2::2], strict=True)}
    return numbered.get(page, "") if numbered else text


def _measure_page(parser: Parser, page: PageImage, draft: PageDraft, truth: str, skips: Sequence[str]) -> PageAccuracy:
    true = parse_blocks(truth)
    plain = _parse(parser, page, PageDraft(), "none")
    both = _parse(parser, page, draft, "both")
    start = perf_counter()
    regions, tokens = stage1_blocks(parser, page, draft)
    alone = draft.seconds + perf_counter() - start
    rows = (
        AccuracyRow("draft", score(draft_blocks(parser, page, draft), true), 0, draft.seconds),
        AccuracyRow("autoregressive", score(plain.blocks, true), *_cost(plain)),
        AccuracyRow("stage 1", score(regions, true), tokens, alone),
        AccuracyRow("stage 1+2", score(both.blocks, true), *_cost(both)),
        *(
            AccuracyRow(name, score(found.blocks, true), *_cost(found))
            for name, skip, trust in (
                *[(VERIFIED, None, False)] * bool(skips or parser.options.trust_agreement),
                *((skip, skip, False) for skip in skips),
                *[(TRUSTED, None, True)] * parser.options.trust_agreement,
            )
            for found in (_parse(parser, page, draft, "page", skip, trust),)
        ),
    )
    return PageAccuracy(page.source, page.number, len(truth), draft.drafter, rows)


def draft_blocks(parser: Parser, page: PageImage, draft: PageDraft) -> tuple[Block, ...]:
    """The draft in the target's likeliest spelling, read back like an output."""
    drafted = next(iter(parser.dialect.page_drafts(draft, page.width, page.height)), "")
    return attach_boxes(parser.dialect.parse(drafted, page.width, page.height), draft)


def stage1_blocks(parser: Parser, page: PageImage, draft: PageDraft) -> tuple[list[Block], int]:
    """What Stage 1 writes for each region, in the draft's reading order, and how many tokens that took."""
    texts, found = verify_regions(parser.page_parser.context, page, draft)
    blocks: list[Block] = []
    for region, text in zip(draft.regions, texts, strict=True):
        if not text or region.category.is_furniture:
            continue
        if region.category in (Category.TABLE, Category.FORMULA):
            blocks.append(Block(region.category, text, region.bbox, "draft"))
        else:
            blocks.extend(parser.dialect.parse(text, page.width, page.height))
    return blocks, found.stats.tokens


def _parse(
    parser: Parser, page: PageImage, draft: PageDraft, stages: str, skip: str | None = None, trust: bool = False
) -> PageResult:
    options = replace(parser.options, stages=stages, skip_verification=skip, trust_agreement=trust)  # type: ignore[arg-type]
    drafter = SafeDrafter(FixedDraft(draft))
    return PageParser(parser.loaded, parser.dialect, drafter, options, NullObserver()).parse(page)


def _cost(result: PageResult) -> tuple[int, float, str, int, int]:
    steps = result.stage2.steps if result.stage2 is not None else 0
    return len(result.token_ids), result.timings.total, result.status, steps, result.trusted_regions
