"""A sheet of paper that remembers what was printed where.

`Sheet` draws with MuPDF (one point is one pixel) and records every glyph with its exact box, so that a
training page comes with its Markdown, with the position of every character of it, and with a character label
for every small bin of pixels. `degrade` adds what a scanner adds and moves the recorded positions along.
"""

from __future__ import annotations

import functools
import io
import math
import random
from dataclasses import dataclass

import numpy as np
import pymupdf
from PIL import Image, ImageFilter

from training.corpus import ALPHABET

DIVISION = "\u00ad"  # at the end of a piece of a word that goes on in the next line
LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl"}
CENTRE = 0.33  # height of a glyph's centre over the baseline, in units of the font size


@dataclass(frozen=True)
class Glyph:
    """One printed character: horizontal extent, baseline and size in pixels; `read` is False for running
    heads."""

    char: str
    x0: float
    x1: float
    baseline: float
    size: float
    read: bool = True

    @property
    def centre(self) -> tuple[float, float]:
        return (self.x0 + self.x1) / 2, self.baseline - CENTRE * self.size


@dataclass(frozen=True)
class Sample:
    """A rendered page or crop: grey pixels (height, width) uint8, its Markdown, and the centre (x, y) in
    pixels of every character of the Markdown, NaN for markup and for the spaces between lines, (characters,
    2)."""

    pixels: np.ndarray
    text: str
    centres: np.ndarray
    glyphs: tuple[Glyph, ...]
    glyph_centres: np.ndarray


@functools.lru_cache(maxsize=256)
def advances(font: pymupdf.Font) -> dict[str, float]:
    """Advance widths at size 1 of the characters of the reader's alphabet and of the ligatures that `font` has."""
    known = sorted(ALPHABET | LIGATURES.keys())
    widths = {c: font.glyph_advance(ord(c)) for c in known if font.has_glyph(ord(c))}
    return widths | {DIVISION: widths["-"]}


class Sheet:
    """A page under construction, `width` x `height` pixels, white."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.document = pymupdf.open()
        self.page = self.document.new_page(width=width, height=height)
        self.ink: dict[float, pymupdf.TextWriter] = {}
        self.chars: list[str] = []
        self.centres: list[tuple[float, float]] = []
        self.glyphs: list[Glyph] = []

    def write(self, markup: str) -> None:
        """Append characters to the Markdown that are not on the paper."""
        self.chars.extend(markup)
        self.centres.extend([(math.nan, math.nan)] * len(markup))

    def put(
        self,
        text: str,
        x: float,
        baseline: float,
        font: pymupdf.Font,
        size: float,
        grey: float = 0.0,
        read: bool = True,
    ) -> float:
        """Print `text` (a word or a line, no line breaks) and return the x where it ends; ligatures are read as
        letters."""
        writer = self.ink.get(grey)
        if writer is None:
            writer = self.ink[grey] = pymupdf.TextWriter(self.page.rect, color=(grey, grey, grey))
        writer.append((x, baseline), text, font=font, fontsize=size)
        widths = advances(font)
        for char in text:
            letters = LIGATURES.get(char, char)
            width = widths.get(char, 0.5) * size / len(letters)
            for letter in letters:
                if letter != " ":
                    glyph = Glyph(letter, x, x + width, baseline, size, read)
                    self.glyphs.append(glyph)
                if read:
                    self.chars.append(letter)
                    self.centres.append(glyph.centre if letter != " " else (math.nan, math.nan))
                x += width
        return x

    def rule(self, x0: float, y0: float, x1: float, y1: float, thickness: float, grey: float = 0.0) -> None:
        """Draw a straight line."""
        self.page.draw_line((x0, y0), (x1, y1), color=(grey,) * 3, width=thickness)

    def box(self, x0: float, y0: float, x1: float, y1: float, fill: float | None, grey: float = 0.3) -> None:
        """Draw a rectangle, filled with a grey where `fill` is given."""
        self.page.draw_rect((x0, y0, x1, y1), color=(grey,) * 3, fill=None if fill is None else (fill,) * 3, width=0.8)

    def finish(self) -> Sample:
        """Rasterise. The sheet cannot be used afterwards."""
        for writer in self.ink.values():
            writer.write_text(self.page)
        pixmap = self.page.get_pixmap(colorspace=pymupdf.csGRAY, alpha=False)
        pixels = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.stride)[:, : pixmap.width].copy()
        self.document.close()
        return Sample(
            pixels,
            "".join(self.chars),
            np.array(self.centres, np.float32).reshape(-1, 2),
            tuple(self.glyphs),
            np.array([glyph.centre for glyph in self.glyphs], np.float32).reshape(-1, 2),
        )


def _worn(image: Image.Image, rng: random.Random) -> Image.Image:
    """Broken or swollen strokes, specks, or a page in black and white alone."""
    kind, dice = rng.random(), np.random.default_rng(rng.getrandbits(32))
    array: np.ndarray = np.asarray(image, np.float32)
    if kind < 0.35:  # ink that did not take, in patches of a few pixels
        rough = Image.fromarray(dice.integers(0, 256, (image.height // 3 + 1, image.width // 3 + 1), np.uint8))
        bare = np.asarray(rough.resize(image.size, Image.Resampling.BILINEAR)) > rng.uniform(195, 225)
        array = np.where(bare, np.maximum(array, rng.uniform(120, 230)), array)
    elif kind < 0.6:  # more or less ink
        array = 255 * (array / 255) ** np.float32(rng.choice((0.5, 0.7, 1.5, 2.2)))
    elif kind < 0.8:
        specks = dice.random(array.shape) < rng.uniform(0.0003, 0.003)
        array = np.where(specks, rng.uniform(0, 140), array)
    else:
        uneven = array + 12 * dice.standard_normal(array.shape, np.float32)
        array = np.where(uneven < rng.uniform(110, 190), 0.0, 255.0)
    return Image.fromarray(np.clip(array, 0, 255).astype(np.uint8))


def degrade(sample: Sample, rng: random.Random) -> Sample:
    """What printing and scanning do: a turn of up to one degree, resampling, blur, wear, noise, contrast, JPEG. Blur is
    slight, or of up to 0.07 of the size of type: what enlarging small print leaves."""
    image = Image.fromarray(sample.pixels)
    centres, glyph_centres = sample.centres, sample.glyph_centres
    if rng.random() < 0.5:
        limit = min(1.0, 12.0 / max(image.size) * 57.3)
        angle = rng.uniform(-limit, limit)
        image = image.rotate(angle, Image.Resampling.BICUBIC, fillcolor=255)
        turn, (cx, cy) = math.radians(-angle), (image.width / 2, image.height / 2)
        matrix = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]], np.float32)
        middle = np.array([cx, cy], np.float32)
        centres, glyph_centres = ((points - middle) @ matrix + middle for points in (centres, glyph_centres))
    if rng.random() < 0.35:
        factor = rng.choice((rng.uniform(0.7, 1.3), rng.uniform(0.5, 0.8)))
        small = image.resize((int(image.width * factor), int(image.height * factor)), Image.Resampling.BILINEAR)
        image = small.resize(image.size, Image.Resampling.BICUBIC)
    if rng.random() < 0.5:
        size = float(np.median([glyph.size for glyph in sample.glyphs] or [0.0]))
        radius = rng.choice((rng.uniform(0.3, 0.9), size * rng.uniform(0.02, 0.07)))
        image = image.filter(ImageFilter.GaussianBlur(radius))
    if rng.random() < 0.2:
        image = _worn(image, rng)
    array = np.asarray(image, np.float32)
    if rng.random() < 0.5:
        low, high = rng.uniform(0, 70), rng.uniform(225, 255)
        array = low + array * ((high - low) / 255)
    if rng.random() < 0.5:
        noise = np.random.default_rng(rng.getrandbits(32)).standard_normal(array.shape, np.float32)
        array = array + noise * rng.uniform(2, 12)
    array = np.clip(array, 0, 255).astype(np.uint8)
    if rng.random() < 0.3:
        buffer = io.BytesIO()
        Image.fromarray(array).save(buffer, "JPEG", quality=rng.randint(40, 85))
        array = np.array(Image.open(buffer).convert("L"))
    return Sample(array, sample.text, centres, sample.glyphs, glyph_centres)
