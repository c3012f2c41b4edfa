"""Values that no honest writer puts into a file: JSON, TOML and lines of JSON changed in one place, by a seed."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

NASTY: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**63,
    10**400,
    1e308,
    float("nan"),
    float("-inf"),
    "",
    "oj",
    "\0",
    "\ud800",
    "\x1b[2J",
    "../victim.txt",
    "victim.txt",
    "1/99999999",
    "<script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    "x" * 100_000,
    [],
    {},
    [[1, 2]],
    {"a": {"b": [None]}},
    [0] * 10_000,
    [10**30, -(10**30), 0.5, "1"],
)


class Deep:
    """A value that is nested deeper than any reader follows; :func:`dumps` writes it out."""


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in ``value``: keys and indices from the outside in, containers before what they hold."""
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from places(inner, (*path, index))


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """``value`` with ``new`` at ``path``."""
    if not path:
        return new
    whole = copy.deepcopy(value)
    inner = whole
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = new
    return whole


def without(value: Any, path: tuple[Any, ...]) -> Any:
    """``value`` without what stands at ``path``."""
    whole = copy.deepcopy(value)
    inner = whole
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return whole


def dumps(value: Any) -> bytes:
    """``value`` as JSON, lone surrogates and numbers without end included."""
    deep = f'"{Deep.__name__}"'
    text = json.dumps(value, default=lambda other: Deep.__name__)
    return text.replace(deep, "[" * 100_000 + "]" * 100_000).encode()


def one_changed(value: Any, random: Random) -> tuple[str, Any]:
    """``value`` with one place changed, and what was done."""
    path = random.choice(list(places(value)))
    where = ".".join(map(str, path)) or "all of it"
    if path and random.random() < 0.2:
        return f"{where} left out", without(value, path)
    new = random.choice((*NASTY, Deep()))
    return f"{where}: {named(new)}", changed(value, path, new)


def named(value: Any) -> str:
    """``value`` in a few characters."""
    return "nested deeply" if isinstance(value, Deep) else repr(str(value)[:20])


def damaged(data: bytes, random: Random) -> tuple[str, bytes]:
    """``data`` with bytes changed, cut off, or said twice."""
    match random.randrange(4):
        case 0:
            out = bytearray(data)
            for _ in range(random.choice((1, 5, 50))):
                out[random.randrange(len(out))] = random.randrange(256)
            return "bytes changed", bytes(out)
        case 1:
            return "cut off", data[: random.randrange(len(data))]
        case 2:
            start = random.randrange(len(data))
            return "said twice", data[:start] + data[: random.randrange(len(data))] + data[start:]
        case _:
            return "not UTF-8", data[: len(data) // 2] + b"\xff\xfe\x80" + data[len(data) // 2 :]


def mutated(data: bytes, random: Random, *, by_line: bool = False) -> tuple[str, bytes]:
    """One hostile version of ``data``, which is JSON, or lines of it."""
    if random.random() < 0.3:
        return damaged(data, random)
    if not by_line:
        what, value = one_changed(json.loads(data), random)
        return what, dumps(value)
    lines = data.splitlines(keepends=True)
    number = random.randrange(len(lines))
    what, value = one_changed(json.loads(lines[number]), random)
    return f"line {number}: {what}", b"".join((*lines[:number], dumps(value) + b"\n", *lines[number + 1 :]))
