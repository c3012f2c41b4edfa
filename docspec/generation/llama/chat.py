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
    it. White space on both sides of it is kept. In a template that takes a message as one text (dots.ocr's) the picture
    stands where the prompt says. Raises :class:`docspec.core.ModelError` where the template fails, does not end, or
    shows no picture.
    """
    before, _, after = prompt.rpartition(IMAGE)
    texts = [{"type": "text", "text": BEFORE}, {"type": "text", "text": AFTER}]
    try:
        shown = _rendered(template, [texts[0], {"type": "image"}, texts[1]] if image else texts, bos, arguments)
        takes_parts = "'type'" not in shown  # as Python writes out a list of parts
    except ModelError as error:
        if error.__cause__ is None:  # it refuses pictures, or did not end
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
    begins = not (bos and first.startswith(bos))
    return Framed(first, last, begins) if image else Framed(first + last, "", begins)


def _around_picture(shown: str, without: str) -> tuple[str, str]:
    """What a template has written before and after a picture, told by what it writes ``without`` one."""
    start, end = _difference(shown, without)
    mark = shown[start:end]
    if not mark.strip():
        raise ModelError("the chat template of the model shows no picture; take the published template")
    start += len(mark) - len(mark.lstrip())
    end -= len(mark) - len(mark.rstrip())
    return shown[:start], shown[end:]


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
