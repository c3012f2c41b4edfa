"""Signs that the file does not tell, by their print: boxes to tick in fonts whose names do not tell their signs (empty,
ticked or crossed), dashes and dots of glyphs without Unicode, such as the minus of a font of symbols (without it a
number would be another one), and, where there is a recogniser, words of such glyphs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import astuple
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from docspec.core import BBox
from docspec.documents.mupdf import mupdf
from docspec.documents.painting import trace_of
from docspec.drafting.lines import without_spaces
from docspec.drafting.repair import UNTOLD

if TYPE_CHECKING:
    from PIL import Image

    from docspec.drafting.recogniser import Recogniser

BOXES = re.compile("[\uf0a8\uf0fd\uf0fe\uf06f\uf071\uf052\uf053\uf054]")
"""Codes of boxes in fonts of symbols."""

PIXELS = 48.0
"""Height of a sign that is looked at."""
MOST_SCALE = 20.0
"""Most pixels a point: MuPDF draws every glyph of a page, in sight or not, and takes fifty times as long for those that
are larger than 256 pixels, as it keeps none of them."""
SIDE, FRAME, EMPTY, CROSSED = 0.2, 0.7, 0.03, 0.6
"""Width of a side over that of the box, least ink of a side, most ink in an empty box, least ink on each diagonal."""

MOST_GLYPHS = 24
"""Most glyphs without Unicode of a page that are looked at: more are a text whose letters are not told."""
BLANK = "\u200b"
"""What is written for a glyph without ink: nothing, but a space between letters that the file does not tell, either."""
LEAST_LETTERS, MOST_WORDS, SURE = 3, 40, 0.9
"""Least glyphs of a word without Unicode that is recognised, most such words of a page, and least confidence (0..1)."""
FILLED, ROUND = 0.92, (0.7, 0.9)
"""Least share of ink in the box of a bar; the share in that of a disc (pi / 4)."""
FLAT, MINUS = 3.0, 0.45
"""Least width of a bar over its height; least width of a minus in sizes of its type, a shorter one is a hyphen."""
LOW, HIGH = 0.12, 0.5
"""Where the middle of a dash or dot lies above its baseline, in sizes of its type."""
FAINT, RULED, THICK = 190, 0.95, 0.5
"""Of a tick in an image: grey (of 255) below which a pixel is ink, share of a row from which on it is a rule, and most
ink of a cross."""
THIN, TURN, ARMS, STEP = 0.35, (0.1, 0.6), (0.4, 0.85), 0.2
"""Of a check mark: most ink of its columns, where it turns upwards (share of its width), how high its right arm ends
and the left one begins (share of its height, from the top), and the largest step back between columns."""
DOT, BULLET, LARGEST = 0.08, 0.28, 0.7
"""Diameters of a dot, of a bullet and of the largest one, in sizes of the type."""

Sign = tuple[BBox, str, str]
"""A place on the page, in points, the character of the file there, and the sign that is printed (the same character
where the print does not tell)."""


def signs_of(page: Any, recogniser: Callable[[], Recogniser] | None = None) -> list[Sign]:
    """The boxes of a ``pymupdf.Page`` among the characters that are called so, and its glyphs without Unicode. The
    ``recogniser`` is made if there are words of such glyphs."""
    signs: list[Sign] = []
    known: dict[tuple[str, int, float], str] = {}
    words: list[range] = []  # of glyphs beside each other that are no dashes: their places in ``signs``
    for span in trace_of(page):
        kinds, first = "", len(signs)
        for code, glyph, (_, baseline), place in span["chars"]:
            char, box = chr(code), BBox(*place)
            if BOXES.match(char):
                signs.append((box, char, _box(page, box) or char))
                kinds += "s"
            elif UNTOLD.match(char):
                key = span["font"], glyph, span["size"]
                if key not in known and len(known) < MOST_GLYPHS:
                    known[key] = _dash(page, box, baseline, span["size"])
                sign = known.get(key, char)
                signs.append((box, char, sign or char))
                kinds += {"": "l", BLANK: "b"}.get(sign, "s")
            else:
                kinds += " "
        places = list(accumulate((kind != " " for kind in kinds), initial=first))
        for blank in re.finditer("(?<=l)b(?=l)", kinds):
            at = places[blank.start()]
            signs[at] = (*signs[at][:2], " ")
        words += [range(places[word.start()], places[word.end()]) for word in re.finditer("l+", kinds)]
    if recogniser is not None:
        _read(page, signs, [word for word in words if len(word) >= LEAST_LETTERS][:MOST_WORDS], recogniser)
    return signs


def _read(page: Any, signs: list[Sign], words: Sequence[range], recogniser: Callable[[], Recogniser]) -> None:
    """Writes into ``signs`` the letters of ``words`` of which the ``recogniser`` is sure, one for each glyph."""
    pictures = [_picture(page, BBox.union(signs[at][0] for at in word)) for word in words]
    for word, (text, sure) in zip(words, recogniser().read_lines(pictures) if words else (), strict=True):
        letters = without_spaces(text)
        if sure >= SURE and len(letters) == len(word):
            for at, letter in zip(word, letters, strict=True):
                signs[at] = (*signs[at][:2], letter)


def _picture(page: Any, place: BBox) -> Image.Image:
    scale = _scale(place)
    clip = astuple(place.grown(0.15 * place.height))
    return page.get_pixmap(matrix=mupdf().Matrix(scale, scale), clip=clip, alpha=False).pil_image()


def _scale(place: BBox) -> float:
    return min(PIXELS / max(place.height, 0.5), MOST_SCALE)


def with_signs(text: str, place: BBox, signs: Sequence[Sign], names_signs: bool = False) -> str:
    """``text``, printed in ``place``, with the ``signs`` there for its codes, from left to right; boxes only if its
    font does not name its signs (``names_signs``)."""
    for codes in (UNTOLD,) if names_signs else (BOXES, UNTOLD):
        if codes.search(text):
            own = sorted((box.x0, sign) for box, char, sign in signs if codes.match(char) and _is_in(box, place))
            if len(own) == len(codes.findall(text)):
                text = _replaced(text, codes, [sign for _, sign in own])
    return text


def _is_in(box: BBox, place: BBox) -> bool:
    """Whether a glyph's ``box`` is in ``place``, which may be as low as its ink."""
    return place.x0 <= box.center_x <= place.x1 and place.shared_height(box) > 0.5 * min(place.height, box.height)


def _replaced(text: str, codes: re.Pattern[str], signs: Sequence[str]) -> str:
    left = iter(signs)
    return codes.sub(lambda _: next(left), text)


def tick_of(page: Any, place: BBox) -> tuple[bool, bool] | None:
    """Whether what is printed in ``place`` is ticked, and whether it has a frame (a box) or is a check mark alone.
    ``None`` if it is something else."""
    ink, _, _ = _ink(page, place, FAINT)
    box = _box_of(ink)
    if box == "☐":
        return False, True
    if box is not None:
        high, wide = (round(SIDE * side) for side in ink.shape)
        inner, _ = _cut(ink[high:-high, wide:-wide])
        return (True, True) if _is_check(inner) or _is_cross(inner) else None
    ruled = ink.mean(axis=1) > RULED  # a rule of the table
    mark, _ = _cut(ink & ~ruled[:, None])
    return (True, False) if _is_check(mark) else None


def _is_check(ink: np.ndarray) -> bool:
    """Whether ``ink`` is a thin short stroke down and a longer one up to the right."""
    if min(ink.shape) < 8:
        return False
    high, wide = ink.shape
    counts, edges = ink.sum(axis=0), np.abs(np.diff(ink.astype(np.int8), axis=0, prepend=0, append=0)).sum(axis=0)
    if (edges != 2).any() or counts.mean() > THIN * high:
        return False
    middles = (ink * np.arange(high)[:, None]).sum(axis=0) / counts / high  # of each column, from 0 at the top
    lowest = int(middles.argmax())
    falls, rises = np.diff(middles[: lowest + 1]), np.diff(middles[lowest:])
    even = (falls > -STEP).all() and (rises < STEP).all()
    turns = TURN[0] * wide <= lowest <= TURN[1] * wide
    return bool(even and turns and middles[-1] < ARMS[0] < middles[0] < ARMS[1])


def _is_cross(ink: np.ndarray) -> bool:
    """Whether ``ink`` is two strokes from corner to corner."""
    return min(ink.shape) >= 8 and ink.mean() <= THICK and min(_diagonals(ink)) >= CROSSED


def _diagonals(ink: np.ndarray) -> tuple[float, float]:
    """The share of ink on both diagonals."""
    steps = np.linspace(0, 1, 24)
    down, across = ((steps * (side - 1)).astype(int) for side in ink.shape)
    return float(ink[down, across].mean()), float(ink[down, across[::-1]].mean())


def _ink(page: Any, place: BBox, dark: int = 128) -> tuple[np.ndarray, int, float]:
    """The ink in ``place`` cut to its own box, the pixels above it, and pixels a point."""
    scale = _scale(place)
    clip = (place.x0, place.y0, place.x1, place.y1)
    pixels = page.get_pixmap(matrix=mupdf().Matrix(scale, scale), clip=clip, alpha=False, colorspace="gray")
    ink = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width) < dark
    return *_cut(ink), scale


def _cut(ink: np.ndarray) -> tuple[np.ndarray, int]:
    """``ink`` cut to its own box, and the pixels above it."""
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return ink[:0], 0
    return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1], int(rows[0])


def _dash(page: Any, place: BBox, baseline: float, size: float) -> str:
    """The dash or dot that is printed in ``place``; :data:`BLANK` if nothing is, empty if it is something else."""
    ink, above, scale = _ink(page, place)
    if size <= 0:
        return ""
    if not ink.size:
        return BLANK
    high, wide = (side / scale / size for side in ink.shape)
    middle = (baseline - place.y0 - (above + ink.shape[0] / 2) / scale) / size
    if not LOW < middle < HIGH:
        return ""
    if ink.mean() > FILLED and wide > FLAT * high:
        return "−" if wide > MINUS else "-"
    is_disc = 0.8 < wide / high < 1.25 and ROUND[0] < ink.mean() < ROUND[1]
    return ("•" if wide > BULLET else "·") if is_disc and DOT < wide < LARGEST else ""


def _box(page: Any, place: BBox) -> str | None:
    """The box that is printed in ``place``; ``None`` if no box is."""
    return _box_of(_ink(page, place)[0])


def _box_of(ink: np.ndarray) -> str | None:
    if min(ink.shape) < 8:
        return None
    high, wide = round(SIDE * ink.shape[0]), round(SIDE * ink.shape[1])
    sides = ink[:high].any(axis=0), ink[-high:].any(axis=0), ink[:, :wide].any(axis=1), ink[:, -wide:].any(axis=1)
    if min(side.mean() for side in sides) < FRAME:
        return None
    inside = ink[high:-high, wide:-wide]
    if inside.mean() < EMPTY:
        return "☐"
    diagonals = _diagonals(inside)
    return "☒" if min(diagonals) >= CROSSED else "☑"
