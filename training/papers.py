"""Crops of the pages of real PDF files, with their text layer as the truth: how a checkpoint reads what nobody made
for it.

Rows of print are lines of the text layer, those of one block that stand at one height taken together. Crops of one, two
and four rows are rendered so that rows are as far apart as the reader likes, and padded with white to whole visual
tokens. Only text layers that say what is printed are of use; a page without one gives no crops.
"""

from __future__ import annotations

import random
import statistics
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pymupdf

from training.reader.model import CELL
from training.render import Sample, degrade

WIDEST = 1440  # pixels
LEADING = 1.2  # of the font size, for a row that stands alone
KINDS = ("prose", "styles and marks", "figures")


@dataclass(frozen=True)
class Row:
    """A row of print: box in points, text with single spaces, font size, whether it has more than one font or size."""

    box: pymupdf.Rect
    text: str
    size: float
    mixed: bool


@dataclass(frozen=True)
class Crop:
    """Rows cut out together: `kind` by what stands in them."""

    sample: Sample
    rows: int
    kind: str


def rows_of(page: pymupdf.Page) -> Iterator[list[Row]]:
    """The rows of each block of text of a page, from top to bottom; lines that are not level are left out."""
    for block in page.get_text("dict", flags=pymupdf.TEXT_PRESERVE_WHITESPACE)["blocks"]:
        lines = [line for line in block.get("lines", ()) if line["dir"][0] > 0.999]
        rows: list[list[dict]] = []
        for line in sorted(lines, key=lambda line: line["bbox"][3]):
            last = pymupdf.Rect(rows[-1][-1]["bbox"]) if rows else None
            box = pymupdf.Rect(line["bbox"])
            if last and min(last.y1, box.y1) - max(last.y0, box.y0) > 0.5 * min(last.height, box.height):
                rows[-1].append(line)
            else:
                rows.append([line])
        yield [row for parts in rows if (row := _row(parts)).text]


def _row(parts: list[dict]) -> Row:
    parts = sorted(parts, key=lambda line: line["bbox"][0])
    spans = [span for part in parts for span in part["spans"] if span["text"].strip()]
    box = pymupdf.Rect()
    for span in spans:
        box |= pymupdf.Rect(span["bbox"])
    text = " ".join("".join(span["text"] for span in part["spans"]) for part in parts)
    size = max((span["size"] for span in spans), default=0.0)
    looks = {(span["font"], round(span["size"])) for span in spans}
    return Row(box, " ".join(unicodedata.normalize("NFKC", text).split()), size, len(looks) > 1)


def transcript(rows: list[Row]) -> tuple[str, np.ndarray]:
    """The text of rows as it is read (divided words are joined, but the last) and a place for every character that
    tells the rows apart, (characters, 2), NaN for spaces."""
    chars: list[str] = []
    places: list[tuple[float, float]] = []
    for number, row in enumerate(rows):
        if "".join(chars[-2:-1]).isalpha() and chars[-1] == "-" and row.text[:1].islower():
            chars.pop()
            places.pop()
        elif number:
            chars.append(" ")
            places.append((np.nan, np.nan))
        chars += row.text
        places += [(np.nan, np.nan) if c == " " else (x, CELL * number) for x, c in enumerate(row.text)]
    return "".join(chars), np.array(places, np.float32)


def kind_of(rows: list[Row]) -> str:
    """Figures where every fourth character is a digit, styles where a row has several fonts or sizes, else prose."""
    text = "".join(row.text for row in rows)
    if sum(c.isdigit() for c in text) > 0.2 * len(text):
        return "figures"
    return "styles and marks" if any(row.mixed for row in rows) else "prose"


def crops_of(paths: Iterable[Path], count: int, scans: bool = False, most: int = 10**9) -> Iterator[Crop]:
    """Crops of `count` rows each (the last of a block may be shorter, and is left out then) from the pages of `paths`;
    at most `most` of a file, spread over it. `scans` prints and scans them first."""
    for path in paths:
        with pymupdf.open(path) as document:
            chosen = [(page, group) for page in document for rows in rows_of(page) for group in groups(rows, count)]
            step = max(1, len(chosen) // most)
            for number, (page, group) in enumerate(chosen[::step]):
                pixels = cut(page, group)
                if pixels is None:
                    continue
                sample = Sample(pixels, *transcript(group), (), np.zeros((0, 2), np.float32))
                if scans:
                    sample = degrade(sample, random.Random(f"{path.name}-{number}"))
                yield Crop(sample, count, kind_of(group))


def groups(rows: list[Row], count: int) -> Iterator[list[Row]]:
    """Runs of `count` rows that follow one another at about one distance."""
    start = 0
    while start + count <= len(rows):
        group = rows[start : start + count]
        pitches = [b.box.y1 - a.box.y1 for a, b in pairwise(group)]
        even = all(0.9 * group[0].size < pitch < 2.2 * group[0].size for pitch in pitches)
        if even and sum(c.isalnum() for row in group for c in row.text) >= 3 * count:
            yield group
            start += count
        else:
            start += 1


def cut(page: pymupdf.Page, rows: list[Row]) -> np.ndarray | None:
    """The grey pixels of rows at the reader's pitch, on white, in whole visual tokens; None where they would be too
    wide or print would be too small."""
    size = statistics.median(row.size for row in rows)
    pitches = [b.box.y1 - a.box.y1 for a, b in pairwise(rows)]
    scale = min(CELL / (statistics.mean(pitches) if pitches else LEADING * size), 28.0 / size)
    box = pymupdf.Rect()
    for row in rows:
        box |= row.box
    box.y0, box.y1 = rows[0].box.y1 - 1.25 * rows[0].size, rows[-1].box.y1
    box += (-3 / scale, 0, 3 / scale, 0)
    width, height = box.width * scale, box.height * scale
    if width > WIDEST or size * scale < 14:
        return None
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), clip=box, colorspace=pymupdf.csGRAY, alpha=False)
    pixels = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.stride)[:, : pixmap.width]
    shape = [-(-side // CELL) * CELL for side in (max(height, pixmap.height), max(width, pixmap.width))]
    sheet = np.full([int(side) for side in shape], 255, np.uint8)
    top = (sheet.shape[0] - pixels.shape[0]) // 2
    sheet[top : top + pixels.shape[0], : pixels.shape[1]] = pixels
    return sheet
