"""The result of a page: its blocks, and events that report faults and fallbacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from docspec.core.account import PageAccount
from docspec.core.categories import Category
from docspec.core.errors import Failure
from docspec.core.geometry import BBox
from docspec.core.marks import Mark
from docspec.core.places import PlacedCell, PlacedWord
from docspec.core.provenance import Provenance
from docspec.core.stats import Baseline, Moment, PageTimings, StageStats
from docspec.core.straightening import NOTHING, Straightening

if TYPE_CHECKING:
    from PIL.Image import Image


Grade = Literal["A", "B", "C", "D"]


@dataclass(frozen=True, slots=True)
class Quality:
    """``certainty`` (0..1) is the mean over the page's characters: 1 for those of a sound text layer (its likeness to
    the print if it is hidden), the recogniser's confidence for recognised ones, and ``agreement`` for those that a
    model wrote: the share of words that its text and the draft have in common; print of a scan that no recogniser reads
    counts 0. ``margin`` is the smallest difference, in logits, between the model's first and second choices. ``None``:
    there was nothing to measure. ``doubtful`` is why a person should look at the page; docs/doubtful.md has the
    thresholds behind the ``grade``.
    """

    grade: Grade
    certainty: float
    agreement: float | None = None
    margin: float | None = None
    doubtful: str | None = None


PageStatus = Literal["ok", "blank", "failed"]

WordsOf = Literal["text layer", "recognition", "model", "draft"]
"""The source of a text's words; ``draft``: a text layer or a saved draft that could not be checked."""

DAMAGE = frozenset({"damaged_page", "damaged_input", "page_unread"})
"""Kinds of events that say that something of the page, or of its document, may be missing (exit code 3)."""

NOT_WHOLE = frozenset({"budget_reached", "loop_stopped", "empty_answer", "nothing_said", "strange_marks"})
"""Kinds of events that say that the model's answer is not the whole page, or not only that; such a page is doubtful."""

WORDS_MISSING, STRUCTURE_DOUBTFUL = "words_missing", "structure_doubtful"
"""The kinds of the events of a page of which visible words are not in the output, and of one whose paragraphs, columns,
lists or tables are not those that are drawn; such pages are doubtful."""

WORDS_DOUBTFUL = "words_doubtful"
"""The kind of the event of a page of which a word with a sign that the file does not tell is not in the output."""


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
    before them. ``trusted`` characters of the text were taken from the draft and not read (``trust-agreement``).
    ``words`` is the source of the words: the model or, with ``--words evidence``, the text layer, the recogniser or the
    draft; of a block joined from several, the least certain one. If the words are not the model's, ``marks`` say how
    they are printed; of a heading, ``level`` is that of its bookmark (0: there is none); ``points`` is the size of the
    type of headings and running text (0: unknown); of list items, ``indents`` are the left edges of the text's lines,
    in pixels. ``unread``: a picture in which no text was searched for. ``running``: whether a head or foot is known to
    be repeated on pages nearby; if not (``False``), it is text at the edge of the page, which no paragraph goes
    through. A table that was joined over pages has its ``parts``, the first one on its own page; a block without text
    on a page that it goes on to is ``part_of`` the table on the page of that number. ``places`` are those of the words
    of its text, and ``cells`` those of a table's cells, if they were asked for; then ``margins`` are words of the text,
    from one character to before another, with the smallest distance in logits of their tokens from the second choice.
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
    margins: tuple[tuple[int, int, float], ...] = field(default=(), compare=False)
    places: tuple[PlacedWord, ...] = ()
    cells: tuple[PlacedCell, ...] = ()


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
        if self.quality is not None:
            reasons = [self.quality.doubtful] if self.quality.doubtful else []
        else:
            doubts = (self.account.doubt, self.account.structure_doubt) if self.account else ()
            reasons = [doubt for doubt in doubts if doubt]
        known = "; ".join(reasons)
        reasons += [detail for detail in self.not_whole if detail not in known]
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
        details = [event.detail for event in self.events if event.kind in DAMAGE]
        return "; ".join(details) or None


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
