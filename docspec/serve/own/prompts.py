"""Conversations as model inputs, framed by the checkpoint's chat template, with images where the client placed them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docspec.core import DocspecError
from docspec.serve.own.asking import ChatRequest
from docspec.serve.refusal import Refusal
from docspec.targets.chat_template import IMAGE
from docspec.targets.own_processor import OwnProcessor
from docspec.targets.protocol import Prompt

if TYPE_CHECKING:
    from docspec.targets.adapter import TransformersTarget


def prompt_of(target: TransformersTarget, ask: ChatRequest) -> Prompt:
    """The model's inputs for ``ask``. Raises :class:`Refusal` (400)."""
    try:
        if isinstance(target.processing, OwnProcessor):
            inputs = target.processing.encode_chat(ask.messages, ask.images)
            return Prompt(inputs, int(inputs["input_ids"].shape[1]))
        return target.encode(*_single(ask))
    except DocspecError as error:
        raise Refusal(400, str(error)) from None


def _single(ask: ChatRequest) -> tuple[Any, str]:
    """Image and prompt for models whose prompts docspec frames: one image and one user message."""
    users = [message for message in ask.messages if message["role"] == "user"]
    if len(ask.images) != 1 or len(users) != len(ask.messages) or len(users) != 1:
        raise Refusal(400, "this model takes one image and one message of a user")
    parts = [IMAGE if part["type"] == "image" else part["text"] for part in users[0]["content"]]
    return ask.images[0], "".join(parts)
