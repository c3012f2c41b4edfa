"""How reliable a page is: the certainty of its words, the agreement of two readings of them, and a grade."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Grade = Literal["A", "B", "C", "D"]


@dataclass(frozen=True, slots=True)
class Quality:
    """``certainty`` (0..1) is the mean over the page's characters: 1 for those of a sound text layer (its likeness to
    the print if it is hidden), the recogniser's confidence for recognised ones, and ``agreement`` for those that a
    model wrote: the share of words that its text and the draft have in common; print of a scan that no recogniser reads
    counts 0. ``margin`` is the smallest difference, in logits, between the model's first and second choices. ``None``:
    there was nothing to measure. ``doubtful`` is why a person should look at the page; docs/doubtful.md has the
    thresholds behind the ``grade``.
    """

    grade: Grade
    certainty: float
    agreement: float | None = None
    margin: float | None = None
    doubtful: str | None = None
