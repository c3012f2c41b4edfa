"""A tree grown by expected value: nodes are added where the target most likely gets to.

The chance of reaching a node is the product of the chances along its path, so the best tree of a given size is
found by always adding the likeliest node next. Growth goes on until the budget is spent or no node is worth its
place. Where the drafts hold something that the target has rewritten before, a branch with the rewriting is grown.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from docspec.core.scaffold import Way
from docspec.speculation.draft_index import END, DraftIndex
from docspec.speculation.odds import RUN_CAP, Odds
from docspec.speculation.recycling import Recycling
from docspec.speculation.rewrites import Rewrites
from docspec.speculation.scaffolding import Scaffolding
from docspec.speculation.trail import Trail
from docspec.speculation.tree import TokenTree
from docspec.speculation.worth import FLOOR

PATIENCE = 0.6
"""A chain grows on until its next node is worth less than this share of the best alternative's: strictly
best-first growth would hop between equal chains at every node, which costs time and helps nobody."""

BEYOND = 0.6
"""How likely a draft that ends goes on where another draft goes on after the same tokens."""

AFTER_REWRITE = 2
"""A place reached by a known rewriting is trusted like one that was right about this many tokens."""

RECYCLED = -1
"""Stands for a place where a recycled token goes on with others."""

LEAST_KEPT = 0.02
"""A drafted token is never taken for less likely than this, however often it was rewritten."""

_State = tuple[float, int, int, Sequence[int], int, int, tuple[int, ...], Way | None]
"""Minus the chance of the next token, order of birth, node to grow from, tokens, place, run, leading tokens; or a way
of the scaffold, and no tokens."""


def grow(
    pending: int,
    trails: Sequence[Trail],
    index: DraftIndex,
    odds: Odds,
    rewrites: Rewrites,
    limit: int,
    floor: float = FLOOR,
    scaffolding: Scaffolding | None = None,
    recycling: Recycling | None = None,
    before: int = END,
) -> TokenTree:
    """The tree of at most ``limit`` nodes, the root ``pending`` included, that goes on along ``trails``.

    With ``scaffolding`` also as it foretells, at the root and wherever a drafted trail comes to one of its forks.
    """
    tree = TokenTree(pending)

    def add(node: int, tokens: Sequence[int], first: float, last: float) -> int:
        """Extends the tree by ``tokens``, reached with chances from ``first`` down to ``last``; the last node."""
        size = len(tree.tokens)
        node = tree.extend(node, tokens, limit)
        tree.expected += (len(tree.tokens) - size) * (first + last) / 2
        return node

    drafted = index.tokens
    heap: list[_State] = []
    for trail, chance in _chances(trails, odds):
        if chance > floor:
            run = min(trail.run, RUN_CAP)
            heap.append((-chance, len(heap), 0, trail.tokens, trail.place, run, trail.lead, None))
    forks: Sequence[int] = ()
    if scaffolding is not None:
        forks = scaffolding.forks
        scaffolding.landed.clear()
        heap += _states(scaffolding.here, 0, 1.0, len(heap))
    if recycling is not None:
        for token, share in zip(*recycling.after(before, pending), strict=False):
            if share > floor:
                heap.append((-share, len(heap), 0, (), RECYCLED, 0, (token,), None))
    heapify(heap)
    active = rewrites.active
    born = len(heap)
    while heap and len(tree.tokens) < limit:
        negative, _, node, tokens, place, run, lead, way = heappop(heap)
        chance = -negative
        stop = max(floor, -heap[0][0] * PATIENCE) if heap else floor
        if lead:
            node = add(node, lead, chance, chance)
        if place == RECYCLED and recycling is not None:
            token = lead[0]
            for successor, share in zip(
                *recycling.after(tree.tokens[tree.parents[node]], token), strict=False
            ):
                if chance * share > floor:
                    born += 1
                    heappush(heap, (-chance * share, born, node, (), RECYCLED, 0, (successor,), None))
            continue
        if way is not None and scaffolding is not None:
            if way.text:
                node = add(node, scaffolding.tokens(way.text), chance, chance)
            for share, place in scaffolding.landings(way):
                scaffolding.landed.append((node, place))
                if chance * share > floor:
                    born += 1
                    heappush(heap, (-chance * share, born, node, drafted, place, AFTER_REWRITE, (), None))
            if way.fork is not None:
                for state in _states(way.fork.ways(floor / chance), node, chance, born + 1):
                    heappush(heap, state)
                    born += 1
            continue
        # All tokens that are worth more than the best alternative, cut where a branch begins or the draft ends.
        rest = (index.end_of(place) if tokens is drafted else len(tokens) - 1) - place
        length = min(odds.worthwhile(chance, run, stop), limit, rest)
        fork = -1
        if forks and tokens is drafted and scaffolding is not None:
            number = scaffolding.next_fork(place)
            if number < len(forks) and forks[number] <= place + length:
                fork, length = number, forks[number] - place
        if length:
            piece = tokens[place : place + length]
            if active and not active.keys().isdisjoint(piece):
                length, fork = next(at for at, token in enumerate(piece) if token in active), -1
                piece = piece[:length]
            last = odds.later(chance, run, length)
            node = add(node, piece, chance, last)
            place += length
            rest -= length
            chance = last
            run = min(run + length, RUN_CAP)
        if chance <= floor:
            continue
        if fork >= 0 and scaffolding is not None and (ahead := scaffolding.fork_at(fork)) is not None:
            for state in _states(ahead.ways(floor / chance), node, chance, born + 1):
                heappush(heap, state)
                born += 1
            continue
        born += 1
        if not rest:
            place = index.beyond(place) if tokens is drafted else 0
            if place:
                run = min(run, AFTER_REWRITE)
                heappush(heap, (-chance * BEYOND, born, node, tokens, place, run, (), None))
            continue
        token = tokens[place]
        if token in active or fork >= 0:
            kept = 1.0
            for share, written, skipped in active.get(token, ()):
                if skipped <= rest:
                    born += 1
                    kept -= share
                    branch = (
                        -chance * share,
                        born,
                        node,
                        tokens,
                        place + skipped,
                        AFTER_REWRITE,
                        written,
                        None,
                    )
                    heappush(heap, branch)
            chance *= max(kept, LEAST_KEPT)
            node = add(node, (token,), chance, chance)
            chance = odds.later(chance, run, 1)
            place, run = place + 1, min(run + 1, RUN_CAP)
        born += 1
        heappush(heap, (-chance, born, node, tokens, place, run, (), None))
    return tree


def _chances(trails: Sequence[Trail], odds: Odds) -> list[tuple[Trail, float]]:
    """The chance of each of ``trails``: its odds, if no likelier first token comes instead, as only one can."""
    own = [odds.chance(trail) for trail in trails]
    best: dict[int, float] = {}
    for trail, chance in zip(trails, own, strict=True):
        best[trail.first] = max(chance, best.get(trail.first, 0.0))
    left, share = {}, 1.0
    for first in sorted(best, key=best.__getitem__, reverse=True):
        left[first] = share
        share *= 1 - best[first]
    return [(trail, chance * left[trail.first]) for trail, chance in zip(trails, own, strict=True)]


def _states(ways: Sequence[Way], node: int, chance: float, born: int) -> list[_State]:
    """What the scaffold foretells behind ``node``, which is reached with probability ``chance``."""
    return [(-chance * way.chance, birth, node, (), 0, 0, (), way) for birth, way in enumerate(ways, born)]
