"""What a page is made of: blocks of content, the frames they flow through, and the look of each role.

These values are the only source of a sample. `flow` prints them, `truth` writes them as Markdown.
Text may hold `<b>` and `<i>` (print only), `$...$` formulas, and soft hyphens where a word may be divided.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from samples.press.canvas import BLACK, Canvas, Colour

PORTRAIT = (253.44, 345.6)
LANDSCAPE = (345.6, 253.44)
A4 = (595.28, 841.89)

Draw = Callable[[Canvas, float, float, float, float], None]
"""Draws a figure: canvas, left, top, width, height."""


@dataclass(frozen=True)
class Title:
    text: str


@dataclass(frozen=True)
class Heading:
    text: str


@dataclass(frozen=True)
class Para:
    """A paragraph; `role` chooses its look, such as `body`, `byline` or `small`."""

    text: str
    role: str = "body"


@dataclass(frozen=True)
class Caption:
    text: str


@dataclass(frozen=True)
class Bullets:
    items: tuple[str, ...]


@dataclass(frozen=True)
class Numbered:
    items: tuple[str, ...]
    start: int = 1


@dataclass(frozen=True)
class Options:
    """Answers to choose from, lettered a), b), c)."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table of one header row; `widths` are shares of the frame, `aligns` a letter of `lrc` per column."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    widths: tuple[float, ...]
    aligns: str
    bold_rows: tuple[int, ...] = ()


@dataclass(frozen=True)
class Formula:
    """A display formula in the subset of LaTeX that `formula` knows, with an optional number."""

    latex: str
    number: str = ""


@dataclass(frozen=True)
class Figure:
    """A drawing of so many rows; only its caption, a block of its own, is text."""

    draw: Draw
    rows: float


@dataclass(frozen=True)
class Space:
    """Empty rows, for the print only."""

    rows: float


@dataclass(frozen=True)
class NextFrame:
    """What follows starts in the next frame; for the print only."""


Block = Title | Heading | Para | Caption | Bullets | Numbered | Options | Table | Formula | Figure | Space | NextFrame


@dataclass(frozen=True)
class Role:
    """How one kind of text looks: `rows` is its line pitch, `before` and `after` are gaps, all in rows."""

    font: str
    size: float
    rows: float = 1.0
    align: str = "left"
    indent: float = 0.0
    before: float = 0.0
    after: float = 0.0
    ink: Colour = BLACK


Roles = dict[str, Role]


def roles(family: str, size: float = 9.0, **changes: dict[str, object]) -> Roles:
    """The usual roles in one type family; `changes` replaces fields of single roles."""
    body = Role(family, size, after=0.5)
    bold = f"{family}-b"
    usual = {
        "title": Role(bold, 15.0, rows=2.0, after=0.5),
        "heading": Role(bold, 10.5, rows=1.5, before=0.5),
        "body": body,
        "item": replace(body, indent=10.0),
        "table": body,
        "caption": Role(f"{family}-i", 8.5, after=0.5),
        "byline": Role(f"{family}-i", 8.5, after=0.5),
        "small": Role(family, 8.0),
        "option": replace(body, indent=12.0),
        "figure": Role(family, size, before=0.5),
        "formula": Role(family, 9.0, before=0.25, after=0.25),
    }
    for name, fields in changes.items():
        usual[name] = replace(usual.get(name, body), **fields)  # type: ignore[arg-type]
    return usual


@dataclass(frozen=True)
class Frame:
    """A rectangle that text flows through: `left` and `width` in points, `top` and `rows` in grid rows."""

    left: float
    width: float
    top: float
    rows: float


@dataclass(frozen=True)
class Zone:
    """Blocks that flow through frames, in reading order."""

    frames: tuple[Frame, ...]
    blocks: tuple[Block, ...]
    roles: Roles


@dataclass(frozen=True)
class Furniture:
    """A running head, footer or page number: printed, and no part of the truth."""

    text: str
    row: float
    align: str = "center"
    font: str = "serif"
    size: float = 8.0
    margin: float = 20.0
    ink: Colour = BLACK


@dataclass(frozen=True)
class Sheet:
    """One page; `backdrop` draws below the text, `rotate` is its /Rotate, `scan` prints it as an image."""

    zones: tuple[Zone, ...] = ()
    size: tuple[float, float] = PORTRAIT
    furniture: tuple[Furniture, ...] = ()
    backdrop: Callable[[Canvas], None] | None = None
    rotate: int = 0
    scan: bool = False
    blocks: tuple[Block, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "blocks", tuple(block for zone in self.zones for block in zone.blocks))
