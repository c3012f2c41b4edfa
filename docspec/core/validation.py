"""Reads JSON files that anybody may have changed into dataclasses: types, choices and required fields are checked, and
unknown fields are left out."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from docspec.core.safe_text import REPLACEMENT

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")
_SURROGATE = re.compile("[\ud800-\udfff]")


class InvalidValues(ValueError):
    """Values of the wrong form; the message says in one line what is wrong and where."""


def parsed_as(kind: type[T], data: bytes | str) -> T:
    """``data`` (JSON) as a ``kind``, a dataclass. Raises :class:`InvalidValues`, also if it is no JSON."""
    from pydantic import ValidationError

    try:
        value: T = _adapter(cast(Hashable, kind)).validate_json(data, strict=True)
    except ValidationError as error:
        raise InvalidValues(_line(error)) from error
    return value


def values_as(kind: type[T], values: Mapping[str, Any]) -> T:
    """``values`` of parsed JSON as a ``kind``; lone surrogates become U+FFFD. Raises :class:`InvalidValues`."""
    try:
        data = _SURROGATE.sub(REPLACEMENT, json.dumps(values, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidValues(str(error)) from error
    return parsed_as(kind, data)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    adapter.rebuild(_types_namespace={"Image": Any})  # Pillow's, imported for type checkers alone
    return adapter


def _line(error: Any) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg']}" if where else str(first["msg"])
