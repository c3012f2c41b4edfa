"""The body of a chat completion: the fields that the gateway reads, and the same body with drafts added.

Fields that the gateway does not know pass through unchanged. Where possible the original bytes are kept and the new
fields are appended to them; only a body that already has ``vllm_xargs`` is serialised anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from docspec.serve.picture import MOST_PICTURES, Picture, check_together, checked_picture
from docspec.serve.refusal import Refusal
from docspec.vllm.request import DRAFTS

XARGS = "vllm_xargs"
MEDIA = ("image_url", "video_url", "audio_url", "input_audio", "file")
"""Fields of message parts that may contain a URL for the server to fetch."""

PART_TYPES = frozenset(["text", "input_text", "output_text", "refusal", "thinking", "input_image", *MEDIA])
"""Types of message parts; of others nobody here knows where they may contain an address."""

PART_FIELDS = frozenset(["type", "text", "refusal", "thinking", "uuid", "cache_control", "detail", *MEDIA])
BOUNDS = frozenset(["min_pixels", "max_pixels", "total_pixels", "fps", "nframes", "resized_height", "resized_width"])
"""Fields of parts that are numbers."""

MOST_VALUES = 200_000
"""Values in the JSON of a body, counted by their signs; signs in texts count, too."""

ONE_TOKEN = {
    *("max_tokens", "max_completion_tokens", "min_tokens", "n", "stream", "stream_options"),
    *("logprobs", "top_logprobs", "prompt_logprobs", "response_format", "structured_outputs", "prediction"),
}
"""Fields about the length and the format of the answer: they are removed from a request that only prefills a prompt."""

Parts = tuple["bytes | memoryview", ...]


@dataclass(frozen=True, slots=True, eq=False)
class Chat:
    """``prompt`` is the text of the user's last message, ``pictures`` are the images of all messages."""

    raw: bytes
    values: dict[str, Any]
    prompt: str
    pictures: tuple[Picture, ...]

    @property
    def model(self) -> str:
        named = self.values.get("model")
        return named if isinstance(named, str) else ""

    @property
    def streams(self) -> bool:
        return self.values.get("stream") is True

    @property
    def prediction(self) -> tuple[str, ...]:
        """The texts that the client itself predicts (OpenAI's ``prediction``)."""
        given = self.values.get("prediction")
        content = given.get("content") if isinstance(given, dict) else None
        if isinstance(content, str):
            return (content,) if content else ()
        texts = (part.get("text") for part in content if isinstance(part, dict)) if isinstance(content, list) else ()
        return tuple(text for text in texts if isinstance(text, str) and text)

    @property
    def brings_drafts(self) -> bool:
        """Whether the client sends drafts for docspec's proposer itself."""
        given = self.values.get(XARGS)
        return isinstance(given, dict) and DRAFTS in given

    def at(self, contents: Mapping[str, str]) -> bytes:
        """The body with media URLs replaced by the data URLs in ``contents``."""
        return _dumped(_replaced(self.values, contents))

    def for_prefill(self, added: Mapping[str, Any]) -> bytes:
        """The body for the same prompt and one output token, with ``added`` at its top level."""
        kept = {name: value for name, value in self.values.items() if name not in ONE_TOKEN}
        return _dumped({**kept, "max_tokens": 1, **added})

    def with_fields(self, added: Mapping[str, Any]) -> Parts:
        """The body with ``added`` at its top level; objects that exist are merged."""
        if not added:
            return (self.raw,)
        plain = json.detect_encoding(self.raw) == "utf-8" and self.values
        if not plain or any(name in self.values for name in added):
            merged = dict(self.values)
            for name, value in added.items():
                before = merged.get(name)
                merged[name] = {**before, **value} if isinstance(before, dict) and isinstance(value, dict) else value
            return (_dumped(merged),)
        end = self.raw.rindex(b"}")
        return memoryview(self.raw)[:end], b"," + _dumped(dict(added))[1:]


def read_chat(raw: bytes, most_pixels: int) -> Chat:
    """Parses a body. Raises :class:`Refusal` (400) if it is no JSON object or has an image that is refused."""
    values = object_in(raw)
    messages = values.get("messages")
    messages = [one for one in messages if isinstance(one, dict)] if isinstance(messages, list) else []
    addresses = list(islice((url for message in messages for url in _addresses(message)), MOST_PICTURES + 1))
    if len(addresses) > MOST_PICTURES:
        raise Refusal(400, f"a request has more than {MOST_PICTURES} images")
    pictures = [checked_picture(url, most_pixels) for url in addresses]
    check_together(pictures, most_pixels)
    users = [message for message in messages if message.get("role") == "user"]
    return Chat(raw, values, _text_of(users[-1]) if users else "", tuple(pictures))


def object_in(raw: bytes) -> dict[str, Any]:
    """The JSON object in a body. Raises :class:`Refusal` (400) if it is none, or has more than :data:`MOST_VALUES`:
    Python's parser lets nothing else run, so that the number is bounded before it begins."""
    if raw.count(b"{") + raw.count(b"[") + raw.count(b",") > MOST_VALUES:
        raise Refusal(400, f"the body has more than {MOST_VALUES:,} values")
    try:
        values = json.loads(raw)
    except (ValueError, RecursionError):
        raise Refusal(400, "the body is not valid JSON") from None
    if not isinstance(values, dict):
        raise Refusal(400, "the body has to be a JSON object")
    return values


def _replaced(values: Any, contents: Mapping[str, str]) -> Any:
    if isinstance(values, str):
        return contents.get(values, values)
    if isinstance(values, list):
        return [_replaced(each, contents) for each in values]
    if isinstance(values, dict):
        return {name: _replaced(value, contents) for name, value in values.items()}
    return values


def _parts(message: dict[str, Any]) -> list[Any]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _text_of(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    texts = (part.get("text") if isinstance(part, dict) else part for part in _parts(message))
    return "\n".join(text for text in texts if isinstance(text, str))


def _addresses(message: dict[str, Any]) -> Iterator[str]:
    """The URLs of the images in a message. Raises :class:`Refusal` (400) for URLs of other media, and for parts of
    unknown types and shapes: a server behind may find an address in them and fetch it."""
    if not isinstance(message.get("content"), str | list | None):
        raise Refusal(400, "messages: a content is a text or a list of parts")
    for part in _parts(message):
        if isinstance(part, str):
            continue
        if not isinstance(part, dict) or not _is_known(part):
            raise Refusal(400, f"messages: a part of unknown type or shape; known are {', '.join(sorted(PART_TYPES))}")
        for name in MEDIA:
            held = part.get(name)
            if held is None:
                continue
            url = _address_in(name, held)
            if name == "image_url":
                yield url
            elif (name.endswith("_url") and url[:5].lower() != "data:") or "://" in url[:64]:
                raise Refusal(400, f"{name}: addresses are not fetched; send the data itself")


def _is_known(part: dict[str, Any]) -> bool:
    kind, others = part.get("type", "text"), part.keys() - PART_FIELDS
    texts = [part[name] for name in ("text", "refusal", "thinking") if name in part]
    return (
        isinstance(kind, str)
        and kind in PART_TYPES
        and all(isinstance(text, str | None) for text in texts)
        and all(name in BOUNDS and isinstance(part[name], int | float) for name in others)
    )


def _address_in(name: str, held: Any) -> str:
    """The address or the data in a medium. Raises :class:`Refusal` (400) if it is of another shape."""
    if name.endswith("_url"):
        url = held.get("url") if isinstance(held, dict) else held
        others = held.keys() - {"url", "detail", "uuid", *BOUNDS} if isinstance(held, dict) else ()
    else:
        field, also = ("data", "format") if name == "input_audio" else ("file_data", "filename")
        url = held.get(field) if isinstance(held, dict) else held
        others = held.keys() - {field, also} if isinstance(held, dict) else ()
    if not isinstance(url, str) or others:
        raise Refusal(400, f"{name}: of unknown shape; send the data itself")
    return url


def _dumped(values: Any) -> bytes:
    return json.dumps(values, separators=(",", ":")).encode("ascii")
