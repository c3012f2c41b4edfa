"""Reads one row of a formula: its base line, and what stands raised and lowered at it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from docspec.mathematics.certainty import Strains
from docspec.mathematics.items import AXIS, Item, base_of, main_size
from docspec.mathematics.spelling import ALPHABETS, BINARY, FUNCTIONS, MORE_FUNCTIONS, RELATIONS, sign_in_latex

_QUAD, _COMMA, _SPACE = 0.9, 0.15, 0.2
"""A wide gap, the least one behind a comma that is written, and the least space of text, in sizes of type."""

_WORDS = re.compile(r"\\(?:mathrm|text)\{([^\\{}]{2,})\}")

_ACCENTED = re.compile(r"\\[a-z]+\{.*\}", re.DOTALL)


class Token(NamedTuple):
    """A base with its scripts as LaTeX, where it begins and ends, and its sign."""

    latex: str
    x0: float
    x1: float
    sign: str


def read_row(items: Sequence[Item], strains: Strains) -> str:
    """The LaTeX of ``items`` in one row."""
    return joined(tokens_of(items, strains), main_size(items))


def tokens_of(items: Sequence[Item], strains: Strains) -> list[Token]:
    """The bases of a row with their scripts."""
    if not items:
        return []
    size, base = main_size(items), base_of(items)
    ordered = sorted(items, key=lambda one: (one.x0, one.x1))
    levels = [_is_level(one, base, size) for one in ordered]
    if not any(levels):
        levels = [True] * len(ordered)
    groups: list[tuple[Item | None, list[Item], list[Item]]] = []
    for one, level in zip(ordered, levels, strict=True):
        if level:
            groups.append((one, [], []))
            continue
        if not groups:
            groups.append((None, [], []))
        raised = _is_raised(one, base, size)
        (groups[-1][1] if raised else groups[-1][2]).append(one)
    _weigh_level([one for one, _, _ in groups if one is not None], size, strains)
    tokens: list[Token] = []
    index = 0
    while index < len(groups):
        nucleus, above, below = groups[index]
        if nucleus is None:
            strains.add("left over", 1)
            tokens.append(Token("{}" + _scripts(above, below, strains), 0.0, 0.0, ""))
            index += 1
            continue
        run = [nucleus]
        while not above and not below and index + 1 < len(groups) and _goes_on(run, groups[index + 1][0], size):
            index += 1
            following, above, below = groups[index]
            assert following is not None
            run.append(following)
        _weigh_scripts(run[-1], above, below, base, size, strains)
        ends = max([run[-1].x1, *(one.x1 for one in (*above, *below))])
        tokens += _spelled(run, _scripts(above, below, strains), ends, size)
        index += 1
    return tokens


def _weigh_level(level: Sequence[Item], size: float, strains: Strains) -> None:
    """The strains of what stands on a base line: signs on each other, brackets of one kind alone."""
    for one, other in pairwise(level):
        strains.add("overlap", max(0.0, min(one.x1, other.x1) - other.x0) / size)
    for one in level:
        if one.part in ("radical", "brace", "not", "piece") and not one.latex:
            strains.add("left over", 1)
    tall = [one for one in level if one.part == "delimiter" and not one.latex and one.height > 1.5 * size]
    strains.add("brackets", any(one.sign in "()[]{}⟨⟩⌊⌋⌈⌉" for one in tall))


def _weigh_scripts(
    nucleus: Item, above: Sequence[Item], below: Sequence[Item], base: float, size: float, strains: Strains
) -> None:
    """The strains of scripts: of their height at ``nucleus``, their size, and the white before them."""
    for own, direction in ((above, -1), (below, 1)):
        if not own:
            continue
        first = min(own, key=lambda one: one.x0)
        if nucleus.part != "operator":  # scripts of integrals stand as far off as their slant
            strains.add("script apart", max(0.0, first.x0 - nucleus.x1) / size)
        for one in own:
            if one.has_type:
                strains.add("script size", max(0.0, one.size / size - 0.72) if size > 7 else 0.0)
        if not any(one.has_type for one in own):
            if not all(one.part in ("fraction", "limits", "fenced") for one in own):
                strains.add("left over", 1)
            continue
        edge = base - nucleus.y0 if direction < 0 else nucleus.y1 - base
        low, high = (0.25, max(0.5, edge / size)) if direction < 0 else (0.08, max(0.35, edge / size + 0.2))
        away = direction * (base_of(own) - base) / size
        strains.add("script raised", max(0.0, low - away, away - high))


def _is_level(one: Item, base: float, size: float) -> bool:
    if one.has_type:
        return one.size >= 0.88 * size and abs(one.base - base) <= 0.16 * size
    axis = base - AXIS * size
    if one.part == "fraction":
        return abs(one.base - axis) <= 0.22 * size
    return abs(one.center_y - axis) <= max(0.3 * size, 0.2 * one.height)


def _is_raised(one: Item, base: float, size: float) -> bool:
    if one.has_type:
        return one.base < base - 0.06 * size
    return one.center_y < base - AXIS * size


def _scripts(above: Sequence[Item], below: Sequence[Item], strains: Strains) -> str:
    written = ""
    if below:
        written += f"_{{{read_row(below, strains)}}}"
    if above:
        text = read_row(above, strains)
        if re.fullmatch(r"(?:\\prime ?)+", text):
            return "'" * text.count("prime") + written
        if text.startswith("\\prime "):
            count = len(re.match(r"(?:\\prime )+", text)[0]) // 7  # type: ignore[index]
            rest = text[7 * count :]
            return "'" * count + written + (f"^{{{rest}}}" if rest else "")
        written += f"^{{{text}}}"
    return written


def _goes_on(run: Sequence[Item], following: Item | None, size: float) -> bool:
    """Whether ``following`` is one word, or one number, with ``run``."""
    if following is None:
        return False
    last = run[-1]
    if last.part != "ordinary" or following.part != "ordinary" or last.latex or following.latex:
        return False
    gap = following.x0 - last.x1
    if last.sign.isdigit() and following.sign.isdigit():
        return gap < 0.14 * size and last.alphabet == following.alphabet
    if not (last.sign.isalpha() and following.sign.isalpha()) or last.alphabet != following.alphabet:
        return False
    if last.alphabet in ("it", "bi"):
        return False
    return gap < (0.45 * size if last.alphabet in ("rm", "tt", "sf") and _is_text(run) else 0.14 * size)


def _is_text(run: Sequence[Item]) -> bool:
    """Whether words may follow each other with spaces."""
    return len(run) > 1 or run[0].sign.islower()


def _spelled(run: Sequence[Item], scripts: str, ends: float, size: float) -> list[Token]:
    first, last = run[0], run[-1]
    if first.latex:
        return [Token(first.latex + scripts, first.x0, ends, first.sign)]
    if first.sign.isdigit() or not first.sign.isalpha() or first.part != "ordinary":
        text = "".join(sign_in_latex(one.sign) for one in run)
        if first.alphabet == "bf" and first.sign.isdigit():
            text = f"\\mathbf{{{text}}}"
        return [Token(_with_scripts(text, scripts), first.x0, ends, first.sign)]
    words = _words(run, size)
    if first.alphabet == "rm":
        return _upright(words, scripts, first.x0, ends)
    text = " ".join(words)
    if first.alphabet in ("it", "") or (first.alphabet in ("bb", "cal", "frak") and not text.isascii()):
        plain = "".join(sign_in_latex(one.sign) for one in run)
        return [Token(_with_scripts(plain, scripts), first.x0, ends, first.sign)]
    command = "boldsymbol" if not text.isascii() else ALPHABETS[first.alphabet]
    body = "".join(sign_in_latex(char) if char != " " else r"\ " for char in text).rstrip()
    return [Token(f"\\{command}{{{body}}}{scripts}", first.x0, ends, last.sign)]


def _with_scripts(text: str, scripts: str) -> str:
    return text.rstrip() + scripts if scripts else text


def _words(run: Sequence[Item], size: float) -> list[str]:
    words = [run[0].sign]
    for before, one in pairwise(run):
        if one.x0 - before.x1 > 0.14 * size:
            words.append("")
        words[-1] += one.sign
    return words


def _upright(words: list[str], scripts: str, x0: float, ends: float) -> list[Token]:
    if len(words) == 1 or all(word in FUNCTIONS for word in words):
        text = "".join(map(_one_upright, words))
        return [Token(_with_scripts(text, scripts), x0, ends, words[-1][-1])]
    text = " ".join(words)
    return [Token(f"\\text{{{text}}}{scripts}", x0, ends, words[-1][-1])]


def _one_upright(word: str) -> str:
    if word in FUNCTIONS:
        return f"\\{word} "
    if word in MORE_FUNCTIONS and word != "mod":
        return f"\\operatorname{{{word}}}"
    body = "".join(map(sign_in_latex, word)).rstrip()
    if len(word) == 1 and not word.isascii():
        return sign_in_latex(word)
    return f"\\mathrm{{{body}}}"


_LONGER = {"-\\to ": "\\longrightarrow ", "=\\Rightarrow ": "\\Longrightarrow ", "\\leftarrow -": "\\longleftarrow ",
           "\\Leftarrow =": "\\Longleftarrow ", "\\mapsto \\to ": "\\mapsto ",
           "\\leftarrow \\to ": "\\longleftrightarrow ",
           "\\Leftarrow \\Rightarrow ": "\\iff ", "\\mapsto -": "\\longmapsto ", "|=": "\\models ",
           "\\longmapsto \\to ": "\\longmapsto ", "\\leftharpoondown \\rightharpoonup ": "\\rightleftharpoons ",
           "\\rightharpoonup \\leftharpoondown ": "\\rightleftharpoons "}  # fmt: skip
"""Signs that TeX puts together from two that touch."""


def together(tokens: Sequence[Token], size: float) -> list[Token]:
    """``tokens`` with arrows that are made of two signs as one, and three points in a row as an ellipsis."""
    made: list[Token] = []
    for token in tokens:
        if made and token.x0 - made[-1].x1 < 0.02 * size and (long := _LONGER.get(made[-1].latex + token.latex)):
            made[-1] = Token(long, made[-1].x0, token.x1, "→")
            continue
        if made and made[-1].latex == token.latex == "-" and token.x0 - made[-1].x1 < 0.02 * size:
            made[-1] = Token("-", made[-1].x0, token.x1, "−")  # pieces of one long arrow
            continue
        made.append(token)
        if len(made) > 2 and len({one.latex for one in made[-3:]}) == 1 and made[-1].latex in (".", "\\cdot "):
            gaps = [made[-2].x0 - made[-3].x1, made[-1].x0 - made[-2].x1]
            if max(gaps) < 0.5 * size and max(gaps) - min(gaps) < 0.1 * size:
                dots = "\\ldots " if made[-1].latex == "." else "\\cdots "
                made[-3:] = [Token(dots, made[-3].x0, made[-1].x1, "…")]
    return made


def _is_spaced(left: Token, right: Token, beside: str, size: float) -> bool:
    """Whether a space of text is between a word and the sign ``beside`` it, which has no white of its own there."""
    return _SPACE * size < right.x0 - left.x1 <= _QUAD * size and beside not in RELATIONS | BINARY


def joined(tokens: Sequence[Token], size: float) -> str:
    """``tokens`` as one piece of LaTeX."""
    tokens = together(tokens, size)
    written = ""
    for number, token in enumerate(tokens):
        latex = token.latex
        if 0 < number < len(tokens) - 1 and latex.startswith(("|", "\\|")):
            left, right = token.x0 - tokens[number - 1].x1, tokens[number + 1].x0 - token.x1
            if min(left, right) > 0.2 * size and tokens[number - 1].sign not in RELATIONS | BINARY:
                latex = latex.replace("\\|", "\\parallel ", 1) if latex.startswith("\\|") else "\\mid " + latex[1:]
        if (words := _WORDS.fullmatch(latex)) is not None:
            before = number > 0 and _is_spaced(tokens[number - 1], token, tokens[number - 1].sign, size)
            after = number + 1 < len(tokens) and _is_spaced(token, tokens[number + 1], tokens[number + 1].sign, size)
            latex = f"\\text{{{' ' * before}{words[1]}{' ' * after}}}" if before or after else latex
        if number and token.x0 - tokens[number - 1].x1 > _QUAD * size:
            written += "\\quad "
        elif number and latex[:1].isdigit() and tokens[number - 1].sign.isdigit() and written[-1:].isdigit():
            written += "\\,"
        written += latex
        if latex == "," and number + 1 < len(tokens) and tokens[number + 1].x0 - token.x1 > _COMMA * size:
            written += " "
    written = re.sub(r"(\\[A-Za-z]+) +(?=[^A-Za-z]|$)", r"\1", written)
    return re.sub(r"\(\\mathrm\{mod\}(?:\\quad )?((?:[^()]|\([^()]*\))*)\)", r"\\pmod{\1}", written).strip()
