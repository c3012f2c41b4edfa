"""Decides whether recognising an image pays: the time that its draft saves the upstream against the time of
recognition.

Both are measured on this machine, with this upstream and for each kind of request: seconds per byte of an answer with
and without such drafts, and seconds per pixel of recognition. There are two ways to draft: the prompt is sent when the
draft is ready, or it is prefilled while the image is recognised; the faster one is taken. Unmeasured ways are tried,
but all trials together may take only a small share of the time of all answers. So a gateway whose recognition never
pays loses that share and no more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Way = Literal["plain", "drafted", "prefilled"]
"""No recognition; recognition, then the request; recognition during the prefill of the prompt, then the request."""

SHARE = 0.02
"""Share of the time of all answers that trials may take."""
CONTROL = 16
"""Where recognition pays, one request in so many goes without it and one takes the other way, to keep the rates
current."""
FADE = 0.9
"""What remains of a measurement's weight with each further one."""
PIXEL_SECONDS = 4e-6
"""Seconds per pixel before anything was measured: an A4 page at 200 dpi, 3.9 million pixels, takes sixteen seconds."""
ENOUGH = 3
"""Measurements after which a rate is trusted."""


@dataclass(slots=True)
class RunningMean:
    """A mean that weights recent values most."""

    value: float = 0.0
    count: int = 0

    def note(self, value: float) -> None:
        self.value = value if not self.count else FADE * self.value + (1 - FADE) * value
        self.count += 1


@dataclass(slots=True)
class KindRates:
    """The rates of one kind of request: seconds per byte of the answer for each way, and bytes of an answer."""

    rates: defaultdict[Way, RunningMean] = field(default_factory=lambda: defaultdict(RunningMean))
    size: RunningMean = field(default_factory=RunningMean)
    decided: int = 0


class Payoff:
    """Call ``decide`` before an image is recognised, ``recognised`` and ``answered`` afterwards."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, bool], KindRates] = {}
        self._pixel = RunningMean(PIXEL_SECONDS)
        self._answering = 0.0
        self._trying = 0.0

    def decide(
        self, kind: tuple[str, bool], pixels: int, ways: Sequence[Way] = ("drafted",), always: bool = False
    ) -> Way:
        """The way for a request of ``kind`` (what is asked for, and whether it streams) with an image of ``pixels``:
        ``plain`` or one of ``ways``. With ``always`` it is never ``plain``."""
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
        """Records that an image of ``pixels`` took ``seconds``."""
        if pixels:
            self._pixel.note(seconds / pixels)

    def answered(self, kind: tuple[str, bool], way: Way, size: int, seconds: float) -> None:
        """Records that an answer of ``size`` bytes took ``seconds``, without recognition."""
        self._answering += seconds
        if size:
            known = self._kinds.setdefault(kind, KindRates())
            known.rates[way].note(seconds / size)
            known.size.note(size)
