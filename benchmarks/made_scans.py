"""Scans whose words and boxes are known, drawn by a seed: notes, receipts and tables, each worn in its own way.

Texts are sentences of the samples. Scans of even and of odd seeds have different ones, so that certainty is fitted to
words that it is not measured on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pymupdf

from benchmarks.degradation import blurred, compressed, lower_resolution, noisy
from benchmarks.structure_pages import Press

if TYPE_CHECKING:
    from PIL.Image import Image

STRONG_BLUR, STRONG_GRAIN = 2.0, 16.0
"""Pixels, and grey levels, from which on a scan is hardly legible."""

BLURRED = 1_000_000
"""The seed from which on scans are blurred by about three pixels: few of the others are."""

SAMPLES = Path(__file__).parent.parent / "samples"

_SENTENCE = re.compile(r"[A-Z][^.!?|$<>*_`#\[\]\\]{30,160}[.!?]")

GOODS = re.findall(
    r"\w+",
    """bread milk butter eggs cheese apples pears onions coffee tea sugar flour rice soap paper candles rope paint nails
    screws bolts lamp bulb string brush bucket gloves boots oil salt pepper honey jam mustard vinegar cod herring""",
)
KINDS = ("organic", "large", "small", "smoked", "fresh", "dark", "white", "12 pcs", "500 g", "1 l", "0,75 l", "No. 4")


@lru_cache(maxsize=2)
def sentences(parity: int) -> tuple[str, ...]:
    """The sentences of every other one of the samples' texts."""
    files = sorted(SAMPLES.glob("*.md"))[parity::2]
    found = (one for file in files for one in _SENTENCE.findall(file.read_text(encoding="utf-8")))
    return tuple(dict.fromkeys(" ".join(one.split()) for one in found))


@dataclass(frozen=True, slots=True)
class Wear:
    """What makes a picture a scan: a blur in pixels, grain in grey levels, the share of pixels that were scanned, and
    the quality of its JPEG."""

    blur: float
    grain: float
    share: float
    quality: float

    @classmethod
    def drawn(cls, random: Random, is_blurred: bool = False) -> Wear:
        """From hardly any to hardly legible."""
        return cls(
            random.uniform(2.4, 3.4)
            if is_blurred
            else random.choice((0.0, random.uniform(0.6, 3.0), random.uniform(0.6, 3.0))),
            random.choice((0.0, random.uniform(2.0, 32.0))),
            random.choice((1.0, 1.0, random.uniform(0.45, 0.9))),
            random.uniform(25, 85),
        )

    @property
    def kind(self) -> str:
        """How strong it is, in a word or two."""
        if self.grain >= STRONG_GRAIN:
            return "strong noise"
        return "strong blur" if self.blur >= STRONG_BLUR else "the rest"

    def worn(self, image: Image) -> Image:
        image = blurred(image, self.blur) if self.blur else image
        image = lower_resolution(image, self.share) if self.share < 1 else image
        return compressed(noisy(image, self.grain) if self.grain else image.convert("RGB"), self.quality)


def made_scan(seed: int) -> tuple[bytes, Wear]:
    """The PDF of a page, and how its scan is worn; the same for the same ``seed``."""
    random = Random(seed)
    with pymupdf.open() as document:
        random.choice((note, receipt, table))(document, random, sentences(seed % 2))
        data: bytes = document.tobytes(garbage=3, deflate=True)
    return data, Wear.drawn(random, seed >= BLURRED)


def _press(document: Any, random: Random, width: float, height: float) -> Press:
    font, size = random.choice(("tiro", "helv", "cour")), random.choice((9.0, 10.0, 11.0, 12.0))
    return Press(document.new_page(width=width, height=height), random, size, font, False, random.random() < 0.5)


def note(document: Any, random: Random, texts: tuple[str, ...]) -> None:
    """A heading and paragraphs."""
    one = _press(document, random, 420, 300)
    y = one.block("heading", 30, 45, 360, " ".join(random.choice(texts).split()[:4]), one.size + 4)
    while y < 230:
        y = one.block("paragraph", 30, y, 360, " ".join(random.sample(texts, 2)))


def receipt(document: Any, random: Random, texts: tuple[str, ...]) -> None:
    """What a till prints: a shop, its address, goods with prices, sums."""
    one = _press(document, random, 240, 420)
    one.justified = False
    y = one.block("heading", 20, 40, 200, " ".join(random.choice(texts).split()[:3]).title(), one.size + 2)
    street = random.choice(texts).split()[0].title()
    y = one.block("paragraph", 20, y, 200, f"{random.randint(1, 200)} {street} Street, {random.randint(10000, 99999)}")
    day = f"{random.randint(1, 28):02}/{random.randint(1, 12):02}/20{random.randint(10, 26)}"
    hour = f"{random.randint(8, 19)}:{random.randint(0, 59):02}"
    y = one.block("paragraph", 20, y, 200, f"{day} {hour} No {code(random)}")
    total = 0
    for _ in range(random.randint(5, 11)):
        price = random.randint(25, 6000)
        total += price
        good = f"{random.randint(1, 9)} x {random.choice(GOODS)} {random.choice(KINDS)}"
        y = _priced(one, y, good, price)
    y = _priced(one, y + 8, "TOTAL", total)
    y = _priced(one, y, random.choice(("CASH", "CARD", "VISA 4521")), total)
    thanks = random.choice(("Thank you for your visit", "Goods are exchanged for 14 days"))
    one.block("paragraph", 20, y + 12, 200, thanks)


def code(random: Random) -> str:
    return f"{random.choice('ABCDEFGHKLMNPRSTUVWX')}{random.randint(1000, 99999)}"


def _priced(one: Press, y: float, text: str, price: int) -> float:
    said = f"{price // 100}.{price % 100:02}"
    one.line(20, y, text, one.size, one.font)
    one.line(220 - one.width(said, one.size, one.font), y, said, one.size, one.font)
    return y + 1.35 * one.size


def table(document: Any, random: Random, texts: tuple[str, ...]) -> None:
    """A table of words and figures below a sentence."""
    one = _press(document, random, 420, 300)
    one.font = random.choice(("tiro", "helv"))
    y = one.block("paragraph", 30, 40, 360, random.choice(texts))
    rows = [["Item", "Remark", "Code", "Sum"]]
    for _ in range(random.randint(5, 8)):
        words = random.choice(texts).split()
        amount = f"{random.randint(1, 99999):,}.{random.randint(0, 99):02}"
        rows.append([words[0], " ".join(words[1:3]), code(random), amount])
    one.table(30, y + 14, [80, 130, 70, 80], rows, random.random() < 0.5)
