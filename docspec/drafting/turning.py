"""Finds scans that lie on their side or stand on their head: the recogniser reads few of their lines surely.

Lines of a sideways page are higher than wide. A sample of lines, read both ways round, tells on which side a page lies
and whether it stands on its head.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from PIL import Image

from docspec.core import BBox
from docspec.core.scripts import scripts_of
from docspec.drafting.lines import TextLine
from docspec.drafting.recogniser import Recogniser
from docspec.drafting.straightening import turned_image

SAMPLE = 6
"""Lines that are read both ways round."""

LEAST = 3
"""Fewer lines do not decide for a page."""

LETTERS = 6
"""Least characters of a line that show which way up it is."""

UPRIGHT = 1.5
"""Height over width from which on a line runs up or down."""

SIDEWAYS = 0.7
"""Share of a page's characters in such lines from which on it lies on its side."""

SURE = 0.9
"""Mean confidence (0..1) of the lines of pages that are the right way up."""

BETTER = 0.15
"""Least gain of confidence (0..1) for the other way round."""

UPWARDS = frozenset({"Han", "Kana", "Hangul"})
"""Scripts that are set from top to bottom."""


def turns_of(image: Image.Image, lines: Sequence[TextLine], recogniser: Recogniser) -> int:
    """The quarter turns, clockwise, that bring a page ``image`` upright; its ``lines`` were recognised as it lies."""
    total = sum(len(line.text) for line in lines)
    long = sorted(lines, key=lambda line: -max(line.bbox.width, line.bbox.height))
    sample = [line for line in long if len(line.text) >= LETTERS][:SAMPLE]
    if len(sample) < LEAST or not total:
        return 0
    tall = sum(len(line.text) for line in lines if line.bbox.height > UPRIGHT * line.bbox.width)
    if tall >= SIDEWAYS * total:
        scripts = scripts_of("".join(line.text for line in lines))
        if sum(scripts[name] for name in UPWARDS) > scripts.total() / 2:
            return 0
        ways = 1, 3
    elif sum(line.confidence * len(line.text) for line in lines) >= SURE * total:
        return 0
    else:
        ways = 0, 2
    scores = [fmean(_read(image, line.bbox, turns, recogniser) for line in sample) for turns in ways]
    if ways == (0, 2):
        return 2 if scores[1] >= scores[0] + BETTER else 0
    return ways[scores.index(max(scores))]


def _read(image: Image.Image, box: BBox, turns: int, recogniser: Recogniser) -> float:
    """The recogniser's confidence for a line after so many quarter turns."""
    part = box.grown(2).clamped(image.width, image.height).rounded()
    return recogniser.read_line(turned_image(image.crop(part), turns))[1]
