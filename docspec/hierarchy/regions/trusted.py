"""Regions taken from the draft without being read (``--trust-agreement``); lossy, and only on request.

Text layer and recognition have different sources, the file and its picture. Where both agree to the letter, the print
agrees, too, except where both make the same mistake: in tables, formulas, and digits, which no context corrects.
"""

from __future__ import annotations

import unicodedata

from docspec.core import Category, Region
from docspec.core.trail import Trail
from docspec.engine.request import Output

TRUSTED = "trusted"
"""The origin of tokens taken from the draft without being read."""

_READ = frozenset({Category.TABLE, Category.FORMULA, Category.PICTURE})


def may_be_taken(region: Region) -> bool:
    """Whether two readings of ``region`` agree to the letter and it contains no digit and no part of a formula."""
    return region.agreed and region.category not in _READ and not any(map(_risky, region.texts[0]))


def _risky(char: str) -> bool:
    """Whether ``char`` is a digit or number, a mathematical sign, a raised letter or a Greek one."""
    return (
        char.isnumeric() or unicodedata.category(char) in ("Sm", "Lm") or unicodedata.name(char, "").startswith("GREEK")
    )


def as_output(tokens: tuple[int, ...]) -> Output:
    """``tokens`` as an output, each with its origin."""
    trail = Trail()
    trail.steps.append((0, len(tokens)))
    trail.proposed = dict.fromkeys(range(len(tokens)), TRUSTED)
    return Output(tokens, "eos", trail=trail)
