"""Made pages as a recogniser would see them: lines without their type, whose words are placed by their letters."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from docspec.core import BBox
from docspec.drafting.lines import TextLine
from docspec.drafting.structure.recognised import words_of_line
from docspec.drafting.structure.tokens import PageTokens, Token, with_prose

PARTED = (0.7, 2.0)
"""White, in sizes of the type, from which on a recogniser sees two lines: between these, one value for a page."""
LEAST_RULE = 3.0
"""Least length, in sizes of the type, of a rule that is seen in a picture."""


def recognised(page: PageTokens, chance: random.Random) -> tuple[PageTokens, NDArray[np.int64]]:
    """``page`` as if it had been recognised, and for each of its tokens the number of the one that it comes from."""
    apart, shake = chance.uniform(*PARTED), chance.uniform(0, 0.06)
    lines: list[list[Token]] = []
    rows: dict[int, list[int]] = {}
    for number, token in enumerate(page.tokens):
        rows.setdefault(token.line, []).append(number)
    for own in rows.values():
        own.sort(key=lambda number: page.tokens[number].box[0])
        runs: list[list[int]] = []
        for number in own:
            token = page.tokens[number]
            if runs and token.box[0] - page.tokens[runs[-1][-1]].box[2] < apart * token.size:
                runs[-1].append(number)
            else:
                runs.append([number])
        lines += [_line(page, run, len(lines) + at, shake, chance) for at, run in enumerate(runs)]
    tokens = with_prose([words for words in lines if words])
    sources = np.array([token.colour for token in tokens], np.int64)
    size = float(np.median([token.size for token in page.tokens]))
    level = page.level[page.level[:, 1] - page.level[:, 0] > LEAST_RULE * size]
    upright = page.upright[page.upright[:, 1] - page.upright[:, 0] > LEAST_RULE * size]
    plain = tuple(replace(token, colour=0) for token in tokens)
    return replace(page, tokens=plain, level=level, upright=upright, fills=page.fills[:0], recognised=True), sources


def _line(page: PageTokens, run: list[int], number: int, shake: float, chance: random.Random) -> list[Token]:
    """The words of one recognised line; ``colour`` has the token that each comes from."""
    own = [page.tokens[at] for at in run]
    size = max(token.size for token in own)

    def moved(value: float) -> float:
        return value + chance.gauss(0, shake) * size

    x0, y0 = min(token.box[0] for token in own), min(token.box[1] for token in own)
    x1, y1 = max(token.box[2] for token in own), max(token.box[3] for token in own)
    box = BBox(moved(x0), moved(y0), moved(x1), max(moved(y1), y0 + 0.5 * size))
    text = " ".join(token.text for token in own)
    owners = [at for at, token in zip(run, own, strict=True) for _ in token.text.split()]
    words = words_of_line(TextLine(box, text, 0.0, 0), number)
    return [replace(word, colour=owner) for word, owner in zip(words, owners, strict=True)]
