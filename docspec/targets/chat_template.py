"""Renders the chat template that ``AutoProcessor`` would use, with limits of time and size.

A template is a program that comes with the checkpoint. transformers runs it in a sandbox that protects the system but
does not stop endless loops; here it is stopped after some seconds, and its output is limited.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from docspec.core import ModelError
from docspec.core.safe_text import first_line
from docspec.targets.validation import read_object

IMAGE = "{image}"
"""The position of the image in a prompt; without it the image comes before the text."""

SECONDS = 5.0
"""Time limit; a template of the published sizes takes a millisecond."""

MAX_CHARACTERS = 200_000
"""Limit of a rendered prompt; the instruction itself has a few hundred characters."""


def find_template(path: str, tokenizer: Any, default: str | None = None) -> tuple[str, str]:
    """The chat template of the checkpoint in ``path`` and the name of its file, searched in the order of
    ``AutoProcessor``.

    That is the processor's configuration, ``chat_template.json``, ``chat_template.jinja``, then the tokenizer's own,
    and finally ``default``. Raises :class:`docspec.core.ModelError` if there is none.
    """
    directory = Path(path)
    for name in ("processor_config.json", "chat_template.json"):
        if (directory / name).is_file():
            said = read_object(directory / name).get("chat_template")
            if said is not None:
                return _default(said, directory / name), name
    if (directory / "chat_template.jinja").is_file():
        try:
            return (directory / "chat_template.jinja").read_text(encoding="utf-8"), "chat_template.jinja"
        except (OSError, ValueError) as error:
            raise ModelError(f"{directory / 'chat_template.jinja'}: {first_line(error)}") from error
    if tokenizer.chat_template is not None:
        return _default(tokenizer.chat_template, directory / "tokenizer_config.json"), "tokenizer_config.json"
    if default is not None:
        return default, "the family's own template"
    raise ModelError(f"{path} has no chat template; put the published chat_template.jinja beside the weights")


def _default(template: Any, file: Path) -> str:
    """A template, or the one called ``default`` of several."""
    if isinstance(template, dict):
        template = template.get("default")
    if not isinstance(template, str):
        raise ModelError(f"{file}: chat_template is not text; write it as in the published checkpoint")
    return template


def render(
    tokenizer: Any, template: str, messages: list[dict[str, Any]], file: str, seconds: float = SECONDS, **arguments: Any
) -> str:
    """``messages`` as a prompt that asks for an answer; ``arguments`` are passed to the template.

    Raises :class:`docspec.core.ModelError` naming ``file`` if the template fails, takes more than ``seconds`` or writes
    too much.
    """
    return rendered(
        lambda: tokenizer.apply_chat_template(
            messages, chat_template=template, tokenize=False, add_generation_prompt=True, **arguments
        ),
        f"{file}: the chat template",
        seconds,
    )


def rendered(work: Callable[[], str], what: str, seconds: float = SECONDS) -> str:
    """The output of a template, rendered by ``work``. Raises :class:`docspec.core.ModelError` about ``what`` if it
    fails, takes more than ``seconds`` or writes too much."""
    try:
        text = bounded(work, seconds)
    except TooLongError:
        raise ModelError(f"{what} did not end within {seconds:g} s") from None
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"{what} fails ({first_line(error)})") from error
    if len(text) > MAX_CHARACTERS:
        raise ModelError(f"{what} writes {len(text)} characters for one page")
    return text


class TooLongError(Exception):
    """Raised inside the template at the time limit."""


def bounded(work: Callable[[], str], seconds: float) -> str:
    """The result of ``work()``, interrupted at the next line of Python after ``seconds``.

    A trace function sees every line that a template runs, in any thread and on any system; an alarm signal would need
    the main thread and Unix.
    """
    end = time.monotonic() + seconds

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if time.monotonic() > end:
            raise TooLongError
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return work()
    finally:
        sys.settrace(before)
