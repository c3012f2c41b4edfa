"""Markdown without anything beside the words (``--plain-markdown``): tables whose cells span, with bars."""

from __future__ import annotations

from dataclasses import replace

from docspec.core import Block, Category, PageResult
from docspec.reporting.grid import grids
from docspec.reporting.headings import stands


def with_bars(result: PageResult) -> PageResult:
    """``result`` with its tables of HTML between bars where the words stand; cells that span are opened into empty
    ones."""
    return replace(result, blocks=tuple(map(_with_bars, result.blocks)))


def _with_bars(block: Block) -> Block:
    if block.category is not Category.TABLE or not stands(block) or not block.text.startswith("<"):
        return block
    tables = []
    for grid in grids(block):
        lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in grid.lines()]
        tables.append("\n".join([lines[0], "| --- " * grid.columns + "|", *lines[1:]]))
    return replace(block, text="\n\n".join(tables)) if tables else block
