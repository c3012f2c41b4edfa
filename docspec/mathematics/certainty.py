"""How well a formula's signs fit the places that its reading gives them.

Each step of reading tells the strain of what it made: how far a script, a limit, a numerator is from where typesetters
set it, in units of the widest that right readings of typeset pages have (``python -m benchmarks formulas made``). The
greatest strain is the formula's; above :data:`MOST` it is doubtful. A reading that goes wrong seldom fits by chance: a
sign that was left out stands in the way of others, a bracket becomes a script of the wrong size.
"""

from __future__ import annotations

from collections.abc import Sequence

from docspec.core.formulas import letters_of, shown_signs
from docspec.mathematics.glyphs import Glyph

MOST = 1.0
"""The greatest strain of a formula that is sure."""

USUAL = {
    "script raised": 0.5,
    "script size": 0.16,
    "script apart": 0.3,
    "overlap": 0.3,
    "limit off centre": 0.5,
    "part off centre": 0.5,
    "bar too long": 2.5,
    "unequal parts": 0.15,
    "ragged rows": 0.5,
    "rows within": 0.5,
    "open end": 0.5,
    "left over": 0.5,
    "brackets": 0.5,
    "signs lost": 0.5,
}
"""The widest deviation of each kind in right readings, in sizes of type (sizes: in shares)."""


class Strains:
    """Collects the strains of a formula while it is read; the greatest counts."""

    def __init__(self) -> None:
        self._most: tuple[float, str] = (0.0, "")

    def add(self, kind: str, deviation: float) -> None:
        """Tells how far something is from where it is usual."""
        self._most = max(self._most, (abs(deviation) / USUAL[kind], kind))

    @property
    def doubt(self) -> str:
        """The kind of the greatest strain if it is more than a sure formula has, else nothing."""
        most, kind = self._most
        return kind if most > MOST else ""


def lost_signs(glyphs: Sequence[Glyph], latex: str) -> int:
    """How many letters and figures of ``glyphs`` are not in ``latex``, or are in it too often."""
    shown = letters_of(shown_signs(latex))
    printed = letters_of("".join(one.symbol.sign for one in glyphs if len(one.symbol.sign) == 1))
    return ((shown - printed) + (printed - shown)).total()
