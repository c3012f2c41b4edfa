"""Drafts with errors."""

from __future__ import annotations

import random


def edited(tokens, rate, seed, vocab=400):
    """``tokens`` with a share of substitutions, deletions and insertions."""
    rng = random.Random(seed)
    result = []
    for token in tokens:
        if rng.random() >= rate:
            result.append(token)
            continue
        kind = rng.randrange(3)
        if kind == 0:
            result.append(rng.randrange(vocab))
        elif kind == 1:
            result.extend((token, rng.randrange(vocab)))
    return tuple(result)
