"""A tree grown by expected value: nodes are added where the target most likely gets to.

The chance of reaching a node is the product of the chances along its path, so the best tree of a given size is
found by always adding the likeliest node next. Growth goes on until the budget is spent or no node is worth its
place. Where the drafts hold something that the target has rewritten before, a branch with the rewriting is grown.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from docspec.speculation.draft_index import END, DraftIndex
from docspec.speculation.odds import RUN_CAP, Odds
from docspec.speculation.rewrites import Rewrites
from docspec.speculation.trail import Trail
from docspec.speculation.tree import TokenTree

FLOOR = 1 / 400
"""A node that is reached less often than this is not worth a place."""

PATIENCE = 0.6
"""A chain grows on until its next node is worth less than this share of the best alternative's: strictly
best-first growth would hop between equal chains at every node, which costs time and helps nobody."""

BEYOND = 0.6
"""How likely a draft that ends goes on where another draft goes on after the same tokens."""

AFTER_REWRITE = 2
"""A place reached by a known rewriting is trusted like one that was right about this many tokens."""

_State = tuple[float, int, int, Sequence[int], int, int, tuple[int, ...]]
"""Minus the chance of the next token, order of birth, node to grow from, tokens, place, run, leading tokens."""


def grow(
    pending: int,
    trails: Sequence[Trail],
    index: DraftIndex,
    odds: Odds,
    rewrites: Rewrites,
    limit: int,
    floor: float = FLOOR,
) -> TokenTree:
    """The tree of at most ``limit`` nodes, the root ``pending`` included, that goes on along ``trails``."""
    tree = TokenTree(pending)
    heap: list[_State] = []
    for trail in trails:
        chance = odds.chance(trail)
        if chance > floor:
            run = min(trail.run, RUN_CAP)
            heap.append((-chance, len(heap), 0, trail.tokens, trail.place, run, trail.lead))
    heapify(heap)
    born = len(heap)
    active = rewrites.active
    while heap and len(tree) < limit:
        negative, _, node, tokens, place, run, lead = heappop(heap)
        chance = -negative
        stop = max(floor, -heap[0][0] * PATIENCE) if heap else floor
        if lead:
            node = tree.extend(node, lead, limit)
        length = min(odds.worthwhile(chance, run, stop), limit)
        piece = tokens[place : place + length]
        if active and not active.keys().isdisjoint(piece):
            length = next(at for at, token in enumerate(piece) if token in active)
            piece = piece[:length]
        if min(piece, default=0) < 0:
            length = piece.index(END)
            piece = piece[:length]
        if piece:
            node = tree.extend(node, piece, limit)
            place += length
            chance = odds.later(chance, run, length)
            run = min(run + length, RUN_CAP)
        token = tokens[place]
        if chance <= floor:
            continue
        if token < 0:
            place = index.beyond(place) if tokens is index.tokens else 0
            if place:
                born += 1
                heappush(heap, (-chance * BEYOND, born, node, tokens, place, min(run, AFTER_REWRITE), ()))
            continue
        for share, written, skipped in active.get(token, ()):
            if skipped and min(tokens[place : place + skipped]) < 0:
                continue
            born += 1
            branch = (-chance * share, born, node, tokens, place + skipped, AFTER_REWRITE, written)
            heappush(heap, branch)
        if token in active:
            chance *= max(1.0 - sum(share for share, _, _ in active[token]), 0.02)
            if len(tree) < limit:
                node = tree.extend(node, (token,), limit)
                chance, place, run = odds.later(chance, run, 1), place + 1, min(run + 1, RUN_CAP)
        born += 1
        heappush(heap, (-chance, born, node, tokens, place, run, ()))
    return tree
