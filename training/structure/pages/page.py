"""A page as its author means it: blocks in reading order, some side by side, what runs at its head and foot."""

from __future__ import annotations

from dataclasses import dataclass

from training.structure.pages.table import Table
from training.structure.pages.text import Text


@dataclass(frozen=True)
class Block:
    """Text that belongs together; `pair` numbers a label and its value, `label` is an item's number or sign."""

    kind: str
    text: Text
    label: str = ""
    pair: int = -1
    level: int = 0


@dataclass(frozen=True)
class TableBlock:
    """A table with its caption (above or below) and notes."""

    table: Table
    caption: Text = ()
    caption_below: bool = False


@dataclass(frozen=True)
class Group:
    """Blocks in a layout: `list` under each other, `beside` in `columns` boxes of these relative `widths`, `flow` in
    `columns` of text, `box` in a frame or on a ground, `float` a box that the text of the second part goes around,
    `pairs` labels with values beside, `above` labels with values beneath, `tables` beside each other."""

    layout: str
    parts: tuple[tuple[Part, ...], ...]
    columns: int = 1
    widths: tuple[float, ...] = ()


Part = Block | TableBlock | Group


@dataclass(frozen=True)
class Page:
    """What a page holds: `wide` stands above the columns of text."""

    columns: int
    wide: tuple[Part, ...]
    parts: tuple[Part, ...]
    head: tuple[str, str, str]
    foot: tuple[str, str, str]
