"""Formulas: a small subset of LaTeX set with real fractions, roots, scripts and limits.

`formula_box` turns the same source that the truth shows as `$...$` into a box of placed glyphs and rules.
"""

import re
from dataclasses import dataclass, replace

from samples.press.canvas import BLACK, Canvas, Colour, LayoutError, text_width

_TOKENS = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\S")
_GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "theta": "θ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "phi": "φ",
    "omega": "ω",
}
_SIGNS = {
    "=": "=", "<": "<", ">": ">", "+": "+", "-": "−", r"\le": "≤", r"\ge": "≥", r"\ne": "≠", r"\approx": "≈",
    r"\to": "→", r"\times": "×", r"\cdot": "⋅", r"\pm": "±", r"\in": "∈",
}  # fmt: skip
_PLAIN = {"'": "′", r"\infty": "∞", r"\partial": "∂", r"\nabla": "∇", r"\Delta": "Δ", r"\Omega": "Ω"}
_NAMES = {r"\sin", r"\cos", r"\tan", r"\log", r"\ln", r"\exp", r"\lim", r"\max", r"\min"}
_BLANKS = {r"\,": 0.17, r"\;": 0.28, r"\quad": 1.0}
AXIS = 0.26
"""Height of the fraction bar above the baseline, in ems."""


@dataclass(frozen=True)
class Glyphs:
    """Text at an offset from the box's origin; y grows downwards."""

    x: float
    y: float
    text: str
    font: str
    size: float


@dataclass(frozen=True)
class Rule:
    """A polyline of offsets from the box's origin."""

    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Box:
    """A set piece of a formula: advance width, and reach above and below the baseline, in points."""

    width: float
    up: float
    down: float
    marks: tuple[Glyphs | Rule, ...] = ()

    def draw(self, canvas: Canvas, x: float, y: float, ink: Colour = BLACK) -> None:
        for mark in self.marks:
            if isinstance(mark, Glyphs):
                canvas.text((x + mark.x, y + mark.y), mark.text, mark.font, mark.size, ink=ink)
            else:
                canvas.path([(x + dx, y + dy) for dx, dy in mark.points], width=0.55, stroke=ink)


def _moved(box: Box, dx: float, dy: float) -> tuple[Glyphs | Rule, ...]:
    def move(mark: Glyphs | Rule) -> Glyphs | Rule:
        if isinstance(mark, Glyphs):
            return replace(mark, x=mark.x + dx, y=mark.y + dy)
        return Rule(tuple((x + dx, y + dy) for x, y in mark.points))

    return tuple(move(mark) for mark in box.marks)


def _place(parts: list[tuple[Box, float, float]], width: float) -> Box:
    marks = tuple(mark for box, dx, dy in parts for mark in _moved(box, dx, dy))
    up = max((box.up - dy for box, _, dy in parts), default=0.0)
    down = max((box.down + dy for box, _, dy in parts), default=0.0)
    return Box(width, up, down, marks)


def _glyphs(text: str, font: str, size: float, up: float = 0.68, down: float = 0.2) -> Box:
    lean = 0.06 * size if font == "serif-i" and text in "fdTVUFPE" else 0.0
    return Box(text_width(text, font, size) + lean, up * size, down * size, (Glyphs(0, 0, text, font, size),))


def _blank(width: float) -> Box:
    return Box(width, 0, 0)


def _row(boxes: list[Box]) -> Box:
    x, parts = 0.0, []
    for box in boxes:
        parts.append((box, x, 0.0))
        x += box.width
    return _place(parts, x)


def _fraction(top: Box, bottom: Box, size: float) -> Box:
    width = max(top.width, bottom.width) + 0.2 * size
    axis, gap = AXIS * size, 0.16 * size
    bar = Box(width, axis, 0, (Rule(((0.04 * size, -axis), (width - 0.04 * size, -axis))),))
    raised = -(axis + gap + top.down)
    lowered = -axis + gap + bottom.up
    parts = [(top, (width - top.width) / 2, raised), (bottom, (width - bottom.width) / 2, lowered), (bar, 0.0, 0.0)]
    framed = _place(parts, width)
    return _row([_blank(0.08 * size), framed, _blank(0.08 * size)])


def _root(inside: Box, size: float) -> Box:
    top, left = -(inside.up + 0.14 * size), 0.62 * size
    width = left + inside.width + 0.08 * size
    low = inside.down * 0.6
    tick = ((0.06 * size, -0.22 * size), (0.2 * size, -0.32 * size), (0.38 * size, low), (left, top), (width, top))
    sign = Box(width, -top, low, (Rule(tick),))
    return _place([(sign, 0.0, 0.0), (inside, left + 0.04 * size, 0.0)], width + 0.06 * size)


def _scripted(base: Box, low: Box | None, high: Box | None, size: float) -> Box:
    parts, width = [(base, 0.0, 0.0)], base.width
    if high:
        parts.append((high, base.width + 0.05 * size, -max(0.36 * size, base.up - 0.36 * size)))
        width = base.width + 0.05 * size + high.width
    if low:
        parts.append((low, base.width - 0.02 * size, max(0.16 * size, base.down - 0.04 * size)))
        width = max(width, base.width + low.width)
    return _place(parts, width + 0.04 * size)


def _limits(base: Box, low: Box | None, high: Box | None, size: float) -> Box:
    width = max(box.width for box in (base, low, high) if box)
    parts = [(base, (width - base.width) / 2, 0.0)]
    if high:
        parts.append((high, (width - high.width) / 2, -(base.up + 0.12 * size + high.down)))
    if low:
        parts.append((low, (width - low.width) / 2, base.down + 0.1 * size + low.up))
    return _row([_place(parts, width), _blank(0.17 * size)])


class _Setter:
    """Recursive descent over the tokens of one formula."""

    def __init__(self, latex: str, display: bool) -> None:
        self.tokens = _TOKENS.findall(latex)
        self.place = 0
        self.display = display

    def peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.place += 1
        return token

    def group(self, size: float) -> Box:
        """A braced group, or a single atom."""
        if self.peek() != "{":
            return self.atom(size, script=True)
        self.take()
        return self.row(size, "}", script=size < 8)

    def row(self, size: float, end: str, script: bool = False) -> Box:
        boxes: list[Box] = []
        while self.peek() != end:
            if self.peek() == "":
                raise LayoutError(f"formula without its {end!r}: {' '.join(self.tokens)}")
            tight = script or not boxes or self.tokens[self.place - 1] in _SIGNS
            boxes.append(self.scripts(size, tight))
        self.take()
        return _row(boxes)

    def scripts(self, size: float, tight: bool) -> Box:
        head = self.peek()
        base = self.atom(size, tight)
        found: dict[str, Box] = {}
        while self.peek() in ("_", "^", "'"):
            mark = self.take()
            found["^" if mark == "'" else mark] = (
                _glyphs("′", "symbol", size) if mark == "'" else self.group(size * 0.72)
            )
        if not found:
            return base
        if head in (r"\sum", r"\lim") and self.display:
            return _limits(base, found.get("_"), found.get("^"), size)
        return _scripted(base, found.get("_"), found.get("^"), size)

    def atom(self, size: float, script: bool = False) -> Box:
        token = self.take()
        if token == r"\frac":
            top = self.group(size if self.display else size * 0.78)
            return _fraction(top, self.group(size if self.display else size * 0.78), size)
        if token == r"\sqrt":
            return _root(self.group(size), size)
        if token == r"\left":
            return self.fenced(size)
        if token == r"\text":
            return self.words(size)
        return _simple(token, size, script, self.display)

    def words(self, size: float) -> Box:
        self.take()
        words = []
        while self.peek() != "}":
            words.append(self.take())
        self.take()
        return _glyphs("".join(words), "serif", size)

    def fenced(self, size: float) -> Box:
        opening = self.take()
        inside = self.row(size, r"\right")
        closing = self.take()
        return _row([_fence(opening, inside, size), inside, _fence(closing, inside, size)])


def _fence(token: str, inside: Box, size: float) -> Box:
    scale = max(1.0, (inside.up + inside.down) / (0.95 * size))
    middle = (inside.down - inside.up) / 2
    paren = _glyphs(token, "serif", size * scale)
    return _place([(paren, 0.0, middle + 0.24 * size * scale)], paren.width)


def _simple(token: str, size: float, tight: bool, display: bool) -> Box:
    if token in _BLANKS:
        return _blank(_BLANKS[token] * size)
    if token in _SIGNS:
        pad = _blank(0.0 if tight else (0.24 if token not in "+-" else 0.2) * size)
        return _row([pad, _glyphs(_SIGNS[token], "symbol", size), pad])
    if token in (r"\int", r"\sum"):
        scale = 1.5 if display else 1.0
        big = _glyphs("∫" if token == r"\int" else "∑", "symbol", size * scale, up=0.8)
        set_big = _place([(big, 0.0, 0.12 * size * scale if display else 0.0)], big.width + 0.1 * size)
        return _row([_blank(0.0 if tight else 0.17 * size), set_big])
    if token in _NAMES:
        return _row([_blank(0.0 if tight else 0.17 * size), _glyphs(token[1:], "serif", size), _blank(0.17 * size)])
    if token in _PLAIN:
        return _glyphs(_PLAIN[token], "symbol", size)
    if token.removeprefix("\\") in _GREEK:
        return _glyphs(_GREEK[token[1:]], "symbol", size)
    if token.isalpha():
        return _glyphs(token, "serif-i", size)
    if token in (",", ";"):
        return _row([_glyphs(token, "serif", size), _blank(0.0 if tight else 0.2 * size)])
    if token.startswith("\\") or token in "{}_^&":
        raise LayoutError(f"formula token {token!r} is not known")
    return _glyphs(token, "serif", size)


def formula_box(latex: str, size: float, display: bool) -> Box:
    """Set `latex` at `size` points; raises `LayoutError` for what the subset lacks."""
    setter = _Setter(latex + " }", display)
    return setter.row(size, "}")
