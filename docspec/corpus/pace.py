"""What pages take on this machine, kept by each run, so that ``docspec inspect`` can say how long another would take.

Pages are prepared ahead while others are read: one more page makes a run longer by less than it takes by itself. Both
are kept, for two kinds of pages: those with the words of the file, and those whose words are recognised.
"""

from __future__ import annotations

import contextlib
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal

from docspec.core import OutputError, PageResult, ParseOptions
from docspec.core.paths import state_folder
from docspec.core.safe_text import dump_json
from docspec.core.validation import InvalidValues, parsed_as
from docspec.reporting.writer import write_whole

PageWords = Literal["text", "recognised"]
"""Whose words a page has: the file's, or recognised ones."""

MOST_PAGES = 300
"""Pages measured before weigh no more than so many: a machine, and docspec, change."""

MOST_RUNS = 20

NOWHERE = (OSError, RuntimeError)
"""Errors of a place that cannot be had; the second one is Python's where a user has no home (in containers)."""


@dataclass(frozen=True, slots=True)
class KindPace:
    """Seconds of ``pages`` pages of a kind: ``alone`` by itself, ``further`` what one more of ``further_pages`` adds to
    a run (``None``: every run had one page)."""

    pages: int
    alone: float
    further_pages: int = 0
    further: float | None = None

    def __add__(self, new: KindPace) -> KindPace:
        return KindPace(
            self.pages + new.pages,
            _mean(self.alone, min(self.pages, MOST_PAGES), new.alone, new.pages),
            self.further_pages + new.further_pages,
            _mean(self.further, min(self.further_pages, MOST_PAGES), new.further, new.further_pages),
        )


def _mean(old: float | None, old_count: int, new: float | None, new_count: int) -> float:
    """The mean of two means."""
    if old is None or new is None:
        return new if old is None else old  # type: ignore[return-value]
    return round((old * old_count + new * new_count) / max(1, old_count + new_count), 4)


@dataclass(frozen=True, slots=True)
class Pace:
    """What ``runs`` runs of a ``model`` took: ``start`` seconds until the first page was begun, and its pages."""

    model: str
    engine: str
    words: str
    device: str
    runs: int
    start: float
    kinds: dict[PageWords, KindPace]

    def measured_on(self, pages: Sequence[PageWords]) -> int:
        """How many pages of the kinds of ``pages`` were measured here; 0 if none was of one of them."""
        counts = [self.kinds[kind].pages for kind in set(pages) if kind in self.kinds]
        return sum(counts) if counts and all(counts) else 0

    @property
    def options(self) -> tuple[str, str, str, str]:
        """What was measured; other options are taken for the usual ones."""
        return self.model, self.engine, self.words, self.device

    def __add__(self, new: Pace) -> Pace:
        kinds = {kind: self.kinds[kind] + pace if kind in self.kinds else pace for kind, pace in new.kinds.items()}
        start = _mean(self.start, min(self.runs, MOST_RUNS), new.start, new.runs)
        return replace(new, runs=self.runs + new.runs, start=start, kinds={**self.kinds, **kinds})

    def seconds(self, pages: Sequence[PageWords]) -> float | None:
        """How long a run over ``pages`` takes, its start included; ``None`` if pages of such a kind were never read."""
        if not set(pages) <= self.kinds.keys():
            return None
        if not pages:
            return self.start
        first, *others = (self.kinds[kind] for kind in pages)
        return self.start + first.alone + sum(one.alone if one.further is None else one.further for one in others)


PUBLISHED = Pace(
    model="mini",
    engine="local",
    words="auto",
    device="auto",
    runs=0,
    start=2.4,
    kinds={"text": KindPace(0, 3.0, 0, 1.6), "recognised": KindPace(0, 5.5, 0, 3.0)},
)
"""The bundled reader on two shared cores (docs/inspect.md): a guess for kinds of pages that no run here has read."""


@dataclass(slots=True)
class Seconds:
    """The seconds of ``pages`` pages together."""

    pages: int = 0
    total: float = 0.0

    def add(self, seconds: float) -> None:
        self.pages += 1
        self.total += seconds


@dataclass
class Stopwatch:
    """Times the pages of a run. ``begun`` is when the run began, in seconds of the clock of ``page_done``."""

    begun: float = field(default_factory=time.monotonic)
    _first: tuple[float, float] | None = None
    _last: float = 0.0
    _alone: dict[PageWords, Seconds] = field(default_factory=lambda: defaultdict(Seconds))
    _further: dict[PageWords, Seconds] = field(default_factory=lambda: defaultdict(Seconds))

    def page_done(self, page: PageResult, at: float | None = None) -> None:
        """A page was read, now or ``at``."""
        self._last = time.monotonic() if at is None else at
        seconds = page.timings.total
        if self._first is None:
            self._first = self._last, seconds
        else:
            self._further[_words_of(page)].add(seconds)
        if page.status == "ok":
            self._alone[_words_of(page)].add(seconds)

    def pace(self, options: ParseOptions) -> Pace | None:
        """What the run took; ``None`` if it read no page, or did not go the usual way."""
        if self._first is None or not self._alone or options.baseline or options.drafter != "auto":
            return None
        first_at, first_seconds = self._first
        own = sum(further.total for further in self._further.values())
        share = (self._last - first_at) / own if own else 0.0  # of the pages' own seconds, which overlap
        kinds: dict[PageWords, KindPace] = {}
        for kind, alone in self._alone.items():
            further = self._further.get(kind, Seconds())
            mean = share * further.total / further.pages if further.pages else None
            kinds[kind] = KindPace(alone.pages, alone.total / alone.pages, further.pages, mean)
        start = max(0.0, first_at - first_seconds - self.begun)
        return Pace(*key_of(options), options.device, 1, start, kinds)


def key_of(options: ParseOptions) -> tuple[str, str, str]:
    """Model, engine and words of ``options``, by which paces are found."""
    return "mini" if options.model == "auto" else options.model, options.reads_with, options.words


def _words_of(page: PageResult) -> PageWords:
    return "text" if page.drafter.startswith("text-layer") else "recognised"


@dataclass(frozen=True, slots=True)
class Paces:
    """The file with what was measured, the newest last."""

    paces: tuple[Pace, ...] = ()

    @classmethod
    def read(cls) -> Paces:
        """What earlier runs have kept; nothing if that cannot be read."""
        with contextlib.suppress(*NOWHERE, InvalidValues):
            return parsed_as(cls, file().read_bytes())
        return cls()

    def of(self, model: str, engine: str, words: str) -> Pace | None:
        """The newest of runs with these options, on whichever device; what they have not read, as published."""
        newest = next((one for one in reversed(self.paces) if one.options[:3] == (model, engine, words)), None)
        if PUBLISHED.options[:3] != (model, engine, words):
            return newest
        return PUBLISHED if newest is None else replace(newest, kinds={**PUBLISHED.kinds, **newest.kinds})

    def keep(self, new: Pace) -> None:
        """Adds a run. Where that cannot be written, nothing is kept: no run fails for it."""
        before = next((one for one in self.paces if one.options == new.options), None)
        others = tuple(one for one in self.paces if one is not before)
        with contextlib.suppress(*NOWHERE, OutputError):
            write_whole(file(), dump_json(asdict(Paces((*others, new if before is None else before + new)))))


def file() -> Path:
    """Where it is kept."""
    return state_folder() / "pace.json"
