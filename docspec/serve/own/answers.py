"""Chat requests as requests of the engine, and their answers.

Conversations become model inputs framed by the checkpoint's chat template, with images where the client placed them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from docspec.core import DocspecError
from docspec.engine.continuous import Decoded
from docspec.engine.request import NeverStop, Request, StopRule
from docspec.engine.row import Row
from docspec.generation.answer_text import AnswerText, StopStrings
from docspec.generation.local import Engine, room_for
from docspec.serve.own.asking import WRITTEN, ChatRequest, Penalties, decoded
from docspec.serve.own.model import ModelAnswer, Tell
from docspec.serve.refusal import Refusal
from docspec.targets.chat_template import IMAGE
from docspec.targets.own_processor import OwnProcessor
from docspec.targets.protocol import Prompt
from docspec.targets.rules import GenerationRules, NgramBan

if TYPE_CHECKING:
    from docspec.targets.adapter import TransformersTarget


LONGEST_TOKEN = 16
"""Characters of a token that hardly any text has more of."""

SURELY = 0.8
"""Share of a picture's tokens that is left where its sides are rounded down."""


class LocalModel:
    """docspec's own engine as a :class:`docspec.serve.own.model.ChatModel`."""

    is_llama = takes_any_name = False
    told: Mapping[str, Callable[[int], Any]] = {}

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.name = engine.info.name

    def listed(self, running: int) -> Any:
        model = {"id": self.name, "object": "model", "created": 0, "owned_by": "docspec"}
        return {"object": "list", "data": [model]}

    def begin(self, ask: ChatRequest, tell: Tell) -> PendingAnswer:
        return PendingAnswer(self._engine, ask, tell)


class PendingAnswer(ModelAnswer):
    """An answer of docspec's own engine."""

    def __init__(self, engine: Engine, ask: ChatRequest, tell: Tell) -> None:
        super().__init__(ask, tell)
        self._spelled = partial(engine.spelled, ask.keeps_special_tokens)
        self._writing = AnswerText(self._spelled, ask.stops)
        self._follow(engine.submit_made(self._request, self._grown if ask.streams else None))

    def _request(self, target: TransformersTarget) -> Request:
        ask = self.ask
        prompt = prompt_of(target, ask)
        try:
            room = room_for(target, prompt, 0)
        except DocspecError as error:
            raise Refusal(400, str(error)) from None
        drafts = tuple(tuple(target.tokenize(text)) for text in ask.drafts if text)
        stop: Callable[[], StopRule] = partial(StopStrings, self._spelled, ask.stops) if ask.stops else NeverStop
        budget = min(ask.max_tokens or target.card.max_new_tokens, room)
        return Request(prompt, drafts, budget, stop=stop, kind=ask.kind, rules=rules_of(target.rules, ask.penalties))

    def _grown(self, row: Row) -> None:
        self._tell(self._writing.grown(row.output))

    def _ended(self, future: Future[Decoded]) -> None:
        if future.cancelled():
            return
        if (error := future.exception()) is not None:
            assert isinstance(error, Exception)
            self._tell(error)
            return
        result = future.result()
        tokens = result.output.tokens
        self.text = self._writing.whole(tokens)
        self.finish = "length" if result.output.finish == "budget" else "stop"
        self.tokens, self.prompt_tokens = len(tokens), result.stats.prompt_tokens
        self.drafted, self.accepted = result.stats.drafted, result.stats.accepted
        if self.ask.streams and (rest := self._writing.rest(tokens)):
            self._tell(rest)
        self._tell(None)


def rules_of(own: GenerationRules, penalties: Penalties) -> GenerationRules | None:
    """The generation rules of a request on top of those of the checkpoint, ``own``; ``None`` if they are the same.
    Raises :class:`Refusal` (400)."""
    ngrams = (NgramBan(penalties.no_repeat_ngram, WRITTEN),) if penalties.no_repeat_ngram > 1 else ()
    if penalties.no_repeat_ngram == 1:
        raise Refusal(400, "no_repeat_ngram_size: 2 or more")
    if (penalties.presence or penalties.frequency) and (penalties.repetition, own.repetition_penalty) != (1.0, 1.0):
        raise Refusal(400, "repetition_penalty beside a presence or frequency penalty: not followed")
    rules = replace(
        own,
        repetition_penalty=penalties.repetition if penalties.repetition != 1.0 else own.repetition_penalty,
        presence_penalty=penalties.presence,
        frequency_penalty=penalties.frequency,
        ngrams=own.ngrams + ngrams,
        min_new_tokens=max(own.min_new_tokens, penalties.least_tokens),
    )
    return None if rules == own else rules


def prompt_of(target: TransformersTarget, ask: ChatRequest) -> Prompt:
    """The model's inputs for ``ask``. Raises :class:`Refusal` (400)."""
    _check_size(target, ask)
    images = [decoded(picture) for picture in ask.images]
    try:
        if isinstance(target.processing, OwnProcessor):
            inputs = target.processing.encode_chat(ask.messages, images)
            return Prompt(inputs, int(inputs["input_ids"].shape[1]))
        return target.encode(*_single(ask, images))
    except DocspecError as error:
        message = str(error)
        if any(sign in message for sign in "/\\"):  # the place of a template is nobody's business
            message = "the model's chat template does not take this conversation"
        raise Refusal(400, message) from None


def _check_size(target: TransformersTarget, ask: ChatRequest) -> None:
    """Raises :class:`Refusal` (400) for a conversation that is surely longer than the model's context, before its
    pictures are decoded and its words are counted."""
    characters = sum(len(part.get("text", "")) for message in ask.messages for part in message["content"])
    sight = target.sight
    shown = [min(one.size[0] * one.size[1], sight.most_pixels) for one in ask.images if one.size is not None]
    least = characters // LONGEST_TOKEN + int(SURELY * sum(shown) / sight.factor**2)
    if least > target.max_length:
        raise Refusal(400, f"the conversation has {least} tokens or more; the model takes {target.max_length}")


def _single(ask: ChatRequest, images: Sequence[Any]) -> tuple[Any, str]:
    """Image and prompt for models whose prompts docspec frames: one image and one user message."""
    users = [message for message in ask.messages if message["role"] == "user"]
    if len(ask.images) != 1 or len(users) != len(ask.messages) or len(users) != 1:
        raise Refusal(400, "this model takes one image and one message of a user")
    parts = [IMAGE if part["type"] == "image" else part["text"] for part in users[0]["content"]]
    return images[0], "".join(parts)
