"""How far a page can be believed: what was known of its words, whether two readings of them agree, and a grade."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Grade = Literal["A", "B", "C", "D"]


@dataclass(frozen=True, slots=True)
class Quality:
    """``certainty`` (0..1) is the mean over the page's characters: 1 for those of a sound text layer (its likeness to
    the print where it is hidden), the recogniser's confidence for recognised ones, and ``agreement`` for those that a
    model wrote: the share of words that what was read and what was drafted for it have in common; print of a scan that
    nobody recognises counts 0. ``margin`` is how
    far, in logits, the model's least certain choice was from its second one. ``None``: there was nothing to measure.
    ``doubtful`` is why a person should look at the page; docs/doubtful.md has the thresholds behind the ``grade``.
    """

    grade: Grade
    certainty: float
    agreement: float | None = None
    margin: float | None = None
    doubtful: str | None = None
