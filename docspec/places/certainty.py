"""How far a written word can be believed: by what agrees on it.

``python -m benchmarks places`` prints, for each way of placing, the share of words that are right where the text is
known (docs/places.md); ``exact`` and ``aligned`` are from there. The other ways are too rare there to be measured, and
have a cautious value.
"""

from __future__ import annotations

from itertools import pairwise

from docspec.core.result import WordsOf
from docspec.places.gaps import Found

LAYER = {"exact": 0.998, "aligned": 0.22, "inferred": 0.2, "block": 0.5, "none": 0.3}
"""Beside a sound text layer: a model that differs from it is seldom right."""

READ = (
    *((0.0, 0.0), (0.5, 0.05), (0.6, 0.12), (0.7, 0.32), (0.78, 0.42)),
    *((0.89, 0.755), (0.96, 0.93), (0.99, 0.967), (1.0, 0.98)),
)
"""The share of words that are right by the confidence of the line that a recogniser told: scans of the samples, blurred
by 1.5 and by 3 pixels."""


def certainty_of(found: Found, words: WordsOf) -> float:
    """The certainty (0..1) of a word that was found so, in a block whose words are those of ``words``."""
    sound = min((word.confidence for word in found.words), default=1.0)
    if not any(word.recognised for word in found.words):
        return round(LAYER[found.how] * sound, 3)
    right = _read(sound)
    if found.how != "exact":
        return round(LAYER[found.how] * right, 3)
    return round(1 - 0.3 * (1 - right) if words == "model" else right, 3)  # a model that agrees is a second reader


def _read(confidence: float) -> float:
    """The share of :data:`READ` at a ``confidence``, between its points on a straight line."""
    for (low, a), (high, b) in pairwise(READ):
        if confidence <= high:
            return a + (b - a) * (confidence - low) / (high - low)
    return READ[-1][1]
