"""A model in this process as a :class:`docspec.generation.interface.Generator`: exact speculative decoding of a
document VLM, for any number of threads.

One thread makes prompts (pictures and templates take longer than a step), another decodes
(:mod:`docspec.engine.continuous`). Each has a tokenizer of its own, as fast tokenizers change while they are used.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from docspec.core import PageError, ParseOptions
from docspec.engine.continuous import ContinuousBatching, Decoded, OnTokens, closed, failed
from docspec.engine.decoder import Decoder
from docspec.engine.limits import Pace
from docspec.engine.proposer import TreeProposer
from docspec.engine.request import Request
from docspec.generation.answer_text import AnswerText
from docspec.generation.interface import Generation, GenerationCounts, GenerationRequest, OnText
from docspec.proposing.registry import make_proposer, open_named

if TYPE_CHECKING:
    from PIL.Image import Image

    from docspec.targets.adapter import TransformersTarget
    from docspec.targets.protocol import Prompt, TargetModel
    from docspec.targets.registry import TargetInfo

SHARE = 4
"""A batch takes at most one in so many bytes of the free memory, unless ``kv_memory`` says how many."""


def make_decoder(target: TargetModel, options: ParseOptions, price: float = 0.0, pace: Pace | None = None) -> Decoder:
    """A decoder of ``target`` with the proposers in ``options``. ``price``: the cost of one more node of a tree as a
    share of a step; ``pace`` decides whether trees pay for a request that is decoded alone."""
    from docspec.targets.threads import measure_threads

    measure_threads(target)  # here, so that no page pays for it
    open_named(options.align, target)

    def proposer() -> TreeProposer:
        return make_proposer(options.align, target, price, options.window, target, skips=options.skips)

    return Decoder(target, options, proposer, pace)


class Engine:
    """A document VLM that answers requests with its own greedy output, in fewer steps where their drafts are right.

    ``model``: a name or folder as for ``docspec parse --model``; ``settings`` are further fields of
    :class:`docspec.core.ParseOptions` (``device``, ``dtype``, ``kv_memory``, ...). Any number of threads may share it:
    their requests are decoded in one batch, which each enters as soon as there is room. Raises
    :class:`docspec.core.ModelError` if the model cannot be loaded.

        with Engine("mini") as engine:
            answer = engine.generate(image, "Read.", drafts=["what the page may say"])
    """

    def __init__(self, model: str = "mini", **settings: Any) -> None:
        from docspec.core.extras import require_local

        require_local(f"the engine of {model}")
        from docspec.targets.estimate import free_memory
        from docspec.targets.registry import load_target

        options = ParseOptions(words="model", model=model, **settings)
        loaded = load_target(options)
        self.info: TargetInfo = loaded.info
        self.target: TransformersTarget = loaded.target
        self._encoder = copy.copy(loaded.target)
        self._encoder.processing = copy.deepcopy(loaded.target.processing)
        free = free_memory(loaded.target.kv_spec.device)
        slots = None if free is None else free // SHARE // loaded.target.kv_spec.bytes_per_slot()
        self._batching = ContinuousBatching(make_decoder(loaded.target, options), slots=slots)
        self._encoding = ThreadPoolExecutor(1, "docspec-encode")

    @property
    def name(self) -> str:
        """The model, its precision and its device."""
        return f"docspec with {self.info.name}, {self.info.dtype} on {self.info.device}"

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
        request = GenerationRequest(image, prompt, most, tuple(drafts), kind)
        future = self.submit(request, on_text)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def submit(self, request: GenerationRequest, on_text: OnText | None = None) -> Future[Generation]:
        """Accepts ``request`` and returns at once; see :meth:`docspec.generation.interface.Generator.submit`."""
        text = AnswerText(partial(self.spelled, request.special_tokens or None))

        def told(tokens: Sequence[int]) -> None:
            if on_text is not None and (piece := text.grown(tokens)):
                on_text(piece)

        answer: Future[Generation] = Future()

        def ended(decoded: Future[Decoded]) -> None:
            if decoded.cancelled():
                answer.cancel()
            elif not answer.set_running_or_notify_cancel():
                return
            elif (error := decoded.exception()) is not None:
                answer.set_exception(error)
            else:
                found = decoded.result()
                answer.set_result(_generation(found, text.whole(found.output.tokens)))

        decoded = self.submit_made(partial(self._request, request), None if on_text is None else told)
        decoded.add_done_callback(ended)
        answer.add_done_callback(lambda one: decoded.cancel() if one.cancelled() else None)
        return answer

    def submit_made(
        self, make: Callable[[TransformersTarget], Request], on_tokens: OnTokens | None = None
    ) -> Future[Decoded]:
        """Decodes the request that ``make`` makes, in a thread of its own, with the target that it is given."""
        decoded: Future[Decoded] = Future()

        def run() -> None:
            if not decoded.cancelled():
                try:
                    self._batching.submit(make(self._encoder), on_tokens, decoded)
                except Exception as error:
                    failed(decoded, error)

        try:
            made = self._encoding.submit(run)
        except RuntimeError:
            failed(decoded, closed())
        else:
            made.add_done_callback(lambda one: failed(decoded, closed()) if one.cancelled() else None)
        return decoded

    def spelled(self, special_tokens: bool | None, tokens: list[int]) -> str:
        """The text of ``tokens``; ``special_tokens``: whether it has theirs (``None``: as the model's pages have)."""
        if special_tokens is None:
            return self.target.detokenize(tokens)
        text: str = self.target.processing.tokenizer.decode(
            tokens, skip_special_tokens=not special_tokens, clean_up_tokenization_spaces=False
        )
        return text

    def close(self) -> None:
        """Ends both threads; requests that have not been answered fail."""
        self._encoding.shutdown(cancel_futures=True)
        self._batching.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _request(self, asked: GenerationRequest, encoder: TransformersTarget) -> Request:
        if asked.image is None:
            raise PageError(f"{self.info.name} reads images; the request has none")
        prompt = encoder.encode(asked.image, asked.prompt)
        drafts = tuple(tuple(encoder.tokenize(text)) for text in asked.drafts if text)
        budget = min(asked.max_tokens, room_for(encoder, prompt))
        return Request(prompt, drafts, budget, kind=asked.kind)


def room_for(target: TargetModel, prompt: Prompt) -> int:
    """Tokens of the context that ``prompt`` leaves for an answer. Raises :class:`docspec.core.PageError` if there are
    none."""
    room = target.max_length - prompt.length - 1
    if room < 1:
        raise PageError(f"the prompt has {prompt.length} tokens; the model takes {target.max_length}")
    return room


def _generation(decoded: Decoded, text: str) -> Generation:
    output, counts = decoded.output, decoded.counts
    return Generation(
        text,
        "length" if output.finish == "budget" else "stop",
        GenerationCounts(
            tokens=len(output.tokens),
            prompt_tokens=decoded.prompt_tokens,
            steps=counts.steps,
            drafted=counts.drafted,
            accepted=counts.accepted,
            waiting_seconds=decoded.waiting,
            prefill_seconds=decoded.prefill,
            decode_seconds=decoded.decode,
        ),
        output.tokens,
    )
