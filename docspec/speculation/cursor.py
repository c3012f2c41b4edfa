"""The cursor policy: keeps its place in every draft and resumes at once after a mismatch.

Where the paper's window waits for three equal tokens before it proposes again, a cursor knows where it was. After
a mismatch it offers, in one tree, the draft as if the target had inserted, substituted or skipped something
(:mod:`resumption`), places where the last tokens stand in any draft (:mod:`draft_index`), what followed them
earlier in the output itself (:mod:`lookup`), and the heads of drafts that have not been used. How many nodes each
gets follows from how often its kind was right on this page (:mod:`odds`, :mod:`growth`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from docspec.core.scaffold import Scaffold
from docspec.speculation.acceptance import Outcome
from docspec.speculation.bridge import bridges
from docspec.speculation.draft_index import END, DraftIndex
from docspec.speculation.growth import grow
from docspec.speculation.lookup import OutputLookup
from docspec.speculation.odds import RUN_CAP, Odds, Source
from docspec.speculation.recycling import Recycling
from docspec.speculation.resumption import resumptions
from docspec.speculation.rewrites import Rewrites
from docspec.speculation.scaffolding import Scaffolding
from docspec.speculation.spelling import Codec, Speller
from docspec.speculation.trail import Trail
from docspec.speculation.tree import TokenTree
from docspec.speculation.worth import Worth

TRAILS = 8
"""Places followed at the same time."""

SURE = 16
"""Right tokens in a row after which nothing else is looked for: the trails at hand are enough."""

SURE_TRAILS = 3
"""How many of them."""

FOUND = 4
"""Right tokens in a row after which a draft counts as found again, and lost trails are given up."""

CONFIRMED = 3
"""Right tokens in a row after which a resumption is taken to have been the right one, and is learnt from."""

LOST = 3
"""Lost trails that may still be resumed."""

AHEAD = 6
"""Lost trails that agree in so many tokens ahead count as one."""

PATIENCE = 40
"""Tokens written after which a lost trail is given up."""

OPENING = 4
"""Tokens at the head of a draft that show, once written, that it has been used."""

BEGUN = 8
"""Drafts offered that begin with the token just written."""

HEADS = 12
"""Unused drafts whose heads are offered."""


class CursorProposer:
    """Proposes from ``drafts`` (token sequences in reading order) for one row.

    ``codec`` lets it bridge differences of spelling. ``price`` is what one more node of a tree costs the target, over
    what a step of one token costs (:mod:`worth`). ``growing`` is the most tokens of each draft that is still being
    written (:meth:`extend`). ``propose`` must be called with an output that goes on from that of the call before.
    """

    def __init__(
        self,
        drafts: Sequence[Sequence[int]],
        codec: Codec | None = None,
        price: float = 0.0,
        scaffold: Scaffold | None = None,
        growing: Sequence[int] = (),
    ) -> None:
        self._worth = Worth(price)
        self._index = DraftIndex(drafts, growing)
        self._speller = None if codec is None else Speller(codec)
        self._scaffolding: Scaffolding | None = None
        if scaffold is not None and self._speller is not None:
            self._scaffolding = Scaffolding(scaffold, self._index, self._speller, self._worth.least)
        self._recycling: Recycling | None = None
        self._before = END
        self._tree: TokenTree | None = None
        self._odds = Odds()
        self._rewrites = Rewrites()
        self._lookup = OutputLookup()
        self._output: list[int] = []
        self._live: list[Trail] = []
        self._lost: list[Trail] = []
        self._place = 0
        tokens = self._index.tokens
        self._openings: list[tuple[int, ...]] = [()] * len(self._index.heads)
        self._first_tokens: dict[int, list[int]] = {}
        for number in range(len(self._index.heads)):
            self._open(number)
        self._offered = [
            Trail(tokens, head, Source.OTHER_HEAD) for head in self._index.heads if tokens[head] >= 0
        ]

    def propose(self, verified: Sequence[int], limit: int) -> TokenTree:
        """A tree of at most ``limit`` nodes whose root is ``verified[-1]``."""
        if len(verified) > len(self._output):
            self._follow(list(verified[len(self._output) :]))
        self._offered = self._candidates(limit) if limit > 1 else list(self._live)
        self._before = verified[-2] if len(verified) > 1 else END
        self._tree = grow(
            verified[-1],
            self._offered,
            self._index,
            self._odds,
            self._rewrites,
            limit,
            self._worth.least,
            self._scaffolding,
            self._recycling,
            self._before,
        )
        return self._tree

    def observe(self, tree: TokenTree, outcome: Outcome) -> None:
        """Notes what the tree was worth and recycles what the target held likely; of the tokens that were accepted
        the next call's output tells all."""
        if tree is not self._tree:
            return
        self._worth.note(len(tree), len(outcome.path), tree.expected)
        if not outcome.top:
            return
        if self._recycling is None:
            self._recycling = Recycling()
        tokens, before, node = tree.tokens, self._before, 0
        for child in outcome.path:
            self._recycling.count(before, tokens[node], tokens[child])
            before, node = tokens[node], child
        self._recycling.count(before, tokens[node], outcome.token)
        self._recycling.learn(tokens, tree.parents, self._before, outcome.top)

    def extend(self, number: int, tokens: Sequence[int]) -> None:
        """The growing draft ``number`` goes on with ``tokens``."""
        self._index.extend(number, tokens)
        if len(self._openings[number]) < OPENING:
            self._open(number)

    def _open(self, number: int) -> None:
        """Notes how the draft ``number`` begins, as far as it is written."""
        head = self._index.heads[number]
        opening = tuple(self._index.tokens[head : min(head + OPENING, self._index.end_of(head))])
        if opening and not self._openings[number]:
            self._first_tokens.setdefault(opening[0], []).append(number)
        self._openings[number] = opening

    def _follow(self, written: list[int]) -> None:
        """Moves every trail along the tokens ``written`` since the last call."""
        before, size, first = len(self._output), len(written), written[0]
        self._output.extend(written)
        self._lookup.extend(written)
        if self._scaffolding is not None:
            self._scaffolding.follow(written)
            self._offered += self._landed(written)
        tokens, odds = self._index.tokens, self._odds
        live: list[Trail] = []
        lost: list[Trail] = []
        plain: list[int] = []
        counted = False
        guessed = None if self._scaffolding is None else self._scaffolding.is_guessed
        for trail in self._offered:
            source = trail.source
            if source is not None and trail.first != first:
                odds.count(source, False)
                continue
            run = trail.run
            right = trail.follow(written)
            if source is not None:
                odds.count(source, True)
            elif not counted:
                odds.count_run(min(run, RUN_CAP), right, right < size)
                counted = True
            if trail.tokens is tokens:
                kept = written[:right]
                while right < size and tokens[trail.place] < 0 and (place := self._index.beyond(trail.place)):
                    trail.place = place
                    more = trail.follow(written[right:])
                    kept += written[right : right + more]
                    right += more
                if right < size and tokens[trail.place] in self._rewrites.rules:
                    right = self._follow_rewrites(trail, written, right, kept)
                if len(kept) > len(plain):
                    plain = kept
                self._learn(trail)
                if right < size and not (guessed and guessed(trail.place)):
                    trail.lost_at = before + right
                    lost.append(trail)
            if right == size:
                trail.source = None
                live.append(trail)
        for token in self._rewrites.rules.keys() & set(plain):
            self._rewrites.keep(token, plain.count(token))
        live.sort(key=lambda trail: -trail.run)
        self._live = live[:TRAILS]
        self._keep_lost(lost)

    def _landed(self, written: Sequence[int]) -> list[Trail]:
        """Trails in the drafts that the last tree took up where its scaffold ended, as far as they were reached."""
        if self._tree is None or self._scaffolding is None or not self._scaffolding.landed:
            return []
        node, depth, reached = 0, 0, {0: 0}
        for token in written:
            child = self._tree.children[node].get(token)
            if child is None:
                break
            node, depth = child, depth + 1
            reached[node] = depth
        return [
            Trail(self._index.tokens, place, None, 0, tuple(written[: reached[node]]))
            for node, place in self._scaffolding.landed
            if node in reached
        ]

    def _follow_rewrites(self, trail: Trail, written: list[int], right: int, kept: list[int]) -> int:
        """Moves ``trail`` on through rewritings that are known; ``kept`` collects what was written as drafted."""
        tokens = self._index.tokens
        while right < len(written):
            rule = self._rewrites.applied(tokens, trail.place, written, right)
            if rule is None:
                break
            self._rewrites.learn(tokens[trail.place], *rule)
            trail.place += rule[1]
            right += len(rule[0])
            more = trail.follow(written[right:])
            kept += written[right : right + more]
            right += more
        return right

    def _keep_lost(self, lost: list[Trail]) -> None:
        """The lost trails worth resuming: the longest runs, and those lost last."""
        size = len(self._output)
        drafted = next((trail for trail in self._live if trail.tokens is self._index.tokens), None)
        if drafted is not None and drafted.run >= FOUND:
            self._place = drafted.place
            self._lost = []
            return
        old = [trail for trail in self._lost if size - trail.lost_at <= PATIENCE]
        known: set[tuple[int, ...]] = set()
        kept: list[Trail] = []
        for trail in sorted(lost, key=lambda trail: -trail.run) + old:
            ahead = tuple(self._index.tokens[trail.place : trail.place + AHEAD])
            if ahead not in known and len(kept) < LOST:
                known.add(ahead)
                kept.append(trail)
        self._lost = kept
        if kept:
            self._place = kept[0].place

    def _learn(self, trail: Trail) -> None:
        """Once a resumed trail has proved right, what lay between becomes a rewrite."""
        if trail.resumed is None or trail.run < CONFIRMED:
            return
        lost_place, lost_at, found_place, found_at = trail.resumed
        trail.resumed = None
        self._rewrites.learn(
            self._index.tokens[lost_place],
            tuple(self._output[lost_at:found_at]),
            found_place - lost_place,
        )

    def _candidates(self, limit: int) -> list[Trail]:
        """Everything that may go on from here, each place once, the likeliest kind first."""
        if self._scaffolding is not None and self._scaffolding.is_sure:
            return [trail for trail in self._live if not self._scaffolding.is_guessed(trail.place)]
        if self._live and self._live[0].run >= SURE and self._tokens_ahead(self._live[0]) >= limit:
            return self._live[:SURE_TRAILS]
        known: set[tuple[int, tuple[int, ...]]] = set()
        found: list[Trail] = []

        def offer(trail: Trail) -> None:
            if (trail.place, trail.lead) not in known and (trail.lead or trail.tokens[trail.place] >= 0):
                known.add((trail.place, trail.lead))
                found.append(trail)

        for trail in self._live:
            if trail.tokens is self._index.tokens and trail.tokens[trail.place] < 0:
                trail.place = self._index.beyond(trail.place) or trail.place
            offer(trail)
        for place, source, run in self._index_places():
            offer(Trail(self._index.tokens, place, source, run))
        for lost in self._lost:
            if self._speller is not None:
                for trail in bridges(self._speller, self._index.tokens, lost, self._output):
                    offer(trail)
            for trail in resumptions(self._index.tokens, lost, self._output, self._rewrites):
                offer(trail)
        for trail in self._lookup.trails():
            if trail.tokens[0] >= 0:
                found.append(trail)
        if self._scaffolding is not None:
            found += self._scaffolding.sequels()
        for trail in self._heads():
            offer(trail)
        return found

    def _tokens_ahead(self, trail: Trail) -> int:
        end = self._index.end_of(trail.place) if trail.tokens is self._index.tokens else len(trail.tokens) - 1
        return end - trail.place

    def _index_places(self) -> list[tuple[int, Source, int]]:
        output, index = self._output, self._index
        places: list[int] = []
        if len(output) >= 4:
            places = index.after_quad(output)
        if not places and len(output) >= 2:
            places = index.after_pair(output)
        if len(places) > TRAILS:
            middle = bisect_left(places, self._place)
            places = places[max(0, middle - 2 * TRAILS) : middle + 2 * TRAILS]
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
        """Drafts that were not used yet, in reading order from the last one on.

        Blocks begin on new lines: where the text is known, heads are only offered there; a draft that begins with
        the token just written is offered everywhere.
        """
        index, pending = self._index, self._output[-1]
        count = len(index.heads)
        here = index.draft_of(self._place) if self._place else -1
        at_break = self._speller is None or "\n" in self._speller.text(pending)
        begun = self._first_tokens.get(pending, ())
        found: list[Trail] = []
        rank = 0
        for step in range(1, count + 1) if at_break else ():
            number = (here + step) % count
            if not self._openings[number] or self._is_used(number):
                continue
            source = Source.NEXT_HEAD if rank == 0 else Source.SOON_HEAD if rank < 3 else Source.OTHER_HEAD
            found.append(Trail(index.tokens, index.heads[number], source))
            rank += 1
            if rank >= HEADS:
                break
        for number in sorted(begun, key=lambda number: (number - here - 1) % count)[:BEGUN]:
            if not self._is_used(number):
                found.append(Trail(index.tokens, index.heads[number] + 1, Source.HEAD_BEGUN, 1))
        return found

    def _is_used(self, number: int) -> bool:
        opening = self._openings[number]
        return len(opening) == OPENING and self._lookup.holds(opening)
