"""JSON values in what servers send, and what a server sent in their place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from docspec.core.safe_text import first_line, one_line
from docspec.generation.server.endings import RepeatError

MOST_SAID, MOST_QUOTED = 300, 120
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
    return one_line(str(said))[:MOST_SAID]
