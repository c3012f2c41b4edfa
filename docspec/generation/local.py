"""A model in this process as a :class:`docspec.generation.interface.Generator`: exact speculative decoding of a
document VLM, for any number of threads.

One thread makes prompts (pictures and templates take longer than a step), another decodes
(:mod:`docspec.engine.continuous`). The first has a processor of its own, as fast tokenizers change while they are used.
"""

from __future__ import annotations

import copy
import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from docspec.core import Failure, ModelError, PageError, ParseOptions
from docspec.core.concurrency import answer, fail, new_future
from docspec.core.safe_text import one_line
from docspec.engine.continuous import ROWS, SLOTS, ContinuousBatching, Decoded, OnRow, QueuedRequest, closed
from docspec.engine.decoder import Decoder
from docspec.engine.loop_guard import LoopGuard
from docspec.engine.proposer import TreeProposer
from docspec.engine.request import NeverStop, Request
from docspec.engine.row import Row
from docspec.engine.scheduler import TreePace
from docspec.generation.answer_text import AnswerText
from docspec.generation.interface import FinishReason, Generation, GenerationCounts, GenerationRequest, OnText, Progress
from docspec.proposing.registry import make_proposer, open_named
from docspec.targets.processing import TokenizerCodec

if TYPE_CHECKING:
    from PIL.Image import Image

    from docspec.engine.request import Finish
    from docspec.proposing.threshold import NodePrice
    from docspec.targets.adapter import TransformersTarget
    from docspec.targets.protocol import Prompt, TargetModel
    from docspec.targets.registry import LoadedTarget, TargetInfo

ENCODING = "docspec-encode"
"""The name of the threads that make prompts."""

LAST_STEP = 30.0
"""Seconds that the end of the program waits for the last step of an engine that was not closed."""

SHARE = 4
"""A batch takes at most one in so many bytes of the free memory, unless ``kv_memory`` says how many."""

ENDS: dict[Finish, FinishReason] = {"eos": "stop", "stopped": "stop", "budget": "length", "loop": "loop"}
"""How the ends of sequences are called here."""


def make_decoder(
    target: TargetModel, options: ParseOptions, price: NodePrice = 0.0, pace: TreePace | None = None
) -> Decoder:
    """A decoder of ``target`` with the proposers in ``options``. ``price``: the cost of one more node of a tree;
    ``pace`` decides whether trees pay for a request that is decoded alone."""
    from docspec.targets.stepping.choice import as_they_come
    from docspec.targets.threads import measure_threads

    measure_threads(target)  # here, so that no page pays for it
    open_named(options.align, target)

    def proposer() -> TreeProposer:
        return make_proposer(options.align, target, price, options.window, target, skips=options.skips)

    return Decoder(target, options, proposer, pace, partial(as_they_come, target))


class Engine:
    """A document VLM that answers requests with its own greedy output, in fewer steps where their drafts are right.

    ``model``: a name or folder as for ``docspec parse --model``; ``settings`` are further fields of
    :class:`docspec.core.ParseOptions` (``device``, ``dtype``, ``kv_memory``, ...). Any number of threads may share it:
    their requests are decoded in one batch, which each enters as soon as there is room. Raises
    :class:`docspec.core.ModelError` if the model cannot be loaded.

        with Engine("mini") as engine:
            answer = engine.generate(image, "Read.", drafts=["what the page may say"])
    """

    follows_fields = True
    info: TargetInfo

    def __init__(self, model: str = "mini", **settings: Any) -> None:
        from docspec.core.extras import require_local

        require_local(f"the engine of {model}")
        from docspec.targets.estimate import free_memory
        from docspec.targets.registry import load_target

        options = ParseOptions(words="model", model=model, **settings)
        loaded = load_target(options)
        free = free_memory(loaded.target.kv_spec.device)
        room = SLOTS if free is None else free // SHARE // loaded.target.kv_spec.bytes_per_slot()
        self._begin(loaded, options, make_decoder(loaded.target, options), slots=room)

    @classmethod
    def of(
        cls, loaded: LoadedTarget, options: ParseOptions, price: NodePrice = 0.0, pace: TreePace | None = None
    ) -> Engine:
        """The engine of a model that is loaded already; ``price`` and ``pace`` as for :func:`make_decoder`."""
        engine = cls.__new__(cls)
        decoder = make_decoder(loaded.target, options, price, pace)
        pages = options.in_flight
        engine._begin(loaded, options, decoder, rows=max(ROWS, pages), least=pages, spare=0)
        return engine

    def _begin(self, loaded: LoadedTarget, options: ParseOptions, decoder: Decoder, **room: int) -> None:
        self.info = loaded.info
        self.target: TransformersTarget = loaded.target
        self.least_margin = 0.0
        if options.exact == "strict":
            from docspec.targets.tree_check import shape_noise

            self.least_margin = shape_noise(loaded.target)
        self._encoder = _with_own_processing(loaded.target)
        self._batching = ContinuousBatching(decoder, **room)
        self._spare = decoder.spare_slots
        self._encoding = ThreadPoolExecutor(1, ENCODING)
        self._process = os.getpid()
        # The interpreter must not end within a step: torch would abort the process.
        self._forgotten = weakref.finalize(self, _end, self._batching, self._process)

    @property
    def name(self) -> str:
        """The model, its precision and its device."""
        return f"docspec with {self.info.name}, {self.info.dtype} on {self.info.device}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say about how it decodes."""
        close = f"strict: choices closer than {self.least_margin:.2g} to the next are made again"
        return (close,) if self.least_margin else ()

    @property
    def max_length(self) -> int:
        """The most tokens of prompt and answer together."""
        return self.target.max_length

    def generate(
        self,
        image: Image | None,
        prompt: str,
        drafts: Sequence[str] = (),
        *,
        max_tokens: int | None = None,
        kind: str = "text",
        on_text: OnText | None = None,
    ) -> Generation:
        """The answer to one request: text, tokens, finish reason and counts. The arguments are those of
        :class:`docspec.generation.interface.GenerationRequest`; ``max_tokens`` is the model's published limit if
        ``None``. Raises :class:`docspec.core.PageError` if it cannot be answered."""
        most = self.target.card.max_new_tokens if max_tokens is None else max_tokens
        future = self.submit(GenerationRequest(image, prompt, most, tuple(drafts), kind), on_text)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def submit(self, request: GenerationRequest, on_text: OnText | None = None) -> Future[Generation]:
        """Accepts ``request`` and returns at once; see :meth:`docspec.generation.interface.Generator.submit`."""
        [future] = self.submit_all([request], [on_text])
        return future

    def submit_all(
        self, requests: Sequence[GenerationRequest], listeners: Sequence[OnText | None] = ()
    ) -> list[Future[Generation]]:
        """:meth:`submit` for several requests, whose prompts are made together; the longest enter the batch first."""
        heard = listeners or [None] * len(requests)
        answers = [_Answer(self, request, on_text) for request, on_text in zip(requests, heard, strict=True)]
        self._encode(lambda: self._submit_encoded(answers), [one.decoded for one in answers])
        return [one.future for one in answers]

    def submit_made(
        self, make: Callable[[TransformersTarget], Request], on_row: OnRow | None = None
    ) -> Future[Decoded]:
        """Decodes the request that ``make`` makes, in a thread of its own, with the target that it is given."""
        decoded: Future[Decoded] = new_future()

        def run() -> None:
            if not decoded.cancelled():
                try:
                    self._batching.submit_all([QueuedRequest(make(self._encoder), decoded, on_row)])
                except Exception as error:
                    fail(decoded, error)

        self._encode(run, [decoded])
        return decoded

    def request_of(self, asked: GenerationRequest) -> Request:
        """The request of the decoder for ``asked``; do not call it while others use the engine."""
        return self._made(asked, self.target.encode(*_pictured(asked)))

    def spelled(self, special_tokens: bool | None, tokens: list[int]) -> str:
        """The text of ``tokens``; ``special_tokens``: whether it has theirs (``None``: as the model's pages have)."""
        if special_tokens is None:
            return self.target.detokenize(tokens)
        return TokenizerCodec(self.target.processing.tokenizer, special_tokens).detokenize(tokens)

    def drafts_changed(self) -> None:
        """Call this from ``on_progress`` when a growing draft has grown: whether trees pay is measured anew."""
        self._batching.drafts_changed()

    def close(self, patience: float | None = None) -> None:
        """Ends both threads, and waits for what they are doing for at most ``patience`` seconds; requests that have not
        been answered fail."""
        self._forgotten.detach()
        is_within = threading.current_thread().name.startswith(ENCODING)  # an answer's callback may close the engine
        self._encoding.shutdown(wait=patience is None and not is_within, cancel_futures=True)
        self._batching.close(patience)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _encode(self, run: Callable[[], None], decoded: Sequence[Future[Decoded]]) -> None:
        """Has ``run`` called where prompts are made. After the end, or in a process without its threads, ``decoded``
        fail instead."""

        def end(error: ModelError) -> None:
            for future in decoded:
                fail(future, error)

        if os.getpid() != self._process:
            end(ModelError("this engine belongs to the process that forked this one; make an Engine here"))
            return
        try:
            made = self._encoding.submit(run)
        except RuntimeError:
            end(closed())
        else:
            made.add_done_callback(lambda one: end(closed()) if one.cancelled() else None)

    def _submit_encoded(self, answers: Sequence[_Answer]) -> None:
        """Makes the prompts of ``answers`` and has them decoded; one whose prompt cannot be made fails alone."""
        live = [one for one in answers if not one.decoded.cancelled()]
        began = time.perf_counter()
        made: list[tuple[_Answer, Request]] = []
        for one, prompt in zip(live, self._prompts([one.request for one in live]), strict=True):
            try:
                if isinstance(prompt, Exception):
                    raise prompt
                made.append((one, self._made(one.request, prompt)))
            except Exception as error:
                fail(one.decoded, error)
        for one in live:
            one.encode_seconds = (time.perf_counter() - began) / len(live)
        self._batching.submit_all(
            [
                QueuedRequest(request, one.decoded, one.on_row if one.is_watched else None, one.request.exclusive)
                for one, request in sorted(made, key=lambda each: -each[1].slots)
            ]
        )

    def _prompts(self, requests: Sequence[GenerationRequest]) -> Sequence[Prompt | Exception]:
        try:
            return self._encoder.encode_all([_pictured(request) for request in requests])
        except Exception as error:
            if isinstance(error, (ValueError, TypeError)):  # the processor says that it takes no such picture or text
                error = PageError(f"the model cannot be asked this: {one_line(str(error))}")
            return [error] if len(requests) == 1 else [self._prompts([one])[0] for one in requests]

    def _made(self, asked: GenerationRequest, prompt: Prompt) -> Request:
        room = room_for(self.target, prompt, self._spare)
        drafts = tuple(tuple(self.target.tokenize(text)) for text in asked.drafts)
        return Request(
            prompt,
            drafts,
            min(asked.limit(map(len, drafts)), room),
            grammar=asked.grammar,
            growing=asked.growing,
            plain=asked.plain,
            stop=partial(LoopGuard, self.target.detokenize) if asked.cuts_loops else NeverStop,
            least_margin=self.least_margin,
            traced=asked.traced,
            kind=asked.kind,
        )


class _Answer:
    """One request on its way: ``decoded`` is the engine's, ``future`` the caller's."""

    def __init__(self, engine: Engine, request: GenerationRequest, on_text: OnText | None) -> None:
        self.request = request
        self.future: Future[Generation] = new_future()
        self.decoded: Future[Decoded] = new_future()
        self.encode_seconds = 0.0
        self._text = AnswerText(partial(engine.spelled, request.special_tokens or None))
        self._on_text = on_text
        self.decoded.add_done_callback(self._ended)
        self.future.add_done_callback(lambda one: self.decoded.cancel() if one.cancelled() else None)

    @property
    def is_watched(self) -> bool:
        return self._on_text is not None or self.request.on_progress is not None

    def on_row(self, row: Row) -> None:
        if self.request.on_progress is not None:
            self.request.on_progress(Progress(len(row.output), row.counts.steps, row.counts.accepted))
        if self._on_text is None:
            return
        text = self._text
        piece = text.grown(row.output) if row.finish is None else text.rest(row.output)
        try:
            if piece:
                self._on_text(piece)
        except BaseException:  # asyncio's cancelling is none of Exception
            self.future.cancel()

    def _ended(self, decoded: Future[Decoded]) -> None:
        if decoded.cancelled():
            self.future.cancel()
            return
        try:
            answer(self.future, self._generation(decoded.result()))
        except BaseException as error:
            fail(self.future, error)

    def _generation(self, decoded: Decoded) -> Generation:
        output, stats = decoded.output, decoded.stats
        counts = GenerationCounts(
            stats.tokens,
            stats.prompt_tokens,
            stats.steps,
            stats.drafted,
            stats.accepted,
            decoded.waiting,
            decoded.prefill,
            decoded.decode,
            self.encode_seconds,
            stats,
        )
        text = self._text.whole(output.tokens)
        return Generation(
            text, ENDS[output.finish], counts, output.tokens, output.loop, output.trail, decoded.is_frugal
        )


def room_for(target: TargetModel, prompt: Prompt, spare: int) -> int:
    """Tokens of the context that ``prompt`` leaves for an answer, with ``spare`` ones for its trees. Raises
    :class:`docspec.core.PageError` if there are none."""
    room = target.max_length - prompt.length - spare + 1
    if room < 1:
        what = f"the page takes {prompt.length} of the model's {target.max_length} tokens"
        raise PageError(f"{what}; lower --dpi", Failure.TOO_LARGE)
    return room


def _end(batching: ContinuousBatching, process: int) -> None:
    """Ends the thread of ``batching``, which no process that was forked off has."""
    if os.getpid() == process:
        batching.close(LAST_STEP)


def _with_own_processing(target: Any) -> Any:
    """``target`` with a processor that no other thread uses."""
    own = copy.copy(target)
    if hasattr(target, "processing"):
        own.processing = copy.deepcopy(target.processing)
    return own


def _pictured(asked: GenerationRequest) -> tuple[Image, str]:
    if asked.image is None:
        raise PageError("this engine reads images, and the request has none")
    return asked.image, asked.prompt
