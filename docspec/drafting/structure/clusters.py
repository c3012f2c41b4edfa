"""Groups of things that belong together, from the log-odds of each pair: greedy contraction of the best edge (GAEC,
Keuper et al., *Efficient Decomposition of Image and Mesh Graphs by Lifted Multicuts*, 2015), which adds up what speaks
for and against."""

from __future__ import annotations

import numpy as np

from docspec.drafting.structure.tokens import Floats

LIMIT = 5.0
"""Most log-odds that one pair of tokens adds."""


def clusters(scores: Floats) -> list[list[int]]:
    """The groups of things (numbers of rows) whose pairs' log-odds ``scores`` (n, n; symmetric) add up best, each
    sorted."""
    count = len(scores)
    groups: dict[int, list[int]] = {number: [number] for number in range(count)}
    weights = scores.astype(np.float32).copy()
    np.fill_diagonal(weights, -np.inf)
    best = weights.argmax(axis=1) if count else np.zeros(0, np.int64)
    top = weights[np.arange(count), best]
    while count > 1:
        a = int(top.argmax())
        if top[a] <= 0:
            break
        b = int(best[a])
        groups[a] = sorted(groups[a] + groups.pop(b))
        weights[a] += weights[b]
        weights[:, a] = weights[a]
        weights[b] = weights[:, b] = weights[a, a] = -np.inf
        changed = (best == a) | (best == b)
        changed[[a, b]] = True
        stale = np.nonzero(changed)[0]
        best[stale] = weights[stale].argmax(axis=1)
        top[stale] = weights[stale, best[stale]]
        better = weights[:, a] > top
        best[better], top[better] = a, weights[better, a]
    return sorted(groups.values())
