"""Text recognition by RapidOCR: the lines of pages and of areas of them, as boxes with text.

Very long or wide images are cut into pieces. Lines are found first; of an area of which some print is known, only the
others are read.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from PIL import Image

from docspec.core import BBox, Event, PageImage
from docspec.core.container import processors
from docspec.core.languages import BUNDLED
from docspec.core.scripts import scripts_of
from docspec.core.straightening import Projection
from docspec.drafting.lines import TextLine
from docspec.drafting.rapid_engine import RapidEngine

MAX_SIDE = 1440  # pixels; 1280 to 1600 are fastest without loss on printed pages
MAX_THREADS = 8
MAX_SEARCHED = 6_000_000
"""Pixels of an image as the detector sees it. It enlarges the shorter side to 736 pixels whatever the longer one
becomes: a strip of 15 by 750 pixels took 7 GB."""
LEAST_SIDE = 5
"""Pixels of the shorter side of an image in which there may be print: a rule of 3 by 2,000 pixels took a minute."""

AREA_MARGIN = 8.0  # pixels around an area that are shown too
MOST_AREAS = 64
"""Areas whose lines are remembered: the same logo or frame stands on every page of a document."""

KNOWN = 0.5
"""From this share of its box in known print on, a line is known and not read."""

MOST_LETTERS = 20
"""From so many letters of a script on a model was made for it; the smallest alphabet, Hebrew, has 27 letters."""


_AreaKey = tuple[tuple[int, int], bytes, tuple[tuple[float, ...], ...]]
"""The size, the hash and the known print of an area."""


class ReadQuad(NamedTuple):
    """The quadrilateral around a line, in pixels, its text, the recogniser's confidence (0..1), and the numbers in it
    that are not sure."""

    quad: Sequence[tuple[float, float]]
    text: str
    confidence: float
    unsure: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """The ``lines`` of a page, in pixels, its ``tilt`` in degrees, the recogniser that read them, and what is to be
    said about them. ``turns`` are the quarter turns, clockwise, after which the page should be read again."""

    lines: list[TextLine]
    tilt: float
    recogniser: Recogniser
    events: tuple[Event, ...] = ()
    turns: int = 0


class PageReader(Protocol):
    """Reads pages: one recogniser, or several of which each page gets its own."""

    def check(self) -> None:
        """Raises :class:`docspec.core.DrafterError` where it cannot work at all."""

    @property
    def alphabet(self) -> frozenset[str]:
        """The characters that it can write."""

    @property
    def finder(self) -> Recogniser:
        """The one whose detector finds lines for all."""

    def of_page(self, page: PageImage) -> Recogniser:
        """The recogniser for ``page``, by what is known of it unread."""

    def read(self, page: PageImage, tell: Callable[[Sequence[str]], None] | None = None) -> Reading:
        """The lines of ``page``; ``tell`` is called with texts as they are read."""


class Recogniser:
    """Finds and reads lines of text in images. ``threads`` defaults to the ``share`` of the cores of this process, at
    most 8; ``model`` recognises in place of the wheel's own.
    """

    evens_light = False
    """Whether it takes uneven light out itself before it reads lines."""

    def __init__(
        self, threads: int | None = None, max_side: int = MAX_SIDE, model: Path | None = None, share: float = 1.0
    ) -> None:
        self._threads = threads or max(1, min(MAX_THREADS, int(share * processors())))
        self._model = model
        self._areas: dict[_AreaKey, list[TextLine]] = {}
        self.engine = RapidEngine(self._threads, max_side, model)

    def check(self) -> None:
        """Raise :class:`docspec.core.DrafterError` when one of the models is missing."""
        self.engine.check()

    @cached_property
    def alphabet(self) -> frozenset[str]:
        """The characters that it can write."""
        return frozenset(character for character in self.engine.characters if len(character) == 1) | {" "}

    def with_model(self, model: Path) -> Recogniser:
        """One like this whose lines are read by the file ``model``."""
        return Recogniser(self._threads, self.engine.max_side, model)

    @property
    def scripts(self) -> tuple[str, ...]:
        """The scripts that it was made for: those of which it can write most letters."""
        if self._model is None:
            return tuple(sorted(BUNDLED))
        return tuple(script for script, count in scripts_of("".join(self.alphabet)).items() if count >= MOST_LETTERS)

    @property
    def finder(self) -> Recogniser:
        return self

    def of_page(self, page: PageImage) -> Recogniser:
        return self

    def read(self, page: PageImage, tell: Callable[[Sequence[str]], None] | None = None) -> Reading:
        return Reading(*self.read_page(page.image, tell), self)

    def read_page(
        self, image: Image.Image, tell: Callable[[Sequence[str]], None] | None = None, known: Sequence[BBox] = ()
    ) -> tuple[list[TextLine], float]:
        """The lines of an RGB image, in its pixels, and the tilt of the page in degrees (clockwise is
        positive).

        The boxes are those of the page turned upright about its middle by that tilt, so that lines of a
        crooked scan do not overlap. ``size`` is the line's height. ``tell`` is called with texts as they are read, a
        few lines at a time, in the order in which they were found. Lines in print that is ``known`` are left out.
        """
        quads: list[ReadQuad] = []
        for tile, left, top in tiles(image) if min(image.size) >= LEAST_SIDE else ():
            shape = max(tile.size) / min(tile.size)
            with self._enlarging(math.sqrt(MAX_SEARCHED / shape)):
                found = self._read(tile, tell, [box.shifted(-left, -top) for box in known])
            quads += [one._replace(quad=[(x + left, y + top) for x, y in one.quad]) for one in found]
        tilt = _tilt([one.quad for one in quads])
        lines = []
        for number, one in enumerate(quads):
            if one.text:
                bbox = _upright(one.quad, tilt, image.width, image.height)
                line = TextLine(bbox, one.text, bbox.height, number, one.confidence, words="recognition")
                lines.append(replace(line, unsure=one.unsure))
        return lines, tilt

    def read_area(self, image: Image.Image, area: BBox, known: Sequence[BBox] = ()) -> list[TextLine]:
        """The lines inside ``area`` of an RGB image, in the image's pixels; an area that leans is read as it leans.
        Lines in the boxes of print that is ``known`` may be left out: they are not read."""
        left, top, right, bottom = area.grown(AREA_MARGIN).clamped(image.width, image.height).rounded()
        crop = image.crop((left, top, right, bottom))
        inside = [box.shifted(-left, -top) for box in known if box.intersection(BBox(left, top, right, bottom))]
        key = (crop.size, hashlib.sha256(crop.tobytes()).digest(), tuple(map(astuple, inside)))
        lines = self._areas.pop(key) if key in self._areas else self._read_crop(crop, inside)
        self._areas[key] = lines
        if len(self._areas) > MOST_AREAS:
            del self._areas[next(iter(self._areas))]
        return [replace(line, bbox=line.bbox.shifted(left, top)) for line in lines]

    def _read_crop(self, crop: Image.Image, known: Sequence[BBox]) -> list[TextLine]:
        with self._enlarging(min(crop.size)):  # at 1.5 times no more words are found, in twice the time
            lines, tilt = self.read_page(crop, known=known)
        return [replace(line, bbox=_leaning(line.bbox, tilt, crop.size)) for line in lines]

    def read_line(self, image: Image.Image) -> tuple[str, float]:
        """The text of an image of one line and the recogniser's confidence, 0..1."""
        return self.engine.read_line(image)

    def _read(
        self, image: Image.Image, tell: Callable[[Sequence[str]], None] | None, known: Sequence[BBox]
    ) -> list[ReadQuad]:
        """The lines of ``image``, in the order in which the detector found them. Those that are ``known`` have no
        text."""
        found = self.engine.find(image)
        tilt = _tilt([line.quad for line in found]) if known else 0.0
        boxes = [_leaning(_upright(line.quad, tilt, *image.size), tilt, image.size) for line in found]
        covered = [any(box.overlap(one) > KNOWN for one in known) for box in boxes]
        wanted = [line for line, is_known in zip(found, covered, strict=True) if not is_known]
        texts = iter(self.engine.read(wanted, tell))
        quads = []
        for line, is_known in zip(found, covered, strict=True):
            text = ("", 1.0) if is_known else next(texts)
            if text is not None:
                quads.append(ReadQuad(line.quad.tolist(), *text))
        return quads

    def find_lines(self, image: Image.Image) -> list[Any]:
        """The quadrilaterals (four corners, from the upper left one clockwise, in pixels) around the lines of
        ``image``, unread."""
        return [] if min(image.size) < LEAST_SIDE else [line.quad for line in self.engine.find(image)]

    def read_lines(self, images: Sequence[Image.Image]) -> list[tuple[str, float]]:
        """The text and the confidence of each image of a line."""
        return [self.read_line(image) for image in images]

    def _enlarging(self, side: float) -> AbstractContextManager[None]:
        return self.engine.enlarging(side)


def _tilt(quads: list[Any]) -> float:
    """Degrees by which the long lines lean, their median; 0 where there are too few or the lean is
    negligible.
    """
    angles = []
    for quad in quads:
        (x0, y0), (x1, y1) = quad[0], quad[1]
        if x1 - x0 > 6 * abs(quad[3][1] - y0):
            angles.append(math.degrees(math.atan2(y1 - y0, x1 - x0)))
    if len(angles) < 3:
        return 0.0
    middle = sorted(angles)[len(angles) // 2]
    return middle if 0.1 < abs(middle) < 15 else 0.0


def _upright(quad: Any, tilt: float, width: int, height: int) -> BBox:
    """The box of a quadrilateral after turning the page back by ``tilt`` degrees about its middle."""
    upright = Projection.turning(-tilt, width, height)
    points = [upright.point(float(x), float(y)) for x, y in quad]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return BBox(min(xs), min(ys), max(xs), max(ys))


def _leaning(box: BBox, tilt: float, size: tuple[int, int]) -> BBox:
    """The box around an upright ``box`` turned as the page of ``size`` leans."""
    return Projection.turning(tilt, *size).box(box) if tilt else box


MAX_ASPECT, TILE_ASPECT = 2.5, 1.5  # of an image that is read whole, and of its pieces
MIN_LENGTH = 1500  # pixels; shorter images are read whole whatever their shape


def tiles(image: Image.Image) -> Iterator[tuple[Image.Image, int, int]]:
    """Pieces of ``image`` in order, each with its left and top in pixels; the whole image if it is no
    strip.
    """
    width, height = image.size
    if max(width, height) <= max(MAX_ASPECT * min(width, height), MIN_LENGTH):
        yield image, 0, 0
        return
    tall = height > width
    start, end = 0, max(width, height)
    while start < end:
        stop = _cut(image, tall, start, int(max(TILE_ASPECT * min(width, height), MIN_LENGTH / 2)))
        box = (0, start, width, stop) if tall else (start, 0, stop, height)
        yield image.crop(box), box[0], box[1]
        start = stop


def _cut(image: Image.Image, tall: bool, start: int, length: int) -> int:
    """The end of the piece from ``start``: the emptiest row (or column) of its last third, so that no line is cut in
    half, or the image's end."""
    end = image.height if tall else image.width
    if end - start <= length * 1.3:
        return end
    first, last = start + length * 2 // 3, start + length
    box = (0, first, image.width, last) if tall else (first, 0, last, image.height)
    grey = np.asarray(image.crop(box).convert("L"), dtype=np.float32)
    variation = grey.std(axis=1 if tall else 0)
    empty = np.flatnonzero(variation <= variation.min() + 1.0)
    return first + int(empty[len(empty) // 2]) if len(empty) else last
