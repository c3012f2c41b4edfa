"""Lists in lists: items that stand further to the right than the one before belong below it."""

from __future__ import annotations

from collections.abc import Sequence

from docspec.core import Block, Category
from docspec.core.inline_markdown import MARKER

NEAR = 0.008
"""Largest difference of left edges in one level, as a share of the page's width."""
FAR = 0.2
"""Least difference of left edges in two columns, as a share of it."""
DEEPEST = 4


def nested(blocks: Sequence[Block], width: int) -> dict[int, list[str]]:
    """The white space before each line of those ``blocks`` (of a page ``width`` pixels wide) that are items of lists,
    by their numbers. Blocks whose lines have unknown edges are left out."""
    indents: dict[int, list[str]] = {}
    edges: list[tuple[float, int]] = []  # of the open items, the outermost first: edge and width of the marker
    last = -2
    for number, block in enumerate(blocks):
        lines = block.text.split("\n")
        if block.category is not Category.LIST_ITEM or len(block.indents) != len(lines) or block.gap is not None:
            continue
        if number != last + 1:
            edges = []
        last = number
        own = []
        for line, edge in zip(lines, block.indents, strict=True):
            marker = MARKER.match(line)
            if edges and (abs(edge - edges[0][0]) > FAR * width):
                edges = []
            while len(edges) > 1 and edge < edges[-1][0] - NEAR * width:
                edges.pop()
            if edges and abs(edge - edges[-1][0]) <= NEAR * width:
                edges.pop()
            elif edges and edge < edges[-1][0]:
                edges = []
            below = marker or (edges and edge > edges[-1][0])  # Markdown knows no a), but it can stand in an item
            indent = " " * sum(room for _, room in edges[:DEEPEST]) if below else ""
            if marker:
                edges.append((edge, marker.end()))
            own.append(indent)
        indents[number] = own
    return indents
