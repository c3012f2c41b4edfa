"""Whether reading an image here pays: what drafts by recognition save an upstream, against what recognition takes.

Both are measured, on this machine and with this upstream, a kind of request at a time: the seconds that a byte of an
answer takes with such drafts and without, and the seconds that a pixel takes to recognise. There are two ways to draft:
the prompt is sent when the draft is there, or it is prefilled while the image is recognised; the one whose answers come
sooner is taken. What is not known yet is tried, but trials together may take no more than a share of all the time that
answers took. So a gateway whose recognition never pays loses that share, and no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Way = Literal["plain", "drafted", "prefilled"]
"""No recognition; recognition, then the request; recognition beside the prefill of the prompt, then the request."""

SHARE = 0.02
"""Of the time that answers take, which may go into finding out."""
CONTROL = 16
"""Where recognition pays, one of so many requests goes without and one the other way, so that comparisons stay true."""
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
class KindRates:
    """Requests that are alike: the seconds a byte of their answers, by the way they went."""

    rates: dict[Way, RunningMean] = field(
        default_factory=lambda: {way: RunningMean() for way in ("plain", "drafted", "prefilled")}
    )
    size: RunningMean = field(default_factory=RunningMean)
    decided: int = 0


class Payoff:
    """``decide`` before an image is read, ``recognised`` and ``answered`` behind it."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, bool], KindRates] = {}
        self._pixel = RunningMean(PIXEL_SECONDS)
        self._answering = 0.0
        self._trying = 0.0

    def decide(
        self, kind: tuple[str, bool], pixels: int, ways: Sequence[Way] = ("drafted",), always: bool = False
    ) -> Way:
        """The way of a request of ``kind`` (what is asked for; whether it streams) with an image of ``pixels``: plain,
        or one of ``ways``; one of them in any case where images are ``always`` recognised."""
        known = self._kinds.setdefault(kind, KindRates())
        cost = self._pixel.value * pixels
        measured = [way for way in ways if known.rates[way].count >= ENOUGH]
        best = min(measured or ways, key=lambda way: known.rates[way].value)
        saved = known.size.value * (known.rates["plain"].value - known.rates[best].value)
        if always or (known.rates["plain"].count >= ENOUGH and measured and saved > cost):
            known.decided += 1
            turn = known.decided % CONTROL
            if turn == 0 and not always:
                return "plain"
            return next(way for way in ways if way != best) if turn == CONTROL // 2 and len(ways) > 1 else best
        if known.rates["plain"].count < ENOUGH or self._trying + cost > SHARE * self._answering:
            return "plain"
        self._trying += cost
        return min(ways, key=lambda way: known.rates[way].count)

    def recognised(self, pixels: int, seconds: float) -> None:
        """An image of ``pixels`` took ``seconds``."""
        if pixels:
            self._pixel.note(seconds / pixels)

    def answered(self, kind: tuple[str, bool], way: Way, size: int, seconds: float) -> None:
        """An answer of ``size`` bytes took ``seconds`` beyond recognition."""
        self._answering += seconds
        if size:
            known = self._kinds.setdefault(kind, KindRates())
            known.rates[way].note(seconds / size)
            known.size.note(size)
