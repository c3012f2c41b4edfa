"""A smaller model of the same vocabulary drafts: vanilla speculative decoding (Leviathan et al. 2023), ``model:NAME``.

It reads the page as the target does, its prompt prefilled where the target's was, and writes on greedily behind the
output for as long as it is sure enough. Its keys and values are its own. Those of drafted tokens that the target did
not accept are written over, so nothing is computed twice and nothing has to be undone. Only recurrent states cannot be
written over: they are remembered behind the output and brought back there when a draft is done, and the tokens that
the target accepts are fed again, with its own token. All rows of a step draft together.
With ``,keep=SHARE`` behind its name it sees that share of the image tokens: those that change most in the target's
first layers (ParallelVLM).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from docspec.engine.batch import linearise
from docspec.engine.request import Request
from docspec.engine.tree import TokenTree
from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation, Copy, Key
from docspec.targets.protocol import CHOICES_ONLY, ImportanceCallback, OutputFlags, Prefill, Prompt

if TYPE_CHECKING:
    import torch

    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import TargetModel

MOST = 10
"""Tokens that are drafted in one step at most."""

ENOUGH = 0.3
"""Drafting goes on while the drafted tokens together are at least this likely by the draft model's own chances."""

DRAFTED = Key("draft model", 0.8)
"""What it drafted, whatever its size and the target's."""


class DraftModel:
    """Drafts with ``model`` for the rows of one batch."""

    leads = False
    observes = True
    wants = CHOICES_ONLY

    def __init__(self, model: TargetModel, share: float = 1.0) -> None:
        self._model = model
        self.share = share
        self._indices: dict[int, torch.Tensor | None] = {}
        """Indices of the tokens to be read, by the prompt (its id) of a row that will begin."""
        self._begun: dict[int, Context] = {}  # by request
        self._rows: list[_ModelRow] = []
        self._cache: SlotCache | None = None

    def on_prefill(self, requests: Sequence[Request]) -> ImportanceCallback | None:
        """Where image tokens are left out, the target's first layers say which."""
        if self.share == 1:
            return None
        self._indices.update((id(request.prompt), None) for request in requests)
        return self.note

    def note(self, prompt: Prompt, variation: torch.Tensor) -> None:
        """Of ``prompt`` the image tokens count that change most (:mod:`docspec.targets.prefill_hooks`)."""
        from docspec.targets.prefill_hooks import most_changed

        if id(prompt) in self._indices:
            self._indices[id(prompt)] = most_changed(variation, self.share)

    def begin(self, context: Context) -> None:
        """A row is read when a draft is first wanted for it."""
        self._begun[id(context.request)] = context

    def observe(self, context: Context, written: Sequence[int]) -> None:
        """Nothing: the output is looked at when a draft is wanted."""

    def suggest(self, contexts: Sequence[Context]) -> list[Iterable[Continuation]]:
        self.read(self.unknown([context.request for context in contexts]))
        drafts = self.draft({context: context.output for context in self.contexts}, set(contexts))
        return [[Continuation(Copy(drafts[context]), 0, DRAFTED)] for context in contexts]

    def end(self, context: Context) -> None:
        self._indices.pop(id(context.request.prompt), None)
        del self._begun[id(context.request)]
        rows = self._rows
        for index, row in enumerate(rows):
            if row.request is context.request:
                last = rows.pop()
                if last is not row:
                    assert self._cache is not None
                    self._cache.move_row(len(rows), index, last.length)
                    rows[index] = last
                return

    @property
    def contexts(self) -> list[Context]:
        """The rows that were read; all of them have begun by the time that anything is drafted."""
        return [self._begun[id(row.request)] for row in self._rows]

    def unknown(self, requests: Sequence[Request]) -> list[Request]:
        """Those of ``requests`` that are still to be read."""
        known = {id(row.request) for row in self._rows}
        return [request for request in requests if id(request) not in known]

    def read(self, requests: Sequence[Request]) -> None:
        """Prefills the prompts of new rows behind the rows that are there."""
        if not requests:
            return
        first = len(self._rows)
        slots = max(request.slots for request in requests) + 2 * MOST + 2
        cache = self._room(first + len(requests), slots)
        prompts = [request.prompt for request in requests]
        rows = range(first, first + len(requests))
        if self.share < 1:
            filled = [
                self._prefill_some(prompt, cache, row) for prompt, row in zip(prompts, rows, strict=True)
            ]
        else:
            filled = self._prefill(prompts, cache, rows)
        self._rows += map(_ModelRow, requests, filled)

    def _prefill_some(self, prompt: Prompt, cache: SlotCache, row: int) -> Prefill:
        indices = self._indices.pop(id(prompt), None)
        if indices is None:
            return self._prefill([prompt], cache, [row])[0]
        return self._model.prefill_tokens(prompt, cache, row, indices)

    def _prefill(self, prompts: Sequence[Prompt], cache: SlotCache, rows: Sequence[int]) -> list[Prefill]:
        return self._model.prefill(prompts, cache, rows)

    def _room(self, rows: int, slots: int) -> SlotCache:
        """A cache of at least that size that holds what the present one does."""
        from docspec.targets.kv_cache import SlotCache

        cache = self._cache
        if cache is None or rows > cache.rows or slots > cache.padding_slot:
            old_rows, old_slots = (cache.rows, cache.padding_slot) if cache is not None else (0, 0)
            larger = SlotCache(self._model.kv_spec, max(rows, 2 * old_rows), max(slots, old_slots))
            if cache is not None:
                larger.take(cache)
            self._cache = cache = larger
        return cache

    def draft(
        self,
        texts: Mapping[Context, Sequence[int]],
        asked: set[Context],
        most: int = MOST,
        enough: float | None = None,
        written: Mapping[Context, int] | None = None,
    ) -> dict[Context, list[int]]:
        """What may come behind the ``texts`` of the rows of ``asked``: up to ``most`` tokens, while they are together
        at least ``enough`` likely. The other rows only take in what was written of their texts. The first ``written``
        tokens of each text will not be taken back (default: all)."""
        enough = ENOUGH if enough is None else enough
        rows, contexts, cache, steps = self._rows, self.contexts, self._cache, self._model.steps
        assert cache is not None
        feeds = [row.unread(texts[context]) for row, context in zip(rows, contexts, strict=True)]
        drafts: dict[Context, list[int]] = {context: [] for context in asked}
        chances = [1.0 if context in asked else 0.0 for context in contexts]
        stays = [len(texts[one]) if written is None else written[one] for one in contexts]
        for turn in range(most):
            batch = linearise(
                [_chain(feed) for feed in feeds],
                [row.length for row in rows],
                [row.delta for row in rows],
                cache.slots,
                steps.padded,
                flags=OutputFlags(scores=True),
            )
            answer = steps.run(batch, cache)
            if turn == 0:
                cache.remember([row.before(tokens) for row, tokens in zip(rows, stays, strict=True)])
            for index, (row, context, feed) in enumerate(zip(rows, contexts, feeds, strict=True)):
                if chances[index] or len(row.fed) < len(texts[context]):
                    row.fed += feed
                token, sure = answer.choice[index][len(feed) - 1], answer.best[index][len(feed) - 1]
                chances[index] *= math.exp(sure)
                full = row.length + 2 >= cache.slots
                if chances[index] < enough or token in self._model.eos_ids or full:
                    chances[index] = 0.0
                else:
                    drafts[context].append(token)
                feeds[index] = [token]
            if not any(chances):
                break
        cache.recall()
        for row, tokens in zip(rows, stays, strict=True):
            if self._model.kv_spec.recurrent is not None:
                row.forget(tokens)
            row.right = min(row.right, tokens)
        return drafts


class _ModelRow:
    """One row: ``fed`` are the tokens behind the prompt whose keys and values are in the cache, the first ``right`` of
    them known to be the text's."""

    def __init__(self, request: Request, prompt: Prefill) -> None:
        self.request = request
        self.delta = prompt.rope_delta
        self.fed: list[int] = []
        self._prompt = prompt.length
        self.right = 0

    @property
    def length(self) -> int:
        """Slots that hold what was fed."""
        return self._prompt + len(self.fed)

    def before(self, written: int) -> int:
        """Slots before the last of the text's first ``written`` tokens; the last one is always fed anew."""
        return self._prompt + written - 1

    def forget(self, written: int) -> None:
        """Drops what was fed from the last of the text's first ``written`` tokens on."""
        del self.fed[written - 1 :]

    def unread(self, text: Sequence[int]) -> list[int]:
        """What of ``text`` is still to be fed, its last token at least. What was fed and is not in it is dropped."""
        fed, right = self.fed, self.right
        most = min(len(fed), len(text) - 1)
        while right < most and fed[right] == text[right]:
            right += 1
        del fed[right:]
        self.right = right
        return list(text[right:])


def _chain(tokens: Sequence[int]) -> TokenTree:
    tree = TokenTree(tokens[0])
    tree.extend(0, tokens[1:], len(tokens))
    return tree
