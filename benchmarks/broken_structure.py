"""Made pages whose Markdown is broken on purpose, to measure whether the account sees it
(``python -m benchmarks structure``).

Each page is drawn word by word, so that its true Markdown is known. That is accounted for as it is (what is said then
is a false alarm) and after one break: paragraphs glued, blocks swapped, rows merged, levels lost, columns interleaved,
a table written as text. Nothing drafts these pages: the ledger is measured alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
import pymupdf
from PIL import Image

from benchmarks.structure_pages import KINDS, Made, Part
from docspec.core import PageImage
from docspec.core.account import PageAccount
from docspec.ledger import PageOutput, account_for, visible_words
from docspec.ledger.outputs import markdown_words

SCALE = 2.0
"""Pixels a point."""


@dataclass(frozen=True, slots=True)
class Seen:
    """How often a break of pages of a ``kind`` was noticed; ``way`` is empty for right pages. ``unseen`` are the seeds
    of those that were not, or of right ones that were."""

    kind: str
    way: str
    cases: int
    noticed: int
    unseen: tuple[int, ...]


def measure(kinds: Sequence[str], seed: int, each: int) -> Iterator[Seen]:
    """Each kind of page with each break that it can have, ``each`` times, from ``seed`` on."""
    for kind in kinds:
        cases: Counter[str] = Counter()
        noticed: Counter[str] = Counter()
        unseen: dict[str, list[int]] = {}
        for number in range(seed, seed + each):
            made, words, page = made_page(kind, number)
            for way, text in [("", made.markdown), *broken(made, Random(number))]:
                account = account_of(words, text)
                cases[way] += 1
                noticed[way] += bool(account.misplaced)
                if bool(account.misplaced) is not bool(way):
                    unseen.setdefault(way, []).append(number)
            page.parent.close()
        for way, count in cases.items():
            yield Seen(kind, way, count, noticed[way], tuple(unseen.get(way, ())))


def made_page(kind: str, seed: int) -> tuple[Made, tuple[Any, ...], Any]:
    """A page of ``kind`` with its truth, and its words as they are drawn."""
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    made = KINDS[kind](page, Random(f"{kind} {seed}"))
    blank = Image.fromarray(np.full((int(842 * SCALE), int(595 * SCALE)), 255, np.uint8)).convert("RGB")
    return made, visible_words(PageImage(blank, 1, SCALE, kind, page)), page


def account_of(words: Sequence[Any], text: str) -> PageAccount:
    """The account of ``words`` in a Markdown ``text``."""
    return account_for(words, PageOutput(markdown_words(text), (), text), "text layer")


def broken(made: Made, random: Random) -> Iterator[tuple[str, str]]:
    """The ways in which a page can be broken, and its text then."""
    for way in WAYS:
        parts = way(list(made.parts), random)
        if parts is not None:
            yield way.__name__, Made(parts).markdown


def glued(parts: list[Part], random: Random) -> list[Part] | None:
    """Two paragraphs that follow each other become one."""
    places = [at for at in range(len(parts) - 1) if parts[at].kind == parts[at + 1].kind == "paragraph"]
    if not places:
        return None
    at = random.choice(places)
    both = replace(parts[at], lines=(*parts[at].lines, *parts[at + 1].lines))
    return [*parts[:at], both, *parts[at + 2 :]]


def glued_far(parts: list[Part], random: Random) -> list[Part] | None:
    """A paragraph goes on with a note, a caption, or a paragraph that does not follow it."""
    places = [at for at, part in enumerate(parts) if part.kind == "paragraph"]
    others = [at for at, part in enumerate(parts) if part.kind in ("note", "caption", "paragraph")]
    pairs = [(a, b) for a in places for b in others if b not in (a, a + 1) and b != a - 1]
    if not pairs:
        return None
    a, b = random.choice(pairs)
    both = replace(parts[a], lines=(*parts[a].lines, *parts[b].lines))
    return [both if at == a else part for at, part in enumerate(parts) if at != b]


def swapped(parts: list[Part], random: Random) -> list[Part] | None:
    """Two blocks of text that follow each other change places."""
    places = [at for at in range(len(parts) - 1) if {parts[at].kind, parts[at + 1].kind} <= {"paragraph", "heading"}]
    if not places:
        return None
    at = random.choice(places)
    return [*parts[:at], parts[at + 1], parts[at], *parts[at + 2 :]]


def moved(parts: list[Part], random: Random) -> list[Part] | None:
    """A paragraph is written somewhere else."""
    places = [at for at, part in enumerate(parts) if part.kind == "paragraph" and len(part.lines) > 1]
    if len(places) < 4:
        return None
    at = random.choice(places)
    rest = [*parts[:at], *parts[at + 1 :]]
    to = random.choice([place for place in range(len(rest)) if abs(place - at) > 1])
    return [*rest[:to], parts[at], *rest[to:]]


def rows_merged(parts: list[Part], random: Random) -> list[Part] | None:
    """Two rows of a table become one."""
    at = next((at for at, part in enumerate(parts) if part.kind == "table"), None)
    if at is None:
        return None
    rows = list(parts[at].rows)
    row = random.randrange(1, len(rows) - 1)
    both = tuple(f"{a} {b}".strip() for a, b in zip(rows[row], rows[row + 1], strict=True))
    return [*parts[:at], replace(parts[at], rows=(*rows[:row], both, *rows[row + 2 :])), *parts[at + 1 :]]


def rows_swapped(parts: list[Part], random: Random) -> list[Part] | None:
    """Two rows of a table change places."""
    at = next((at for at, part in enumerate(parts) if part.kind == "table"), None)
    if at is None:
        return None
    rows = list(parts[at].rows)
    row = random.randrange(1, len(rows) - 1)
    rows[row], rows[row + 1] = rows[row + 1], rows[row]
    return [*parts[:at], replace(parts[at], rows=tuple(rows)), *parts[at + 1 :]]


def table_as_text(parts: list[Part], random: Random) -> list[Part] | None:
    """A table is written as one paragraph, or as one for each row."""
    at = next((at for at, part in enumerate(parts) if part.kind == "table"), None)
    if at is None:
        return None
    lines = [" ".join(filter(None, row)) for row in parts[at].rows]
    text = (
        [Part("paragraph", tuple(lines))] if random.random() < 0.5 else [Part("paragraph", (line,)) for line in lines]
    )
    return [*parts[:at], *text, *parts[at + 1 :]]


def levels_lost(parts: list[Part], random: Random) -> list[Part] | None:
    """All items of nested lists are written at one level."""
    if not any(part.depth for part in parts):
        return None
    return [replace(part, depth=0) for part in parts]


def interleaved(parts: list[Part], random: Random) -> list[Part] | None:
    """The lines of two columns are read across."""
    places = [
        (a, b)
        for a, one in enumerate(parts)
        for b, other in enumerate(parts)
        if one.kind == other.kind == "paragraph"
        and one.column == 0
        and other.column == 1
        and min(len(one.lines), len(other.lines)) > 2
    ]
    if not places:
        return None
    a, b = random.choice(places)
    lines = [line for pair in zip(parts[a].lines, parts[b].lines, strict=False) for line in pair]
    shorter = min(len(parts[a].lines), len(parts[b].lines))
    rest = (*parts[a].lines[shorter:], *parts[b].lines[shorter:])
    return [replace(part, lines=(*lines, *rest)) if at == a else part for at, part in enumerate(parts) if at != b]


WAYS: tuple[Callable[[list[Part], Random], list[Part] | None], ...] = (
    *(glued, glued_far, swapped, moved, rows_merged, rows_swapped, table_as_text, levels_lost, interleaved),
)
