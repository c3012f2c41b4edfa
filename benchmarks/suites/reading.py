"""One item in every way of reading: drafted once, then read in all modes in turn with that draft, Stage 1 also alone.

Modes that name a drafter of their own make their own draft, or none: ``planned``, and proposers that are models. By
regions all modes have the same, whose seconds count for each, as it is the layout. A first item is read untimed in
every mode. Where known words stand, Stage 1 is left out: it has the model read all. Other tools read the page before it
is drafted, since drafters write hidden text onto it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from benchmarks.accuracy import draft_blocks, stage1_blocks
from benchmarks.drafts import SettableDraft
from benchmarks.other_readers import Read
from benchmarks.suites.item import Item
from benchmarks.table_finders import BESIDE
from docspec.accounting import account_of, seen
from docspec.bench.speed import PLAIN, reader_of, settings_of
from docspec.core import Block, DocspecError, PageDraft, PageImage, PageResult
from docspec.documents import PageFailure, open_document
from docspec.drafting import SafeDrafter, make_drafter
from docspec.parser import Parser
from docspec.reporting.markdown import page_markdown
from docspec.reporting.renderer import Layout

DRAFT, STAGE1 = "draft", "stage 1"
DEFAULT_MODES = (PLAIN, "page", "hierarchical", "tau 0.75", "planned")


class ItemReader:
    """Reads items with one parser in ``modes`` (:func:`docspec.bench.speed.settings_of`), ``repeats`` times each, and
    once with each of the tools ``beside`` (of :data:`benchmarks.table_finders.BESIDE`). Raises
    :class:`docspec.core.UsageError` where one of these is not installed."""

    def __init__(self, parser: Parser, modes: Sequence[str], repeats: int, beside: Sequence[str] = ()) -> None:
        self._parser = parser
        self._beside = {name: BESIDE[name](furniture=False) for name in beside}
        self._repeats = repeats
        self._drafter = make_drafter(parser.options)
        self._given = SettableDraft()
        given = SafeDrafter(self._given)
        self._readers = {
            mode: reader_of(parser, mode, None if "drafter" in settings_of(mode) else given, given)
            for mode in (PLAIN, *(mode for mode in modes if mode != PLAIN))
        }
        self._warm = False

    def read(self, item: Item) -> dict[str, Any]:
        """The journal's record of ``item``: what every way wrote, counted and took; ``error`` where the page cannot be
        shown. Never raises for what is wrong with the item."""
        head = {"item": item.id, "kind": item.kind, "attributes": dict(item.attributes)}
        try:
            with open_document(item.path, self._parser.options.password) as document:
                for page in self._parser.page_images(document, str(item.page)):
                    if isinstance(page, PageFailure):
                        raise page.error
                    page = seen(page)
                    others = {name: _told_of(read, page) for name, read in self._beside.items()}
                    return {**head, "ways": self._ways(page) | others}
        except DocspecError as error:
            return {**head, "error": str(error), "ways": {}}
        return {**head, "error": f"{item.id}: has no page {item.page}", "ways": {}}

    def _ways(self, page: PageImage) -> dict[str, Any]:
        draft = self._drafter.draft(page)
        self._given.current = draft
        if not self._warm:
            self._turn(page, 0)
            draft = self._drafter.draft(page)  # the first call may have loaded models
            self._given.current = draft
            self._warm = True
        turns = [self._turn(page, turn) for turn in range(self._repeats)]
        expected = turns[0][PLAIN].token_ids
        return {
            DRAFT: self._drafted(page, draft),
            **({STAGE1: self._stage1(page, draft)} if self._parser.options.words != "evidence" else {}),
            **{
                mode: _told([turn[mode] for turn in turns], expected)
                | {"missing": _missing(turns[0][mode], page, draft)}
                for mode in self._readers
            },
        }

    def _turn(self, page: PageImage, number: int) -> dict[str, PageResult]:
        """Every mode once, beginning with another one each time."""
        modes = list(self._readers)
        shift = number % len(modes)
        return {mode: self._readers[mode].parse(page) for mode in modes[shift:] + modes[:shift]}

    def _drafted(self, page: PageImage, draft: PageDraft) -> dict[str, Any]:
        text = markdown_of(page, draft_blocks(self._parser, page, draft))
        return {"text": text, "drafter": draft.drafter, "reason": draft.reason, "seconds": [draft.seconds]}

    def _stage1(self, page: PageImage, draft: PageDraft) -> dict[str, Any]:
        start = perf_counter()
        blocks, tokens = stage1_blocks(self._parser, page, draft)
        seconds = draft.seconds + perf_counter() - start
        return {"text": markdown_of(page, blocks), "tokens": tokens, "seconds": [seconds]}


def _missing(result: PageResult, page: PageImage, draft: PageDraft) -> int:
    """How many visible words of ``page`` are not in its ``result``, as the ledger has it."""
    return 0 if result.status == "failed" else account_of(result, page, draft).counts["missing"]


def _told_of(read: Read, page: PageImage) -> dict[str, Any]:
    """What another tool made of ``page``, or why it made nothing."""
    start = perf_counter()
    try:
        text = read(page).text
    except Exception as error:
        return {"text": "", "error": f"{type(error).__name__}: {error}", "seconds": []}
    return {"text": text, "seconds": [perf_counter() - start]}


def markdown_of(page: PageImage, blocks: Sequence[Block]) -> str:
    """``blocks`` of ``page`` as docspec writes them, page headers and footers left out."""
    return page_markdown(PageResult(page.source, page.number, "ok", blocks=tuple(blocks)), {}, Layout())


def _told(runs: Sequence[PageResult], expected: tuple[int, ...]) -> dict[str, Any]:
    """One mode's runs: counts of the first one's Stage 2, seconds of all."""
    first = runs[0]
    stats = first.stage2
    times = [run.timings for run in runs]
    return {
        "text": page_markdown(replace(first, image=None, events=()), {}, Layout()) if first.status != "failed" else "",
        "status": first.status,
        "error": first.error,
        "events": [event.kind for event in first.events],
        "tokens": len(first.token_ids),
        "steps": stats.steps if stats else 0,
        "accepted": stats.accepted if stats else 0,
        "seconds": [one.total for one in times],
        "decode": [one.draft + one.stage1 + one.stage2 for one in times],
        "draft": [one.draft for one in times],
        "stage1": [one.stage1 for one in times],
        "prefill": [one.prefill for one in times],
        "stage2": [one.stage2 for one in times],
        "identical": all(run.token_ids == expected and run.status != "failed" for run in runs),
    }
