"""End-to-end time with real acceptance and no weights: full-size steps whose output follows a transcript.

Each page is decoded plainly and speculatively in turn, in one run; drafting is inside the speculative time. Forward
passes are exactly those of ``benchmarks transcripts`` with the same drafts, tree budget and policy.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from benchmarks.scripted_target import ScriptedTarget
from benchmarks.transcripts import TokenizerFile, Transcript
from docspec.core import InputError, PageImage, ParseOptions, StageStats
from docspec.core.grammar import Grammar
from docspec.dialects import make_dialect
from docspec.documents import PageFailure, open_document
from docspec.drafting import SafeDrafter
from docspec.engine.request import Output, Request
from docspec.generation.local import make_decoder
from docspec.targets.adapter import TransformersTarget

LABEL = "scripted target, random weights: times are real, text is a transcript"

ATTEMPTS = 3
"""Runs of a page until one needs no capture."""


@dataclass(frozen=True, slots=True)
class ScriptedRun:
    """One reading of a page; seconds. ``follows``: the output is the transcript."""

    drafter: str
    draft: float
    prefill: float
    decode: float
    forwards: int
    accepted: int
    follows: bool


@dataclass(frozen=True, slots=True)
class ScriptedTiming:
    """Several runs: medians of seconds, ``low`` and ``high`` the extremes of ``total``, rendering included."""

    draft: float
    prefill: float
    decode: float
    total: float
    low: float
    high: float
    forwards: int
    accepted: int
    follows: bool


@dataclass(frozen=True, slots=True)
class ScriptedPage:
    """One page, plainly and speculatively. ``tokens`` are the transcript's."""

    name: str
    drafter: str
    tokens: int
    prompt_tokens: int
    render: float
    plain: ScriptedTiming
    speculative: ScriptedTiming

    @property
    def tokens_per_step(self) -> float:
        return self.tokens / self.speculative.forwards

    @property
    def sr_decode(self) -> float:
        """Equation 12: plain decoding seconds over draft and speculative decoding."""
        return self.plain.decode / (self.speculative.draft + self.speculative.decode)

    @property
    def sr_e2e(self) -> float:
        """Equation 13: plain seconds from pixels to text over speculative ones, rendering and draft included."""
        return self.plain.total / self.speculative.total


class ScriptedBench:
    """Reads pages with one target of random weights and one tokenizer."""

    def __init__(
        self,
        inner: TransformersTarget,
        codec: TokenizerFile,
        drafter: SafeDrafter,
        options: ParseOptions,
        repeats: int = 3,
    ) -> None:
        self.target = ScriptedTarget(inner, codec)
        self._room = inner.max_length
        self._drafter = drafter
        self._options = options
        self._engine = make_decoder(self.target, options)
        self._repeats = repeats

    def read(self, transcript: Transcript) -> ScriptedPage:
        """Times the first page of ``transcript``. Raises :class:`docspec.core.DocspecError` if it cannot be read or
        does not fit the model's context."""
        with open_document(transcript.document) as document:
            for page in document.pages("1", self._options.dpi):
                if isinstance(page, PageFailure):
                    raise page.error
                return self._measure(transcript, page)
        raise InputError(f"{transcript.document}: no pages")

    def _measure(self, transcript: Transcript, page: PageImage) -> ScriptedPage:
        script = self.target.tokenize(transcript.text)
        self.target.follow(script)
        length = self.target.encode(page.image, "").length
        needed = length + len(script) + 2 * self._options.max_tree + 2
        if needed > self._room:
            raise InputError(f"{transcript.name}: {needed} tokens do not fit the model's {self._room}")
        runs: dict[bool, list[ScriptedRun]] = {False: [], True: []}
        for turn in range(self._repeats):
            for drafted in (False, True) if turn % 2 else (True, False):
                runs[drafted].append(self._settled(transcript, page, script, drafted))
        return ScriptedPage(
            transcript.name,
            runs[True][0].drafter,
            len(script),
            length,
            page.render_seconds,
            _timing(runs[False], page.render_seconds),
            _timing(runs[True], page.render_seconds),
        )

    def _settled(self, transcript: Transcript, page: PageImage, script: list[int], drafted: bool) -> ScriptedRun:
        """A run in which nothing had to be captured, if there is one: warm-up is reported by itself."""
        for _ in range(ATTEMPTS):
            before = self.target.steps.report
            run = self._once(transcript, page, script, drafted)
            after = self.target.steps.report
            if (after.captured, after.mode) == (before.captured, before.mode):
                break
        return run

    def _once(self, transcript: Transcript, page: PageImage, script: list[int], drafted: bool) -> ScriptedRun:
        start = time.perf_counter()
        drafter = "none"
        drafts: list[tuple[int, ...]] = []
        grammar: Callable[[], Grammar | None] | None = None
        if drafted:
            draft = self._drafter.draft(page)
            drafter = draft.drafter
            dialect = make_dialect(transcript.dialect)
            texts = dialect.page_drafts(draft, page.width, page.height)
            drafts = [tuple(self.target.tokenize(text)) for text in texts]
            grammar = partial(dialect.grammar, draft, page.width, page.height)
        draft_seconds = time.perf_counter() - start
        start = time.perf_counter()
        prompt = self.target.encode(page.image, "")
        encode_seconds = time.perf_counter() - start
        budget = len(script) + self._options.max_tree + 1
        job = Request(prompt, tuple(drafts), budget, grammar=grammar)
        output: Output
        stats: StageStats
        if drafted:
            [output], stats = self._engine.speculate([job])
        else:
            output, stats = self._engine.baseline(job)
        return ScriptedRun(
            drafter,
            draft_seconds,
            encode_seconds + stats.prefill_seconds,
            stats.decode_seconds,
            stats.forwards,
            stats.accepted,
            list(output.tokens) == script,
        )


def _timing(runs: Sequence[ScriptedRun], render: float) -> ScriptedTiming:
    totals = [render + run.draft + run.prefill + run.decode for run in runs]
    return ScriptedTiming(
        draft=median(run.draft for run in runs),
        prefill=median(run.prefill for run in runs),
        decode=median(run.decode for run in runs),
        total=median(totals),
        low=min(totals),
        high=max(totals),
        forwards=runs[0].forwards,
        accepted=runs[0].accepted,
        follows=all(run.follows for run in runs),
    )


def overall(pages: Sequence[ScriptedPage]) -> tuple[float, float, float]:
    """Tokens per step, SR_decode and SR_e2e of all pages together (ratios of sums of medians)."""
    tokens = sum(page.tokens for page in pages)
    steps = sum(page.speculative.forwards for page in pages)
    decode = sum(page.plain.decode for page in pages)
    own = sum(page.speculative.draft + page.speculative.decode for page in pages)
    return (
        tokens / steps,
        decode / own,
        sum(page.plain.total for page in pages) / sum(page.speculative.total for page in pages),
    )
