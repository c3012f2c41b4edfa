"""A recognised page as tokens: the words of its lines, placed by their letters, and the rules that its picture
shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image

from docspec.drafting.ink import opened
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine
from docspec.drafting.structure.tokens import Floats, PageTokens, Token, layout_of_boxes, with_prose

LONG = 2.5
"""Least length of a rule, in heights of the usual line."""
THICK = 0.4
"""Most thickness of a rule, in heights of the usual line."""
SPACE = 0.35
"""Width of a space, in sizes of the type."""
NARROW, WIDE = frozenset("iljtfrI.,:;'!|()[]1 "), frozenset("mwMW@%&")


def recognised_tokens(
    lines: Sequence[TextLine], image: Image.Image, per_point: float, boxes: Sequence[LayoutBox]
) -> PageTokens:
    """The tokens of ``lines`` (points), whose page ``image`` has ``per_point`` pixels for each."""
    words = [words_of_line(line, number) for number, line in enumerate(lines) if line.text.split() and not line.turns]
    height = float(np.median([line.bbox.height for line in lines])) if lines else 10.0
    level, upright = drawn_rules(image, height * per_point)
    none = np.zeros((0, 4), np.float32)
    width, depth = image.width / per_point, image.height / per_point
    tokens, layout = tuple(with_prose(words)), layout_of_boxes(boxes)
    return PageTokens(tokens, level / per_point, upright / per_point, none, layout, width, depth, recognised=True)


def words_of_line(line: TextLine, number: int) -> list[Token]:
    """The words of a recognised line: its width is shared out by the usual widths of letters."""
    widths = np.array([0.5 if sign in NARROW else 1.5 if sign in WIDE else 1.0 for sign in line.text])
    ends = np.concatenate([[0.0], widths.cumsum()]) / widths.sum() * line.bbox.width + line.bbox.x0
    size = line.size or 0.75 * line.bbox.height
    tokens, at = [], 0
    for word in line.text.split():
        start = line.text.index(word, at)
        at = start + len(word)
        box = (float(ends[start]), line.bbox.y0, float(ends[at]), line.bbox.y1)
        tokens.append(Token(word, box, size, line.bbox.y1 - 0.25 * line.bbox.height, line=number))
    return tokens


def drawn_rules(image: Image.Image, height: float) -> tuple[Floats, Floats]:
    """The level rules (x0, x1, y) and upright rules (y0, y1, x) that ``image`` shows, in its pixels; ``height`` is that
    of a line."""
    grey = np.asarray(image.convert("L"))
    import cv2

    ink = cv2.adaptiveThreshold(grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, 31, 15)
    result = []
    for upright in (False, True):
        length = max(12, int(LONG * height))
        near = cv2.dilate(
            ink, np.ones((1, 3) if upright else (3, 1), np.uint8)
        )  # a rule that leans is one all the same
        lines = opened(near > 0, *((length, 1) if upright else (1, length))).astype(np.uint8)
        count, _, stats, _ = cv2.connectedComponentsWithStats(lines)
        rules = []
        for x, y, width, depth, _ in stats[1:count]:
            thick, start, end = (width, y, y + depth) if upright else (depth, x, x + width)
            if thick <= max(4.0, THICK * height):
                rules.append((start, end, (x + width / 2) if upright else (y + depth / 2)))
        result.append(np.array(rules, np.float32).reshape(-1, 3))
    return result[0], result[1]
