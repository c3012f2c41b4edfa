"""Regions that are taken from the draft and not read (``--trust-agreement``): lossy, and only where that was asked for.

Text layer and recognition look at different things, the file and its picture; where both say the same to the letter,
the print says so too, but for what both get wrong alike: tables, formulas, and digits, which nobody can tell by sense.
"""

from __future__ import annotations

import unicodedata

from docspec.core import Category, Region
from docspec.core.trail import Trail
from docspec.engine.request import Output

TRUSTED = "trusted"
"""The origin of tokens that were taken from the draft and not read."""

_READ = frozenset({Category.TABLE, Category.FORMULA, Category.PICTURE})


def may_be_taken(region: Region) -> bool:
    """Whether two readings of ``region`` agree to the letter, and it holds no digit and nothing of a formula."""
    return region.agreed and region.category not in _READ and not any(map(_risky, region.texts[0]))


def _risky(char: str) -> bool:
    """Digits and numbers, signs of mathematics, raised letters, Greek ones."""
    return (
        char.isnumeric() or unicodedata.category(char) in ("Sm", "Lm") or unicodedata.name(char, "").startswith("GREEK")
    )


def as_output(tokens: tuple[int, ...]) -> Output:
    """``tokens`` as if they had been written, each with its origin."""
    trail = Trail()
    trail.steps.append((0, len(tokens)))
    trail.proposed = dict.fromkeys(range(len(tokens)), TRUSTED)
    return Output(tokens, "eos", trail=trail)
