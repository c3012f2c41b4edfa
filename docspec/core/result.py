"""The result of a page: blocks, statistics, timings, and events that report faults and fallbacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from docspec.core.account import PageAccount
from docspec.core.categories import Category
from docspec.core.failures import Failure
from docspec.core.geometry import BBox
from docspec.core.marks import Mark
from docspec.core.provenance import Provenance
from docspec.core.quality import Quality
from docspec.core.straightening import NOTHING, Straightening
from docspec.core.sums import summed

if TYPE_CHECKING:
    from PIL.Image import Image

PageStatus = Literal["ok", "blank", "failed"]

WordsOf = Literal["text layer", "recognition", "model", "draft"]
"""The source of a text's words; ``draft``: a text layer or a saved draft that could not be checked."""

DAMAGE = frozenset({"damaged_page", "damaged_input", "page_unread"})
"""Kinds of events that say that something of the page, or of its document, may be missing (exit code 3)."""

NOT_WHOLE = frozenset({"budget_reached", "loop_stopped", "empty_answer", "nothing_said", "strange_marks"})
"""Kinds of events that say that the model's answer is not the whole page, or not only that; such a page is doubtful."""

WORDS_MISSING = "words_missing"
"""The kind of the event of a page of which visible words are not in the output; such a page is doubtful."""


@dataclass(frozen=True, slots=True)
class TablePart:
    """A part of a table over several pages: its page (from 1), its place there in pixels, and how many of the table's
    rows are from it."""

    page: int
    bbox: BBox
    rows: int


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of the target's output.

    ``text`` is as the target wrote it (Markdown, HTML for tables, LaTeX for formulas). ``bbox`` is in page-image
    pixels; ``None`` if neither the target nor the draft has it. ``bbox_from`` is its source. ``gap`` is the white space
    before this block in a Markdown answer (the gaps and texts of all blocks together are that answer), ``None`` if the
    target wrote separate cells. ``reread`` blocks were read on crops of their own, because the page's text was cut
    before them. ``trusted`` characters of the text were taken from the draft and not read (``--trust-agreement``).
    ``words`` is the source of the words: the model or, with ``--words evidence``, the text layer, the recogniser or the
    draft; of a block joined from several, the least certain one. If the words are not the model's, ``marks`` say how
    they are printed; of a heading, ``level`` is that of its bookmark (0: there is none) and ``points`` the size of its
    type (0: unknown); of list items, ``indents`` are the left edges of the text's lines, in pixels. ``unread``: a
    picture in which no text was searched for. ``running``: whether a head or foot is known to be repeated on pages
    nearby; if not (``False``), it is text at the edge of the page, which no paragraph goes through. A table that was
    joined over pages has its ``parts``, the first one on its own page; a block without text on a page that it goes on
    to is ``part_of`` the table on the page of that number.
    """

    category: Category
    text: str
    bbox: BBox | None = None
    bbox_from: Literal["model", "draft", "none"] = "none"
    gap: str | None = field(default=None, compare=False)
    reread: bool = False
    trusted: int = 0
    words: WordsOf = "model"
    marks: tuple[Mark, ...] = ()
    level: int = 0
    points: float = 0.0
    indents: tuple[float, ...] = ()
    unread: bool = False
    running: bool | None = None
    parts: tuple[TablePart, ...] = ()
    part_of: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """An exception from normal reading: a fallback, a stopped loop, a blank page, a failed drafter.

    ``kind`` is a stable identifier (``loop_stopped``, ``budget_reached``, ``blank_page``, ``drafter_failed``,
    ``stage1_skipped``, ...); ``detail`` says what happened and what was done instead; ``failure`` is the category of a
    failure, if there was one.
    """

    kind: str
    detail: str
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """Why a page's text ends before the target ended it: a ``loop`` or the ``budget``.

    ``kept`` tokens are the page's. Of a loop, ``dropped`` tokens behind them were written that only repeat their end,
    ``repeated``.
    """

    reason: Literal["loop", "budget"]
    kept: int
    dropped: int = 0
    repeated: str = ""


class AcceptanceRatios:
    """The ratios of ``accepted`` drafted tokens and verification ``steps``, for all classes that count both."""

    __slots__ = ()

    accepted: int
    steps: int

    @property
    def aal(self) -> float:
        """Accepted drafted tokens per verification step (equation 14 of the paper)."""
        return self.accepted / self.steps if self.steps else 0.0

    @property
    def tokens_per_step(self) -> float:
        """The same with the target's own token."""
        return (self.accepted + self.steps) / self.steps if self.steps else 0.0


@dataclass(frozen=True, slots=True)
class StageStats(AcceptanceRatios):
    """Counts of one decoding stage. A *step* is one verification of one row; ``forwards`` are batched calls.

    ``aal`` (equation 14 of the paper) counts accepted drafted tokens only; ``tokens_per_step`` counts the
    target's own token too. The first token of a row comes from its prefill and belongs to no step.
    ``host_seconds`` is the part of ``decode_seconds`` spent on proposing trees and building their masks,
    ``source_seconds`` the part of that of each source of tokens.
    ``kv_bytes`` is the key-value memory held; of a sum it is the largest.
    Pages that are verified at the same time share forwards and seconds; each is charged with its rows' part of a step.
    ``plain_tokens`` were decoded one per step because drafts did not pay there. ``smallest_margin`` is the smallest
    difference between the two largest logits along the output (``None``: unknown); ``redecided`` choices were made
    again by a step of one token.
    ``unverified`` tokens, counted as accepted, are the draft's and not the target's (``--skip-verification``).
    """

    rows: int = 0
    forwards: int = 0
    steps: int = 0
    drafted: int = 0
    accepted: int = 0
    tokens: int = 0
    prompt_tokens: int = 0
    prefill_seconds: float = 0.0
    decode_seconds: float = 0.0
    host_seconds: float = 0.0
    kv_bytes: int = 0
    plain_tokens: int = 0
    smallest_margin: float | None = None
    redecided: int = 0
    unverified: int = 0
    source_seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def host_share(self) -> float:
        """Share (0..1) of the decoding time that is the host's: proposals, trees and masks."""
        return self.host_seconds / self.decode_seconds if self.decode_seconds else 0.0

    def __add__(self, other: StageStats) -> StageStats:
        margins = [one for one in (self.smallest_margin, other.smallest_margin) if one is not None]
        sources: Counter[str] = Counter()
        for seconds in (self.source_seconds, other.source_seconds):
            for name, spent in seconds.items():
                sources[name] += spent  # type: ignore[assignment]
        return replace(
            summed(self, other, leaving_out=("kv_bytes", "smallest_margin", "source_seconds")),
            kv_bytes=max(self.kv_bytes, other.kv_bytes),
            smallest_margin=min(margins, default=None),
            source_seconds=dict(sources),
        )


@dataclass(frozen=True, slots=True)
class PageTimings:
    """Wall seconds. ``prefill`` is vision plus prompt of the full page; ``stage1`` holds all of the crops' work.

    ``hidden`` are the seconds of ``render`` and ``draft`` during which another page was being verified: ``total``
    includes them, but a run of many pages is shorter by them. ``beside`` are seconds of drafting during which the page
    itself was read; they are in no other figure.
    """

    render: float = 0.0
    draft: float = 0.0
    prefill: float = 0.0
    stage1: float = 0.0
    stage2: float = 0.0
    hidden: float = 0.0
    beside: float = 0.0

    def __add__(self, other: PageTimings) -> PageTimings:
        return summed(self, other)

    @property
    def total(self) -> float:
        return self.render + self.draft + self.prefill + self.stage1 + self.stage2


@dataclass(frozen=True, slots=True)
class Moment:
    """An event of a page's timeline, ``at`` seconds after drafting began, when ``tokens`` had been written."""

    what: str
    at: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Baseline:
    """Plain autoregressive decoding of the same page in the same engine and run (``--baseline``).

    ``prefill_seconds`` and ``decode_seconds`` are the baseline's own, ``layout_seconds`` those of the layout, which a
    page that is read by regions needs either way. ``sr_decode`` and ``sr_e2e`` are equations 12 and 13 of the paper:
    autoregressive time over speculative time, the draft counted in the denominator of both.
    """

    tokens: int
    prefill_seconds: float
    decode_seconds: float
    sr_decode: float
    sr_e2e: float
    identical: bool
    layout_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class PageResult:
    """One page's output. ``failure`` is the category of ``error``, ``trace`` the traceback of an unforeseen fault.
    ``read`` says whether the page was read whole or by regions, ``layout`` is the source of its regions
    (``white space``: no model; empty: none, the crops of such a page are found by their ink). ``provenance`` is there
    if it was asked for. ``timeline`` are the events of a page that was begun before its draft was complete.
    ``trusted_regions`` were taken from the draft, unread. ``quality`` says how reliable the page is, if that is known,
    ``account`` what became of its words.
    ``seen`` is what was done to the picture of the page before it was read (turned, straightened); boxes are those of
    the page as it was seen.
    ``image`` is there for cropping figures while the page is being written; drop it after."""

    source: str
    number: int
    status: PageStatus
    text: str = ""
    blocks: tuple[Block, ...] = ()
    width: int = 0
    height: int = 0
    drafter: str = "none"
    drafter_reason: str = ""
    read: Literal["page", "regions"] = "page"
    layout: str = ""
    regions: int = 0
    trusted_regions: int = 0
    stage1: StageStats | None = None
    stage2: StageStats | None = None
    timings: PageTimings = field(default_factory=PageTimings)
    timeline: tuple[Moment, ...] = ()
    baseline: Baseline | None = None
    events: tuple[Event, ...] = ()
    cut: Cut | None = None
    error: str | None = None
    failure: Failure | None = None
    trace: str | None = None
    token_ids: tuple[int, ...] = ()
    provenance: Provenance | None = None
    quality: Quality | None = None
    account: PageAccount | None = None
    seen: Straightening = NOTHING
    image: Image | None = None

    @property
    def tokens_per_step(self) -> float:
        """Tokens per verification step of the page itself; 0 if the target wrote nothing (blank, failed, known)."""
        return 0.0 if self.stage2 is None else self.stage2.tokens_per_step

    @property
    def trusted(self) -> int:
        """Characters that were taken from the draft and not read."""
        return sum(block.trusted for block in self.blocks)

    @property
    def doubtful(self) -> str | None:
        """Why a person should look at the page; ``None`` if there is no reason."""
        known = self.quality.doubtful if self.quality else self.account.doubt if self.account else None
        reasons = [] if known is None else [known]
        reasons += [detail for detail in self.not_whole if detail not in (known or "")]
        return "; ".join(reasons) or None

    @property
    def not_whole(self) -> tuple[str, ...]:
        """Why the model's answer may not be all of the page."""
        kinds = {event.kind for event in self.events}
        covered = {"loop_stopped"} if "regions_reread" in kinds else set()
        return tuple(event.detail for event in self.events if event.kind in NOT_WHOLE - covered)

    @property
    def damage(self) -> str | None:
        """Why some of the page may be missing although it was read; ``None`` for a sound page of a sound document."""
        found = [event.detail for event in self.events if event.kind in DAMAGE]
        return "; ".join(found) or None


@dataclass(frozen=True, slots=True)
class DocumentResult:
    """All pages of one input, in order (images dropped). Convenient for small documents; stream large ones.

    ``error`` says why an input of several could not be read, ``failure`` is its category.
    """

    source: str
    pages: tuple[PageResult, ...]
    error: str | None = None
    failure: Failure | None = None

    def __iter__(self) -> Iterator[PageResult]:
        return iter(self.pages)

    @property
    def ok(self) -> bool:
        """Whether it was read, no page failed and none is damaged."""
        return self.error is None and all(page.status != "failed" and page.damage is None for page in self.pages)
