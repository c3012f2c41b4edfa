"""Pages of papers and reports: tables between prose in one to three columns, and pages without any table."""

from __future__ import annotations

import random
from collections.abc import Callable

from training.structure.pages.page import Block, Page, Part
from training.structure.pages.parts import Parts


class Paper(Parts):
    """Draws whole pages."""

    def page(self) -> Page:
        """A whole page."""
        rng = self.rng
        head, foot = (self.furniture() if rng.random() < 0.6 else ("", "", "") for _ in range(2))
        columns = rng.choices((1, 2, 3), (6, 4, 0.6))[0]
        wide: tuple[Part, ...] = ()
        if rng.random() < 0.25:
            return Page(*self._without_tables(columns), head, foot)
        parts: list[Part] = []
        for _ in range(rng.choices((1, 2, 3, 4), (5, 4, 2, 1))[0]):
            parts += [self.filler() for _ in range(rng.choice((0, 0, 1, 1, 2)))]
            parts.append(self.table(columns=rng.randint(1, 5)) if columns > 1 and rng.random() < 0.7 else self.tables())
        parts += [self.filler() for _ in range(rng.choice((0, 1, 2)))]
        if columns > 1 and rng.random() < 0.5:
            wide = tuple(self.table() for _ in range(rng.choice((1, 1, 2))))
            parts = [part for part in parts if isinstance(part, Block) or rng.random() < 0.3] + [
                self.paragraph() for _ in range(4)
            ]
        return Page(columns, wide, tuple(parts), head, foot)

    def _without_tables(self, columns: int) -> tuple[int, tuple[Part, ...], tuple[Part, ...]]:
        rng = self.rng
        kind = rng.choices(
            ("prose", "letter", "contents", "references", "listings", "formulas", "mixed", "pairs", "lists", "figures"),
            (6, 2, 2, 2, 1.5, 2, 3, 2, 2, 3),
        )[0]
        if kind == "letter":
            return 1, (), self.letter()
        if kind == "contents":
            return rng.choice((1, 1, 2)), (), (self.heading(), self.contents())
        draws: dict[str, tuple[Callable[[], Part], ...]] = {
            "prose": (self.paragraph, self.paragraph, self.paragraph, self.heading),
            "references": (self.bibliography, self.paragraph),
            "listings": (self.listing, self.paragraph),
            "formulas": (self.formula, self.formula, self.paragraph),
            "mixed": (self.filler, self.paragraph, self.figure, self.items),
            "pairs": (self.pairs, self.addresses, self.paragraph, self.heading),
            "figures": (self.figure, self.figure, self.paragraph, self.heading),
            "lists": (self.items, self.items, self.paragraph, self.heading),
        }
        return columns, (), tuple(rng.choice(draws[kind])() for _ in range(rng.randint(2, 8)))


def made(rng: random.Random) -> Page:
    """A page invented from `rng`."""
    return Paper(rng).page()
