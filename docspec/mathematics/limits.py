"""Limits over and under operators, words such as ``lim``, relations and arrows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from docspec.mathematics.certainty import Strains
from docspec.mathematics.items import Item, box_of, main_size
from docspec.mathematics.spelling import ARROWS, FUNCTIONS, RELATIONS, WITH_LIMITS, sign_in_latex

Reader = Callable[[Sequence[Item]], str]


def with_limits(items: Sequence[Item], read: Reader, strains: Strains) -> list[Item]:
    """``items`` with operators and their limits as one."""
    left = _with_words(items)
    size = main_size(left)
    for operator in [one for one in left if _takes_limits(one)]:
        own = size if operator.part == "operator" else operator.size
        others = [one for one in left if one is not operator and one.size < 0.88 * max(own, operator.size)]
        near = 0.35 if operator.part in ("operator", "word") else 0.16
        above = _cluster([one for one in others if one.y1 <= operator.y0 + 0.08 * own], operator, own, near, -1)
        below = _cluster([one for one in others if one.y0 >= operator.y1 - 0.08 * own], operator, own, near, 1)
        if operator.part == "ordinary" and operator.sign not in RELATIONS:
            continue
        if above or below:
            left = [one for one in left if one is not operator and one not in above and one not in below]
            left.append(_made(operator, above, below, read, strains))
    return left


def _takes_limits(one: Item) -> bool:
    if one.part == "word":
        return one.latex.strip("\\ ").removeprefix("operatorname*{").rstrip("}") in WITH_LIMITS
    return one.part == "operator" or (one.part == "ordinary" and one.sign in RELATIONS and not one.latex)


def _cluster(items: Sequence[Item], operator: Item, size: float, near: float, direction: int) -> list[Item]:
    """Those of ``items`` that stand together, centred over or under ``operator``."""
    most = (1.0 if operator.part == "operator" else 0.6) * size
    edge = operator.y1 if direction > 0 else operator.y0
    level = [
        one for one in items if 0 - 0.1 * size <= direction * ((one.y0 if direction > 0 else one.y1) - edge) < most
    ]
    seeds = [one for one in level if one.x0 - near * size < operator.center_x < one.x1 + near * size]
    if not seeds:
        return []
    own, x0, x1 = list(seeds), min(one.x0 for one in seeds), max(one.x1 for one in seeds)
    grown = True
    while grown:
        grown = False
        for one in items:
            beside = one.x0 < x1 + near * size and one.x1 > x0 - near * size
            _, top, _, bottom = box_of(own)
            if one not in own and beside and one.y0 < bottom + 0.2 * size and one.y1 > top - 0.2 * size:
                own.append(one)
                x0, x1, grown = min(x0, one.x0), max(x1, one.x1), True
    middle = (x0 + x1) / 2
    return own if abs(middle - operator.center_x) < 0.45 * size + 0.1 * (x1 - x0) else []


def _made(operator: Item, above: Sequence[Item], below: Sequence[Item], read: Reader, strains: Strains) -> Item:
    for own in (above, below):
        if own:
            left, _, right, _ = box_of(own)
            strains.add("limit off centre", ((left + right) / 2 - operator.center_x) / operator.size)
    x0, y0, x1, y1 = box_of([operator, *above, *below])
    if operator.part in ("operator", "word"):
        latex = operator.latex or sign_in_latex(operator.sign)
        latex = latex.rstrip() + ("\\limits" if operator.sign in "∫∬∭∮" and operator.sign else "")
        latex += f"_{{{read(below)}}}" if below else ""
        latex += f"^{{{read(above)}}}" if above else ""
    elif operator.sign in ARROWS and operator.x1 - operator.x0 > 1.2 * operator.size:
        name = {"→": "xrightarrow", "←": "xleftarrow"}.get(operator.sign, "xrightarrow")
        latex = f"\\{name}" + (f"[{read(below)}]" if below else "") + f"{{{read(above)}}}"
    else:
        latex = sign_in_latex(operator.sign).rstrip()
        latex = f"\\overset{{{read(above)}}}{{{latex}}}" if above else latex
        latex = f"\\underset{{{read(below)}}}{{{latex}}}" if below else latex
    part = "limits" if operator.part == "operator" else "made"
    # the axis stays that of the operator alone
    if part == "limits":
        reach = max(operator.center_y - y0, y1 - operator.center_y)
        y0, y1 = operator.center_y - reach, operator.center_y + reach
    return Item(latex, x0, y0, x1, y1, operator.base, operator.size, operator.sign, operator.alphabet, part)


def _with_words(items: Sequence[Item]) -> list[Item]:
    """``items`` with upright letters that make the name of a function as one."""
    rest = [one for one in items if not _is_upright(one)]
    letters = sorted((one for one in items if _is_upright(one)), key=lambda one: (round(one.base, 1), one.x0))
    runs: list[list[Item]] = []
    for one in letters:
        last = runs[-1][-1] if runs else None
        if (
            last is not None
            and abs(last.base - one.base) < 0.05 * one.size
            and abs(last.size - one.size) < 0.1
            and -0.1 * one.size < one.x0 - last.x1 < 0.12 * one.size
        ):
            runs[-1].append(one)
        else:
            runs.append([one])
    for run in runs:
        word = "".join(one.sign for one in run)
        if word not in FUNCTIONS:
            rest += run
            continue
        x0, y0, x1, y1 = box_of(run)
        before = next((one for one in rest if one.part == "word" and one.latex == "\\lim " and word in ("inf", "sup")
                       and abs(one.base - run[0].base) < 0.5 and 0 <= x0 - one.x1 < 0.3 * one.size), None)  # fmt: skip
        if before is not None:
            rest.remove(before)
            word, x0, y0 = f"lim{word}", before.x0, min(y0, before.y0)
        rest.append(Item(f"\\{word} ", x0, y0, x1, y1, run[0].base, run[0].size, "x", "rm", "word"))
    return rest


def _is_upright(one: Item) -> bool:
    return (
        one.part == "ordinary" and not one.latex and one.alphabet == "rm" and one.sign.isalpha() and one.sign.isascii()
    )
