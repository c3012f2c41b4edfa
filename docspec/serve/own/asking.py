"""The request body for docspec's own engine. A field that the engine cannot follow exactly is refused, never
ignored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from PIL import Image

from docspec.core.safe_text import well_formed
from docspec.documents.images import as_rgb
from docspec.serve.chat import XARGS
from docspec.serve.picture import MOST_PICTURES, Picture, check_together, checked_picture, opened
from docspec.serve.refusal import Refusal
from docspec.vllm.request import DRAFTS, KIND, KINDS, MOST_DRAFTS

OWN = "docspec's own engine"

MOST_PIXELS = 50_000_000
"""Pixels of all images of one request together: a dozen A4 pages at 200 dpi."""

MOST_DRAFTED = 256 * 1024
"""Characters of all drafts of one request."""

WRITTEN = 2**30
"""A window longer than any answer: n-gram bans count output tokens only, as in vLLM."""

REFUSED = {
    "logit_bias": ({}, None),
    "logprobs": (False, None),
    "top_logprobs": (0, None),
    "prompt_logprobs": (None,),
    "response_format": (None, {"type": "text"}),
    "structured_outputs": (None,),
    "guided_json": (None,),
    "guided_regex": (None,),
    "guided_choice": (None,),
    "guided_grammar": (None,),
    "tools": (None, []),
    "n": (1, None),
    "best_of": (1, None),
    "use_beam_search": (False, None),
    "ignore_eos": (False, None),
    "stop_token_ids": (None, []),
    "bad_words": (None, []),
    "allowed_token_ids": (None, []),
    "include_stop_str_in_output": (False, None),
    "echo": (False, None),
}
"""Fields that would change an answer and are not supported, each with the values that change nothing."""

FOLLOWED_BY_LLAMA = ("logprobs", "top_logprobs", "response_format")
REFUSED_BY_LLAMA = {
    "repetition_penalty": (1.0, None),
    "grammar": ("", None),
    "json_schema": (None,),
    "n_probs": (0, None),
    "dry_multiplier": (0.0, None),
    "xtc_probability": (0.0, None),
    "mirostat": (0, None),
    "min_tokens": (0, None),
}
"""The same for llama.cpp, whose engine follows some of those."""


@dataclass(frozen=True, slots=True, eq=False)
class Penalties:
    """Penalties on the tokens that an answer already contains, as vLLM and OpenAI define them; those of llama.cpp are
    over the ``last`` tokens."""

    repetition: float = 1.0
    presence: float = 0.0
    frequency: float = 0.0
    no_repeat_ngram: int = 0
    least_tokens: int = 0
    last: int = 64


@dataclass(frozen=True, slots=True, eq=False)
class ChatRequest:
    """``messages`` in the format of chat templates, with their ``images`` in order, which are decoded
    when their turn comes. ``max_tokens`` is ``None`` where
    the client gives no limit. ``not_greedy`` names the field that asked for sampling, where the request is decoded
    greedily nevertheless."""

    messages: list[dict[str, Any]]
    images: list[Picture]
    max_tokens: int | None = None
    stops: tuple[str, ...] = ()
    penalties: Penalties = field(default_factory=Penalties)
    keeps_special_tokens: bool = False
    drafts: tuple[str, ...] = ()
    kind: str = ""
    streams: bool = False
    tells_usage: bool = False
    not_greedy: str = ""
    scored: bool = False
    schema: str = ""
    template_arguments: Mapping[str, Any] = field(default_factory=dict)


def chat_request(values: Mapping[str, Any], greedy: bool, llama: bool = False) -> ChatRequest:
    """The request in a body; with ``greedy``, requests for sampling are accepted and decoded greedily. With ``llama``,
    llama.cpp decodes, which takes other fields. Raises :class:`Refusal` (400)."""
    refused: dict[str, tuple[Any, ...]] = dict(REFUSED)
    if llama:
        refused = {name: nothing for name, nothing in REFUSED.items() if name not in FOLLOWED_BY_LLAMA}
        refused |= REFUSED_BY_LLAMA
    for name, nothing in refused.items():
        if name in values and values[name] not in nothing:
            raise Refusal(400, f"{name}: not followed by {'llama.cpp in docspec' if llama else OWN}")
    sampling = _sampling(values)
    if sampling and not greedy:
        raise Refusal(400, f"{sampling}: this engine decodes greedily; use temperature 0, or start it with --greedy")
    extra = values.get(XARGS) if isinstance(values.get(XARGS), dict) else {}
    assert isinstance(extra, dict)
    stop = values.get("stop")
    stops = [stop] if isinstance(stop, str) else stop or []
    if not isinstance(stops, list) or not all(isinstance(one, str) and one for one in stops) or len(stops) > 16:
        raise Refusal(400, "stop: a text or a list of up to 16 texts")
    messages, images = _conversation(values.get("messages"))
    check_together(images, MOST_PIXELS // 4)
    drafts = extra.get(DRAFTS)
    drafts = [drafts] if isinstance(drafts, str) else drafts if isinstance(drafts, list) else []
    options = values.get("stream_options")
    return ChatRequest(
        messages,
        images,
        _limit(values),
        tuple(stops),
        Penalties(
            _number(values, "repeat_penalty" if llama else "repetition_penalty", 1.0, 0.01, 100.0),
            _number(values, "presence_penalty", 0.0, -2.0, 2.0),
            _number(values, "frequency_penalty", 0.0, -2.0, 2.0),
            _whole(values, "no_repeat_ngram_size") or _whole(extra, "no_repeat_ngram_size") or 0,
            _whole(values, "min_tokens") or 0,
            round(_number(values, "repeat_last_n", 64, -1, 2**31)),
        ),
        values.get("skip_special_tokens") is False,
        _bounded(drafts),
        str(extra[KIND]) if extra.get(KIND) in KINDS else "",
        values.get("stream") is True,
        isinstance(options, dict) and options.get("include_usage") is True,
        sampling,
        values.get("logprobs") is True,
        _schema(values) if llama else "",
        given if isinstance(given := values.get("chat_template_kwargs"), dict) else {},
    )


def _schema(values: Mapping[str, Any]) -> str:
    """The JSON schema of the answer; empty for any text."""
    wanted = values.get("response_format")
    kind = wanted.get("type") if isinstance(wanted, dict) else None
    if wanted is None or kind == "text":
        return ""
    if kind == "json_object":
        held = wanted.get("schema") or {"type": "object"}
    elif kind == "json_schema":
        held = wanted.get("json_schema")
        held = held.get("schema") if isinstance(held, dict) else None
    else:
        held = None
    if not isinstance(held, dict):
        raise Refusal(400, "response_format: of type text, json_object or json_schema with a schema")
    return json.dumps(held)


def _sampling(values: Mapping[str, Any]) -> str:
    """The setting in a body that asks for sampling; empty for greedy decoding."""
    if values.get("top_k") == 1:
        return ""
    temperature = values.get("temperature")
    if temperature is None:
        return ""
    if isinstance(temperature, bool) or not isinstance(temperature, int | float) or not 0 <= temperature <= 2:
        raise Refusal(400, "temperature: a number from 0 to 2")
    return f"temperature {temperature:g}" if temperature > 0 else ""


def _conversation(given: Any) -> tuple[list[dict[str, Any]], list[Picture]]:
    """The messages in the format of chat templates, and their images."""
    if not isinstance(given, list) or not given:
        raise Refusal(400, "messages: a list of messages")
    messages: list[dict[str, Any]] = []
    images: list[Picture] = []
    for message in given:
        if not isinstance(message, dict) or message.get("role") not in ("system", "user", "assistant", "developer"):
            raise Refusal(400, "messages: each with a role (system, user, assistant) and a content")
        role = "system" if message["role"] == "developer" else message["role"]
        content = message.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if not isinstance(content, list):
            raise Refusal(400, "messages: content is a text or a list of parts")
        messages.append({"role": role, "content": [_part(part, images) for part in content]})
    return messages, images


def _part(part: Any, images: list[Picture]) -> dict[str, str]:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text" and isinstance(part.get("text"), str):
        return {"type": "text", "text": well_formed(part["text"])}
    if kind == "image_url":
        held = part.get("image_url")
        url = held.get("url") if isinstance(held, dict) else held
        if isinstance(url, str) and url[:5].lower() == "data:":
            if len(images) >= MOST_PICTURES:
                raise Refusal(400, f"a request has more than {MOST_PICTURES} images")
            images.append(checked_picture(url, MOST_PIXELS))
            return {"type": "image"}
    raise Refusal(400, "messages: parts are of type text, or image_url with a data URL")


def decoded(picture: Picture) -> Image.Image:
    """The pixels of a picture whose size was checked. Raises :class:`Refusal` (400)."""
    try:
        return as_rgb(opened(picture.data()))
    except (ValueError, OSError, SyntaxError, Image.DecompressionBombError):
        raise Refusal(400, "an image cannot be decoded") from None


def _bounded(texts: Iterable[Any]) -> tuple[str, ...]:
    """The drafts among ``texts``, up to :data:`MOST_DRAFTED` characters of them."""
    drafts: list[str] = []
    room = MOST_DRAFTED
    for text in texts:
        if isinstance(text, str) and room > 0 and len(drafts) < MOST_DRAFTS:
            drafts.append(well_formed(text[:room]))
            room -= len(text)
    return tuple(drafts)


def _limit(values: Mapping[str, Any]) -> int | None:
    """The most tokens of an answer, by either of its names."""
    for name in ("max_completion_tokens", "max_tokens"):
        if (most := _whole(values, name)) is not None:
            if most < 1:
                raise Refusal(400, f"{name}: 1 or more")
            return most
    return None


def _whole(values: Mapping[str, Any], name: str) -> int | None:
    value = values.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise Refusal(400, f"{name}: a whole number")
    return value


def _number(values: Mapping[str, Any], name: str, default: float, least: float, most: float) -> float:
    value = values.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise Refusal(400, f"{name}: a number from {least:g} to {most:g}")
    return float(value)
