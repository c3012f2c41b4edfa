"""Is the output really the model's own? Every page decoded by transformers' ``generate``, by our plain loop, and
speculatively with drafts of every kind, and the token ids compared.

Good drafts, wrong drafts, drafts of another page and no draft must all give the same tokens; only the number of
steps may differ. In float32 any difference is an error of ours. What could not be compared (a drafter that failed
or found nothing, a page that could not be rendered) is listed beside, and never counted as identical.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from docspec.core import BBox, Category, PageDraft, PageImage, ParseOptions, Region
from docspec.core.observer import NullObserver
from docspec.documents import PageFailure, Source
from docspec.drafting import SafeDrafter
from docspec.drafting.blank import is_blank
from docspec.hierarchy.page import PageParser
from docspec.parser import Parser
from docspec.targets.registry import LoadedTarget, TargetInfo


@dataclass(frozen=True, slots=True)
class Check:
    """One way of decoding one page compared with ``generate``.

    ``identical``: the same tokens, or a prefix of them where ``stopped`` says that the loop guard cut the page.
    ``draft_characters`` is the size of the draft, all its readings together.
    """

    source: str
    page: int
    attention: str
    drafts: str
    stages: str
    draft_characters: int
    tokens: int
    steps: int
    accepted: int
    identical: bool
    stopped: str
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Skip:
    """What was not compared on one page, and why; ``failed`` where that is no property of the page."""

    source: str
    page: int
    attention: str
    drafts: str
    reason: str
    failed: bool


@dataclass(frozen=True, slots=True)
class PageChecks:
    """All comparisons of one page under one attention implementation.

    ``seconds`` is wall time, drafting included.
    """

    source: str
    page: int
    attention: str
    checks: tuple[Check, ...] = ()
    skips: tuple[Skip, ...] = ()
    seconds: float = 0.0
    target: TargetInfo | None = None

    @property
    def differing(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if not check.identical)

    @property
    def passed(self) -> bool:
        """Whether everything that was asked for was compared and was identical."""
        return not self.differing and not any(skip.failed for skip in self.skips)


@dataclass(slots=True)
class _Drafts:
    """The drafts of one page by their drafters' names, and the names that have none, with the reason."""

    made: dict[str, PageDraft] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    empty: dict[str, str] = field(default_factory=dict)


WAYS: dict[str, dict[str, str]] = {
    "both": {"stages": "both"},
    "together": {"stages": "both", "schedule": "together"},
    "page": {"stages": "page"},
}
"""How a draft is used: Stage 1 and then the page, both in one batch, the page alone."""


class GivenDraft:
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
            BBox(0, page.height * i / len(parts), page.width, page.height * (i + 1) / len(parts)),
            Category.TEXT,
            (t,),
        )
        for i, t in enumerate(parts)
    )
    return PageDraft(
        (*regions, Region(box, Category.TEXT, (text[::-1],))), "echo", page_texts=(" ".join(words),)
    )


def check_documents(
    sources: Sequence[Source],
    options: ParseOptions,
    drafters: Sequence[SafeDrafter],
    attentions: Sequence[str] = ("sdpa", "eager"),
) -> Iterator[PageChecks]:
    """Checks every selected page of ``sources`` with every drafter, an echo, another page's draft and none.

    Each page is drafted once, whatever the number of ``attentions``.
    """
    known: dict[tuple[str, int], _Drafts] = {}
    for attention in attentions:
        tried = replace(options, attention=attention, baseline=False)  # type: ignore[arg-type]
        with Parser(tried) as parser:
            before = PageDraft()
            for source in sources:
                with parser.open(source) as document:
                    for page in document.pages(options.pages, options.dpi):
                        started = time.perf_counter()
                        if isinstance(page, PageFailure):
                            skip = Skip(page.source, page.number, attention, "all", str(page.error), True)
                            yield PageChecks(page.source, page.number, attention, skips=(skip,))
                            continue
                        key = (source.name, page.number)
                        if key not in known:
                            known[key] = _draft(page, drafters)
                        done = _check_page(parser, page, attention, known[key], before)
                        seconds = time.perf_counter() - started
                        yield replace(done, seconds=seconds, target=parser.target_info)
                        before = next(iter(known[key].made.values()), before)


def _draft(page: PageImage, drafters: Sequence[SafeDrafter]) -> _Drafts:
    drafts = _Drafts()
    for drafter in drafters:
        draft, events = drafter.draft_with_events(page)
        if events:
            drafts.failed[drafter.name] = "; ".join(event.detail for event in events)
        elif draft.is_empty:
            drafts.empty[drafter.name] = f"an empty draft ({draft.reason or 'no text found'})"
        else:
            drafts.made[drafter.name] = draft
    return drafts


def _check_page(
    parser: Parser, page: PageImage, attention: str, drafted: _Drafts, before: PageDraft
) -> PageChecks:
    def skip(drafts: str, reason: str, failed: bool = False) -> Skip:
        return Skip(page.source, page.number, attention, drafts, reason, failed)

    skips = [skip(name, reason, failed=True) for name, reason in drafted.failed.items()]
    skips += [skip(name, reason) for name, reason in drafted.empty.items()]
    if is_blank(page):
        skips.append(skip("all", "nothing is printed on the page; the model is not asked"))
        return PageChecks(page.source, page.number, attention, skips=tuple(skips))
    expected = generate(parser.loaded, parser, page)
    text = parser.loaded.target.detokenize(list(expected))
    drafts = {
        **drafted.made,
        "echo 10% wrong": echo(page, text, 0.1, page.number),
        "echo 50% wrong": echo(page, text, 0.5, page.number),
        "another page's": before,
    }
    checks = []
    for name, draft in drafts.items():
        if draft.is_empty:
            skips.append(
                skip(name, "no drafted page before it" if draft is before else "the output is empty")
            )
            continue
        for stages in WAYS:
            checks.append(_compare(parser, page, attention, name, draft, stages, expected))
    for stages in ("page", "none"):
        checks.append(_compare(parser, page, attention, "none", PageDraft(), stages, expected))
    return PageChecks(page.source, page.number, attention, tuple(checks), tuple(skips))


def generate(loaded: LoadedTarget, parser: Parser, page: PageImage) -> tuple[int, ...]:
    """The page's tokens from transformers' own greedy ``generate``, the end token dropped."""
    import torch

    target = loaded.target
    prompt = target.encode(page.image, parser.dialect.page_prompt)
    inputs = {name: value.to(target.kv_spec.device) for name, value in prompt.inputs.items()}
    budget = parser.options.max_tokens or loaded.card.max_new_tokens
    with torch.inference_mode():
        ids = target.model.generate(**inputs, do_sample=False, max_new_tokens=budget)
    return tuple(token for token in ids[0, prompt.length :].tolist() if token not in target.eos_ids)


def _compare(
    parser: Parser,
    page: PageImage,
    attention: str,
    drafts: str,
    draft: PageDraft,
    stages: str,
    expected: tuple[int, ...],
) -> Check:
    options = replace(parser.options, **WAYS.get(stages, {"stages": stages}))  # type: ignore[arg-type]
    drafter = SafeDrafter(GivenDraft(draft))
    result = PageParser(parser.loaded, parser.dialect, drafter, options, NullObserver()).parse(page)
    cut = any(event.kind == "loop_stopped" for event in result.events)
    tokens = result.token_ids
    same = tokens == expected[: len(tokens)] if cut else tokens == expected
    return Check(
        source=result.source,
        page=result.number,
        attention=attention,
        drafts=drafts,
        stages=stages,
        draft_characters=_size(draft),
        tokens=len(tokens),
        steps=result.stage2.steps if result.stage2 else 0,
        accepted=result.stage2.accepted if result.stage2 else 0,
        identical=result.status == "ok" and same,
        stopped="loop_stopped" if cut else "",
        error=result.error,
    )


def _size(draft: PageDraft) -> int:
    texts = [text for region in draft.regions for text in region.texts]
    return sum(map(len, (*texts, *draft.page_texts)))
