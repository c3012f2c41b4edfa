"""Builds the bodies of ``/v1/chat/completions`` and reads servers' answers: completions, whole or as server-sent
events, lists of models, and vLLM's counters of speculative decoding. Nothing here opens a connection.
"""

from __future__ import annotations

import base64
import io
import json
import re
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from docspec.core.safe_text import first_line, one_line
from docspec.generation.interface import FinishReason, Generation, GenerationCounts, GenerationRequest
from docspec.generation.server.endings import Beside, RepeatError, finish_of
from docspec.targets.chat_template import IMAGE

VLLM = "vllm"
"""``owned_by`` in vLLM's list of models."""

LLAMA = "llamacpp"
"""``owned_by`` in the list of llama.cpp's server."""

MOST_SAID, MOST_QUOTED = 300, 120
"""Characters that a message quotes of a server's own error, and of an answer that is none."""

SAMPLE = re.compile(r"^vllm:(\w+?)(?:_total)?(?:\{[^}]*\})?\s+([0-9.eE+-]+)\s*$", re.MULTILINE)

COUNTERS = {
    "drafts": "spec_decode_num_drafts",
    "drafted": "spec_decode_num_draft_tokens",
    "accepted": "spec_decode_num_accepted_tokens",
    "written": "generation_tokens",
}


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A server's description of its model: its ``name`` in requests, where it was loaded from (``root``, empty if
    unknown), the most tokens of prompt and answer together (``max_length``). ``owner`` is ``owned_by`` of the list of
    models."""

    name: str
    root: str = ""
    max_length: int | None = None
    owner: str = ""
    version: str = ""

    @property
    def server(self) -> str:
        """The server's kind and version, for reports."""
        return f"{self.owner} {self.version}".strip()

    @property
    def takes_extras(self) -> bool:
        """Whether requests may have fields that are not OpenAI's: vLLM ignores unknown fields, others may not."""
        return self.owner in (VLLM, "docspec")

    @property
    def takes_drafts(self) -> bool:
        """Whether requests may have ``drafts``: llama.cpp's server with docspec's patch verifies them."""
        return self.owner == LLAMA


def models_in(listed: Any) -> list[ServedModel]:
    """The models of an answer of ``/v1/models``. Raises :class:`RepeatError`."""
    found = []
    for card in _items(listed, "data"):
        name = card.get("id")
        if isinstance(name, str) and name:
            length = card.get("max_model_len")
            found.append(
                ServedModel(
                    name,
                    str(card.get("root") or ""),
                    length if isinstance(length, int) and length > 0 else None,
                    str(card.get("owned_by") or ""),
                )
            )
    if not found:
        raise RepeatError("its list of models is empty")
    return found


class Body:
    """A request with its image compressed; the fields that depend on the server are added when it is sent."""

    def __init__(self, request: GenerationRequest, stream: bool) -> None:
        self._request = replace(request, image=None)
        self._content = content_of(request)
        self._stream = stream

    def for_model(self, model: ServedModel) -> dict[str, Any]:
        """The JSON body, with drafts if the server may take them."""
        request = self._request
        body: dict[str, Any] = {
            "model": model.name,
            "messages": [{"role": "user", "content": self._content_for(model)}],
            "temperature": 0,
            "max_tokens": request.max_tokens,
        }
        if self._stream:
            body.update(stream=True, stream_options={"include_usage": True})
        if model.takes_extras:
            body["return_token_ids"] = True
            if request.template_arguments:
                body["chat_template_kwargs"] = dict(request.template_arguments)
            if request.special_tokens:
                body["skip_special_tokens"] = False
            if request.drafts:
                body["vllm_xargs"] = {"docspec_drafts": list(request.drafts), "docspec_kind": request.kind}
        elif model.takes_drafts and request.drafts:
            body["drafts"] = list(request.drafts)
        return body

    def _content_for(self, model: ServedModel) -> list[dict[str, Any]]:
        """The parts of the message. If the server may join them into one text, the text behind the image begins with
        the model's marks for an image."""
        marks = self._request.image_marks
        if not (marks and model.takes_extras):
            return self._content
        end = 1 + max((index for index, part in enumerate(self._content) if "image_url" in part), default=-1)
        if not end:
            return self._content
        text = "".join(part["text"] for part in self._content[end:])
        return [*self._content[:end], _text(marks + text)]


def content_of(request: GenerationRequest) -> list[dict[str, Any]]:
    """The parts of the user's message, the image at its place in the prompt. Empty texts are left out."""
    before, _, after = request.prompt.rpartition(IMAGE)
    parts = [_text(before), *([] if request.image is None else [_picture(request.image)]), _text(after)]
    return [part for part in parts if part.get("text") != ""]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _picture(image: Any) -> dict[str, Any]:
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", compress_level=1)  # lossless; a smaller file would cost more than it saves
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}


def generation_of(answered: Any, model: ServedModel) -> Generation:
    """The answer in a completion that is not streamed. Raises :class:`RepeatError`."""
    choices = _items(answered, "choices")
    choice = _first(choices) or choices[0]
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise RepeatError(f"its answer has no text: {quoted(json.dumps(answered))}")
    text = text_in(message.get("content"))
    finish = finish_of(choice.get("finish_reason"))
    beside = Beside()
    beside.take(message)
    beside.check(text)
    return _made(text, finish, _tokens(choice.get("token_ids")), answered.get("usage"), model)


class Stream:
    """A streamed answer of ``model``, each piece the data of a server-sent event; the request was sent at ``began``
    (``time.monotonic``). ``text`` is the text so far; ``is_new``: the last event brought something."""

    def __init__(self, model: ServedModel, began: float) -> None:
        self.text = ""
        self.model = model
        self.has_begun = False
        self.is_new = False
        self._began = began
        self._first: float | None = None
        self._finish: FinishReason | None = None
        self._beside = Beside()
        self._tokens: list[int] | None = None
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
        if isinstance(piece, Mapping) and not piece.get("choices") and not _is_error(piece):
            return ""
        choice = _first(_items(piece, "choices"))
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
        if choice.get("finish_reason") not in (None, "", "null"):
            self._finish = finish_of(choice["finish_reason"])
        if text and self._first is None:
            self._first = time.monotonic()
        self.text += text
        return text

    def generation(self) -> Generation:
        """The whole answer. Raises :class:`RepeatError` if it stopped before its end."""
        if self._finish is None:
            raise RepeatError("its answer stopped before the end")
        self._beside.check(self.text)
        tokens = None if self._tokens is None else tuple(self._tokens)
        made = _made(self.text, self._finish, tokens, self._usage, self.model)
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


def json_in(text: str | bytes) -> Any:
    """The value in ``text``. Raises :class:`RepeatError` with what it is if it is no JSON, or says one thing twice."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        said = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        if not said.strip():
            raise RepeatError("its answer is empty") from error
        if said.lstrip("\ufeff \r\n\t").startswith("<"):
            raise RepeatError(f"its answer is a page of HTML or XML: {quoted(said)}") from error
        why = first_line(error) if isinstance(error, ValueError) else "nested too deeply"
        raise RepeatError(f"its answer is no JSON ({why}): {quoted(said)}") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in it")
    return found


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


def _is_error(value: Mapping[str, Any]) -> bool:
    """Whether an answer is an error in one of the forms that servers have."""
    told = "choices" not in value and any(isinstance(value.get(name), str) for name in ("message", "detail"))
    return bool(value.get("error")) or value.get("object") == "error" or told


def error_in(body: bytes) -> str:
    """The error message in a server's answer, on one line."""
    try:
        said = json.loads(body)
        said = said.get("error", said) if isinstance(said, Mapping) else said
        said = said.get("message", said.get("detail", said)) if isinstance(said, Mapping) else said
    except ValueError:
        said = body.decode("utf-8", "replace")
    return one_line(str(said))[:MOST_SAID]


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


def _items(value: Any, name: str) -> list[Mapping[str, Any]]:
    """The objects in the list ``name`` of an object. Raises :class:`RepeatError` if there are none."""
    if isinstance(value, Mapping) and _is_error(value):
        raise RepeatError(f"it answers with an error: {error_in(json.dumps(value).encode())}")
    items = value.get(name) if isinstance(value, Mapping) else None
    found = [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
    if not found:
        raise RepeatError(f"its answer has no {name}: {quoted(json.dumps(value))}")
    return found


def quoted(text: str) -> str:
    """The beginning of what a server sent, on one line."""
    return one_line(text[: 2 * MOST_QUOTED].strip())[:MOST_QUOTED]


@dataclass(frozen=True, slots=True)
class ServerCounts:
    """vLLM's own numbers of verified ``drafts``, of their ``drafted`` and ``accepted`` tokens, and of all tokens
    ``written``, of all clients: their difference over a run is the run's if the server has no other client."""

    drafts: int = 0
    drafted: int = 0
    accepted: int = 0
    written: int = 0

    def since(self, before: ServerCounts) -> ServerCounts:
        """The counts since ``before``; a restarted server counts from 0."""
        now, then = asdict(self), asdict(before)
        again = any(now[name] < then[name] for name in now)
        return self if again else ServerCounts(**{name: now[name] - then[name] for name in now})


def counts_in(text: str) -> ServerCounts | None:
    """The counters in an answer of ``/metrics``; ``None`` if it has none of speculative decoding."""
    found: dict[str, float] = {}
    for name, value in SAMPLE.findall(text):
        found[name] = found.get(name, 0.0) + float(value)
    if COUNTERS["drafts"] not in found:
        return None
    return ServerCounts(**{ours: int(found.get(theirs, 0)) for ours, theirs in COUNTERS.items()})
