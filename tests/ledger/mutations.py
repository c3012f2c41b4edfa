"""Faults that a writer could have: parts of a finished Markdown removed, swapped or written twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

WORD = re.compile(r"[A-Za-z0-9][\w.,]*\w|\d")
CELL = re.compile(r"(?<=\| )[^|\n]*\w[^|\n]*(?= \|)|(?<=<td>)[^<]*\w[^<]*(?=</td>)|(?<=<th>)[^<]*\w[^<]*(?=</th>)")


class Mutation(NamedTuple):
    """A changed output, and what was done to it."""

    what: str
    text: str


def words_of(text: str) -> list[tuple[int, int]]:
    """Where the words of a text stand; those of links, tags and markup are left alone."""
    syntax = [
        found.span() for found in re.finditer(r"!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)|<[^>]*>|^#+ ", text, re.MULTILINE)
    ]
    return [
        found.span()
        for found in WORD.finditer(text)
        if not any(start < found.end() and found.start() < end for start, end in syntax)
    ]


def cells_of(text: str) -> list[tuple[int, int]]:
    return [found.span() for found in CELL.finditer(text)]


def lines_of(text: str) -> list[tuple[int, int]]:
    """Lines of a page that have words, but for the rulers of tables and pictures."""
    return [
        found.span()
        for found in re.finditer(r"[^\n]+", text)
        if re.search(r"\w{2}", found[0]) and not found[0].startswith(("![", "<", "| ---"))
    ]


def blocks_of(text: str) -> list[tuple[int, int]]:
    found = re.finditer(r"(?:[^\n]+\n?)+", text)
    return [one.span() for one in found if re.search(r"\w{2}", one[0]) and not one[0].startswith("![")]


PARTS: dict[str, Callable[[str], list[tuple[int, int]]]] = {
    "word": words_of,
    "cell": cells_of,
    "line": lines_of,
    "block": blocks_of,
}


def mutated(text: str, part: str, way: str, random: Random) -> Mutation | None:
    """``text`` with one ``part`` of it removed, written twice, or two of them in each other's place; ``None`` where it
    has none, or where nobody could see a difference."""
    places = PARTS[part](text)
    if len(places) < (2 if way == "swap" else 1):
        return None
    start, end = random.choice(places)
    own = text[start:end]
    if way == "remove":
        return Mutation(f"removed {own!r}", text[:start] + text[end:])
    if way == "duplicate":
        gap = {"word": " ", "cell": " ", "line": "\n", "block": "\n\n"}[part]
        return Mutation(f"twice {own!r}", text[:end] + gap + text[start:])
    other = random.choice([place for place in places if place != (start, end)])
    (start, end), (first, last) = sorted([(start, end), other])
    one, two = text[start:end], text[first:last]
    if bare(one) == bare(two) or end > first:
        return None
    return Mutation(f"swapped {one!r} and {two!r}", text[:start] + two + text[end:first] + one + text[last:])


def bare(text: str) -> Sequence[str]:
    return re.findall(r"\w+", text.casefold())
