"""How far a written word can be believed: by what agrees on it, by its letters, and by the model's own margin.

Beside a sound text layer the table :data:`LAYER` tells; where a page was recognised or read by a model, a logistic
function of the word's evidence. ``python -m benchmarks certainty`` fits its weights to made scans whose text is known,
and measures on others (docs/places.md).
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from docspec.core.result import WordsOf
from docspec.places.gaps import Found

RECENT = 50
"""Words before one among which repetitions are counted."""


@dataclass(frozen=True, slots=True)
class Alone:
    """What stands around a word of a page that only a model has read: the mean margin of the page's words
    (logarithmic; ``None`` if none is told), and the share (0..1) of the words just before it that repeat others."""

    margin: float | None
    repeated: float


class AloneWords:
    """The words of a page that only a model has read, one after the other; ``margins`` are those of all its words."""

    def __init__(self, margins: Iterable[float]) -> None:
        logarithms = [math.log1p(max(0.0, margin)) for margin in margins]
        self._margin = sum(logarithms) / len(logarithms) if logarithms else None
        self._recent: deque[str] = deque()
        self._counts: Counter[str] = Counter()

    def around(self, text: str) -> Alone:
        """What stands around the next word, ``text``."""
        repeated = len(self._recent) - len(self._counts)
        self._recent.append(text)
        self._counts[text] += 1
        if len(self._recent) > RECENT:
            oldest = self._recent.popleft()
            self._counts[oldest] -= 1
            if not self._counts[oldest]:
                del self._counts[oldest]
        return Alone(self._margin, repeated / RECENT)


class Margins:
    """The model's margins of a block's words, asked for in the order of the text."""

    def __init__(self, margins: Sequence[tuple[int, int, float]]) -> None:
        self._left = deque(margins)

    def of(self, start: int, end: int) -> float | None:
        """The least margin within these characters; ``None`` if none is known."""
        while self._left and self._left[0][1] <= start:
            self._left.popleft()
        return min((margin for first, _, margin in takewhile(lambda one: one[0] < end, self._left)), default=None)


LAYER = {"exact": 0.998, "aligned": 0.22, "inferred": 0.2, "block": 0.5, "none": 0.3}
"""Beside a sound text layer: a model that differs from it is seldom right. Of ``python -m benchmarks places``."""

WEIGHTS: dict[str, tuple[float, ...]] = {
    "agrees": (1.24, -0.42, 0.51, 0.62, -1.31, 1.21),
    "agrees, no margin": (2.21, -0.45, 0.31, 0.83, -1.36),
    "letters": (0.62, 2.19, 0.00, -0.29, -1.65, -0.16),
    "letters, no margin": (0.56, 2.16, 0.00, -0.32, -1.65),
    "differs": (-2.41, -0.26, -0.33, -0.47, 0.11, 1.72, 1.43),
    "differs, no margin": (-1.41, -0.56, -0.43, -0.36, -0.08, 1.93),
    "missing": (-1.28, -2.31, -0.05, -2.02, 0.93),
    "missing, no margin": (-1.00, -2.37, -0.05, -1.92),
    "recognition": (0.54, -1.28, 0.02, 1.44),
    "unread": (-2.56, -0.23, -0.25, -4.59, 1.91, 1.69),
    "unread, no margin": (2.42, -0.45, -0.39, -8.91),
}
"""By kind, the weights of a word's evidence (:func:`evidence_of`). Where a recogniser is sure of another word, a model
that is sure, too, is seldom right; of words that nobody else has read, a sure model's are mostly right."""


def certainty_of(found: Found, words: WordsOf, text: str, margin: float | None, alone: Alone | None) -> float:
    """The certainty (0..1) of the word ``text`` that was found so, in a block whose words are those of ``words``.
    ``margin``: the least distance (in logits) of its tokens from the model's second choice, if that is told;
    ``alone``: what stands around it on a page on which nobody else has read words, else ``None``."""
    evidence = evidence_of(found, words, text, margin, alone)
    weights = None if evidence is None else WEIGHTS.get(evidence[0])
    if evidence is not None and weights is not None:
        return round(1 / (1 + math.exp(-sum(a * b for a, b in zip(weights, evidence[1], strict=True)))), 3)
    return round(LAYER[found.how] * min((word.confidence for word in found.words), default=1.0), 3)


def evidence_of(
    found: Found, words: WordsOf, text: str, margin: float | None, alone: Alone | None
) -> tuple[str, tuple[float, ...]] | None:
    """The kind of a word and what speaks for it; ``None`` beside a text layer. The recogniser agrees with a model, has
    the same ``letters`` alone or without a space (spaces are the first that a blur takes), differs from it in this
    place, has nothing there (``missing``), or has not read the page. What speaks for a word: 1, its letters
    (logarithmic), whether it mixes letters with figures, as misread words do, the log odds of the recogniser where that
    has something there, beside a recogniser the share of figures and, of a word that differs, how like the two are, how
    far a model that reads alone repeats itself and how sure it is on the page (models that go on writing without print
    to read are unsure of most words, and repeat some of them), and the model's margin (logarithmic) where it is
    told."""
    recognised = [word.confidence for word in found.words if word.recognised]
    if words not in ("model", "recognition") or (found.words and not recognised):
        return None
    letters, figures = sum(map(str.isalnum, text)), sum(map(str.isdigit, text))
    values = [1.0, math.log1p(letters), float(0 < figures < letters)]
    if recognised:
        sound = min(max(min(recognised), 0.02), 0.998)
        values.append(math.log(sound / (1 - sound)))
    if words == "recognition":
        return ("recognition", tuple(values)) if recognised else None
    kind = "missing"
    if recognised:
        kind = "agrees" if found.how == "exact" else "letters" if found.has_letters else "differs"
    if alone is None:
        values += [figures / max(1, letters), *([found.likeness] if kind == "differs" else [])]
    else:
        kind = "unread"
        values.append(alone.repeated)
        if alone.margin is not None:
            own = alone.margin if margin is None else math.log1p(max(0.0, margin))
            return kind, (*values, alone.margin, own)
    if margin is None:
        return f"{kind}, no margin", tuple(values)
    return kind, (*values, math.log1p(max(0.0, margin)))
