"""How far a written word can be believed: by what agrees on it, and by the model's own margin.

``python -m benchmarks places --fit`` fits the weights below to scans whose text is known, and prints the share of words
that are right by how they were placed (docs/places.md); ``exact`` and ``aligned`` beside a text layer are from there.
The other ways are too rare there to be measured, and have a cautious value.
"""

from __future__ import annotations

import math
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

WEIGHTS = {
    "read exact": (1.28, 1.26, 0.82),
    "read aligned": (-2.05, 2.11, -0.37),
    "read inferred": (-3.53, 1.13, -0.52),
    "none": (-2.13, 1.57),
}
"""By kind, the weights of a word's evidence (:func:`evidence_of`) in a logistic function: 16 scans of samples, blurred
by 1 to 3 pixels, some with noise. Where a recogniser is sure of another word, a model that is sure, too, is seldom
right."""


def certainty_of(found: Found, words: WordsOf, margin: float | None = None) -> float:
    """The certainty (0..1) of a word that was found so, in a block whose words are those of ``words``. ``margin``: the
    least distance (in logits) of its tokens from the model's second choice, if it is known."""
    evidence = evidence_of(found, words, margin)
    if evidence is not None and evidence[0] in WEIGHTS:
        kind, values = evidence
        weighed = sum(weight * value for weight, value in zip(WEIGHTS[kind], values, strict=True))
        return round(1 / (1 + math.exp(-weighed)), 3)
    sound = min((word.confidence for word in found.words), default=1.0)
    if not any(word.recognised for word in found.words):
        return round(LAYER[found.how] * sound, 3)
    right = _read(sound)
    if found.how != "exact":
        return round(LAYER[found.how] * right, 3)
    return round(1 - 0.3 * (1 - right) if words == "model" else right, 3)  # a model that agrees is a second reader


def evidence_of(found: Found, words: WordsOf, margin: float | None) -> tuple[str, tuple[float, ...]] | None:
    """The kind of a word and what speaks for it, if a model wrote it that told its margin: 1, the margin (logarithmic)
    and, where a recogniser has something there, its log odds. A text layer needs no such evidence."""
    if words != "model" or margin is None:
        return None
    sure = math.log1p(max(0.0, margin))
    if not found.words:
        return found.how, (1.0, sure)
    if not any(word.recognised for word in found.words):
        return None
    right = min(max(_read(min(word.confidence for word in found.words)), 0.01), 0.99)
    return f"read {found.how}", (1.0, sure, math.log(right / (1 - right)))


def _read(confidence: float) -> float:
    """The share of :data:`READ` at a ``confidence``, between its points on a straight line."""
    for (low, a), (high, b) in pairwise(READ):
        if confidence <= high:
            return a + (b - a) * (confidence - low) / (high - low)
    return READ[-1][1]
