"""A smaller model of the same vocabulary drafts: vanilla speculative decoding (Leviathan et al. 2023), ``model:NAME``.

It reads the page as the target does, its prompt prefilled where the target's was, and writes on greedily behind the
output for as long as it is sure enough. Its keys and values are its own: what it fed of a draft that the target then
left is written over, so nothing is ever computed twice and nothing has to be undone. All rows of a step draft together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from docspec.core import ModelError, ParseOptions
from docspec.engine.batch import linearise
from docspec.engine.tree import TokenTree
from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation, Copy, Key
from docspec.proposing.source import opener
from docspec.targets.protocol import NOTHING, Prefill, Prompt, Wanted

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
        self.read(self.unknown(contexts))
        drafts = self.draft({row.context: row.context.output for row in self._rows}, set(contexts))
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

    @property
    def contexts(self) -> list[Context]:
        """The rows that were read."""
        return [row.context for row in self._rows]

    def unknown(self, contexts: Sequence[Context]) -> list[Context]:
        """Those of ``contexts`` that are still to be read."""
        known = set(self.contexts)
        return [context for context in contexts if context not in known]

    def read(self, contexts: Sequence[Context]) -> None:
        """Prefills the prompts of new rows behind the rows that are there."""
        if not contexts:
            return
        first = len(self._rows)
        slots = max(context.request.slots for context in contexts) + 2 * MOST + 2
        cache = self._room(first + len(contexts), slots)
        prompts = [context.request.prompt for context in contexts]
        rows = range(first, first + len(contexts))
        filled = self._prefill(prompts, cache, rows)
        self._rows += map(_Row, contexts, filled)

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
                larger.buffer[:, :, :old_rows, :old_slots] = cache.buffer[:, :, :, :old_slots]
            self._cache = cache = larger
        return cache

    def trust(self, written: Mapping[Context, int]) -> None:
        """Of what was fed no more tokens are right for good than were ``written``; the others may be left again."""
        for row in self._rows:
            row.right = min(row.right, written[row.context])

    def draft(
        self, texts: Mapping[Context, Sequence[int]], asked: set[Context], most: int = MOST, enough: float | None = None
    ) -> dict[Context, list[int]]:
        """What may come behind the ``texts`` of the rows of ``asked``, ``most`` tokens while all together are at least
        ``enough`` likely; the other rows only take in what they have written."""
        enough = ENOUGH if enough is None else enough
        rows, cache, steps = self._rows, self._cache, self._model.steps
        assert cache is not None
        feeds = [row.unread(texts[row.context]) for row in rows]
        drafts: dict[Context, list[int]] = {context: [] for context in asked}
        chances = [1.0 if row.context in asked else 0.0 for row in rows]
        for _ in range(most):
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
                if chances[place] or len(row.fed) < len(texts[row.context]):
                    row.fed += feed
                token, sure = answer.choice[place][len(feed) - 1], answer.best[place][len(feed) - 1]
                chances[place] *= math.exp(sure)
                full = row.length + 2 >= cache.slots
                if chances[place] < enough or token in self._model.eos_ids or full:
                    chances[place] = 0.0
                else:
                    drafts[row.context].append(token)
                feeds[place] = [token]
            if not any(chances):
                break
        return drafts


class _Row:
    """One row: ``fed`` are the tokens behind the prompt whose keys and values are in the cache, the first ``right`` of
    them known to be the text's."""

    def __init__(self, context: Context, prompt: Prefill) -> None:
        self.context = context
        self.delta = prompt.rope_delta
        self.fed: list[int] = []
        self._prompt = prompt.length
        self.right = 0

    @property
    def length(self) -> int:
        """Slots that hold what was fed."""
        return self._prompt + len(self.fed)

    def unread(self, text: Sequence[int]) -> list[int]:
        """What of ``text`` is still to be fed, its last token at least; what was fed beside it is dropped."""
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
