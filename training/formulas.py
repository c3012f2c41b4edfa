"""Crops of displayed formulas with their LaTeX: fractions, roots, sums, indices, brackets, perhaps an equation number.

A formula is drawn as a tree. Each node knows its LaTeX and the order in which matplotlib's mathtext prints its
characters, so that every printed character of the answer has its place (where the counts disagree, none has).
"""

from __future__ import annotations

import functools
import math
import random
import re
import string
from dataclasses import dataclass, replace

import numpy as np

from training.blocks import choose_face
from training.render import Sample, Sheet, advances, degrade

GREEK = (
    "alpha", "beta", "gamma", "delta", "epsilon", "theta", "lambda", "mu", "pi", "rho", "sigma", "tau", "phi", "omega",
    "eta", "kappa", "xi", "nu", "psi", "Delta", "Sigma", "Omega", "Gamma", "Phi", "Lambda",
)  # fmt: skip
RELATIONS = (*"=" * 16, r"\leq", r"\geq", r"\approx", r"\in", "<", ">", r"\to", r"\neq", r"\sim")
OPERATIONS = (*"+++---", r"\cdot", r"\times", r"\pm")
LATIN = string.ascii_lowercase * 2 + string.ascii_uppercase + "xyztnkabcdfpqr" * 3  # as often as formulas have them
FUNCTIONS = ("sin", "cos", "log", "exp", "ln", "max", "min", "tan")
ACCENTS = (r"\hat", r"\bar", r"\tilde", r"\dot", r"\vec")
FONTS = ("cm", "cm", "cm", "stix", "stix", "stixsans", "dejavuserif", "dejavusans")


@dataclass(frozen=True)
class Node:
    """LaTeX as pieces `(characters, mark)`, a mark for each piece that is printed, and the marks in the order of
    printing, one for each glyph."""

    pieces: tuple[tuple[str, object | None], ...]
    printed: tuple[object, ...]

    @property
    def latex(self) -> str:
        return "".join(text for text, _ in self.pieces)


def leaf(text: str, glyphs: int = 1) -> Node:
    """What is printed as it stands; a function's name prints several glyphs."""
    mark = object()
    return Node(((text, mark),), (mark,) * glyphs)


def markup(text: str) -> Node:
    """What is not printed."""
    return Node(((text, None),), ())


def row(*nodes: Node) -> Node:
    """Nodes one after the other."""
    pieces = tuple(piece for node in nodes for piece in node.pieces)
    return Node(pieces, tuple(mark for node in nodes for mark in node.printed))


def braced(node: Node) -> Node:
    return row(markup("{"), node, markup("}"))


def number(rng: random.Random) -> Node:
    """A small number, digit by digit."""
    text = rng.choice(("1", "2", "{}", "{}", "{}", "{}{}", "0.{}", "{}.{}", "{}{}{}", "0.{}{}", "{}{}{}0"))
    return row(*(leaf(c) for c in text.format(*(rng.randint(1, 9) for _ in range(3)))))


def letter(rng: random.Random) -> Node:
    """A Latin or Greek letter."""
    if rng.random() < 0.12:
        return leaf("\\" + rng.choice(GREEK))
    return leaf(rng.choice(LATIN))


def small(rng: random.Random) -> Node:
    """What stands in an index."""
    kind = rng.random()
    if kind < 0.4:
        return leaf(rng.choice("0122nkijmtxN"))
    if kind < 0.6:
        return letter(rng)
    if kind < 0.85:
        return row(leaf(rng.choice("ijkntm")), leaf(rng.choice("+-,")), leaf(rng.choice("12jk")))
    return row(leaf("-"), leaf(rng.choice("12xt")))


def script(mark: str, node: Node) -> Node:
    """A raised or lowered node; one character needs no braces."""
    return row(markup(mark), node if len(node.latex) == 1 else braced(node))


def indexed(rng: random.Random, base: Node) -> Node:
    """`base` with an index, an exponent or both, the exponent printed first."""
    kind = rng.random()
    if kind < 0.45:
        return row(base, script("^", small(rng)))
    if kind < 0.85:
        return row(base, script("_", small(rng)))
    low, high = script("_", small(rng)), script("^", small(rng))
    return Node(base.pieces + low.pieces + high.pieces, base.printed + high.printed + low.printed)


def big(rng: random.Random) -> Node:
    """A sum or product with limits (the upper one printed first), or an integral (printed before them)."""
    sign = rng.choice((r"\sum", r"\sum", r"\prod", r"\int", r"\int"))
    own = leaf(sign)
    if rng.random() < 0.15:
        return own
    start = row(leaf(rng.choice("ijkn")), leaf("="), leaf(rng.choice("01"))) if sign != r"\int" else small(rng)
    low = script("_", start)
    high = script("^", leaf(rng.choice(("n", "N", "m", "T", "k", r"\infty"))))
    if rng.random() < 0.25:
        return row(own, low)
    order = own.printed + high.printed if sign == r"\int" else high.printed + own.printed
    return Node(own.pieces + low.pieces + high.pieces, order + low.printed)


def one(rng: random.Random) -> Node:
    """A single sign: a letter, perhaps with an index, or a number."""
    return rng.choice((letter, letter, number, lambda rng: indexed(rng, letter(rng))))(rng)


def derivative(rng: random.Random) -> Node:
    """A quotient of differentials."""
    sign = rng.choice(("d", "d", r"\partial"))
    above, below = (row(leaf(sign), markup(" "), letter(rng)) for _ in range(2))
    return row(markup(r"\frac"), braced(above), braced(below))


def bracketed(rng: random.Random) -> Node:
    """A quotient in brackets of its height, perhaps with something before it."""
    inside = row(markup(r"\frac"), braced(one(rng)), braced(one(rng)))
    if rng.random() < 0.7:
        inside = row(one(rng), markup(" "), leaf(rng.choice("+-")), markup(" "), inside)
    return row(leaf(r"\left("), markup(" "), inside, markup(" "), leaf(r"\right)"))


def atom(rng: random.Random, depth: int) -> Node:
    """One factor; `depth` says how far it may nest."""
    if depth and rng.random() < 0.06:
        return bracketed(rng)
    kind = rng.random()
    if depth and kind < 0.03:
        return derivative(rng)
    if depth and kind < 0.1:
        return row(markup(r"\frac"), braced(one(rng)), braced(one(rng)))
    if depth and kind < 0.22:
        return row(markup(r"\frac"), braced(expression(rng, depth - 1, 2)), braced(expression(rng, depth - 1, 2)))
    if depth and kind < 0.28:
        return row(leaf(r"\sqrt"), braced(expression(rng, depth - 1, 2)))
    if depth and kind < 0.42:
        inner = expression(rng, depth - 1, 3)
        left, right = rng.choice(("()", "()", "()", "[]", "||"))
        if r"\frac" in inner.latex or r"\sum" in inner.latex:
            whole = row(leaf(rf"\left{left}"), markup(" "), inner, markup(" "), leaf(rf"\right{right}"))
        else:
            whole = row(leaf(left), inner, leaf(right))
        return row(whole, script("^", leaf("2"))) if rng.random() < 0.25 else whole
    if kind < 0.5:
        name = rng.choice(FUNCTIONS)
        own = leaf("\\" + name, len(name))
        if depth and rng.random() < 0.5:
            return row(own, leaf("("), expression(rng, 0, 2), leaf(")"))
        return row(own, markup(" "), letter(rng))
    if depth and kind < 0.58:
        return row(big(rng), markup(" "), indexed(rng, letter(rng)))
    if kind < 0.62:
        accent, below = leaf(rng.choice(ACCENTS)), letter(rng)
        return row(accent, braced(below))
    if kind < 0.74:
        return indexed(rng, letter(rng))
    if kind < 0.8:
        inside = row(letter(rng), markup(" "), leaf("|"), markup(" "), letter(rng)) if kind > 0.785 else letter(rng)
        return row(letter(rng), leaf("("), inside, leaf(")"))
    return number(rng) if kind < 0.88 else letter(rng)


def _term(rng: random.Random, depth: int) -> Node:
    factors = [atom(rng, depth)]
    if rng.random() < 0.35:
        factors.append(indexed(rng, letter(rng)) if rng.random() < 0.5 else letter(rng))
    spaced = [part for factor in factors for part in (markup(" "), factor)]
    return row(*spaced[1:])


def expression(rng: random.Random, depth: int, most: int) -> Node:
    """Up to `most` terms with signs between them."""
    parts = [leaf("-")] if rng.random() < 0.06 else []
    parts.append(_term(rng, depth))
    for _ in range(rng.randint(0, most - 1)):
        parts += [markup(" "), leaf(rng.choice(OPERATIONS)), markup(" "), _term(rng, depth)]
    return row(*parts)


def equation(rng: random.Random, terms: int) -> Node:
    """A formula as it stands on a line of its own, about `terms` terms long."""
    left = atom(rng, 1) if rng.random() < 0.6 else expression(rng, rng.choice((0, 0, 1)), 2)
    sides = [left, expression(rng, rng.choice((1, 1, 2)), max(1, terms))]
    if rng.random() < 0.15:
        sides.append(expression(rng, 1, 2))
    parts = [sides[0]]
    for side in sides[1:]:
        parts += [markup(" "), leaf(rng.choice(RELATIONS)), markup(" "), side]
    if rng.random() < 0.1:
        parts += [leaf(","), markup(r" \quad "), letter(rng), markup(" "), leaf(rng.choice(RELATIONS)), markup(" ")]
        parts.append(number(rng))
    if rng.random() < 0.3:
        parts.append(leaf(rng.choice(".,")))
    return row(*parts)


@functools.lru_cache(maxsize=1)
def _parsers() -> tuple:
    from matplotlib.mathtext import MathTextParser

    return MathTextParser("agg"), MathTextParser("path")


def _displayed(latex: str) -> str:
    """Fractions that stand in no other group in their full size, as displays have them."""

    def spelt(match: re.Match[str]) -> str:
        before = latex[: match.start()]
        return r"\dfrac" if before.count("{") == before.count("}") else match[0]

    return re.sub(r"\\frac", spelt, latex)


def drawn(node: Node, size: float, font: str) -> tuple[np.ndarray, list[tuple[float, float]]]:
    """The ink of a formula, (height, width) uint8, 255 for black, and the centre of each glyph in its pixels, in the
    order of printing. Raises ValueError for what mathtext cannot set."""
    from matplotlib.font_manager import FontProperties

    ink, places = _parsers()
    properties = FontProperties(size=size, math_fontfamily=font)
    spelling = f"${_displayed(node.latex)}$"
    picture = ink.parse(spelling, dpi=72, prop=properties, antialiased=True)
    image = np.asarray(picture.image)
    path = places.parse(spelling, dpi=72, prop=properties)
    baseline = path.height - path.depth
    centres = [(x + 0.25 * own, baseline - y - 0.3 * own) for _, own, _, _, x, y in path.glyphs]
    return image, centres


def make_formula(width: int, height: int, seed: int, *, unseen: bool = False, noise: float = 0.3) -> Sample:
    """One crop of `width` x `height` pixels, both multiples of 32, with a formula; `unseen` holds for the number's
    type."""
    rng = random.Random(seed)
    size, font = rng.uniform(21, 29), rng.choice(FONTS)
    numbered = rng.random() < 0.5 and width >= 256
    room = width - (rng.uniform(70, 110) if numbered else 8)
    centres: list[tuple[float, float]] = []
    for attempt in range(12):
        terms = max(1, round(rng.uniform(0.4, 1.3) * width / 130) - attempt // 2)
        node = equation(rng, terms)
        image, centres = drawn(node, size, font)
        if image.shape[0] <= height - 2 and image.shape[1] <= room:
            break
    else:
        node = row(leaf("x"), markup(" "), leaf("="), markup(" "), leaf("1"))
        image, centres = drawn(node, size, font)
    left = rng.uniform(2, 8)
    if rng.random() < 0.3:
        left += rng.uniform(0, max(0.0, room - image.shape[1] - 6))
    top = (height - image.shape[0]) / 2 + rng.uniform(-1, 1) * min(6.0, (height - image.shape[0]) / 2)
    x, y = int(left), int(top)
    label = _label(rng, width, height, size, unseen) if numbered else None
    pixels = label.pixels.copy() if label else np.full((height, width), 255, np.uint8)
    grey = rng.choice((1.0, 1.0, 1.0, 0.85))
    part = pixels[y : y + image.shape[0], x : x + image.shape[1]]
    part[:] = np.minimum(part, 255 - grey * image[: part.shape[0], : part.shape[1]])
    where: dict[object, tuple[float, float]] = {}
    if len(centres) == len(node.printed):
        for mark, (cx, cy) in zip(node.printed, centres, strict=True):
            where.setdefault(mark, (cx + x, cy + y))
    none = (math.nan, math.nan)
    places = [where.get(mark, none) if mark else none for text, mark in node.pieces for _ in text]
    text = node.latex + (label.text if label else "")
    there = np.array(places, np.float32).reshape(-1, 2)
    if label:
        there = np.concatenate([there, label.centres])
    sample = Sample(pixels, text, there, (), np.zeros((0, 2), np.float32))
    return degrade(sample, rng) if rng.random() < noise else sample


def _label(rng: random.Random, width: int, height: int, size: float, unseen: bool) -> Sample:
    """The equation's number at the right, spelt as LaTeX's tag."""
    sheet, face = Sheet(width, height), choose_face(rng, unseen, mono=False)
    digits = rng.choice(("{}", "{}", "{}{}", "{}.{}", "A.{}")).format(rng.randint(1, 9), rng.randint(0, 9))
    own, widths = size * rng.uniform(0.85, 1.0), advances(face.regular)
    x = width - rng.uniform(3, 12) - own * sum(widths[c] for c in f"({digits})")
    baseline = height / 2 + 0.33 * own
    x = sheet.put("(", x, baseline, face.regular, own, read=False)
    sheet.write(" \\tag{")
    x = sheet.put(digits, x, baseline, face.regular, own)
    sheet.write("}")
    sheet.put(")", x, baseline, face.regular, own, read=False)
    return replace(sheet.finish(), glyphs=(), glyph_centres=np.zeros((0, 2), np.float32))
