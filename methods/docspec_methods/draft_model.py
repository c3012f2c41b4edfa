"""A smaller model with the same vocabulary drafts: vanilla speculative decoding (Leviathan et al. 2023),
``model:NAME``.

The draft model prefills the same prompt as the target and decodes greedily from the output while it is likely enough.
It has its own keys and values. Those of rejected tokens are overwritten, so nothing is computed twice and nothing is
rolled back. Only recurrent states cannot be overwritten: they are saved at the end of the output and restored when a
draft is done, and the accepted tokens are fed again with the target's own. All rows of a step draft together.

On an accelerator nothing waits for single tokens (:mod:`docspec_methods.draft_at_once`): drafting is launched right
behind the target's verification, whose walk the device computes itself, and the draft arrives with the step's answer.
If the host decides otherwise than the exact walk, the model drafts when it is asked, which waits once. A model with
recurrent layers, which must know the accepted tokens, drafts token by token as on a CPU.

With ``,keep=SHARE`` after its name it sees only that share of the image tokens: those that change most in the target's
first layers (ParallelVLM).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from docspec.engine.batch import linearise
from docspec.engine.request import Request
from docspec.engine.tree import TokenTree
from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation, Copy, Key
from docspec.proposing.proposer import BatchProposer
from docspec.targets.protocol import ImportanceCallback, OutputFlags, Prefill, Prompt
from docspec_methods.model_row import ModelRow

if TYPE_CHECKING:
    import numpy as np
    import torch

    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import Behind, TargetModel, Verified
    from docspec.targets.staging import Staging

MOST = 10
"""Most tokens drafted in one step."""

FURTHER = 2
"""Tokens drafted at once beyond the number that was likely enough the last time."""

ENOUGH = 0.3
"""Drafting continues while the probability of all drafted tokens together, by the draft model, is at least this."""

DRAFTED = Key("draft model", 0.8)
"""The draft model's tokens, whatever its size and the target's."""


class DraftModel(BatchProposer):
    """Drafts with ``model`` for the rows of one batch."""

    def __init__(self, model: TargetModel, share: float = 1.0) -> None:
        self._model = model
        self.share = share
        self._indices: dict[int, torch.Tensor | None] = {}
        """Indices of the tokens to be read, by the prompt (its id) of a row that will begin."""
        self._begun: dict[int, Context] = {}  # by request
        self._rows: list[ModelRow] = []
        self._cache: SlotCache | None = None
        self._asked: set[Context] = set()
        self._assumed: set[Context] = set()
        """Rows whose output is taken to go on as it is told to, which the step will verify."""
        self._behind: tuple[list[list[int]], list[int]] = [], []
        """What rows are fed behind the step that is verified, and their rows in it."""
        self._arrived = False
        """Whether drafts came with the answer of the last step."""
        self._ahead = MOST

    @property
    def _at_once(self) -> bool:
        return self._model.kv_spec.device.type != "cpu" and self._model.kv_spec.recurrent is None

    @cached_property
    def _staging(self) -> Staging:
        from docspec.targets.staging import Staging

        return Staging(self._model.kv_spec.device)

    def on_prefill(self, requests: Sequence[Request]) -> ImportanceCallback | None:
        """If image tokens are left out, the target's first layers decide which."""
        if self.share == 1:
            return None
        self._indices.update((id(request.prompt), None) for request in requests)
        return self.note

    def note(self, prompt: Prompt, variation: torch.Tensor) -> None:
        """Keeps the image tokens of ``prompt`` that change most (:mod:`docspec.targets.prefill`)."""
        from docspec.targets.prefill import most_changed

        if id(prompt) in self._indices:
            self._indices[id(prompt)] = most_changed(variation, self.share)

    def begin(self, context: Context) -> None:
        """The prompt is prefilled when a draft is first wanted for the row."""
        self._begun[id(context.request)] = context

    def observe(self, context: Context, written: Sequence[int]) -> None:
        """The output is read when a draft is wanted."""
        (self._assumed.add if context.assumed else self._assumed.discard)(context)

    def suggest(self, contexts: Sequence[Context]) -> list[Iterable[Continuation]]:
        new = self.unknown([context.request for context in contexts])
        self.read(new)
        texts = {context: context.output for context in self.contexts}
        asked = set(contexts)
        if not self._at_once:
            drafts = self.draft(texts, asked)
        else:
            self._asked = asked
            found = self._found(texts)
            if new or (self._arrived and any(found[context] is None for context in asked)):
                found |= self.draft(texts, asked, self._ahead)
            drafts = {context: tokens or [] for context, tokens in found.items()}
        return [[Continuation(Copy(drafts[context]), 0, DRAFTED)] for context in contexts]

    def _found(self, texts: Mapping[Context, Sequence[int]]) -> dict[Context, list[int] | None]:
        """The tokens drafted at once after each of ``texts``, which are those of all rows in order."""
        return {one: row.drafted_behind(text) for row, (one, text) in zip(self._rows, texts.items(), strict=True)}

    def behind(self, contexts: Sequence[Context | None]) -> Behind | None:
        """This object, if it was asked for a draft in this step. A row without a draft in this step may have none in
        the next."""
        self._arrived = False
        if not self._asked:
            return None
        step_rows = {id(one): at for at, one in enumerate(contexts) if one is not None and one not in self._assumed}
        self._asked = set()
        self._behind = (
            [row.unread(context.output) for row, context in zip(self._rows, self.contexts, strict=True)],
            [step_rows.get(id(context), -1) for context in self.contexts],
        )
        return self

    def arrays(self) -> Sequence[np.ndarray]:
        return self._laid(*self._behind)

    def launch(self, verified: Verified, arrays: Sequence[torch.Tensor]) -> torch.Tensor:
        """``(rows, numbers)``: the length of each walk, its tokens, then the drafted tokens."""
        import torch

        from docspec_methods.draft_at_once import Feeds, drafted, walk

        feeds, found, cache = Feeds(*arrays), walk(verified), self._cache
        assert cache is not None
        step_rows = feeds.step_rows.clamp(min=0)
        counts = found.counts.index_select(0, step_rows) * (feeds.step_rows >= 0)
        tokens = found.tokens.index_select(0, step_rows)
        drafts = drafted(
            self._model, cache, feeds, tokens, counts, self._reach(self._behind[0]) + verified.deepest, self._ahead
        )
        return torch.cat((counts.unsqueeze(1).float(), tokens.float(), drafts), 1)

    def arrived(self, numbers: torch.Tensor) -> None:
        width = numbers.shape[1] - 1 - 2 * self._ahead
        for row, feed, (count, *rest) in zip(self._rows, self._behind[0], numbers.tolist(), strict=True):
            self._take(row, [*feed, *map(int, rest[: int(count)])], rest[width:], ENOUGH)
        self._arrived = True
        self._ahead = min(MOST, max(len(row.drafted) for row in self._rows) + FURTHER)

    def end(self, context: Context) -> None:
        self._indices.pop(id(context.request.prompt), None)
        self._assumed.discard(context)
        self._asked.discard(context)
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
        """The rows with a prefilled prompt; all of them have begun before anything is drafted."""
        return [self._begun[id(row.request)] for row in self._rows]

    def unknown(self, requests: Sequence[Request]) -> list[Request]:
        """The requests among ``requests`` whose prompts are not prefilled yet."""
        known = {id(row.request) for row in self._rows}
        return [request for request in requests if id(request) not in known]

    def read(self, requests: Sequence[Request]) -> None:
        """Prefills the prompts of new rows after the existing rows."""
        if not requests:
            return
        first = len(self._rows)
        slots = max(request.slots for request in requests) + 2 * MOST + 2
        cache = self._room(first + len(requests), slots)
        prompts = [request.prompt for request in requests]
        rows = range(first, first + len(requests))
        if self.share < 1:
            filled = [self._prefill_some(prompt, cache, row) for prompt, row in zip(prompts, rows, strict=True)]
        else:
            filled = self._prefill(prompts, cache, rows)
        self._rows += map(ModelRow, requests, filled)

    def _prefill_some(self, prompt: Prompt, cache: SlotCache, row: int) -> Prefill:
        indices = self._indices.pop(id(prompt), None)
        if indices is None:
            return self._prefill([prompt], cache, [row])[0]
        return self._model.prefill_tokens(prompt, cache, row, indices)

    def _prefill(self, prompts: Sequence[Prompt], cache: SlotCache, rows: Sequence[int]) -> list[Prefill]:
        return self._model.prefill(prompts, cache, rows)

    def _room(self, rows: int, slots: int) -> SlotCache:
        """A cache of at least that size with the content of the present one."""
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
        """Up to ``most`` drafted tokens after the ``texts`` of the rows in ``asked``, while all of a draft together is
        at least ``enough`` likely. The other rows only read their texts. The first ``written`` tokens of each text are
        final (default: all)."""
        enough = ENOUGH if enough is None else enough
        if self._at_once:
            return self._draft_at_once(texts, asked, most, enough, written)
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

    def _draft_at_once(
        self,
        texts: Mapping[Context, Sequence[int]],
        asked: set[Context],
        most: int,
        enough: float,
        written: Mapping[Context, int] | None,
    ) -> dict[Context, list[int]]:
        """:meth:`draft` with a single wait for the device."""
        import torch

        from docspec_methods.draft_at_once import Feeds, drafted

        contexts, cache = self.contexts, self._cache
        assert cache is not None
        unread = [row.unread(texts[context]) for row, context in zip(self._rows, contexts, strict=True)]
        with torch.inference_mode():
            feeds = Feeds(*self._staging.put(self._laid(unread, [-1] * len(unread))))
            nothing = feeds.tokens[:, :0], torch.zeros_like(feeds.counts)
            numbers = drafted(self._model, cache, feeds, *nothing, self._reach(unread), most).cpu()
        for row, feed, found in zip(self._rows, unread, numbers.tolist(), strict=True):
            self._take(row, feed, found, enough)
        for row, context in zip(self._rows, contexts, strict=True):
            row.right = min(row.right, len(texts[context]) if written is None else written[context])
        return {context: row.drafted for row, context in zip(self._rows, contexts, strict=True) if context in asked}

    def _laid(self, feeds: Sequence[Sequence[int]], step_rows: Sequence[int]) -> tuple[np.ndarray, ...]:
        from docspec_methods.draft_at_once import laid

        rows = self._rows
        of_rows = [row.length for row in rows], [row.delta for row in rows], [row.prompt for row in rows]
        return laid(feeds, *of_rows, step_rows)

    def _reach(self, feeds: Sequence[Sequence[int]]) -> int:
        """Most slots in use once the rows are fed."""
        return max(row.length + len(feed) for row, feed in zip(self._rows, feeds, strict=True))

    def _take(self, row: ModelRow, fed: Sequence[int], numbers: Sequence[float], enough: float) -> None:
        """Records that ``row`` was ``fed`` these tokens and then drafted ``numbers`` (alternating tokens and log
        probabilities)."""
        assert self._cache is not None
        tokens, room = list(map(int, numbers[::2])), self._cache.padding_slot
        row.fed += fed
        row.drafted_at, row.drafted = len(row.fed), []
        chance = 1.0
        for token, sure in zip(tokens, numbers[1::2], strict=True):
            chance *= math.exp(sure)
            full = row.length + len(row.drafted) + 2 > room
            if chance < enough or token in self._model.eos_ids or full:
                break
            row.drafted.append(token)
        row.fed += tokens[:-1]
        del row.fed[room - row.prompt :]  # nothing is written beyond the room that there is


def _chain(tokens: Sequence[int]) -> TokenTree:
    tree = TokenTree(tokens[0])
    tree.extend(0, tokens[1:], len(tokens))
    return tree
