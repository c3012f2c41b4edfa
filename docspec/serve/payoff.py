"""Whether reading an image here pays: what drafts by recognition save an upstream, against what recognition takes.

Both are measured, on this machine and with this upstream, a kind of request at a time: the seconds that a byte of an
answer takes with such drafts and without, and the seconds that a pixel takes to recognise. What is not known yet is
tried, but trials together may take no more than a share of all the time that answers took. So a gateway whose
recognition never pays loses that share, and no more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

SHARE = 0.02
"""Of the time that answers take, which may go into finding out."""
CONTROL = 16
"""Where recognition pays, every so many requests one goes without, so that the comparison stays true."""
FADE = 0.9
"""What remains of a measurement's weight with each further one."""
PIXEL_SECONDS = 4e-6
"""Of recognition before any was measured: an A4 page at 200 dpi, 3.9 million pixels, in sixteen seconds."""
ENOUGH = 3
"""Measurements after which a rate is trusted."""


@dataclass(slots=True)
class RunningMean:
    """A mean that the latest measurements count most in."""

    value: float = 0.0
    count: int = 0

    def note(self, value: float) -> None:
        self.value = value if not self.count else FADE * self.value + (1 - FADE) * value
        self.count += 1


@dataclass(slots=True)
class Kind:
    """Requests that are alike."""

    with_drafts: RunningMean = field(default_factory=RunningMean)
    without: RunningMean = field(default_factory=RunningMean)
    size: RunningMean = field(default_factory=RunningMean)
    asked: int = 0


class Payoff:
    """``decide`` before an image is read, ``recognised`` and ``answered`` behind it."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, bool], Kind] = {}
        self._pixel = RunningMean(PIXEL_SECONDS)
        self._answering = 0.0
        self._trying = 0.0

    def decide(self, kind: tuple[str, bool], pixels: int) -> bool:
        """Whether to read an image of ``pixels`` for a request of ``kind`` (what is asked for; whether it streams)."""
        known = self._kinds.setdefault(kind, Kind())
        cost = self._pixel.value * pixels
        if known.with_drafts.count >= ENOUGH and known.without.count >= ENOUGH:
            known.asked += 1
            saved = known.size.value * (known.without.value - known.with_drafts.value)
            if saved > cost:
                return known.asked % CONTROL != 0
        elif known.without.count < ENOUGH:
            return False
        if self._trying + cost > SHARE * self._answering:
            return False
        self._trying += cost
        return True

    def recognised(self, pixels: int, seconds: float) -> None:
        """An image of ``pixels`` took ``seconds``."""
        if pixels:
            self._pixel.note(seconds / pixels)

    def answered(self, kind: tuple[str, bool], drafted: bool, size: int, seconds: float) -> None:
        """An answer of ``size`` bytes took ``seconds`` from when its upstream was asked."""
        self._answering += seconds
        if size:
            known = self._kinds.setdefault(kind, Kind())
            (known.with_drafts if drafted else known.without).note(seconds / size)
            known.size.note(size)
