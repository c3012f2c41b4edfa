"""Grows a tree by expected value: nodes are added where the target most likely continues.

The probability of reaching a node is the product of the probabilities along its path, so adding the likeliest node next
always gives the best tree of a given size. Growth stops when the budget is spent or no node is worth its place. It does
not depend on where continuations come from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush

from docspec.engine.tree import TokenTree
from docspec.proposing.continuation import Continuation, Text
from docspec.proposing.rates import RUN_CAP, HitRates, Survival

PATIENCE = 0.6
"""A chain grows until its next node is worth less than this share of the best alternative. Strictly best-first growth
would switch between equal chains at every node, which costs time and gains nothing."""

Grown = tuple[int, Continuation]
"""A node of the tree, and a continuation that was suggested after it."""

Grow = Callable[[int, int, Sequence[Continuation], HitRates, Survival, int, float], tuple[TokenTree, list[Grown]]]
"""Makes a tree of suggestions: :func:`grow`, or :func:`docspec.proposing.chains.grow_chain`."""


def grow(
    pending: int,
    before: int,
    suggested: Sequence[Continuation],
    rates: HitRates,
    survival: Survival,
    limit: int,
    least: float,
) -> tuple[TokenTree, list[Grown]]:
    """The tree of ``suggested`` continuations with at most ``limit`` nodes including the root ``pending``, and all
    continuations that were met, each with its parent node.

    ``before`` is the token before the root; ``least`` is the probability of being reached that earns a node its place.
    """
    tree = TokenTree(pending)
    tokens, parents, extend = tree.tokens, tree.parents, tree.extend
    grown: list[Grown] = [(0, continuation) for continuation in suggested]
    heap: list[tuple[float, int, int, Text, int, int, Sequence[int]]] = []
    for born, one in enumerate(suggested):
        chance = chance_of(one, rates)
        if chance > least:
            heap.append((-chance, born, 0, one.text, one.position, min(one.run, RUN_CAP), one.lead))
    heapify(heap)
    born, expected = len(suggested), 0.0
    while heap and len(tokens) < limit:
        negative, _, node, text, position, run, lead = heappop(heap)
        chance = -negative
        if lead:
            size = len(tokens)
            node = extend(node, lead, limit)
            expected += (len(tokens) - size) * chance
        # All tokens that are worth more than the best alternative, as far as nothing else may follow.
        stop = max(least, -heap[0][0] * PATIENCE) if heap else least
        most = survival.worthwhile(chance, run, stop) or 1
        pause = text.pause(position, most)
        length = pause - position
        if length:
            size, first = len(tokens), chance
            chance = survival.later(chance, run, length)
            run = min(run + length, RUN_CAP)
            node = extend(node, text.tokens[position:pause], limit)
            expected += (len(tokens) - size) * (first + chance) / 2
        if chance <= least:
            continue
        if length == most:
            born += 1
            heappush(heap, (-chance, born, node, text, pause, run, ()))
            continue
        last_two = (tokens[parents[node]] if node else before, tokens[node])
        for one in text.following(pause, run, last_two, least / chance):
            grown.append((node, one))
            own = chance * chance_of(one, rates)
            if own > least:
                born += 1
                heappush(heap, (-own, born, node, one.text, one.position, min(one.run, RUN_CAP), one.lead))
    tree.expected = expected
    return tree, grown


def chance_of(continuation: Continuation, rates: HitRates) -> float:
    """The probability of the first token, given that its parent is reached."""
    key = continuation.key
    return continuation.chance if key is None else rates.rate(key) * continuation.chance
