"""Seeded damage to a PDF or an image: the kinds of harm that transfers, disks and bad writers do."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

_OBJECT = re.compile(rb"\d+ \d+ obj\b.*?endobj", re.DOTALL)
_STREAM = re.compile(rb"stream\r?\n(.+?)endstream", re.DOTALL)
_NUMBER = re.compile(rb"(?<=[ /\[])\d{1,9}(?=[ /\]\r\n>])")
_XREF = re.compile(rb"(xref[\r\n ].*?trailer|startxref\s+\d+|/W ?\[[^\]]*\]|/Prev \d+|/Size \d+)", re.DOTALL)


def mutant(data: bytes, seed: int, image: bool = False) -> tuple[str, bytes]:
    """One damaged version of ``data`` and what kind of damage it is; the same for the same seed."""
    random = Random(seed)
    kinds = list(KINDS)[: IMAGE_KINDS if image else len(KINDS)]
    kind = kinds[seed % len(kinds)]
    return kind, KINDS[kind](data, random)


def _flip(data: bytes, random: Random) -> bytes:
    out = bytearray(data)
    for _ in range(random.choice((1, 3, 10, 50))):
        out[random.randrange(len(out))] ^= 1 << random.randrange(8)
    return bytes(out)


def _truncate(data: bytes, random: Random) -> bytes:
    return data[: int(len(data) * random.choice((0.2, 0.5, 0.9, 0.99)) * random.uniform(0.9, 1))]


def _swap(data: bytes, random: Random) -> bytes:
    size = min(random.choice((64, 512, 4096)), len(data) // 4)
    a, b = sorted((random.randrange(len(data) // 2 - size), random.randrange(len(data) // 2, len(data) - size)))
    return data[:a] + data[b : b + size] + data[a + size : b] + data[a : a + size] + data[b + size :]


def _wipe(data: bytes, random: Random) -> bytes:
    size = min(random.choice((16, 256, 4096)), len(data) // 4)
    start = random.randrange(len(data) - size)
    return data[:start] + bytes(size) + data[start + size :]


def _in_one(pattern: re.Pattern[bytes], change: Callable[[bytes, Random], bytes]) -> Callable[[bytes, Random], bytes]:
    """``change`` applied to one place that ``pattern`` finds; any other damage where it finds none."""

    def damage(data: bytes, random: Random) -> bytes:
        found = list(pattern.finditer(data))
        if not found:
            return _flip(data, random)
        match = random.choice(found)
        start, end = match.span(match.lastindex or 0)
        return data[:start] + change(data[start:end], random) + data[end:]

    return damage


def _delete(part: bytes, random: Random) -> bytes:
    return b" " * len(part) if random.random() < 0.5 else b""


def _corrupt(part: bytes, random: Random) -> bytes:
    out = bytearray(part)
    for _ in range(random.choice((1, 4, 40))):
        out[random.randrange(len(out))] = random.randrange(256)
    return bytes(out)


def _digits(part: bytes, random: Random) -> bytes:
    return re.sub(rb"\d", lambda digit: b"%d" % random.randrange(10) if random.random() < 0.2 else digit[0], part)


def _other_number(part: bytes, random: Random) -> bytes:
    return random.choice((b"0", b"-1", b"1", b"65536", b"2147483647", b"99999999999", b"1e9", part + b"0"))


KINDS: dict[str, Callable[[bytes, Random], bytes]] = {
    "bytes flipped": _flip,
    "cut off": _truncate,
    "chunks swapped": _swap,
    "chunk wiped": _wipe,
    "cross-reference": _in_one(_XREF, _digits),
    "object deleted": _in_one(_OBJECT, _delete),
    "stream damaged": _in_one(_STREAM, _corrupt),
    "number changed": _in_one(_NUMBER, _other_number),
}
IMAGE_KINDS = 4
"""The first of them are for any file."""
