"""TEDS, the tree-edit-distance similarity of tables (Zhong et al. 2020, arXiv 1911.10683, section 5).

A table is a tree: the table, its rows, their cells. Similarity is one minus the edit distance over the nodes of the
larger tree, its root not counted. Inserting, deleting and renaming cost 1; two cells of the same spans cost the
normalised Levenshtein distance of their texts, or nothing where only the structure counts. As in OmniDocBench v1.5,
header cells are cells like others, sections are left out, line breaks within a cell do not count and other white space
is one space.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from rapidfuzz.distance import Levenshtein

from benchmarks.extras import require
from docspec.dialects.tables import Table, TableCell, parse_html_table, parse_pipe_table

_HTML = re.compile(r"<(table|tr|t[dh])\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a table's tree; ``label`` is its tag with its spans, ``text`` the content of a cell."""

    label: tuple[str, int, int]
    text: str = ""
    children: tuple[Node, ...] = ()

    @property
    def descendants(self) -> int:
        return sum(1 + child.descendants for child in self.children)


def parse_table(text: str) -> Table | None:
    """The first table of an HTML or a Markdown pipe table; ``None`` where there is no row."""
    return parse_html_table(text.replace("\n", "")) if _HTML.search(text) else parse_pipe_table(text)


def teds(output: str, truth: str, structure_only: bool = False) -> float:
    """Similarity of two tables, each HTML or a pipe table: 1 for the same, 0 where one of them is no table, a little
    below where more must be replaced than the larger one holds.

    Raises :class:`docspec.core.UsageError` without the package apted.
    """
    trees = [_tree(parse_table(text), structure_only) for text in (output, truth)]
    size = max(tree.descendants for tree in trees)
    if min(tree.descendants for tree in trees) == 0:
        return 0.0
    return 1.0 - float(_matcher()(*trees).compute_edit_distance()) / size


def _tree(table: Table | None, structure_only: bool) -> Node:
    rows = () if table is None else table.rows
    return Node(
        ("table", 1, 1),
        children=tuple(Node(("tr", 1, 1), children=tuple(_cell(cell, structure_only) for cell in row)) for row in rows),
    )


def _cell(cell: TableCell, structure_only: bool) -> Node:
    text = "" if structure_only else " ".join(unicodedata.normalize("NFKC", cell.text).split())
    return Node(("td", cell.colspan, cell.rowspan), text)


def _matcher() -> Any:
    """apted's algorithm with the costs of TEDS; imported late, because it is in the extra ``bench``."""
    apted = require("apted", "comparing tables (TEDS)")

    class Costs(apted.Config):  # type: ignore[misc, name-defined]
        valuecls = float

        def rename(self, node1: Node, node2: Node) -> float:
            if node1.label != node2.label:
                return 1.0
            return float(Levenshtein.normalized_distance(node1.text, node2.text))

    return lambda one, other: apted.APTED(one, other, Costs())
