"""The copy bound: the fewest steps in which any policy that copies from the drafts could write an output.

At each step the longest draft substring that continues the output is taken, plus the target's own token. Taking
the longest is optimal, because whatever a shorter piece allows later, its longer version allows too. What a policy
loses against the bound is alignment; what the bound loses against the budget is what the drafts lack. A policy
that also proposes text that no draft holds can pass it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_SEAM = chr(0x10FFFF)
"""Stands between drafts; no token has this number."""


def copy_bound(drafts: Iterable[Sequence[int]], output: Sequence[int], budget: int) -> int:
    """Steps that write ``output`` after its first token, which comes from the prompt's own forward pass.

    ``budget`` bounds a step's tree, the pending token included, so that at most ``budget - 1`` tokens are copied.
    """
    text, written = _SEAM.join(dict.fromkeys(map(as_text, drafts))), as_text(output)
    at, steps = 1, 0
    while at < len(written):
        at += longest_piece(text, written, at, budget - 1) + 1
        steps += 1
    return steps


def as_text(tokens: Sequence[int]) -> str:
    """A character for each token: ``str.find`` searches faster than a loop over tokens."""
    return "".join(map(chr, tokens))


def longest_piece(drafts: str, output: str, start: int, most: int) -> int:
    """The length of the longest piece of ``drafts`` that equals ``output[start:]`` so far, at most ``most``."""
    size = place = 0
    while size < min(most, len(output) - start):
        place = drafts.find(output[start : start + size + 1], place)  # a longer piece begins no earlier
        if place < 0:
            break
        size += 1
    return size
