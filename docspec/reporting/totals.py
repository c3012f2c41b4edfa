"""Sums over the pages of a run, for the report's totals and the summary on the terminal."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from docspec.core import Baseline, PageResult, PageTimings, StageStats

NOTABLE = {
    "loop_stopped": "cut where the output began to repeat itself",
    "verification_skipped": "with drafted tokens taken unverified (lossy)",
    "draft_trusted": "with regions taken from the draft and not read by the model (lossy)",
    "regions_reread": "with regions behind the cut read on crops of their own",
    "budget_reached": "cut at the token budget",
    "words_missing": "with words that are not in the output",
    "structure_doubtful": "with paragraphs, columns, lists or tables that are not those that are drawn",
    "table_doubtful": "with tables whose rows or columns are in doubt",
    "empty_answer": "with answers in which the model wrote nothing",
    "nothing_said": "answered without a word of the page",
    "strange_marks": "with marks in the answer that no page has",
    "damaged_page": "damaged in the file, some of them may be missing",
    "page_unread": "with pictures that may be text, as the drafter failed and nobody looked",
    "damaged_input": "of a damaged file, where something may be missing",
    "draft_unused": "with drafted texts without regions, which crops cannot use (--read page can)",
    "draft_doubtful": "with a draft that may be of another page",
    "places_unknown": "with words whose places are not known, as nothing could be recognised",
    "drafter_failed": "decoded without a draft, as the drafter failed",
}
"""Events that a user is told without asking: what they did to a page."""

DETAILED = ("loop_stopped", "budget_reached", "drafter_failed")
"""Events of which a page's line gives the detail: where its text was cut, why its drafter failed. (Missing words are
told as the reason for doubt.)"""


@dataclass
class Totals:
    """Sums over pages; seconds are wall time. Speed ratios are ratios of sums over the pages that have a
    baseline.
    """

    pages: int = 0
    ok: int = 0
    blank: int = 0
    failed: int = 0
    doubtful: int = 0
    regions: int = 0
    trusted_regions: int = 0
    trusted: int = 0
    output_tokens: int = 0
    stage1: StageStats = field(default_factory=StageStats)
    stage2: StageStats = field(default_factory=StageStats)
    timings: PageTimings = field(default_factory=PageTimings)
    events: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    compared: int = 0
    identical: int = 0
    baseline_decode: float = 0.0
    baseline_e2e: float = 0.0
    own_decode: float = 0.0
    own_e2e: float = 0.0

    @property
    def sr_decode(self) -> float | None:
        """Equation 12 over the whole run; ``None`` without a baseline."""
        return self.baseline_decode / self.own_decode if self.own_decode > 0 else None

    @property
    def sr_e2e(self) -> float | None:
        """Equation 13 over the whole run; ``None`` without a baseline."""
        return self.baseline_e2e / self.own_e2e if self.own_e2e > 0 else None

    def add(self, page: PageResult) -> None:
        self.pages += 1
        setattr(self, page.status, getattr(self, page.status) + 1)
        self.doubtful += page.doubtful is not None
        self.regions += page.regions
        self.trusted_regions += page.trusted_regions
        self.trusted += page.trusted
        self.output_tokens += output_tokens(page)
        self.stage1 += page.stage1 or StageStats()
        self.stage2 += page.stage2 or StageStats()
        self.timings += page.timings
        self.events.update({event.kind for event in page.events})
        if page.account is not None:
            self.words.update(page.account.counts)
            self.rules.update(page.account.rules)
        if page.baseline is not None:
            self._compare(page.baseline, page.timings)

    def _compare(self, baseline: Baseline, own: PageTimings) -> None:
        """Adds to the four sums that equations 12 and 13 are ratios of, as for a page alone."""
        self.compared += 1
        self.identical += baseline.identical
        decode = baseline.layout_seconds + baseline.decode_seconds
        self.baseline_decode += decode
        self.own_decode += own.draft + own.stage1 + own.stage2
        self.baseline_e2e += own.render + baseline.prefill_seconds + decode
        self.own_e2e += own.total


def output_tokens(page: PageResult) -> int:
    """The number of tokens that the target wrote for the page."""
    return len(page.token_ids) or (page.stage2.tokens if page.stage2 is not None else 0)
