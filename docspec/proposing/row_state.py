"""The state of one row in a mixture: the last tree, the suggestions that it was grown from, and those that the output
still follows."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from docspec.engine.request import Trail
from docspec.engine.tree import TokenTree
from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation, Key, Text
from docspec.proposing.drafts import DraftText
from docspec.proposing.grower import Grow, Grown, grow
from docspec.proposing.rates import RUN_CAP, HitRates, Survival
from docspec.proposing.threshold import Promises, Threshold, WritingRate

REWRITTEN = "rewrite"


class Origins:
    """Fills ``trail.proposed`` (position in the output -> name): ``draft N`` for a draft's own token (the first draft
    of the row that led there, counted from 1), otherwise the proposer that suggested it; ``rewrite`` for replacements
    of drafted tokens."""

    def __init__(self, trail: Trail, drafts: DraftText) -> None:
        self._trail = trail
        self._drafts = drafts
        self._makers: dict[int, tuple[Text, str]] = {}  # the text too: an id may come again once it is gone

    def made(self, text: Text, proposer: str) -> None:
        """Records that ``proposer`` copies from ``text``."""
        if text is not self._drafts:
            self._makers[id(text)] = text, proposer

    def note(self, before: int, written: Sequence[int], reached: Mapping[int, int], grown: Sequence[Grown]) -> None:
        """Records the tokens ``written`` after ``before`` output tokens, along the nodes ``reached`` (with their
        depths) of the tree that ``grown`` made."""
        start, proposed = time.thread_time(), self._trail.proposed
        drafted: dict[int, int] = {}
        for node, one in grown:
            depth = reached.get(node)
            if depth is None:
                continue
            for position, maker in enumerate(self._along(one, written[depth:]), before + depth):
                if isinstance(maker, int):
                    drafted[position] = min(maker, drafted.get(position, maker))
                else:
                    proposed.setdefault(position, maker)
        proposed.update({position: f"draft {number + 1}" for position, number in drafted.items()})
        self._makers.clear()
        self._trail.seconds += time.thread_time() - start

    def _along(self, one: Continuation, written: Sequence[int]) -> list[str | int]:
        """The origins of the tokens ``written``, as far as they agree with ``one``: the number of a draft or a
        proposer's name."""
        drafts, size = self._drafts, len(one.lead)
        in_drafts = one.text is drafts
        tokens = one.text.tokens
        known = self._makers.get(id(one.text))
        name = known[1] if known is not None else REWRITTEN
        found: list[str | int] = []
        for at, token in enumerate(written):
            if at < size:
                if one.lead[at] != token:
                    break
                position = one.position - size + at
                drafted = in_drafts and position >= 0 and drafts.tokens[position] == token
            else:
                position = one.position + at - size
                if position >= len(tokens) or tokens[position] != token:
                    break
                drafted = in_drafts
            found.append(drafts.draft_of(position) if drafted else name)
        return found


LIVE = 8
"""Continuations that are followed at the same time."""

SURE = 8
"""Consecutive right tokens after which no other proposer is asked: the followed continuations are enough."""

SURE_LIVE = 3
"""How many of the followed continuations are used then."""

LIKELY = 0.5
"""If the leading proposers' statements have more than this chance together, and their hit rate was as high, no other
proposer is asked."""

STATED = Key("stated", 0.9)
"""Suggestions of leading proposers without a key."""


@dataclass(slots=True)
class Learnt:
    """The learnt rates for one kind of row."""

    rates: HitRates = field(default_factory=HitRates)
    survival: Survival = field(default_factory=Survival)
    promises: Promises = field(default_factory=Promises)


@dataclass(slots=True)
class _Walk:
    """What becomes of suggestions along the tokens ``written`` behind ``before`` others: those that they still follow,
    by place (``live``), those that they ``left``, each with the number of tokens before, and the runs of these by their
    positions in the drafts. ``is_counted``: one has told how long runs last."""

    before: int
    written: Sequence[int]
    is_counted: bool = False
    live: dict[tuple[int, int], Continuation] = field(default_factory=dict)
    left: list[tuple[Continuation, int]] = field(default_factory=list)
    left_runs: dict[int, int] = field(default_factory=dict)


class RowState:
    """``context`` is what the row's proposers see; ``is_sure``: no other proposer needs to be asked now.

    ``rate`` and ``learnt`` belong to the batch: rows of one kind learn together. ``grow`` makes a tree of the
    suggestions.
    """

    def __init__(
        self, context: Context, rate: WritingRate, learnt: Learnt, trail: Trail | None = None, grow: Grow = grow
    ) -> None:
        self.context = context
        self.threshold = Threshold(rate, learnt.promises)
        self.is_sure = False
        self._stated: list[Continuation] = []
        self._grow = grow
        self._rates = learnt.rates
        self._survival = learnt.survival
        self._live: list[Continuation] = []
        self._tree = TokenTree(0)
        self._grown: list[Grown] = []
        self._suggested: list[Continuation] = []
        self._known: set[tuple[int, int, Sequence[int]]] = set()
        self._growth = [0] * len(context.request.growing)
        self._origins = None if trail is None else Origins(trail, context.drafts)

    def is_own(self, tree: TokenTree) -> bool:
        """Whether ``tree`` is the last tree grown here."""
        return tree is self._tree

    def begin_tree(self) -> None:
        """Drops the suggestions for the last tree, and reads the new tokens of growing drafts."""
        for number, draft in enumerate(self.context.request.growing):
            new = draft.tokens[self._growth[number] :]
            if new:
                self._growth[number] += len(new)
                self.context.drafts.extend(number, new)
        self._suggested, self._known = [], set()

    def follow(self, output: Sequence[int]) -> list[int]:
        """Advances all suggestions along the new tokens of ``output`` and learns from them; returns these tokens."""
        context = self.context
        before = len(context.output)
        written = list(output[before:])
        if not written:
            return written
        context.extend(written)
        reached = self._reached(written)
        if self._origins is not None:
            self._origins.note(before, written, reached, self._grown)
        context.copied = (0, 0)
        walk = _Walk(before, written)
        for node, one in self._grown:
            depth = reached.get(node)
            if depth is not None:
                self._advance(walk, one, node, depth)
        self._live = sorted(walk.live.values(), key=lambda one: -one.run)[:LIVE]
        for one in self._live:
            one.key = None
        self._grown = []
        if self._stated:
            self._rates.count(STATED, any(one.run for one in self._stated))
        self._stated = []
        context.locate(self._live, walk.left)
        return written

    def _advance(self, walk: _Walk, one: Continuation, node: int, depth: int) -> None:
        """Moves a suggestion that began at ``node``, ``depth`` tokens into the new ones, along the rest of them."""
        is_live = one.key is None and not node
        if one.resumed is not None and not is_live:  # from here on counted from the output's beginning
            position, at, found_position, found_at = one.resumed
            shift = walk.before + depth
            one.resumed = position, at + shift, found_position, found_at + shift
        position, run = one.position, one.run
        rest = walk.written[depth:] if depth else walk.written
        right = self._follow_text(one, rest, is_live)
        if one.key is not None and rest:
            self._rates.count(one.key, right > 0)
        first = 0 if is_live else 1  # a key's rate has counted the first token
        if not walk.is_counted and not node and one.text.tokens and right >= first:
            ended = right < len(rest) and one.position < one.text.end(one.position)
            self._survival.count(min(run + first, RUN_CAP), right - first, ended)
            walk.is_counted = True
        if one.text.tokens and (right or is_live):
            if node and one.resumed is not None and not one.lead:
                one.run += walk.left_runs.get(one.resumed[0], 0)  # the draft is as good as before the rewriting
            self._keep(walk, one, position, depth + right)

    def _follow_text(self, one: Continuation, rest: Sequence[int], is_live: bool) -> int:
        """How many tokens of ``rest`` continue ``one``, which goes on behind what a draft may leave out."""
        drafts, right = self.context.drafts, one.follow(rest)
        while one.text is drafts and (right or is_live) and right < len(rest) and not one.lead:
            beyond = drafts.beyond(one.position)
            if not beyond:
                break
            one.position = beyond
            right += one.follow(rest[right:])
        return right

    def _keep(self, walk: _Walk, one: Continuation, position: int, length: int) -> None:
        """Notes a suggestion, at ``position`` before, that was right up to ``length`` of the new tokens."""
        is_draft = one.text is self.context.drafts
        if is_draft and one.position - position > self.context.copied[1]:
            self.context.copied = position, one.position - position
        if length == len(walk.written):
            known = walk.live.get((id(one.text), one.position))
            if known is None or known.run < one.run:
                walk.live[id(one.text), one.position] = one
            return
        if is_draft:
            walk.left_runs[one.position] = max(walk.left_runs.get(one.position, 0), one.run)
        walk.left.append((one, walk.before + length))

    def _reached(self, written: Sequence[int]) -> dict[int, int]:
        """The nodes of the last tree along ``written``, with their depths."""
        reached, node = {0: 0}, 0
        for depth, token in enumerate(written, 1):
            child = self._tree.find(node, token)
            if child is None:
                break
            node = child
            reached[node] = depth
        return reached

    def suggest_live(self, limit: int) -> None:
        """Adds the continuations that the output follows, unless leading proposers have stated the next tokens."""
        live = self._live
        stated = [one for one in self._suggested if one.key is None]
        self._stated = stated if sum(one.chance for one in stated) > LIKELY else []
        self.is_sure = known = bool(self._stated) and self._rates.rate(STATED) > LIKELY
        if live and live[0].run >= SURE and live[0].text.end(live[0].position) - live[0].position >= limit:
            live, self.is_sure = live[:SURE_LIVE], True
        if not known:
            for continuation in live:
                continuation.chance = self._survival.onward(continuation.run)
                self._offer(continuation)

    def suggest(self, continuations: Iterable[Continuation], proposer: str) -> None:
        """Adds the suggestions of ``proposer``."""
        for continuation in continuations:
            if self._origins is not None:
                self._origins.made(continuation.text, proposer)
            self._offer(continuation)

    def _offer(self, continuation: Continuation) -> None:
        known = id(continuation.text), continuation.position, tuple(continuation.lead)
        if known not in self._known:
            self._known.add(known)
            self._suggested.append(continuation)

    def grow(self, output: Sequence[int], limit: int) -> TokenTree:
        """The tree of all suggestions."""
        before = output[-2] if len(output) > 1 else -1
        self._tree, self._grown = self._grow(
            output[-1], before, self._suggested, self._rates, self._survival, limit, self.threshold.least
        )
        return self._tree
