"""How far a written word can be believed: by what agrees on it.

The table is measured, not thought of: ``python -m benchmarks places`` prints, for each kind of evidence, the share of
words that are right on scans whose text is known (docs/places.md).
"""

from __future__ import annotations

from docspec.core.result import WordsOf
from docspec.places.gaps import Found

LAYER = {"exact": 0.99, "aligned": 0.6, "inferred": 0.3, "block": 0.5, "none": 0.2}
READ = {"exact": 0.97, "aligned": 0.5, "inferred": 0.3, "block": 0.5, "none": 0.2}


def certainty_of(found: Found, words: WordsOf) -> float:
    """The certainty (0..1) of a word that was found so, in a block whose words are those of ``words``."""
    recognised = any(word.recognised for word in found.words)
    if not recognised:
        sound = min((word.confidence for word in found.words), default=1.0)
        return round(LAYER[found.how] * sound, 3)
    sure = min(word.confidence for word in found.words)
    if words == "model" and found.how == "exact":  # two readers agree
        return round(1 - 0.3 * (1 - sure), 3)
    return round(READ[found.how] * sure, 3)
