"""Fits the certainty of words to made scans whose text is known, measures it on others, and draws how well it holds.

A scan is read in one of three ways: by the recogniser alone, by the model beside the recogniser, and by the model
alone. ``docspec/places/certainty.py`` has the weights that ``python -m benchmarks certainty`` prints.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count, islice
from pathlib import Path

import numpy as np

from benchmarks.made_scans import BLURRED, Wear, made_scan
from benchmarks.places import PlacedPage, Summary, judged, truth_of
from docspec import accounting
from docspec.core import PageDraft, PageImage, PageResult, ParseOptions
from docspec.core.account import VisibleWord
from docspec.core.result import WordsOf
from docspec.documents.sources import source_from_bytes
from docspec.parser import Parser
from docspec.places import placing, with_places
from docspec.places.certainty import Alone, certainty_of, evidence_of
from docspec.places.gaps import Found

RIDGE = 1.0
"""Pulls the weights towards 0."""

LEAST = 30
"""Words of a kind from which on it is fitted."""

SHOWN = 5
"""Words of a bin of the diagram from which on it is drawn."""

STEPS = 50
"""Of Newton's method."""

WAYS: Mapping[str, Mapping[str, str]] = {
    "model": {"words": "model"},
    "model alone": {"words": "model", "drafter": "none"},
    "recogniser": {},
}
"""Options by the way in which a scan is read."""

IN_TURN = ("model", "model alone", "model", "recogniser")


def way_of(seed: int) -> str:
    """How the scan of ``seed`` is read."""
    if seed >= BLURRED:
        return "model"
    return IN_TURN[seed // 2 % len(IN_TURN)]


def seeds(first: int, number: int, way: str | None = None) -> list[int]:
    """``number`` seeds from ``first`` on, all even or all odd, of scans that are read in ``way``, or in any."""
    found = (seed for seed in count(first, 2) if way is None or way_of(seed) == way)
    return list(islice(found, number))


@dataclass(frozen=True, slots=True)
class Reading:
    """A made scan that was read in some ``way``, before its words were placed, and the words that are printed on it."""

    seed: int
    way: str
    wear: Wear
    result: PageResult
    page: PageImage
    draft: PageDraft
    truth: Sequence[VisibleWord]

    def placed(self) -> PlacedPage:
        """Its words, placed by the code as it stands."""
        with _noted():
            found = with_places(self.result, self.page, self.draft)
        return PlacedPage(str(self.seed), 1, list(judged(found, self.truth)))


def readings(seeds: Sequence[int], options: ParseOptions, folder: Path | None) -> Iterator[Reading]:
    """The made scans of ``seeds``. What is kept in ``folder`` is not read again, and what is read is kept there."""
    parsers: dict[str, Parser] = {}
    try:
        for seed in seeds:
            kept = None if folder is None else folder / f"{seed}.pickle"
            if kept is not None and kept.exists():
                yield pickle.loads(kept.read_bytes())
                continue
            way = way_of(seed)
            if way not in parsers:
                parsers[way] = Parser(replace(options, places="drafts", **WAYS[way]), images=False)  # type: ignore[arg-type]
            reading = _read(seed, way, parsers[way])
            if kept is not None:
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_bytes(pickle.dumps(reading))
            yield reading
    finally:
        for parser in parsers.values():
            parser.close()


def _read(seed: int, way: str, parser: Parser) -> Reading:
    data, wear = made_scan(seed)
    [(truth, drawn)] = truth_of(source_from_bytes(data, f"{seed}.pdf"), parser.options).values()
    buffer = io.BytesIO()
    wear.worn(drawn.image).save(buffer, "PNG")
    with _unplaced() as seen:
        parser.parse(buffer.getvalue())
    [(result, page, draft)] = seen
    return Reading(seed, way, wear, result, replace(page, pdf_page=None), draft, truth)


@contextmanager
def _unplaced() -> Iterator[list[tuple[PageResult, PageImage, PageDraft]]]:
    """Notes from what words are placed in this process, in place of placing them."""
    own, seen = accounting.with_places, []

    def note(result: PageResult, page: PageImage, draft: PageDraft) -> PageResult:
        seen.append((replace(result, image=None), page, draft))
        return result

    accounting.with_places = note
    try:
        yield seen
    finally:
        accounting.with_places = own


class Noted(float):
    """A certainty with what it was made from, with the model's margin and without."""

    evidence: Mapping[str, tuple[float, ...]] = {}


@contextmanager
def _noted() -> Iterator[None]:
    """Has each certainty that is given in this process keep what it was made from."""

    def noting(found: Found, words: WordsOf, text: str, margin: float | None, alone: Alone | None) -> Noted:
        certainty = Noted(certainty_of(found, words, text, margin, alone))
        without = None if alone is None else replace(alone, margin=None)
        told = (evidence_of(found, words, text, *one) for one in ((margin, alone), (None, without)))
        certainty.evidence = dict(one for one in told if one is not None)
        return certainty

    placing.certainty_of = noting
    try:
        yield
    finally:
        placing.certainty_of = certainty_of


def fitted(pages: Sequence[PlacedPage]) -> Iterator[str]:
    """A line for each kind of words on ``pages``: the weights of its evidence, by logistic regression."""
    kinds: dict[str, list[tuple[tuple[float, ...], bool]]] = {}
    for word in (word for page in pages for word in page.words):
        for kind, values in word.certainty.evidence.items() if isinstance(word.certainty, Noted) else ():
            kinds.setdefault(kind, []).append((values, word.right))
    for kind, words in sorted(kinds.items()):
        right = np.array([known for _, known in words], dtype=float)
        said = f"{len(words):,} words, {right.mean():.1%} right"
        if len(words) < LEAST:
            yield f'    # "{kind}": too few ({said})'
        else:
            weights = _weights(np.array([values for values, _ in words]), right)
            yield f'    "{kind}": ({", ".join(f"{weight:.2f}" for weight in weights)}),  # {said}'


def _weights(values: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The weights of ``values`` ``(words, evidence)`` by which the logistic function tells what is ``right``."""
    weights = np.zeros(values.shape[1])
    for _ in range(STEPS):
        share = 1 / (1 + np.exp(-values @ weights))
        slope = values.T @ (right - share) - RIDGE * weights
        curve = (values * (share * (1 - share))[:, None]).T @ values + RIDGE * np.eye(len(weights))
        weights = weights + np.linalg.solve(curve, slope)
    return weights


def draw(path: Path, runs: Mapping[str, Summary], note: str) -> None:
    """A reliability diagram: the share of right words against their certainty, in bins of a tenth, with the
    number of words in each, for each run."""
    from benchmarks.plots import Axis, Spot, lines

    series = {
        f"{name}, error {run.error:.3f}": [
            Spot(sure, right, str(count)) for sure, right, count in run.bins if count >= SHOWN
        ]
        for name, run in runs.items()
    }
    series["as it should be"] = [Spot(0.0, 0.0), Spot(1.0, 1.0)]
    lines(path, "Certainty of words, and the share that is right", note, series, Axis("certainty"), Axis("right"))
