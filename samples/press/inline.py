"""Running text: from marked-up source to words, and from words to lines of a given measure.

Lines are chosen for the whole paragraph at once, so that their lengths differ as little as possible.
"""

import re
from dataclasses import dataclass

from samples.press.canvas import BLACK, Canvas, Colour, LayoutError, text_width
from samples.press.formula import Box, formula_box

SOFT_HYPHEN = "\u00ad"
_MARKS = re.compile(r"(</?[bi]>|\$[^$]+\$)")
_BREAKS = re.compile(rf"([ {SOFT_HYPHEN}])")
_HYPHEN_COST = 5.0


@dataclass(frozen=True)
class Run:
    """Text in one font."""

    text: str
    font: str
    size: float

    @property
    def width(self) -> float:
        return text_width(self.text, self.font, self.size)


Piece = Run | Box


@dataclass(frozen=True)
class Atom:
    """What no line break divides, and what follows it: a blank, a soft hyphen or nothing (the end)."""

    pieces: tuple[Piece, ...]
    after: str

    @property
    def width(self) -> float:
        return sum(piece.width for piece in self.pieces)


@dataclass(frozen=True)
class Line:
    """One set line: its atoms, whether it ends in a divided word, and whether it ends the paragraph."""

    atoms: tuple[Atom, ...]
    last: bool


def _face(font: str, bold: bool, italic: bool) -> str:
    family, _, style = font.partition("-")
    style = ("b" if bold or "b" in style else "") + ("i" if italic or "i" in style else "")
    return f"{family}-{style}" if style else family


def atoms_of(source: str, font: str, size: float) -> list[Atom]:
    """Cut marked-up text into atoms."""
    atoms: list[Atom] = []
    pieces: list[Piece] = []
    bold = italic = False
    for part in _MARKS.split(source):
        if part in ("<b>", "</b>"):
            bold = part == "<b>"
        elif part in ("<i>", "</i>"):
            italic = part == "<i>"
        elif part.startswith("$"):
            pieces.append(formula_box(part[1:-1], size, display=False))
        else:
            for bit in _BREAKS.split(part):
                if bit in (" ", SOFT_HYPHEN):
                    atoms.append(Atom(tuple(pieces), bit))
                    pieces = []
                elif bit:
                    pieces.append(Run(bit, _face(font, bold, italic), size))
    return [*atoms, Atom(tuple(pieces), "")]


def _natural(atoms: list[Atom], font: str, size: float) -> float:
    blanks = sum(atom.after == " " for atom in atoms[:-1]) * text_width(" ", font, size)
    hyphen = text_width("-", font, size) if atoms[-1].after == SOFT_HYPHEN else 0.0
    return sum(atom.width for atom in atoms) + blanks + hyphen


def break_lines(atoms: list[Atom], measure: float, indent: float, font: str, size: float) -> list[Line]:
    """Divide atoms into lines of at most `measure` points, the first one shorter by `indent`."""
    best: list[tuple[float, int]] = [(0.0, 0)] + [(float("inf"), 0)] * len(atoms)
    for end in range(1, len(atoms) + 1):
        for start in range(end - 1, -1, -1):
            room = measure - (indent if start == 0 else 0.0)
            slack = room - _natural(atoms[start:end], font, size)
            if slack < -0.01:
                break
            cost = best[start][0] + (0.0 if end == len(atoms) else slack**2)
            cost += _HYPHEN_COST if atoms[end - 1].after == SOFT_HYPHEN else 0.0
            best[end] = min(best[end], (cost, start))
    if best[-1][0] == float("inf"):
        raise LayoutError(f"a word is wider than {measure:.1f} pt: {atoms}")
    lines, end = [], len(atoms)
    while end:
        start = best[end][1]
        lines.append(Line(tuple(atoms[start:end]), end == len(atoms)))
        end = start
    return lines[::-1]


def _merged(line: Line, font: str, size: float) -> list[Piece]:
    """The pieces of a line with its blanks and hyphen, neighbours of one font joined."""
    pieces: list[Piece] = []
    for i, atom in enumerate(line.atoms):
        end = i == len(line.atoms) - 1
        tail = {" ": "" if end else " ", SOFT_HYPHEN: "-" if end else "", "": ""}[atom.after]
        base = next((piece.font for piece in reversed(atom.pieces) if isinstance(piece, Run)), font)
        pieces += [*atom.pieces, Run(tail, base if tail == "-" else font, size)]
    joined: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, Run) and not piece.text:
            continue
        before = joined[-1] if joined else None
        same = (
            isinstance(piece, Run)
            and isinstance(before, Run)
            and (piece.font, piece.size) == (before.font, before.size)
        )
        if same and isinstance(piece, Run) and isinstance(before, Run):
            joined[-1] = Run(before.text + piece.text, piece.font, piece.size)
        else:
            joined.append(piece)
    return joined


@dataclass(frozen=True)
class Setting:
    """How lines are put on paper: the font and size of blanks, alignment and ink."""

    font: str
    size: float
    align: str
    ink: Colour = BLACK


def draw_line(canvas: Canvas, line: Line, x: float, y: float, room: float, setting: Setting) -> None:
    """Draw a line with its baseline at `y` inside `room` points from `x`; claims the place it takes."""
    pieces = _merged(line, setting.font, setting.size)
    natural = sum(piece.width for piece in pieces)
    blanks = sum(piece.text.count(" ") for piece in pieces if isinstance(piece, Run))
    justified = setting.align == "justify" and not line.last and blanks
    space = (room - natural) / blanks if justified else 0.0
    if space > 1.1 * setting.size or natural > room + 0.02:
        raise LayoutError(f"line set badly (blanks +{space:.1f} pt, {natural - room:.1f} pt over): {pieces}")
    x += {"right": room - natural, "center": (room - natural) / 2}.get(setting.align, 0.0)
    start = x
    for piece in pieces:
        if isinstance(piece, Run):
            canvas.text((x, y), piece.text, piece.font, piece.size, space, setting.ink)
            x += piece.width + space * piece.text.count(" ")
        else:
            piece.draw(canvas, x, y, setting.ink)
            x += piece.width
    up = max([0.7 * setting.size] + [piece.up for piece in pieces if isinstance(piece, Box)])
    down = max([0.22 * setting.size] + [piece.down for piece in pieces if isinstance(piece, Box)])
    canvas.claim(start, y - up, x, y + down, "".join(p.text for p in pieces if isinstance(p, Run)))
