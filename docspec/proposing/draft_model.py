"""A smaller model of the same vocabulary drafts: vanilla speculative decoding (Leviathan et al. 2023), ``model:NAME``.

It reads the page as the target does, its prompt prefilled where the target's was, and writes on greedily behind the
output for as long as it is sure enough. Its keys and values are its own: what it fed of a draft that the target then
left is written over, so nothing is ever computed twice and nothing has to be undone. All rows of a step draft together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from docspec.core import ModelError, ParseOptions
from docspec.engine.batch import linearise
from docspec.engine.tree import TokenTree
from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation, Copy, Key
from docspec.proposing.source import opener
from docspec.targets.protocol import NOTHING, Prefill, Wanted

if TYPE_CHECKING:
    from docspec.targets.adapter import TransformersTarget
    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import TargetModel

MOST = 10
"""Tokens that are drafted in one step at most."""

ENOUGH = 0.3
"""Drafting goes on while all drafted tokens together are at least this likely, as the draft model sees it."""

DRAFTED = Key("draft model", 0.8)
"""What it drafted, whatever its size and the target's."""


class DraftModel:
    """Drafts with ``model`` for the rows of one batch."""

    leads = False
    wants = NOTHING

    def __init__(self, model: TargetModel) -> None:
        self._model = model
        self._rows: list[_Row] = []
        self._cache: SlotCache | None = None

    def begin(self, context: Context) -> None:
        """Nothing yet: a row is read when a draft is first wanted for it."""

    def observe(self, context: Context, written: Sequence[int]) -> None:
        """Nothing: the output is looked at when a draft is wanted."""

    def suggest(self, contexts: Sequence[Context]) -> list[Iterable[Continuation]]:
        known = {row.context for row in self._rows}
        self._read([context for context in contexts if context not in known])
        drafts = self._draft(set(contexts))
        return [[Continuation(Copy(drafts[context]), 0, DRAFTED)] for context in contexts]

    def end(self, context: Context) -> None:
        rows = self._rows
        for place, row in enumerate(rows):
            if row.context is context:
                last = rows.pop()
                if last is not row:
                    assert self._cache is not None
                    self._cache.move_row(len(rows), place, last.length)
                    rows[place] = last
                return

    def _read(self, contexts: Sequence[Context]) -> None:
        """Prefills the prompts of new rows behind the rows that are there."""
        if not contexts:
            return
        first = len(self._rows)
        slots = max(context.request.slots for context in contexts) + MOST + 1
        cache = self._room(first + len(contexts), slots)
        prompts = [context.request.prompt for context in contexts]
        filled = self._model.prefill(prompts, cache, range(first, first + len(contexts)))
        self._rows += map(_Row, contexts, filled)

    def _room(self, rows: int, slots: int) -> SlotCache:
        """A cache of at least that size that holds what the present one does."""
        from docspec.targets.kv_cache import SlotCache

        cache = self._cache
        if cache is None or rows > cache.rows or slots > cache.padding_slot:
            old_rows, old_slots = (cache.rows, cache.padding_slot) if cache is not None else (0, 0)
            larger = SlotCache(self._model.kv_spec, max(rows, 2 * old_rows), max(slots, old_slots))
            if cache is not None:
                larger.buffer[:, :, :old_rows, :old_slots] = cache.buffer[:, :, :, :old_slots]
            self._cache = cache = larger
        return cache

    def _draft(self, asked: set[Context]) -> dict[Context, list[int]]:
        """What may come next in the rows of ``asked``; the others only take in what they have written."""
        rows, cache, steps = self._rows, self._cache, self._model.steps
        assert cache is not None
        feeds = [row.unread() for row in rows]
        drafts: dict[Context, list[int]] = {context: [] for context in asked}
        chances = [1.0 if row.context in asked else 0.0 for row in rows]
        for _ in range(MOST):
            batch = linearise(
                [_chain(feed) for feed in feeds],
                [row.length for row in rows],
                [row.delta for row in rows],
                cache.slots,
                steps.padded,
                wanted=Wanted(scores=True),
            )
            answer = steps.run(batch, cache)
            for place, (row, feed) in enumerate(zip(rows, feeds, strict=True)):
                if chances[place] or row.behind:
                    row.fed += feed
                token, sure = answer.choice[place][len(feed) - 1], answer.best[place][len(feed) - 1]
                chances[place] *= math.exp(sure)
                full = row.length + 2 >= cache.slots
                if chances[place] < ENOUGH or token in self._model.eos_ids or full:
                    chances[place] = 0.0
                else:
                    drafts[row.context].append(token)
                feeds[place] = [token]
            if not any(chances):
                break
        return drafts


class _Row:
    """One row: ``fed`` are the tokens behind the prompt whose keys and values are in the cache."""

    def __init__(self, context: Context, prompt: Prefill) -> None:
        self.context = context
        self.delta = prompt.rope_delta
        self.fed: list[int] = []
        self._prompt = prompt.length
        self._right = 0

    @property
    def length(self) -> int:
        """Slots that hold what was fed."""
        return self._prompt + len(self.fed)

    @property
    def behind(self) -> bool:
        """Whether output is still to be fed."""
        return len(self.fed) < len(self.context.output)

    def unread(self) -> list[int]:
        """The output that is still to be fed, its last token at least; what was fed beside it is dropped."""
        output, fed, right = self.context.output, self.fed, self._right
        most = min(len(fed), len(output) - 1)
        while right < most and fed[right] == output[right]:
            right += 1
        del fed[right:]
        self._right = right
        return output[right:]


def _chain(tokens: Sequence[int]) -> TokenTree:
    tree = TokenTree(tokens[0])
    tree.extend(0, tokens[1:], len(tokens))
    return tree


def load(name: str, target: TargetModel) -> TransformersTarget:
    """The model ``name``; it must read the tokens and the images that ``target`` does."""
    from docspec.targets.registry import load_target

    dtype: Any = str(target.kv_spec.dtype).removeprefix("torch.")
    device = str(target.kv_spec.device)
    loaded = load_target(ParseOptions(model=name, device=device, dtype=dtype, graphs="off")).target
    _check(name, loaded, target)
    return loaded


def _check(name: str, drafter: Any, target: Any) -> None:
    ours, theirs = drafter.processing, target.processing
    if ours.tokenizer.get_vocab() != theirs.tokenizer.get_vocab():
        raise ModelError(f"model:{name} has another vocabulary than the target and cannot draft for it")
    if type(ours) is not type(theirs) or ours.image_processor.to_dict() != theirs.image_processor.to_dict():
        raise ModelError(f"model:{name} takes other images than the target and cannot draft for it")


opener("model", load, lambda model, target: DraftModel(model))
