"""Fits the certainty of words that a model wrote to pages whose text is known, and draws how well it holds.

``docspec/places/certainty.py`` has the weights that ``python -m benchmarks places ... --fit`` prints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.places import PlacedPage, Summary
from docspec.core.result import WordsOf
from docspec.places import placing
from docspec.places.certainty import certainty_of, evidence_of
from docspec.places.gaps import Found

RIDGE = 1.0
"""Pulls the weights towards 0."""

LEAST = 30
"""Words of a kind from which on it is fitted."""

SHOWN = 5
"""Words of a bin of the diagram from which on it is drawn."""

STEPS = 50
"""Of Newton's method."""


class Noted(float):
    """A certainty with what it was made from."""

    evidence: tuple[str, tuple[float, ...]] | None = None


@contextmanager
def noted() -> Iterator[None]:
    """Has each certainty that is given in this process keep what it was made from."""

    def noting(found: Found, words: WordsOf, margin: float | None = None) -> Noted:
        certainty = Noted(certainty_of(found, words, margin))
        certainty.evidence = evidence_of(found, words, margin)
        return certainty

    placing.certainty_of = noting
    try:
        yield
    finally:
        placing.certainty_of = certainty_of


def fitted(pages: Sequence[PlacedPage]) -> Iterator[str]:
    """A line for each kind of words on ``pages``: the weights of its evidence, by logistic regression."""
    kinds: dict[str, list[tuple[tuple[float, ...], bool]]] = {}
    for page in pages:
        for word in page.words:
            if isinstance(word.certainty, Noted) and word.certainty.evidence is not None:
                kind, values = word.certainty.evidence
                kinds.setdefault(kind, []).append((values, word.right))
    for kind, words in sorted(kinds.items()):
        right = np.array([known for _, known in words], dtype=float)
        said = f"{len(words):,} words, {right.mean():.1%} right"
        if len(words) < LEAST:
            yield f'"{kind}": too few ({said})'
        else:
            weights = ", ".join(
                f"{weight:.2f}" for weight in _weights(np.array([values for values, _ in words]), right)
            )
            yield f'"{kind}": ({weights}),  # {said}'


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
