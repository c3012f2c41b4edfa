"""Is the output really the model's own? Every page decoded by transformers' ``generate``, by our plain loop, and
speculatively with drafts of every kind, and the token ids compared.

Good drafts, wrong drafts, drafts of another page and no draft must all give the same tokens; only the number of
steps may differ. In float32 any difference is an error of ours.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from docspec.core import BBox, Category, PageDraft, PageImage, PageResult, ParseOptions, Region
from docspec.core.observer import NullObserver
from docspec.documents import PageFailure, Source
from docspec.drafting import Drafter, SafeDrafter
from docspec.hierarchy.page import PageParser
from docspec.parser import Parser
from docspec.targets.registry import LoadedTarget


@dataclass(frozen=True, slots=True)
class Check:
    """One way of decoding one page compared with ``generate``.

    ``identical``: the same tokens, or a prefix of them where ``stopped`` says that the loop guard cut the page.
    """

    source: str
    page: int
    attention: str
    drafts: str
    stages: str
    tokens: int
    steps: int
    accepted: int
    identical: bool
    stopped: str
    error: str | None = None


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
    drafters: Sequence[Drafter],
    attentions: Sequence[str] = ("sdpa", "eager"),
) -> Iterator[Check]:
    """Checks every selected page of ``sources`` with every drafter, an echo, another page's draft and none."""
    known: dict[tuple[str, int], dict[str, PageDraft]] = {}
    for attention in attentions:
        tried = replace(options, attention=attention, baseline=False)  # type: ignore[arg-type]
        with Parser(tried) as parser:
            stale = PageDraft()
            for source in sources:
                with parser.open(source) as document:
                    for page in document.pages(options.pages, options.dpi):
                        if isinstance(page, PageFailure):
                            continue
                        key = (source.name, page.number)
                        if key not in known:
                            known[key] = {d.name: SafeDrafter(d).draft(page) for d in drafters}
                        yield from _check_page(parser, page, attention, known[key], stale)
                        stale = next(iter(known[key].values()), stale)


def _check_page(
    parser: Parser, page: PageImage, attention: str, drafted: dict[str, PageDraft], stale: PageDraft
) -> Iterator[Check]:
    expected = generate(parser.loaded, parser, page)
    text = parser.loaded.target.detokenize(list(expected))
    drafts = {
        **drafted,
        "echo 10% wrong": echo(page, text, 0.1, page.number),
        "echo 50% wrong": echo(page, text, 0.5, page.number),
        "another page's": stale,
        "none": PageDraft(),
    }
    for name, draft in drafts.items():
        for stages in ("both", "page") if not draft.is_empty else ("page",):
            yield _compare(_parse(parser, page, draft, stages), name, stages, attention, expected)
    yield _compare(_parse(parser, page, PageDraft(), "none"), "none", "none", attention, expected)


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


def _parse(parser: Parser, page: PageImage, draft: PageDraft, stages: str) -> PageResult:
    options = replace(parser.options, stages=stages)  # type: ignore[arg-type]
    drafter = SafeDrafter(GivenDraft(draft))
    return PageParser(parser.loaded, parser.dialect, drafter, options, NullObserver()).parse(page)


def _compare(
    result: PageResult, drafts: str, stages: str, attention: str, expected: tuple[int, ...]
) -> Check:
    stopped = next(
        (event.kind for event in result.events if event.kind in ("loop_stopped", "blank_page")), ""
    )
    tokens = result.token_ids
    same = tokens == expected[: len(tokens)] if stopped == "loop_stopped" else tokens == expected
    stats = result.stage2
    return Check(
        source=result.source,
        page=result.number,
        attention=attention,
        drafts=drafts,
        stages=stages,
        tokens=len(tokens),
        steps=stats.steps if stats else 0,
        accepted=stats.accepted if stats else 0,
        identical=result.status != "failed" and (same or stopped == "blank_page"),
        stopped=stopped,
        error=result.error,
    )
