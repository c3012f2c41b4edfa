"""Answers of servers to requests for completions, whole or as server-sent events."""

from __future__ import annotations

import codecs
import json
import math
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from docspec.generation.interface import FinishReason, Generation, GenerationCounts
from docspec.generation.server.endings import OtherFields, RepeatError, finish_of, is_error, items_in, json_in, quoted
from docspec.generation.server.wire import VLLM, ServedModel

MOST = 50.0
"""Logits: a margin above that is as good as certain, and servers clip what is less likely."""


class TokenMargins:
    """Collects the margins of an answer that comes in one piece or in many."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")  # a character may have several tokens
        self._told: list[tuple[str, float]] = []

    def take(self, choice: Mapping[str, Any]) -> None:
        """Adds those of a choice, or of a piece of a streamed one; what is not in OpenAI's form is left."""
        told = choice.get("logprobs")
        content = told.get("content") if isinstance(told, Mapping) else None
        for token in content if isinstance(content, list) else ():
            if isinstance(token, Mapping) and isinstance(token.get("token"), str):
                self._told.append((self._text(token), _margin(token)))

    def _text(self, token: Mapping[str, Any]) -> str:
        spelled = token.get("bytes")
        if isinstance(spelled, list) and all(isinstance(byte, int) and 0 <= byte < 256 for byte in spelled):
            return self._decoder.decode(bytes(spelled))
        return str(token["token"])

    @property
    def told(self) -> tuple[tuple[str, float], ...]:
        """The text of each token with its margin in logits (NaN: not told); empty if the server tells none."""
        return tuple(self._told)


def _margin(token: Mapping[str, Any]) -> float:
    """The distance to the second choice; without one, the least that the token's own probability leaves."""
    own, others = _number(token.get("logprob")), token.get("top_logprobs")
    others = others if isinstance(others, list) else []
    known = [_number(one.get("logprob")) for one in others if isinstance(one, Mapping)]
    likely = sorted((one for one in known if one == one), reverse=True)
    if len(likely) > 1:
        return min(MOST, likely[0] - likely[1])
    if own != own:
        return math.nan
    missing = -math.expm1(min(own, 0.0))  # 1 - p
    return MOST if missing <= 0 else max(0.0, min(MOST, own - math.log(missing)))


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else math.nan


def generation_of(answered: Any, model: ServedModel) -> Generation:
    """The answer in a completion that is not streamed. Raises :class:`RepeatError`."""
    choices = items_in(answered, "choices")
    choice = _first(choices) or choices[0]
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise RepeatError(f"its answer has no text: {quoted(json.dumps(answered))}")
    text = text_in(message.get("content"))
    finish = finish_of(choice.get("finish_reason"))
    beside = OtherFields()
    beside.take(message)
    beside.check(text)
    margins = TokenMargins()
    margins.take(choice)
    made = _made(text, finish, _tokens(choice.get("token_ids")), answered.get("usage"), model)
    return replace(made, margins=margins.told)


class Stream:
    """A streamed answer of ``model``, each piece the data of a server-sent event; the request was sent at ``began``
    (``time.monotonic``). ``text`` is the text so far; ``is_new``: the last event brought something,
    ``is_done``: the server has said that nothing more comes."""

    def __init__(self, model: ServedModel, began: float) -> None:
        self.text = ""
        self.model = model
        self.has_begun = False
        self.is_new = False
        self.is_done = False
        self._began = began
        self._first: float | None = None
        self._finish: FinishReason | None = None
        self._beside = OtherFields()
        self._tokens: list[int] | None = None
        self._margins = TokenMargins()
        self._usage: Any = None
        self._name: Any = None
        self._times_named = 0

    @property
    def has_ended(self) -> bool:
        return self._finish is not None

    def take(self, data: str) -> str:
        """Adds an event and returns its text. Raises :class:`RepeatError`."""
        piece = json_in(data)
        self.has_begun = True
        self.is_new = False
        if isinstance(piece, Mapping) and piece.get("usage"):
            self._usage = piece["usage"]
        if isinstance(piece, Mapping) and not piece.get("choices") and not is_error(piece):
            return ""
        choice = _first(items_in(piece, "choices"))
        if choice is None:  # a piece of another answer to the same request
            return ""
        delta = choice.get("delta") or choice.get("message")
        delta = delta if isinstance(delta, Mapping) else {}
        self._check_restart(piece.get("id"), delta)
        text = text_in(delta.get("content"))
        self._beside.take(delta)
        self.is_new = any(delta.values())
        if (tokens := _tokens(choice.get("token_ids"))) is not None:
            self._tokens = [*(self._tokens or ()), *tokens]
        self._margins.take(choice)
        if choice.get("finish_reason") not in (None, "", "null"):
            self._finish = finish_of(choice["finish_reason"])
        if text and self._first is None:
            self._first = time.monotonic()
        self.text += text
        return text

    def generation(self) -> Generation:
        """The whole answer; one that the server ended without saying why may be cut. Raises :class:`RepeatError` if it
        stopped before its end."""
        if self._finish is None and self.is_done and self.text:
            self._finish = "length"
        if self._finish is None:
            raise RepeatError("its answer stopped before the end")
        self._beside.check(self.text)
        tokens = None if self._tokens is None else tuple(self._tokens)
        made = replace(_made(self.text, self._finish, tokens, self._usage, self.model), margins=self._margins.told)
        if self._first is None:
            return made
        prefill, decode = self._first - self._began, time.monotonic() - self._first
        return replace(made, counts=replace(made.counts, prefill_seconds=prefill, decode_seconds=decode))

    def _check_restart(self, name: Any, delta: Mapping[str, Any]) -> None:
        """All pieces of an answer have one ``id``; another one that begins with a role is another answer, which a proxy
        has asked for meanwhile. Of servers that name each piece anew nothing is concluded."""
        if self.text and name != self._name and self._times_named > 1 and delta.get("role"):
            raise RepeatError("its answer began anew in the middle")
        self._times_named = self._times_named + 1 if name == self._name else 1
        self._name = name


def text_in(content: Any) -> str:
    """The text of a message's ``content``, which may be in parts. Raises :class:`RepeatError`."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = content if isinstance(content, list) else [content]
    texts = [part["text"] for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str)]
    if len(texts) < len(parts):
        raise RepeatError(f"its answer has no text: {quoted(json.dumps(content))}")
    return "".join(texts)


def _first(choices: list[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The first of several answers to one request; ``None`` if it is not among ``choices``."""
    return next((choice for choice in choices if choice.get("index") in (0, None)), None)


def _made(
    text: str, finish: FinishReason, tokens: tuple[int, ...] | None, usage: Any, model: ServedModel
) -> Generation:
    """The answer without the end token, which vLLM counts and returns."""
    usage = usage if isinstance(usage, Mapping) else {}
    ended = finish == "stop" and model.owner == VLLM
    if tokens and ended:
        tokens = tokens[:-1]
    written = _whole(usage.get("completion_tokens"))
    count = max(0, (written or 0) - ended) if tokens is None else len(tokens)
    # Halves of a character that came in two pieces are one again; others have no place in a text.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return Generation(text, finish, GenerationCounts(count, _whole(usage.get("prompt_tokens"))), tokens)


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None


def _tokens(value: Any) -> tuple[int, ...] | None:
    whole = isinstance(value, list) and all(isinstance(token, int) for token in value)
    return tuple(value) if whole else None
