"""Is the output really the model's own? transformers' ``generate`` reads every page to its end, docspec reads it in
every way it has, and token ids and written files are compared.

Good drafts, wrong drafts, drafts of another page and no draft, one stage or both, one page after the other, backwards
or several at once must all give the same tokens and the same Markdown, JSON and HTML. In float32 any difference is an
error of ours. The loop guard is off. A page that reached its budget is ``cut``; what could not be compared is
listed. Neither counts as identical.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from docspec.bench.generate import Reference, ReferenceGenerator, requests_of
from docspec.bench.verdicts import FidelityCheck, PageChecks, Skip, files_of
from docspec.core import BBox, Category, PageDraft, PageImage, PageResult, ParseOptions, Region
from docspec.core.observer import NullObserver
from docspec.documents import Document, PageFailure, Source, open_document
from docspec.drafting import SafeDrafter
from docspec.drafting.blank import is_blank
from docspec.drafting.drafted_page import DraftedPage
from docspec.hierarchy.calibration import calibrate
from docspec.hierarchy.page import PageParser
from docspec.hierarchy.planner import Costs, Planner
from docspec.parser import Parser


class FixedDraft:
    """A drafter that answers with a draft made beforehand."""

    name = "given"

    def __init__(self, draft: PageDraft) -> None:
        self._draft = draft

    def draft(self, page: PageImage) -> PageDraft:
        return self._draft


def echo(page: PageImage, text: str, rate: float, seed: int) -> PageDraft:
    """A draft made of the target's own output with a share ``rate`` of its words changed, dropped or doubled.

    Even targets that do not read accept much of such a draft, so that trees grow and are compacted.
    """
    rng = random.Random(seed)
    words: list[str] = []
    for word in text.split(" "):
        kind = rng.randrange(3) if rng.random() < rate else None
        if kind is None:
            words.append(word)
        elif kind == 0:
            words.append("?" + word[::-1])
        elif kind == 1:
            words.extend((word, word))
    third = max(1, len(words) // 3)
    box = BBox(0, 0, page.width, page.height)
    parts = [" ".join(words[start : start + third + 10]) for start in range(0, len(words), third)]
    regions = tuple(
        Region(
            BBox(0, page.height * i / len(parts), page.width, page.height * (i + 1) / len(parts)), Category.TEXT, (t,)
        )
        for i, t in enumerate(parts)
    )
    return PageDraft((*regions, Region(box, Category.TEXT, (text[::-1],))), "echo", page_texts=(" ".join(words),))


GROUP = 4
"""Pages held at a time, to be read backwards and side by side."""

WAYS: dict[str, dict[str, object]] = {
    "both": {"stages": "both"},
    "page": {"stages": "page"},
    "none": {"stages": "none"},
    "planned": {"stages": "auto"},
    "backwards": {"stages": "auto"},
    "in flight": {"stages": "both"},
}
"""How a draft is used: Stage 1 and then the page, the page alone, not at all, as the planner likes;
the same from the last page to the first; and both stages of several pages at once."""

ALONE = ("both", "page")
"""The ways in which a drafter's draft is used page by page; drafts made up for the test take the first or the last."""


@dataclass(slots=True)
class PageDrafts:
    """The drafts of one page by their drafters' names, and ``missing`` ones: name, reason, and whether it failed."""

    made: dict[str, PageDraft] = field(default_factory=dict)
    missing: list[tuple[str, str, bool]] = field(default_factory=list)


@dataclass(slots=True)
class _CheckedPage:
    """A page with what ``generate`` made of it and what was compared so far; its PDF page is closed."""

    image: PageImage
    drafted: PageDrafts
    reference: Reference
    expected: dict[str, str]
    comparisons: PageChecks

    @property
    def draft(self) -> tuple[str, PageDraft]:
        """The draft that group comparisons use, with its name."""
        return next(iter(self.drafted.made.items()), ("none", PageDraft()))


def check_documents(
    sources: Sequence[Source],
    options: ParseOptions,
    drafters: Sequence[SafeDrafter],
    attentions: Sequence[str] = ("auto",),
) -> Iterator[PageChecks]:
    """Checks every selected page of ``sources`` with every drafter, an echo, another page's draft and none.

    Each page is drafted once, whatever the number of ``attentions``.
    """
    known: dict[tuple[str, int], PageDrafts] = {}
    for attention in attentions:
        tried = replace(options, attention=attention, baseline=False, on_loop="keep")  # type: ignore[arg-type]
        with Parser(tried) as parser:
            checker = _Checker(parser, attention, drafters, known)
            for source in sources:
                with open_document(source, parser.options.password) as document:
                    yield from checker.document(document)


class _Checker:
    """Compares pages under one attention implementation."""

    def __init__(
        self, parser: Parser, attention: str, drafters: Sequence[SafeDrafter], known: dict[tuple[str, int], PageDrafts]
    ) -> None:
        self._parser = parser
        self._attention = attention
        self._drafters = drafters
        self._known = known
        self._before = PageDraft()
        self._generator = ReferenceGenerator(parser.loaded, parser.dialect)
        self._planner = Planner(Costs())
        calibrate(parser.loaded.target, self._planner.costs)

    def document(self, document: Document) -> Iterator[PageChecks]:
        group: list[_CheckedPage] = []
        for page in self._parser.page_images(document, self._parser.options.pages):
            started = time.perf_counter()
            if isinstance(page, PageFailure):
                yield self._nothing(page, str(page.error), failed=True)
                continue
            key = (document.name, page.number)
            if key not in self._known:
                self._known[key] = _drafted(page, self._drafters)
            if is_blank(page):
                yield self._nothing(page, "nothing is printed on it; the model is not asked")
                continue
            group.append(self._alone(replace(page, pdf_page=None), self._known[key], _file_of(document, page)))
            group[-1].comparisons.seconds = time.perf_counter() - started
            if len(group) == GROUP:
                yield from self._grouped(group)
                group = []
        yield from self._grouped(group)

    def _nothing(self, page: PageImage | PageFailure, reason: str, failed: bool = False) -> PageChecks:
        comparisons = self._checks_of(page)
        _skip(comparisons, "all", reason, failed)
        return comparisons

    def _checks_of(self, page: PageImage | PageFailure) -> PageChecks:
        return PageChecks(page.source, page.number, self._attention, target=self._parser.loaded.info)

    def _alone(self, image: PageImage, drafted: PageDrafts, file: Path | None) -> _CheckedPage:
        """The comparisons that need no other page."""
        plain = self._page_parser("none", PageDraft())
        if plain.regions.takes(image):
            return self._by_regions(image, drafted, plain)
        [request] = requests_of(plain, DraftedPage(image))
        reference = self._generator.page(image, request, file)
        text = self._parser.loaded.target.detokenize(list(reference.tokens))
        blocks = self._parser.dialect.parse(text, image.width, image.height)
        written = PageResult(image.source, image.number, "ok", text, blocks, image.width, image.height)
        page = self._begun(image, drafted, reference, files_of(written))
        for name, draft in drafted.made.items():
            for way in ALONE:
                self._compare(page, name, draft, way)
        made_up = {
            "echo 10% wrong": (echo(image, text, 0.1, image.number), ALONE),
            "echo 50% wrong": (echo(image, text, 0.5, image.number), ALONE[-1:]),
            "another page's": (self._before, ALONE[:1]),
        }
        for name, (draft, ways) in made_up.items():
            if draft.is_empty:
                reason = "no drafted page before it" if draft is self._before else "the output is empty"
                _skip(page.comparisons, name, reason)
            for way in () if draft.is_empty else ways:
                self._compare(page, name, draft, way)
        for way in ("page", "none"):
            self._compare(page, "none", PageDraft(), way)
        self._before = next(iter(drafted.made.values()), self._before)
        return page

    def _begun(
        self, image: PageImage, drafted: PageDrafts, reference: Reference, expected: dict[str, str]
    ) -> _CheckedPage:
        comparisons = self._checks_of(image)
        comparisons.inputs, comparisons.inputs_apart = reference.inputs, reference.apart
        for missing in sorted(drafted.missing, key=lambda one: not one[2]):  # those that failed first
            _skip(comparisons, *missing)
        return _CheckedPage(image, drafted, reference, expected, comparisons)

    def _by_regions(self, image: PageImage, drafted: PageDrafts, plain: PageParser) -> _CheckedPage:
        """The comparisons of a page that the target reads by regions: the layout says what the crops are, so each draft
        has a reference of its own. Its files are those that docspec makes of the same tokens decoded plainly."""
        pages = []
        for name, draft in (drafted.made or {"none": PageDraft()}).items():
            reference = self._generator.crops(requests_of(plain, DraftedPage(image, draft)))
            result = plain.verify(DraftedPage(image, draft))
            page = self._begun(image, drafted, reference, files_of(result))
            self._judge(page, name, draft, "none", result)
            self._compare(page, name, draft, "page")
            pages.append(page)
        pages[0].comparisons.checks += [check for page in pages[1:] for check in page.comparisons.checks]
        return pages[0]

    def _grouped(self, group: list[_CheckedPage]) -> Iterator[PageChecks]:
        """The comparisons that need several pages, and all that was found of each."""
        planned = self._page_parser("planned", PageDraft(), self._planner)
        for page in group:
            self._judge(page, *page.draft, "planned", planned.verify(_ready(page)))
        if len(group) > 1:
            backwards = self._page_parser("backwards", PageDraft(), self._planner)
            for page in reversed(group):
                self._judge(page, *page.draft, "backwards", backwards.verify(_ready(page)))
        if len(group) > 1 and self._parser.options.exact == "fast":  # strict pages go one by one
            in_flight = self._page_parser("in flight", PageDraft())
            together = in_flight.verify_all([_ready(page) for page in group])
            for page, result in zip(group, together, strict=True):
                self._judge(page, *page.draft, "in flight", result)
        yield from (page.comparisons for page in group)

    def _page_parser(self, way: str, draft: PageDraft, planner: Planner | None = None) -> PageParser:
        parser = self._parser
        options = replace(parser.options, **WAYS[way])  # type: ignore[arg-type]
        drafter = SafeDrafter(FixedDraft(draft))
        return PageParser(parser.loaded, parser.dialect, drafter, options, NullObserver(), planner)

    def _compare(self, page: _CheckedPage, drafts: str, draft: PageDraft, way: str) -> None:
        self._judge(page, drafts, draft, way, self._page_parser(way, draft).parse(page.image))

    def _judge(self, page: _CheckedPage, drafts: str, draft: PageDraft, way: str, result: PageResult) -> None:
        """Adds to ``page`` what ``result`` is beside ``generate``."""
        reference = page.reference
        apart = [] if result.token_ids == reference.tokens else ["tokens"]
        written = files_of(result) if result.status == "ok" else {}
        apart += [name for name, text in page.expected.items() if written.get(name) != text]
        ended = reference.ended and result.cut is None
        if reference.ended != (result.cut is None) and not apart:
            apart.append("end")
        page.comparisons.checks.append(
            FidelityCheck(
                source=result.source,
                page=result.number,
                attention=self._attention,
                drafts=drafts,
                way=way,
                verdict="differs" if apart else "identical" if ended else "cut",
                apart=tuple(apart),
                draft_characters=_size(draft),
                tokens=len(result.token_ids),
                steps=result.stage2.steps if result.stage2 else 0,
                accepted=result.stage2.accepted if result.stage2 else 0,
                error=result.error,
            )
        )


def _skip(page: PageChecks, drafts: str, reason: str, failed: bool = False) -> None:
    page.skips.append(Skip(page.source, page.page, page.attention, drafts, reason, failed))


def _drafted(page: PageImage, drafters: Sequence[SafeDrafter]) -> PageDrafts:
    drafts = PageDrafts()
    for drafter in drafters:
        draft = drafter.draft(page)
        if draft.events:
            drafts.missing.append((drafter.name, "; ".join(event.detail for event in draft.events), True))
        elif draft.is_empty:
            drafts.missing.append((drafter.name, f"an empty draft ({draft.reason or 'no text found'})", False))
        else:
            drafts.made[drafter.name] = draft
    return drafts


def _ready(page: _CheckedPage) -> DraftedPage:
    return DraftedPage(page.image, page.draft[1])


def _file_of(document: Document, page: PageImage) -> Path | None:
    if page.pdf_page is not None or document.page_count > 1:
        return None
    return document.source.path


def _size(draft: PageDraft) -> int:
    texts = [text for region in draft.regions for text in region.texts]
    return sum(map(len, (*texts, *draft.page_texts)))
