"""How a trained head drafts: it goes on from the target's last hidden states and makes a tree, the likeliest leaves
first (EAGLE-2's dynamic tree).

After each step the head takes in the states of what was accepted; then it goes ahead alone, :data:`WIDTH` nodes wide
and :data:`DEPTH` deep, all rows of the step at once. The grower chooses among the nodes by their probabilities.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence

from docspec.heads.network import Head, Made, Past
from docspec.heads.states import text_places
from docspec.proposing.branches import Branches
from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation
from docspec.targets.protocol import Wanted
from docspec.targets.staging import Staging

if TYPE_CHECKING:
    from docspec.targets.protocol import TargetModel

DEPTH = 5
"""Steps that the head goes ahead alone."""

RECENT = 8
"""States of the target that are kept for tokens that have none of their own yet."""

WIDTH = 4
"""Nodes that it goes on from at each of them, and tokens that it suggests after each."""

class HeadSource:
    """Drafts with ``head`` for the rows of one batch of ``target``."""

    leads = False
    observes = True
    wants = Wanted(hidden=True)

    def __init__(self, head: Head, target: TargetModel) -> None:
        self._head = head
        self._target = target
        self._rows: dict[Context, _Row] = {}
        self._staging = Staging(target.kv_spec.device)
        self._lengths = torch.zeros(0, dtype=torch.long, device=target.kv_spec.device)
        """Of the rows that drew last."""

    @torch.inference_mode()
    def begin(self, context: Context) -> None:
        states = context.states
        if states is None or not context.output:  # it ended with its first token
            return
        ids = torch.tensor(context.prompt, device=states.hidden.device)
        text = text_places(ids, states, self._target)
        row = _Row(self._head, states.embeddings[~text] if self._head.sees_images() else None)
        tokens = [*ids[text].tolist()[1:], context.output[0]]
        row.note(states.hidden[text], tokens)
        self._rows[context] = row

    def observe(self, context: Context, written: Sequence[int]) -> None:
        row = self._rows.get(context)
        if row is None:
            return
        if context.assumed:
            row.assume(list(written))
            return
        states = context.verified[1].hidden if context.verified is not None else None
        written = [*row.take_back(), *written]
        if states is None or len(states) != len(written):
            del self._rows[context]  # it has lost the thread: nothing told the states of what was written
        else:
            row.note(states, list(written))

    @torch.inference_mode()
    def suggest(self, contexts: Sequence[Context]) -> list[Iterable[Continuation]]:
        rows = [self._rows[context] for context in contexts if context in self._rows]
        drawn = iter(self._draw(rows) if rows else ())
        return [next(drawn).following(0, 0, (), 0.0) if context in self._rows else () for context in contexts]

    def end(self, context: Context) -> None:
        self._rows.pop(context, None)

    def _draw(self, rows: Sequence[_Row]) -> list[Branches]:
        """A tree for each row: what was verified is taken in, then each level is one pass over all rows. What is found
        stays on the device until all of it is."""
        last = self._take_in(rows)
        known = _past(rows, self._lengths)
        reached = torch.ones(len(rows), 1, device=last.device)
        hidden = last.unsqueeze(1)
        paths: list[
            torch.Tensor
        ] = []  # for each level, which nodes of the levels before its own nodes look at
        made: list[Made] = []
        found: list[torch.Tensor] = []  # for each level its tokens, their chances, and which of them go on
        for depth in range(DEPTH):
            chances, tokens = self._target.logits(hidden).float().softmax(-1).topk(WIDTH, -1)
            found += [tokens.flatten(1).float(), chances.flatten(1)]
            if depth == DEPTH - 1:
                break
            reached, best = (
                (reached.unsqueeze(-1) * chances).flatten(1).topk(min(WIDTH, chances[0].numel()), -1)
            )
            found.append(best.float())
            parents = best // WIDTH
            chosen = tokens.flatten(1).gather(1, best)
            states = hidden.gather(1, parents.unsqueeze(-1).expand(-1, -1, hidden.shape[-1]))
            paths = [seen.gather(1, parents.unsqueeze(-1).expand(-1, -1, seen.shape[-1])) for seen in paths]
            step = self._ahead(rows, known, states, chosen, depth, paths, made)
            width = best.shape[1]
            paths.append(torch.eye(width, dtype=torch.bool, device=best.device).expand(len(rows), -1, -1))
            made.append(step)
            hidden = step.hidden
        sizes = [part.shape[1] for part in found]
        return [_tree(part.split(sizes)) for part in torch.cat(found, 1).cpu()]

    def _ahead(
        self,
        rows: Sequence[_Row],
        known: Past,
        states: torch.Tensor,
        tokens: torch.Tensor,
        depth: int,
        paths: Sequence[torch.Tensor],
        made: Sequence[Made],
    ) -> Made:
        """One level: ``states`` ``(rows, nodes, size)`` with the ``tokens`` after them, which see what is ``known`` of
        their row and their path through the levels before."""
        width = states.shape[1]
        past = Past(
            torch.cat((known.keys, *(one.keys for one in made)), 2),
            torch.cat((known.values, *(one.values for one in made)), 2),
            torch.cat((known.seen.expand(-1, width, -1), *paths), 2),
        )
        places = (self._lengths + depth).unsqueeze(1).expand(-1, width)
        own = torch.eye(width, dtype=torch.bool, device=states.device).expand(len(rows), -1, -1)
        offset = torch.stack([row.image for row in rows]).unsqueeze(1)
        return self._head(states + offset, self._target.embed(tokens), depth + 1, places, past, own)

    def _take_in(self, rows: Sequence[_Row]) -> torch.Tensor:
        """Takes in what was verified since, all rows together; the states that the head makes of each row's last place,
        ``(rows, size)``."""
        new = [row for row in rows if row.unread]
        states, tokens = [], []
        for row in new:
            seen, written = row.read()
            states.append(seen)
            tokens.append(written)
        most = max(map(len, tokens), default=0)
        after = np.zeros((len(new), most), dtype=np.int64)
        for line, written in zip(after, tokens, strict=True):
            line[: len(written)] = written
        grown = dict(zip(map(id, new), map(len, tokens), strict=True))
        before = np.array([row.length for row in new], dtype=np.int64)
        ends = np.array([row.length + grown.get(id(row), 0) for row in rows], dtype=np.int64)
        following, lengths, self._lengths = self._staging.put([after, before, ends])
        if new:
            device = lengths.device
            given = pad_sequence(states, True) + torch.stack([row.image for row in new]).unsqueeze(1)
            places = lengths.unsqueeze(1) + torch.arange(most, device=device)
            past = _past(new, lengths)
            past = Past(past.keys, past.values, past.seen.expand(-1, most, -1))
            own = torch.ones(len(new), most, most, dtype=torch.bool, device=device).tril()
            made = self._head(given, self._target.embed(following), 0, places, past, own)
            for at, (row, written) in enumerate(zip(new, tokens, strict=True)):
                count = len(written)
                row.grow(made.keys[at, :, :count], made.values[at, :, :count], made.hidden[at, count - 1])
        return torch.stack([row.last for row in rows])


def _tree(found: Sequence[torch.Tensor]) -> Branches:
    """One row's tree of what :meth:`HeadSource._draw` found of each level."""
    tree, nodes = Branches(), [0]
    for tokens, chances, *best in (found[at : at + 3] for at in range(0, len(found), 3)):
        below = [
            tree.add(nodes[at // WIDTH], int(token), chance)
            for at, (token, chance) in enumerate(zip(tokens.tolist(), chances.tolist(), strict=True))
        ]
        nodes = [below[int(at)] for at in best[0].tolist()] if best else []
    return tree


def _past(rows: Sequence[_Row], lengths: torch.Tensor | None = None) -> Past:
    """Keys and values of all ``rows``, padded to the longest; ``seen`` ``(rows, 1, places)``. ``lengths`` ``(rows,)``
    are theirs, where they are on the device already."""
    if lengths is None:
        lengths = torch.tensor([row.length for row in rows], device=rows[0].keys.device)
    longest = max(row.length for row in rows)
    keys = torch.stack([row.padded(row.keys, longest) for row in rows])
    values = torch.stack([row.padded(row.values, longest) for row in rows])
    seen = torch.arange(longest, device=keys.device) < lengths.unsqueeze(1)
    return Past(keys, values, seen.unsqueeze(1))


class _Row:
    """One row: keys and values ``(heads, places, head size)`` of what is verified, its image's compressed tokens first,
    and what is still to be taken in: hidden states with the tokens after them."""

    def __init__(self, head: Head, image: torch.Tensor | None) -> None:
        self._head = head
        weight = head.fuse.weight
        shape = (head.config.heads, 0, head.config.size // head.config.heads)
        self.keys, self.values = weight.new_zeros(shape), weight.new_zeros(shape)
        self.image = weight.new_zeros(head.config.size)
        self.last = self.image
        self.unread: list[tuple[torch.Tensor, list[int]]] = []
        self._recent = weight.new_zeros(0, head.config.size)
        self._assumed: list[int] = []
        if image is not None:
            tokens, [self.image] = head.compress(image.unsqueeze(0))
            places = torch.arange(tokens.shape[1], device=weight.device).unsqueeze(0)
            _, [self.keys], [self.values] = head.projected(tokens, places)

    @property
    def length(self) -> int:
        return self.keys.shape[1]

    def note(self, states: torch.Tensor, tokens: list[int]) -> None:
        """``tokens`` are written, each chosen by one of ``states``."""
        self.unread.append((states, tokens))
        self._recent = torch.cat((self._recent, states))[-RECENT:]

    def assume(self, tokens: list[int]) -> None:
        """``tokens`` are written without a state of the target's: the latest known ones stand in for theirs (VVS)."""
        known = self._recent[-len(tokens) :]
        stale = torch.cat((known, known[-1:].expand(len(tokens) - len(known), -1)))
        self.unread.append((stale, tokens))
        self._assumed = tokens

    def take_back(self) -> list[int]:
        """Drops what was made of stale states; returns the tokens, whose own states are there now."""
        tokens, self._assumed = self._assumed, []
        if tokens and self.unread:
            self.unread.pop()  # nobody has asked since
        elif tokens:
            self.keys, self.values = self.keys[:, : -len(tokens)], self.values[:, : -len(tokens)]
        return tokens

    def padded(self, kept: torch.Tensor, longest: int) -> torch.Tensor:
        return torch.nn.functional.pad(kept, (0, 0, 0, longest - self.length))

    def read(self) -> tuple[torch.Tensor, list[int]]:
        """What is still to be taken in: hidden states ``(places, size)`` and the tokens after them."""
        states = torch.cat([states for states, _ in self.unread])
        tokens = [token for _, written in self.unread for token in written]
        self.unread.clear()
        return states, tokens

    def grow(self, keys: torch.Tensor, values: torch.Tensor, last: torch.Tensor) -> None:
        """Keys and values ``(heads, places, head size)`` of what was taken in, and the ``last`` state made of it."""
        self.keys = torch.cat((self.keys, keys), 1)
        self.values = torch.cat((self.values, values), 1)
        self.last = last
