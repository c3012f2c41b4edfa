"""Reads JSON files that anybody may have changed into dataclasses: types, choices and required fields are checked,
unknown fields are left out, and impossible values of pages are found."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from docspec.core.result import PageResult
from docspec.core.safe_text import REPLACEMENT

if TYPE_CHECKING:
    from pydantic import TypeAdapter


MOST = 2**53
"""The largest number allowed; a float holds it exactly."""
LONGEST_SIDE = 100_000
"""Pixels; pages are drawn with at most 30,000 a side."""


def check_page(page: PageResult) -> None:
    """Raises :class:`docspec.core.validation.InvalidValues` for a page with well-formed but impossible values: sizes
    beyond bounds, counts below 0, infinite numbers, positions outside of a text."""
    for name, number in _numbers(page, "page"):
        alone = name.endswith("margin") and number == math.inf  # of a choice without a second one
        if not -MOST <= number <= MOST and not alone:  # NaN is neither
            raise InvalidValues(f"{name} is no number that a page can have")
    if page.number < 1 or not (0 <= page.width <= LONGEST_SIDE and 0 <= page.height <= LONGEST_SIDE):
        raise InvalidValues(f"page {page.number} of {page.width} by {page.height} pixels")
    for name, count in _counts(page):
        if count < 0:
            raise InvalidValues(f"{name} is {count}")
    for start, end, text in _places(page):
        if not 0 <= start <= end <= len(text):
            raise InvalidValues(f"a place from {start} to {end} in {len(text)} characters")


def _numbers(value: Any, name: str) -> Iterator[tuple[str, float]]:
    """All numbers within ``value``, with the name of the field that holds them."""
    if isinstance(value, int | float):
        yield name, value
    elif isinstance(value, tuple | Mapping):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _numbers(each, name)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _numbers(getattr(value, field.name), field.name)


def _counts(page: PageResult) -> Iterator[tuple[str, float]]:
    for block in page.blocks:
        yield from (("trusted", block.trusted), ("level", block.level), ("points", block.points))
        for cell in block.cells:
            yield from (("row", cell.row), ("column", cell.column), ("rows", cell.rows), ("columns", cell.columns))
    if page.cut is not None:
        yield from (("kept", page.cut.kept), ("dropped", page.cut.dropped))
    if (provenance := page.provenance) is not None:
        yield from (("steps", count) for count in provenance.steps)
        yield from (("origins", count) for _, count in provenance.origins)
        yield from (("after", one.after + 1) for one in provenance.left_out)


def _places(page: PageResult) -> Iterator[tuple[int, int, str]]:
    for block in page.blocks:
        yield from ((mark.start, mark.end, block.text) for mark in block.marks)
        yield from ((word.start, word.end, block.text) for word in block.places)
        yield from ((cell.start, cell.end, block.text) for cell in block.cells)
    if (provenance := page.provenance) is None:
        return
    if len(provenance.spans) != len(page.blocks):
        raise InvalidValues(f"spans of {len(provenance.spans)} blocks on a page of {len(page.blocks)}")
    for block, spans in zip(page.blocks, provenance.spans, strict=True):
        yield from ((span.start, span.end, block.text) for span in spans)
    for number in provenance.numbers:
        if not 0 <= number.block < len(page.blocks):
            raise InvalidValues(f"a number in block {number.block}, which the page has not")
        yield number.start, number.end, page.blocks[number.block].text


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
