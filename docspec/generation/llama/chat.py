"""The chat template that a GGUF file brings, rendered around a prompt and its picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from docspec.core import ModelError
from docspec.targets.chat_template import IMAGE, rendered

BEFORE, AFTER = "\x02before\x02", "\x02after\x02"
"""Placeholders for the texts beside the image while its place is searched; no template writes them."""


@dataclass(frozen=True, slots=True)
class Framed:
    """The texts before and after the image. ``add_bos``: the tokenizer has to put its own first token before them."""

    before: str
    after: str
    add_bos: bool


def frame(template: str, prompt: str, image: bool, bos: str = "", arguments: Mapping[str, Any] | None = None) -> Framed:
    """Renders ``prompt`` as a user's message with the beginning of an answer; ``bos`` is the text of the tokenizer's
    first token, and ``arguments`` are passed to the template.

    The template's marks for an image, found by rendering it without one, are dropped, because llama.cpp writes its own;
    white space on both sides is kept. If a template takes a message as one text (dots.ocr's), the image stands where
    the prompt has it. Raises :class:`docspec.core.ModelError` if the template fails, does not end, or writes nothing
    for an image.
    """
    before, _, after = prompt.rpartition(IMAGE)
    texts = [{"type": "text", "text": BEFORE}, {"type": "text", "text": AFTER}]
    try:
        shown = _rendered(template, [texts[0], {"type": "image"}, texts[1]] if image else texts, bos, arguments)
        takes_parts = "'type'" not in shown  # a list of parts as Python prints it
    except ModelError as error:
        if error.__cause__ is None:  # the template refused the image or did not end
            raise
        takes_parts = False
    if not takes_parts:
        first, told, last = _rendered(template, BEFORE, bos, arguments).partition(BEFORE)
        if not told:
            raise ModelError("the chat template of the model leaves the prompt out; take the published template")
        first, last = first + before, after + last
    elif image:
        first, last = _around_picture(shown, _rendered(template, texts, bos, arguments))
    else:
        first, last = shown, ""
    first, last = (part.replace(BEFORE, before).replace(AFTER, after) for part in (first, last))
    add_bos = not (bos and first.startswith(bos))
    return Framed(first, last, add_bos) if image else Framed(first + last, "", add_bos)


def _around_picture(shown: str, without: str) -> tuple[str, str]:
    """The template's text before and after the image, found by comparing it with that ``without`` one."""
    start, end = _difference(shown, without)
    mark = shown[start:end]
    if not mark.strip():
        raise ModelError("the chat template of the model shows no picture; take the published template")
    start += len(mark) - len(mark.lstrip())
    end -= len(mark) - len(mark.rstrip())
    return shown[:start], shown[end:]


def _difference(longer: str, shorter: str) -> tuple[int, int]:
    """Start and end of the part of ``longer`` that ``shorter`` lacks."""
    start = 0
    while start < len(shorter) and longer[start] == shorter[start]:
        start += 1
    most = len(shorter) - start
    end = 0
    while end < most and longer[-1 - end] == shorter[-1 - end]:
        end += 1
    return start, len(longer) - end


def _rendered(template: str, content: str | list[dict[str, str]], bos: str, arguments: Mapping[str, Any] | None) -> str:
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def refuse(message: str) -> None:
        raise ModelError(f"the chat template of the model refuses the prompt: {message}")

    # As transformers sets its environment up (``utils/chat_template_utils.py``).
    environment: Any = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.globals["raise_exception"] = refuse
    messages = [{"role": "user", "content": content}]
    return rendered(
        lambda: environment.from_string(template).render(
            **(arguments or {}), messages=messages, add_generation_prompt=True, bos_token=bos, eos_token=""
        ),
        "the chat template of the model",
    )
