"""What reading a page took: counts of tokens and steps, seconds, and sums of both."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

D = TypeVar("D", bound=Any)


def summed(one: D, other: D, leaving_out: Collection[str] = ()) -> D:
    """``one`` with the fields of ``other``, of the same class, added to its own, except those in ``leaving_out``."""
    names = [each.name for each in fields(one) if each.name not in leaving_out]
    return replace(one, **{name: getattr(one, name) + getattr(other, name) for name in names})


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
    ``unverified`` tokens, counted as accepted, are the draft's and not the target's (``skip-verification``).
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
        own, others = self.source_seconds, other.source_seconds
        sources = {name: own.get(name, 0.0) + others.get(name, 0.0) for name in {**own, **others}}
        return replace(
            summed(self, other, leaving_out=("kv_bytes", "smallest_margin", "source_seconds")),
            kv_bytes=max(self.kv_bytes, other.kv_bytes),
            smallest_margin=min(margins, default=None),
            source_seconds=sources,
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
