"""What servers send: JSON values, why an answer ended, and answers that are none: withheld by a filter, refused,
written beside the text, or something else in their place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from docspec.core import Failure, PageError
from docspec.core.safe_text import first_line, one_line
from docspec.generation.interface import FinishReason

MOST_ERROR, MOST_QUOTED = 300, 120
"""Characters that a message quotes of a server's own error, and of an answer that is none."""


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


def items_in(value: Any, name: str) -> list[Mapping[str, Any]]:
    """The objects in the list ``name`` of an object. Raises :class:`RepeatError` if there are none."""
    if isinstance(value, Mapping) and is_error(value):
        raise RepeatError(f"it answers with an error: {error_in(json.dumps(value).encode())}")
    items = value.get(name) if isinstance(value, Mapping) else None
    mappings = [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
    if not mappings:
        raise RepeatError(f"its answer has no {name}: {quoted(json.dumps(value))}")
    return mappings


def quoted(text: str) -> str:
    """The beginning of what a server sent, on one line."""
    return one_line(text[: 2 * MOST_QUOTED].strip())[:MOST_QUOTED]


def is_error(value: Mapping[str, Any]) -> bool:
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
    return one_line(str(said))[:MOST_ERROR]


STOPPED = frozenset(
    ("stop", "eos", "eos_token", "end_turn", "stop_sequence", "completed", "tool_calls", "function_call")
)
"""``finish_reason`` of answers that the model ended, of OpenAI's interface and of servers that speak it."""

CUT = frozenset(("length", "max_tokens", "max_output_tokens", "repetition"))
"""Those of answers that their limit ended, or the server where they only repeated themselves (vLLM)."""

WITHHELD = frozenset(("content_filter", "refusal", "safety", "recitation", "sensitive", "blocklist"))
"""Those of answers of which something was left out on purpose."""

MOST_SAID = 200
"""Characters of a refusal that a message quotes."""


class RepeatError(Exception):
    """The request can be repeated, here or elsewhere: no answer came, or one that is no completion. ``retry_after``:
    seconds for which the server asks to be left alone; ``silent``: it sent nothing until the time limit."""

    def __init__(self, why: str, retry_after: float = 0.0, silent: bool = False) -> None:
        super().__init__(why)
        self.retry_after = retry_after
        self.silent = silent


def finish_of(reason: Any) -> FinishReason:
    """Why an answer ended, by its ``finish_reason``. Raises :class:`docspec.core.PageError` if something was withheld,
    and :class:`RepeatError` if the answer was broken off or says nothing that is known of its end."""
    word = str(reason).lower()
    if word in STOPPED:
        return "stop"
    if word in CUT:
        return "length"
    if word in WITHHELD:
        raise PageError(f"the server withheld the answer, or a part of it (finish_reason {word})", Failure.REFUSED)
    if reason is None:
        raise RepeatError("its answer does not say why it ended")
    raise RepeatError(f"it broke its answer off ({one_line(word)[:40]})")


class OtherFields:
    """The parts of an answer that are not its text: a refusal, thoughts that the server parsed away, calls of tools."""

    def __init__(self) -> None:
        self._refusal = ""
        self._thought = self._called = False

    def take(self, message: Any) -> None:
        """Adds a message, or a piece of a streamed one."""
        if not isinstance(message, Mapping):
            return
        refusal = message.get("refusal")
        self._refusal += refusal if isinstance(refusal, str) else ""
        self._thought |= any(bool(message.get(name)) for name in ("reasoning_content", "reasoning"))
        self._called |= any(bool(message.get(name)) for name in ("tool_calls", "function_call"))

    def check(self, text: str) -> None:
        """Raises :class:`docspec.core.PageError` if these stand in the place of the answer's ``text``."""
        if self._refusal:
            raise PageError(f"the model refuses: {one_line(self._refusal)[:MOST_SAID]}", Failure.REFUSED)
        if text.strip():
            return
        if self._thought:
            raise PageError(
                "the answer has no text, the server took all of it for thoughts (reasoning_content); start it without"
                " --reasoning-parser (llama.cpp: with --reasoning-format none)",
                Failure.REFUSED,
            )
        if self._called:
            raise PageError(
                "the answer has no text, the server took all of it for calls of tools; start it without"
                " --tool-call-parser and --enable-auto-tool-choice",
                Failure.REFUSED,
            )
