"""The cursor policy: keeps its place in every draft and resumes at once after a mismatch.

Where the paper's window waits for three equal tokens before it proposes again, a cursor knows where it was. After
a mismatch it offers, in one tree, the draft as if the target had inserted, substituted or skipped something
(:mod:`resumption`), places where the last tokens stand in any draft (:mod:`draft_index`), what followed them
earlier in the output itself (:mod:`lookup`), and the heads of drafts that have not been used. How many nodes each
gets follows from how often its kind was right on this page (:mod:`odds`, :mod:`growth`).
"""

from __future__ import annotations

from collections.abc import Sequence

from docspec.speculation.acceptance import Outcome
from docspec.speculation.draft_index import DraftIndex, quad_key
from docspec.speculation.growth import Seed, grow
from docspec.speculation.lookup import OutputLookup
from docspec.speculation.odds import RUN_CAP, Odds, Source
from docspec.speculation.resumption import resumptions
from docspec.speculation.rewrites import Rewrites
from docspec.speculation.spelling import Codec
from docspec.speculation.trail import Trail
from docspec.speculation.tree import TokenTree

TRAILS = 12
"""Places followed at the same time."""

LOST = 3
"""Lost trails that may still be resumed."""

PATIENCE = 40
"""Tokens written after which a lost trail is given up."""

HEADS = 24
"""Unused drafts whose heads are offered."""


class CursorProposer:
    """Proposes from ``drafts`` (token sequences in reading order) for one row.

    ``propose`` must be called with an output that goes on from that of the call before.
    """

    def __init__(self, drafts: Sequence[Sequence[int]], codec: Codec | None = None) -> None:
        self._index = DraftIndex(drafts)
        self._codec = codec
        self._odds = Odds()
        self._rewrites = Rewrites()
        self._lookup = OutputLookup()
        self._output: list[int] = []
        self._live: list[Trail] = []
        self._lost: list[Trail] = []
        self._place = 0
        tokens = self._index.tokens
        self._head_quads = [
            quad_key(tokens[head : head + 4]) if -1 not in tokens[head : head + 4] else None
            for head in self._index.heads
        ]
        self._offered = [Trail(tokens, head, Source.OTHER_HEAD) for head in self._index.heads]

    def propose(self, verified: Sequence[int], limit: int) -> TokenTree:
        """A tree of at most ``limit`` nodes whose root is ``verified[-1]``."""
        if len(verified) > len(self._output):
            self._follow(list(verified[len(self._output) :]))
        if limit <= 1:
            self._offered = []
            return TokenTree(verified[-1])
        self._offered = self._candidates()
        first, onward = self._odds.first, self._odds.onward
        seeds = [
            Seed(
                first[trail.source] if trail.source is not None else onward[min(trail.run, RUN_CAP)],
                trail.tokens,
                trail.place,
                min(trail.run, RUN_CAP),
                trail.lead,
                trail.tokens is self._index.tokens,
            )
            for trail in self._offered
        ]
        return grow(verified[-1], seeds, onward, self._rewrites, limit)

    def observe(self, tree: TokenTree, outcome: Outcome) -> None:
        """Nothing: the next call's output tells all."""
        return

    def _follow(self, written: list[int]) -> None:
        """Moves every trail along the tokens ``written`` since the last call."""
        before = len(self._output)
        self._output.extend(written)
        self._lookup.extend(written)
        live: list[Trail] = []
        lost: list[Trail] = []
        first = True
        agreed = 0
        for trail in self._offered:
            right = trail.follow(written)
            if trail.source is not None:
                self._odds.count(trail.source, right > 0)
            elif first:
                self._odds.count_run(min(trail.run - right, RUN_CAP), right, right < len(written))
            if trail.source is None:
                first = False
            if right == 0 and trail.source is not None:
                continue
            if trail.tokens is self._index.tokens:
                self._learn(trail)
                agreed = max(agreed, right)
                if right < len(written):
                    trail.lost_at = before + right
                    lost.append(trail)
            if right == len(written):
                trail.source = None
                live.append(trail)
        if self._rewrites.known:
            for token in written[:agreed]:
                if token in self._rewrites.known:
                    self._rewrites.keep(token)
        live.sort(key=lambda trail: -trail.run)
        self._live = live[:TRAILS]
        self._keep_lost(lost)

    def _keep_lost(self, lost: list[Trail]) -> None:
        """The lost trails worth resuming: the longest runs, and those lost last."""
        size = len(self._output)
        if self._live and self._live[0].run >= 4:
            self._place = self._live[0].place
            self._lost = []
            return
        old = [trail for trail in self._lost if size - trail.lost_at <= PATIENCE]
        known: set[int] = set()
        kept: list[Trail] = []
        for trail in sorted(lost, key=lambda trail: -trail.run) + old:
            if trail.place not in known and len(kept) < LOST:
                known.add(trail.place)
                kept.append(trail)
        self._lost = kept
        if kept:
            self._place = kept[0].place

    def _learn(self, trail: Trail) -> None:
        """Once a resumed trail has proved right, what lay between becomes a rewrite."""
        if trail.resumed is None or trail.run < 3:
            return
        lost_place, lost_at, found_place, found_at = trail.resumed
        trail.resumed = None
        self._rewrites.learn(
            self._index.tokens[lost_place],
            tuple(self._output[lost_at:found_at]),
            found_place - lost_place,
        )

    def _candidates(self) -> list[Trail]:
        """Everything that may go on from here, each place once, the likeliest kind first."""
        known: set[int] = set()
        found: list[Trail] = []

        def offer(trail: Trail) -> None:
            if trail.place not in known and trail.tokens[trail.place] >= 0:
                known.add(trail.place)
                found.append(trail)

        for trail in self._live:
            offer(trail)
        for place, source, run in self._index_places():
            offer(Trail(self._index.tokens, place, source, run))
        for lost in self._lost:
            for trail in resumptions(self._index.tokens, lost, self._output):
                offer(trail)
        for trail in self._lookup.trails():
            if trail.tokens[0] >= 0:
                found.append(trail)
        for trail in self._heads():
            offer(trail)
        return found

    def _index_places(self) -> list[tuple[int, Source, int]]:
        output, index = self._output, self._index
        places: list[int] = []
        if len(output) >= 4:
            places = index.after_quad(output)
        if not places and len(output) >= 2:
            places = index.after_pair(output)
        if len(places) > TRAILS:
            places = sorted(places, key=lambda place: abs(place - self._place))[:TRAILS]
        here = index.draft_of(self._place)
        found = []
        for place in places:
            matched = index.matched(place, output)
            if matched < 2:
                continue
            near = -8 <= place - self._place <= 256 and index.draft_of(place) == here
            kind = 0 if matched < 3 else 1 if matched < 4 else 2 if matched < 8 else 3
            source = Source((Source.NEAR_2 if near else Source.FAR_2) + kind)
            found.append((place, source, matched))
        return found

    def _heads(self) -> list[Trail]:
        index = self._index
        count = len(index.heads)
        if not count:
            return []
        here = index.draft_of(self._place) if self._place else -1
        found: list[Trail] = []
        for step in range(1, count + 1):
            number = (here + step) % count
            key = self._head_quads[number]
            if key is not None and key in self._lookup.quads:
                continue
            rank = len(found)
            source = Source.NEXT_HEAD if rank == 0 else Source.SOON_HEAD if rank < 3 else Source.OTHER_HEAD
            found.append(Trail(index.tokens, index.heads[number], source))
            if len(found) >= HEADS:
                break
        return found
