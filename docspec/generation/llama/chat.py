"""The chat template that a GGUF file brings, rendered around a prompt and its picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from docspec.core import ModelError
from docspec.targets.chat_template import rendered

IMAGE = "{image}"
"""Where a prompt says that the picture stands; without it, before the text."""

BEFORE, AFTER = "\x02before\x02", "\x02after\x02"
"""Stand for the texts on both sides of the picture while its place is looked for; no template writes their like."""


@dataclass(frozen=True, slots=True)
class Framed:
    """The texts before and after the picture. ``begins``: the tokenizer's own first token is wanted before them."""

    before: str
    after: str
    begins: bool


def frame(template: str, prompt: str, image: bool, bos: str = "", arguments: Mapping[str, Any] | None = None) -> Framed:
    """``prompt`` as a user's message that asks for an answer; ``bos`` is the text of the first token of all, and the
    template is told ``arguments`` too.

    What the template writes for a picture is found by leaving the picture out: llama.cpp writes marks of its own around
    it. White space on both sides of it is kept. Raises :class:`docspec.core.ModelError` where the template fails, does
    not end, or shows no picture.
    """
    before, _, after = prompt.rpartition(IMAGE)
    if not image:
        whole = _rendered(template, [{"type": "text", "text": before + after}], bos, arguments)
        return Framed(whole, "", not (bos and whole.startswith(bos)))
    texts = [{"type": "text", "text": BEFORE}, {"type": "text", "text": AFTER}]
    shown = _rendered(template, [texts[0], {"type": "image"}, texts[1]], bos, arguments)
    start, end = _difference(shown, _rendered(template, texts, bos, arguments))
    mark = shown[start:end]
    if not mark.strip():
        raise ModelError("the chat template of the model shows no picture; take the published template")
    start += len(mark) - len(mark.lstrip())
    end -= len(mark) - len(mark.rstrip())
    said = [shown[:start], shown[end:]]
    first, last = (part.replace(BEFORE, before).replace(AFTER, after) for part in said)
    return Framed(first, last, not (bos and first.startswith(bos)))


def _difference(longer: str, shorter: str) -> tuple[int, int]:
    """Where ``longer`` has what ``shorter`` lacks: first and last index."""
    start = 0
    while start < len(shorter) and longer[start] == shorter[start]:
        start += 1
    most = len(shorter) - start
    end = 0
    while end < most and longer[-1 - end] == shorter[-1 - end]:
        end += 1
    return start, len(longer) - end


def _rendered(template: str, parts: list[dict[str, str]], bos: str, arguments: Mapping[str, Any] | None) -> str:
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def refuse(message: str) -> None:
        raise ModelError(f"the chat template of the model refuses the prompt: {message}")

    # As transformers sets its environment up (``utils/chat_template_utils.py``).
    environment: Any = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.globals["raise_exception"] = refuse
    messages = [{"role": "user", "content": parts}]
    return rendered(
        lambda: environment.from_string(template).render(
            **(arguments or {}), messages=messages, add_generation_prompt=True, bos_token=bos, eos_token=""
        ),
        "the chat template of the model",
    )
