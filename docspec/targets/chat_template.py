"""The chat template that ``AutoProcessor`` would take, rendered within bounds.

A template is a program of the checkpoint's. transformers runs it in a sandbox that keeps it from the system but not
from running for ever, so here it is stopped after some seconds, and what it writes is bounded too.
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

SECONDS = 5.0
"""A template of the published sizes takes a millisecond."""

MAX_CHARACTERS = 200_000
"""Of a rendered prompt; the instruction itself is a few hundred."""


def find_template(path: str, tokenizer: Any, default: str | None = None) -> tuple[str, str]:
    """The template of the checkpoint in ``path`` and the file that it stands in, in the order of ``AutoProcessor``.

    That is the processor's configuration, ``chat_template.json``, ``chat_template.jinja``, only then what the tokenizer
    brings, and at last ``default``. Raises :class:`docspec.core.ModelError` where there is none.
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
    """``messages`` as a prompt that asks for an answer; the template is told the ``arguments`` too.

    Raises :class:`docspec.core.ModelError` naming ``file`` where the template fails, is not done after ``seconds`` or
    writes too much.
    """
    return rendered(
        lambda: tokenizer.apply_chat_template(
            messages, chat_template=template, tokenize=False, add_generation_prompt=True, **arguments
        ),
        f"{file}: the chat template",
        seconds,
    )


def rendered(work: Callable[[], str], what: str, seconds: float = SECONDS) -> str:
    """What a template writes, by ``work``. Raises :class:`docspec.core.ModelError` about ``what`` where it fails, is
    not done after ``seconds`` or writes too much."""
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
    """Raised inside the template."""


def bounded(work: Callable[[], str], seconds: float) -> str:
    """``work()``, interrupted at the next line of Python after ``seconds``.

    A trace sees every line that a template runs, in whichever thread and on whichever system; an alarm signal would
    need the main thread and Unix.
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
