"""Colours that tell which cell or block a character belongs to: dark, each used once in a document."""

from __future__ import annotations

import random

Colour = tuple[int, int, int]
STEP = 2  # of 255: colours two steps apart stay apart when a writer of PDF rounds them to three decimals
LEVELS = 56  # 0, 2 ... 110


def hexadecimal(colour: Colour) -> str:
    """As in style sheets."""
    return "#" + "".join(f"{level:02x}" for level in colour)


def rgb(colour: Colour) -> str:
    """Levels with commas between them."""
    return ",".join(map(str, colour))


class Palette:
    """Hands out colours in random order, none twice, and holds what each stands for."""

    def __init__(self, rng: random.Random) -> None:
        self._free = iter(rng.sample(range(1, LEVELS**3), 40_000))
        self.entries: dict[Colour, dict[str, object]] = {}

    def new(self, entry: dict[str, object]) -> Colour:
        """A colour for `entry`."""
        number = next(self._free)
        colour = (STEP * (number % LEVELS), STEP * (number // LEVELS % LEVELS), STEP * (number // LEVELS**2))
        self.entries[colour] = entry
        return colour
