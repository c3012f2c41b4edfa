"""A tree grown by expected value: nodes are added where the target most likely gets to.

The chance of reaching a node is the product of the chances along its path, so the best tree of a given size is
found by always adding the likeliest node next. Growth goes on until the budget is spent or no node is worth its
place. Where the drafts hold something that the target has rewritten before, a branch with the rewriting is grown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from docspec.speculation.odds import RUN_CAP
from docspec.speculation.rewrites import Rewrites
from docspec.speculation.tree import TokenTree

FLOOR = 1 / 400
"""A node that is reached less often than this is not worth a place."""

PATIENCE = 0.6
"""A chain grows on until its next node is worth less than this share of the best alternative's: strictly
best-first growth would hop between equal chains at every node, which costs time and helps nobody."""


@dataclass(frozen=True, slots=True)
class Seed:
    """One continuation to grow from the root: ``tokens[place]`` is next with probability ``chance``.

    ``lead`` are tokens that come before it. ``run`` tokens were right before, which makes the following likelier.
    The tokens must end with a negative number.
    """

    chance: float
    tokens: Sequence[int]
    place: int
    run: int
    lead: tuple[int, ...] = ()
    drafted: bool = True


def grow(
    pending: int,
    seeds: Sequence[Seed],
    onward: Sequence[float],
    rewrites: Rewrites,
    limit: int,
    floor: float = FLOOR,
) -> TokenTree:
    """The tree of at most ``limit`` nodes, the root ``pending`` included.

    ``onward[run]`` is the probability of a next token after ``run`` right ones.
    """
    tree = TokenTree(pending)
    heap = [(-seed.chance, order, 0, seed) for order, seed in enumerate(seeds)]
    heapify(heap)
    order = len(heap)
    children = tree.children
    while heap:
        negative, _, node, seed = heappop(heap)
        chance = -negative
        stop = max(floor, -heap[0][0] * PATIENCE) if heap else floor
        for token in seed.lead:
            known = children[node].get(token)
            if known is None:
                if len(tree.tokens) >= limit:
                    return tree
                known = tree.child(node, token)
            node = known
        tokens, place, run, drafted = seed.tokens, seed.place, seed.run, seed.drafted
        while chance > floor:
            token = tokens[place]
            if token < 0:
                break
            if chance < stop:
                order += 1
                heappush(heap, (-chance, order, node, Seed(chance, tokens, place, run, (), drafted)))
                break
            if drafted and token in rewrites.known:
                kept = 1.0
                for share, lead, skip in rewrites.branches(tokens, place):
                    order += 1
                    branch = Seed(chance * share, tokens, place + skip, 2, lead)
                    heappush(heap, (-branch.chance, order, node, branch))
                    kept -= share
                chance *= max(kept, 0.05)
                stop = max(stop, -heap[0][0] * PATIENCE) if heap else stop
            known = children[node].get(token)
            if known is None:
                if len(tree.tokens) >= limit:
                    return tree
                known = tree.child(node, token)
            node = known
            place += 1
            run = run + 1 if run < RUN_CAP else RUN_CAP
            chance *= onward[run]
    return tree
