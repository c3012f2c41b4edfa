"""Builds the bodies of ``/v1/chat/completions`` and reads what servers say of themselves: lists of models, and vLLM's
counters of speculative decoding. Nothing here opens a connection.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from PIL import Image

from docspec.generation.interface import GenerationRequest
from docspec.generation.server.endings import RepeatError, items_in
from docspec.targets.chat_template import IMAGE

VLLM = "vllm"
"""``owned_by`` in vLLM's list of models."""

PNG = "data:image/png;base64"
QUALITY = 90
"""Of pictures as JPEG: print stays as sharp as that of a scan."""

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


def models_in(listed: Any) -> list[ServedModel]:
    """The models of an answer of ``/v1/models``. Raises :class:`RepeatError`."""
    models = []
    for card in items_in(listed, "data"):
        name = card.get("id")
        if isinstance(name, str) and name:
            length = card.get("max_model_len")
            models.append(
                ServedModel(
                    name,
                    str(card.get("root") or ""),
                    length if isinstance(length, int) and length > 0 else None,
                    str(card.get("owned_by") or ""),
                )
            )
    if not models:
        raise RepeatError("its list of models is empty")
    return models


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
        if request.margins:
            body.update(logprobs=True, top_logprobs=2)
        if model.takes_extras:
            body["return_token_ids"] = True
            if request.template_arguments:
                body["chat_template_kwargs"] = dict(request.template_arguments)
            if request.special_tokens:
                body["skip_special_tokens"] = False
            if request.drafts:
                body["vllm_xargs"] = {"docspec_drafts": list(request.drafts), "docspec_kind": request.kind}
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


def packed_pictures(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """``body`` with its pictures as JPEG: of the same size, with a part of the bytes; ``None`` if that saves none."""
    messages = [{**one, "content": [_packed(part) for part in one["content"]]} for one in body["messages"]]
    return {**body, "messages": messages} if messages != body["messages"] else None


def _packed(part: dict[str, Any]) -> dict[str, Any]:
    head, _, data = part.get("image_url", {}).get("url", "").partition(",")
    if head != PNG:
        return part
    buffer = io.BytesIO()
    with Image.open(io.BytesIO(base64.b64decode(data))) as image:
        image.convert("RGB").save(buffer, format="JPEG", quality=QUALITY)
    packed = base64.b64encode(buffer.getvalue()).decode("ascii")
    return part if len(packed) >= len(data) else {**part, "image_url": {"url": f"data:image/jpeg;base64,{packed}"}}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _picture(image: Any) -> dict[str, Any]:
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", compress_level=1)  # lossless; a smaller file would cost more than it saves
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"{PNG},{data}"}}


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
    sums: dict[str, float] = {}
    for name, value in SAMPLE.findall(text):
        sums[name] = sums.get(name, 0.0) + float(value)
    if COUNTERS["drafts"] not in sums:
        return None
    return ServerCounts(**{ours: int(sums.get(theirs, 0)) for ours, theirs in COUNTERS.items()})
