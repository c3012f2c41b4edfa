"""What "equals ``generate``" is proved for: a covering array, where any two values of two axes meet once."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from allpairspy import AllPairs

from tests.exactness.checkpoints import FAMILIES


class Combination(NamedTuple):
    """One proof. ``runner``: how steps are computed; ``proposer``: what suggests tokens; ``rows``: prompts at once, and
    of how many rows; ``attention``: the implementation of transformers, or docspec's own."""

    family: str
    runner: str
    proposer: str
    rows: str
    attention: str

    @property
    def id(self) -> str:
        return "-".join(self)


AXES: dict[str, tuple[str, ...]] = {
    "family": FAMILIES,
    "runner": ("eager", "buckets", "pieces", "device", "graphs"),
    "proposer": ("cursor", "window", "lookup", "model", "parallel"),
    "rows": ("alone", "together", "in two rows"),
    "attention": ("auto", "sdpa", "eager attention"),
}


IMPOSSIBLE = (
    {"device", "sdpa"},  # the simulated device has kernels for docspec's own attention alone
    {"device", "eager attention"},
    {"graphs", "sdpa"},
    {"graphs", "eager attention"},
    {"got_ocr2", "sdpa"},  # its class does not have it
)


def _is_possible(values: list[str]) -> bool:
    return not any(pair <= set(values) for pair in IMPOSSIBLE)


MATRIX = [Combination(*values) for values in AllPairs(list(AXES.values()), filter_func=_is_possible)]


def pairs(rows: list[Combination]) -> set[tuple[str, str, str, str]]:
    """The pairs of values of two axes that meet in ``rows``."""
    return {(a, row[i], b, row[j]) for row in rows for (i, a), (j, b) in combinations(enumerate(AXES), 2)}


def possible_pairs() -> set[tuple[str, str, str, str]]:
    """The pairs of values of two axes that can meet."""
    return {
        (a, first, b, second)
        for (a, firsts), (b, seconds) in combinations(AXES.items(), 2)
        for first in firsts
        for second in seconds
        if _is_possible([first, second])
    }
