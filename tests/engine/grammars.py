"""Grammars for tests that know nothing of any page: random syntax, to be wrong in every possible way."""

from __future__ import annotations

import random
from collections.abc import Sequence

from docspec.core.grammar import Alternative, Completion, Fork, Landmark


class RandomGrammar:
    """Forks everywhere, with texts from ``alphabet``, unlikely or certain, behind any marker. Seeded."""

    def __init__(self, alphabet: str, seed: int = 0, elements: int = 4) -> None:
        self._rng = random.Random(seed)
        self._alphabet = alphabet
        self._elements = elements
        self.markers: Sequence[str] = tuple(self.text(2) for _ in range(6))

    def text(self, size: int) -> str:
        return "".join(self._rng.choice(self._alphabet) for _ in range(size))

    def landmark(self, marker: str, ahead: str) -> Landmark | None:
        anchor = self._rng.choice([None, 0, 1, 3, len(ahead)])
        return Landmark(self._rng.randrange(self._elements), anchor, self._rng.random() < 0.5)

    def follow(self, text: str) -> None:
        return

    def here(self) -> Fork | None:
        return self if self._rng.random() < 0.7 else None

    def completions(self) -> Sequence[Completion]:
        sizes = [self._rng.randrange(30) for _ in range(self._rng.randrange(3))]
        return [Completion(self.text(size), self._rng.randrange(3)) for size in sizes]

    def beginning(self, element: int) -> Fork | None:
        return self.here()

    def alternatives(self, least: float) -> Sequence[Alternative]:
        found = []
        for _ in range(self._rng.randrange(4)):
            chance = self._rng.choice([0.1, 0.5, 1.0])
            anchor = self._rng.choice([None, *range(self._elements)])
            fork = self if self._rng.random() < 0.8 else None
            found.append(Alternative(chance, self.text(self._rng.randrange(4)), anchor, "", fork))
        return [one for one in found if one.chance >= least]
