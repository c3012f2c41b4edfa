"""Adjacency relations of tables, the measure of the ICDAR 2013 table competition (Göbel, Hassan, Oro and Orsi, "ICDAR
2013 Table Competition" and "A methodology for evaluating algorithms for table understanding in PDF documents", 2012).

A relation is a cell with words, its next neighbour with words to the right or below, and which of the two it is. Empty
cells have none and are passed over. Words are compared without white space, in capitals, and with ``_`` for each
character that is no letter or digit, as there.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from docspec.dialects.markdown_blocks import parse_blocks
from docspec.dialects.tables import Table, parse_table

Relation = tuple[str, str, str]
"""The words of a cell, those of its neighbour, and the direction: ``right`` or ``below``."""

_EMPHASIS = re.compile(r"\*\*|~~|(?<![^\W_])_|_(?![^\W_])|\\(?=[^\w\s])")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True, slots=True)
class TableMarks:
    """What is compared of a table: its ``relations``, and its ``letters``, with which it is found on the page."""

    relations: Counter[Relation]
    letters: Counter[str]


@dataclass(frozen=True, slots=True)
class Found:
    """Counts of one document. ``right`` of the relations that were ``written`` are ``true`` ones; of ``truths`` tables
    ``complete`` ones have all their letters in one table written, of ``tables`` written ``pure`` ones hold no others.
    """

    right: int = 0
    written: int = 0
    true: int = 0
    complete: int = 0
    truths: int = 0
    pure: int = 0
    tables: int = 0

    def __add__(self, other: Found) -> Found:
        return Found(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))


def marks_of(table: Table) -> TableMarks:
    """The relations and letters of ``table``."""
    texts = [normalised(cell.text) for cell, _ in table.places()]
    letters = Counter(letter for text in texts for letter in text if letter != "_")
    return TableMarks(relations_of(table, normalised), letters)


def relations_of(table: Table, words: Callable[[str], str]) -> Counter[Relation]:
    """The relations of ``table``, whose cells are compared by their ``words``."""
    texts, owner = [], {}
    for number, (cell, places) in enumerate(table.places()):
        texts.append(words(cell.text))
        owner.update(dict.fromkeys(places, number))
    rows, columns = (1 + max((place[axis] for place in owner), default=-1) for axis in (0, 1))
    across = [[owner.get((y, x)) for x in range(columns)] for y in range(rows)]
    down = [[owner.get((y, x)) for y in range(rows)] for x in range(columns)]
    pairs: set[tuple[int, int, str]] = set()
    for direction, lines in (("right", across), ("below", down)):
        for line in lines:
            told = [one for one in line if one is not None and texts[one]]
            pairs.update((a, b, direction) for a, b in itertools.pairwise(told) if a != b)
    return Counter((texts[a], texts[b], direction) for a, b, direction in pairs)


def normalised(text: str) -> str:
    """``text`` as the competition compares it, without marks of Markdown."""
    plain = _EMPHASIS.sub("", _LINK.sub(r"\1", text))
    letters = "".join(unicodedata.normalize("NFKC", plain).split()).upper()
    return "".join(letter if letter.isalnum() else "_" for letter in letters)


def tables_in(markdown: str) -> list[TableMarks]:
    """The tables of a page's Markdown that have a relation: HTML or pipes."""
    found = [parse_table(block.text) for block in parse_blocks(markdown) if block.category == "Table"]
    return [marks for table in found if table is not None and (marks := marks_of(table)).relations]


def compared(written: Sequence[TableMarks], truths: Sequence[TableMarks]) -> Found:
    """The tables ``written`` for a page beside its ``truths``, each with the one that shares most relations (then
    letters) with it."""
    shared = sorted(
        (
            ((own.relations & true.relations).total(), (own.letters & true.letters).total(), -i, -j)
            for i, own in enumerate(written)
            for j, true in enumerate(truths)
        ),
        reverse=True,
    )
    right = complete = pure = 0
    taken: set[tuple[str, int]] = set()
    for relations, letters, i, j in shared:
        if letters and not {("own", -i), ("true", -j)} & taken:
            taken |= {("own", -i), ("true", -j)}
            right += relations
            complete += truths[-j].letters <= written[-i].letters
            pure += written[-i].letters <= truths[-j].letters
    return Found(
        right,
        sum(one.relations.total() for one in written),
        sum(one.relations.total() for one in truths),
        complete,
        len(truths),
        pure,
        len(written),
    )
