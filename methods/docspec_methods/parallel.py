"""A draft model that runs while the target verifies (ParallelVLM, after PEARL): ``parallel:NAME``.

While a window of its tokens is verified, it drafts the next window in a thread of its own. If the whole window was
right and the target's next token is the one that the drafter continued with, the rest of the new draft is verified next
(post-verify). Otherwise it is dropped and overwritten in the drafter's cache; the target's next step is then a plain
one, whose token shows whether the first token of a new window, drafted at the same time, is right (pre-verify). A
window is as long as the draft of one target step: the measured ratio of speeds ``c``. The drafter prefills its prompts
while the target prefills, and during the target's first steps if that takes longer; these do not wait for it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from docspec.engine.request import Request
from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation, Copy
from docspec.proposing.proposer import BatchProposer, register_kind
from docspec.targets.protocol import Prefill
from docspec_methods.draft_model import DRAFTED, MOST, DraftModel
from docspec_methods.loading import load_sharing

if TYPE_CHECKING:
    import torch

    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import ImportanceCallback, Prompt, TargetModel


class SecondStream:
    """A stream on ``device`` beside the default one; does nothing on a device without streams."""

    def __init__(self, device: torch.device) -> None:
        import torch

        self._device = device
        self._module = torch.get_device_module(device)
        self._stream: Any = None
        if device.type != "cpu" and hasattr(self._module, "Stream"):
            with self._module.device(device):
                self._stream = self._module.Stream()

    def mark(self) -> Any:
        """The caller's stream, to be passed to :meth:`used` in another thread."""
        return None if self._stream is None else self._module.current_stream(self._device)

    @contextmanager
    def used(self, after: Any) -> Iterator[None]:
        """This thread's work goes to the second stream, after the work that ``after`` has by now; at the end it is
        waited for, because its inputs may be freed then."""
        if self._stream is None:
            yield
            return
        with self._module.device(self._device), self._module.stream(self._stream):
            self._stream.wait_stream(after)
            try:
                yield
            finally:
                self._stream.synchronize()


FIRST_WINDOW = 4
"""Tokens of a window before anything was measured."""

BLEND = 0.2
"""Weight of the newest seconds in the running means."""


@dataclass(slots=True)
class Figures:
    """The measurements of one pair of models over all batches: mean seconds of a target step and of a drafted token,
    verified drafted tokens and the right ones among them, steps and tokens of rows, and the number of rollbacks."""

    step: float = 0.0
    token: float = 0.0
    drafted: int = 0
    accepted: int = 0
    steps: int = 0
    tokens: int = 0
    rollbacks: int = 0

    @property
    def c(self) -> float:
        """The ratio of speeds; 0 before anything was measured."""
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
        """The speed-up over plain decoding by theorem 6 of the paper (supplement), for the windows used here."""
        c, tau = self.c, min(self.acceptance, 1 - 1e-9)
        if not c:
            return 0.0
        window = window_of(c)
        expected = tau * (1 - tau**window) / (1 - tau)
        return c * (1 + tau**window) * expected / (2 * max(window, c))

    def took(self, name: str, seconds: float) -> None:
        """Records the seconds of a ``step`` or a ``token``."""
        known = getattr(self, name)
        setattr(self, name, seconds if not known else known + BLEND * (seconds - known))


def window_of(c: float) -> int:
    """Tokens that are drafted while the target takes one step."""
    return max(1, min(MOST, round(c))) if c else FIRST_WINDOW


class Ahead(NamedTuple):
    """The begin of one turn of the drafter: the number of output tokens by then, and the tokens after them that were
    being verified."""

    written: int
    assumed: list[int]


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A draft model, the ``share`` of image tokens that it reads, and its measurements with one target."""

    model: TargetModel
    share: float = 1.0
    figures: Figures = field(default_factory=Figures)

    def measured(self) -> dict[str, float]:
        """The figures by name, for ``docspec bench speed``."""
        names = ("c", "acceptance", "accepted_length", "predicted")
        return {**{name: getattr(self.figures, name) for name in names}, **asdict(self.figures)}


class Quietly(DraftModel):
    """A draft model whose prefill keeps the number of torch threads that the target has set."""

    def _prefill(self, prompts: Sequence[Prompt], cache: SlotCache, rows: Sequence[int]) -> list[Prefill]:
        return [
            self._model.prefill_together([prompt], cache, [row])[0] for prompt, row in zip(prompts, rows, strict=True)
        ]


class ParallelDraft(BatchProposer):
    """Drafts with the model of ``pair`` for the rows of one batch, one turn ahead of the target."""

    def __init__(self, pair: Pair) -> None:
        self.figures = pair.figures
        self._drafter = Quietly(pair.model, pair.share)
        self._stream = SecondStream(pair.model.kv_spec.device)
        self._thread = ThreadPoolExecutor(1, "docspec-drafter")
        self._turn: Future[dict[Context, list[int]]] | None = None
        self._reads = False
        self._ahead: dict[Context, Ahead] = {}
        self._asked = 0.0

    def on_prefill(self, requests: Sequence[Request]) -> ImportanceCallback | None:
        """The drafter prefills while the target does: at once, or, if it leaves out image tokens, after the target's
        first layers."""
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
        """Lets the thread prefill ``requests`` after its current work."""
        before = self._turn

        after = self._stream.mark()

        def turn() -> dict[Context, list[int]]:
            with self._stream.used(after):
                self._drafter.read(requests)
            return before.result() if before is not None else {}

        self._turn, self._reads = self._thread.submit(turn), True

    def begin(self, context: Context) -> None:
        self._drafter.begin(context)

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
        """Waits for the current turn and returns its drafts."""
        return self._turn.result() if self._turn is not None else {}

    def _windows(self, drafted: dict[Context, list[int]]) -> dict[Context, list[int]]:
        """The part of each row's draft that still continues its output; empty if the output differs."""
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
        """Lets the drafter continue after the ``windows`` that are being verified, and prefill new prompts."""
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


register_kind(
    "parallel", lambda what, target: Pair(*load_sharing(what, target)), lambda pair, target: ParallelDraft(pair)
)
