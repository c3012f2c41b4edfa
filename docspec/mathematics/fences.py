"""What stands between tall brackets: matrices, cases, binomials, and terms that the brackets grow with."""

from __future__ import annotations

from collections.abc import Sequence

from docspec.mathematics.certainty import Strains
from docspec.mathematics.items import Item, box_of, main_size
from docspec.mathematics.limits import Reader
from docspec.mathematics.spelling import sign_in_latex
from docspec.mathematics.stacks import environment, grid_of, rows_of

_OPENING, _CLOSING = frozenset("([{⟨⌊⌈|‖"), frozenset(")]}⟩⌋⌉|‖")
MATRIX, CASES = 0.45, 0.62
"""Least white between two columns of a matrix, and between values and conditions, where words have spaces, in sizes of
type: typst puts 0.5 there, LaTeX 1.0."""

_MATRICES = {"()": "pmatrix", "[]": "bmatrix", "{}": "Bmatrix", "||": "vmatrix", "‖‖": "Vmatrix"}
_PAIRS = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "⌊": "⌋", "⌈": "⌉", "|": "|", "‖": "‖"}


def with_fences(items: Sequence[Item], read: Reader, strains: Strains) -> list[Item]:
    """``items`` with what tall brackets hold as one with them, from the inside out."""
    left = list(items)
    while (pair := _innermost(left)) is not None:
        opening, closing, inside = pair
        own = [one for one in (opening, closing, *inside) if one is not None]
        latex = _written(opening, closing, inside, read, strains)
        x0, y0, x1, y1 = box_of(own)
        size = main_size(inside) if inside else opening.size
        middle = opening.center_y
        reach = max(middle - y0, y1 - middle)
        left = [one for one in left if one not in own]
        left.append(Item(latex, x0, middle - reach, x1, middle + reach, opening.base, size, "(", "", "fenced"))
    return left


def _is_tall(one: Item, size: float) -> bool:
    return one.part == "delimiter" and not one.latex and one.height > size


def _innermost(items: Sequence[Item]) -> tuple[Item, Item | None, list[Item]] | None:
    """A pair of brackets without another one within, or a brace on the left of rows."""
    size = main_size(items)
    tall = sorted((one for one in items if _is_tall(one, size)), key=lambda one: one.x0)
    best: tuple[float, Item, Item, list[Item]] | None = None
    for at, opening in enumerate(tall):
        if opening.sign not in _OPENING:
            continue
        closings = [one for one in tall[at + 1 :] if one.sign in _CLOSING and _alike(opening, one, size)]
        closings.sort(key=lambda one: (one.sign in "|‖", one.x0) if opening.sign not in "|‖" else (False, one.x0))
        for closing in closings:
            if _PAIRS[opening.sign] != closing.sign and opening.sign in "|‖" and closing.sign not in "|‖":
                continue
            inside = _between(items, opening, closing)
            width = closing.x0 - opening.x1
            if inside and (best is None or width < best[0]):
                best = width, opening, closing, inside
            break
    if best is not None:
        return best[1], best[2], best[3]
    for opening in tall:
        if opening.sign == "{":
            inside = _between(items, opening, None)
            if len(rows_of(inside)) > 1:
                return opening, None, inside
    return None


def _alike(one: Item, other: Item, size: float) -> bool:
    return abs(one.y0 - other.y0) < 0.4 * size and abs(one.y1 - other.y1) < 0.4 * size


def _between(items: Sequence[Item], opening: Item, closing: Item | None) -> list[Item]:
    right = closing.x0 if closing is not None else float("inf")
    room = 0.5 * opening.size
    return [
        one
        for one in items
        if one is not opening
        and one is not closing
        and opening.x1 - 0.5 < one.center_x < right + 0.5
        and opening.y0 - room < one.center_y < opening.y1 + room
    ]


def _written(opening: Item, closing: Item | None, inside: Sequence[Item], read: Reader, strains: Strains) -> str:
    bars = [one for one in inside if one.sign in "|‖" and _is_tall(one, one.size) and _alike(one, opening, one.size)]
    inside = [one for one in inside if one not in bars]
    cells = grid_of(inside, CASES if closing is None else MATRIX)
    if len(cells) > 1:
        filled = [sum(bool(cell) for cell in row) for row in cells]
        strains.add("ragged rows", 0.4 * (max(filled) - min(filled)))
        pair = opening.sign + (closing.sign if closing is not None else "")
        is_narrow = closing is not None and closing.x0 - opening.x1 < 5 * opening.size
        if pair == "()" and is_narrow and len(cells) == 2 and len(cells[0]) == 1:
            return f"\\binom{{{read(cells[0][0])}}}{{{read(cells[1][0])}}}"
        lines = ["&".join(map(read, row)) for row in cells]
        if bars:
            body = environment("array", lines, _columns(cells, bars))
        else:
            body = environment(name := "cases" if closing is None else _MATRICES.get(pair, "matrix"), lines)
            if name != "matrix":
                return body
        return f"\\left{_fence(opening)}{body}\\right{_fence(closing)}"
    return f"\\left{_fence(opening)}{read([*inside, *bars])}\\right{_fence(closing)}"


def _columns(cells: Sequence[Sequence[Sequence[Item]]], bars: Sequence[Item]) -> str:
    """The columns of an array, with ``bars`` between them."""
    ends = [max((item.x1 for cell in column for item in cell), default=0.0) for column in zip(*cells, strict=True)]
    places = sorted([*((end, "c") for end in ends), *((bar.x0, "|") for bar in bars)])
    return "".join(sign for _, sign in places)


def _fence(one: Item | None) -> str:
    return "." if one is None else sign_in_latex(one.sign)
