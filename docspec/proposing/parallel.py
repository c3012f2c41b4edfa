"""A draft model that works while the target verifies (ParallelVLM, after PEARL): ``parallel:NAME``.

While a window of its tokens is verified, it drafts the next one behind it, in a thread of its own. Where all of the
window was right, and the target's own token is the one that the drafter went on with, the rest of what it drafted is
verified next (post-verify). Otherwise that is dropped and the drafter's cache rolled back; the target's next step is a
plain one, whose token says whether the first token of a new window, drafted meanwhile, is right (pre-verify). A window
is as long as what is drafted in one step of the target: the measured ratio of speeds ``c``. The drafter reads its own
prompts beside the target, and beside the target's first steps where that takes longer; those do not wait for it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from docspec.engine.request import Request
from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation, Copy
from docspec.proposing.draft_model import DRAFTED, MOST, DraftModel
from docspec.proposing.draft_model_loading import load_sharing
from docspec.proposing.proposer import register_kind
from docspec.targets.beside import Beside
from docspec.targets.protocol import CHOICES_ONLY, Prefill

if TYPE_CHECKING:
    import torch

    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import ImportanceCallback, Prompt, TargetModel

FIRST_WINDOW = 4
"""Tokens of a window while nothing is measured."""

BLEND = 0.2
"""Weight of the newest seconds in the running means."""


@dataclass(slots=True)
class Figures:
    """What was measured of one pair of models, over all batches: mean seconds of a step of the target and of one token
    of the drafter, drafted tokens that were verified and those of them that were right, steps and tokens of rows, and
    how often a window had to be left."""

    step: float = 0.0
    token: float = 0.0
    drafted: int = 0
    accepted: int = 0
    steps: int = 0
    tokens: int = 0
    rollbacks: int = 0

    @property
    def c(self) -> float:
        """The ratio of speeds; 0 while nothing is measured."""
        return self.step / self.token if self.token else 0.0

    @property
    def acceptance(self) -> float:
        """The share of verified tokens that were right (the paper's tau)."""
        return self.accepted / self.drafted if self.drafted else 0.0

    @property
    def accepted_length(self) -> float:
        """Tokens written between two rollbacks (the paper's M)."""
        return self.tokens / (1 + self.rollbacks)

    @property
    def predicted(self) -> float:
        """Speed over plain decoding by theorem 6 of the paper (its supplement), for windows as they are here."""
        c, tau = self.c, min(self.acceptance, 1 - 1e-9)
        if not c:
            return 0.0
        window = window_of(c)
        expected = tau * (1 - tau**window) / (1 - tau)
        return c * (1 + tau**window) * expected / (2 * max(window, c))

    def took(self, name: str, seconds: float) -> None:
        """A ``step`` or a ``token`` took so long."""
        known = getattr(self, name)
        setattr(self, name, seconds if not known else known + BLEND * (seconds - known))


def window_of(c: float) -> int:
    """Tokens that are drafted while the target takes one step."""
    return max(1, min(MOST, round(c))) if c else FIRST_WINDOW


class Ahead(NamedTuple):
    """What one turn of the drafter began with: the number of tokens of output by then, and the tokens behind them that
    were being verified."""

    written: int
    assumed: list[int]


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A drafter, the ``share`` of image tokens that it reads, and what was measured of it with one target."""

    model: TargetModel
    share: float = 1.0
    figures: Figures = field(default_factory=Figures)


class Quietly(DraftModel):
    """A draft model whose prefill leaves torch's number of threads as the target has set it."""

    def _prefill(self, prompts: Sequence[Prompt], cache: SlotCache, rows: Sequence[int]) -> list[Prefill]:
        return [
            self._model.prefill_together([prompt], cache, [row])[0] for prompt, row in zip(prompts, rows, strict=True)
        ]


class ParallelDraft:
    """Drafts with the model of ``pair`` for the rows of one batch, a turn ahead of the target."""

    leads = False
    observes = True
    wants = CHOICES_ONLY

    def __init__(self, pair: Pair) -> None:
        self.figures = pair.figures
        self._drafter = Quietly(pair.model, pair.share)
        self._stream = Beside(pair.model.kv_spec.device)
        self._thread = ThreadPoolExecutor(1, "docspec-drafter")
        self._turn: Future[dict[Context, list[int]]] | None = None
        self._reads = False
        self._ahead: dict[Context, Ahead] = {}
        self._asked = 0.0

    def on_prefill(self, requests: Sequence[Request]) -> ImportanceCallback | None:
        """The drafter reads beside the target's own reading: at once, or where it is to leave image tokens out, as soon
        as the target's first layers are passed."""
        if self._drafter.on_prefill(requests) is None:
            self._read(requests)
            return None
        expected = {id(request.prompt): request for request in requests}

        def on_importance(prompt: Prompt, variation: torch.Tensor) -> None:
            if id(prompt) in expected:
                self._drafter.note(prompt, variation)
                self._read([expected[id(prompt)]])

        return on_importance

    def _read(self, requests: Sequence[Request]) -> None:
        """Has the thread read ``requests`` after what it is doing now."""
        before = self._turn

        after = self._stream.mark()

        def turn() -> dict[Context, list[int]]:
            with self._stream.used(after):
                self._drafter.read(requests)
            return before.result() if before is not None else {}

        self._turn, self._reads = self._thread.submit(turn), True

    def begin(self, context: Context) -> None:
        self._drafter.begin(context)

    def observe(self, context: Context, written: Sequence[int]) -> None:
        """Nothing: the output is looked at when a draft is wanted."""

    def suggest(self, contexts: Sequence[Context]) -> list[Iterable[Continuation]]:
        if self._asked:
            self.figures.took("step", time.perf_counter() - self._asked)
        if self._turn is not None and self._reads and not self._turn.done():
            self._asked = 0.0  # beside reading, steps are not what they are
            return [() for _ in contexts]
        windows = self._windows(self._finished())
        self._begin_turn(contexts, windows)
        self._asked = time.perf_counter()
        return [
            [Continuation(Copy(windows[context]), 0, DRAFTED)] if windows.get(context) else () for context in contexts
        ]

    def end(self, context: Context) -> None:
        self._finished()
        self._ahead.pop(context, None)
        self._drafter.end(context)

    def _finished(self) -> dict[Context, list[int]]:
        """Waits for the turn; what it has drafted."""
        return self._turn.result() if self._turn is not None else {}

    def _windows(self, drafted: dict[Context, list[int]]) -> dict[Context, list[int]]:
        """What of each row's draft still stands behind its output; nothing where the output has left it."""
        found, figures = {}, self.figures
        for context, (written, assumed) in self._ahead.items():
            new = context.output[written:]
            guess = assumed + drafted.get(context, [])
            right = next((at for at, (a, b) in enumerate(zip(guess, new, strict=False)) if a != b), len(new))
            right = min(right, len(guess))
            figures.drafted += min(len(assumed), right + 1)
            figures.accepted += min(len(assumed), right)
            figures.steps += 1
            figures.tokens += len(new)
            figures.rollbacks += right < len(new)
            found[context] = guess[len(new) :] if right == len(new) else []
        self._ahead = {}
        return found

    def _begin_turn(self, contexts: Sequence[Context], windows: dict[Context, list[int]]) -> None:
        """Has the drafter go on behind the ``windows`` that are being verified, and read the prompts that are new."""
        new = self._drafter.unknown([context.request for context in contexts])
        unread = {id(request) for request in new}
        known = [*self._drafter.contexts, *(one for one in contexts if id(one.request) in unread)]
        asked = set(contexts)
        texts = {one: [*one.output, *(windows.get(one, ()) if one in asked else ())] for one in known}
        written = {one: len(one.output) for one in known}
        self._ahead = {one: Ahead(written[one], windows.get(one, [])) for one in contexts}
        window, self._reads = window_of(self.figures.c), bool(new)

        after = self._stream.mark()

        def turn() -> dict[Context, list[int]]:
            with self._stream.used(after):
                self._drafter.read(new)
                start = time.perf_counter()
                drafts = self._drafter.draft(texts, asked, window, 0.0, written)
            longest = max(map(len, drafts.values()), default=0)
            if longest and not new:
                self.figures.took("token", (time.perf_counter() - start) / longest)
            return drafts

        self._turn = self._thread.submit(turn)


_pairs = register_kind(
    "parallel", lambda what, target: Pair(*load_sharing(what, target)), lambda pair, target: ParallelDraft(pair)
)


def figures_of(name: str, target: TargetModel) -> Figures | None:
    """The measurements of ``parallel:NAME`` with ``target``; ``None`` where it has not been loaded."""
    pair = _pairs.get(target, {}).get(name)
    return None if pair is None else pair.figures
