"""Text of a PDF page that nobody sees: not painted, transparent, too small, in the colour of its ground, covered, on a
layer that is off, or beside the sheet. It is found by what the file says of it and by the page's pixels, and taken out
of the page, so that no later stage reads it.

A recogniser's words over a picture of print are no such text: they stand upon what they say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from PIL import Image

from docspec.core import BBox, Event
from docspec.core.page import HiddenText
from docspec.documents.mupdf import mupdf
from docspec.documents.painting import boxes_of, forget, trace_of

CONTRAST = 12
"""Of 255: two colours that differ less are one to the eye."""

SAME = 0.5
"""Least correlation of a word with a picture over it that shows the same word."""


def patch(pixels: Any, box: BBox, scale: float) -> Any:
    """The pixels of the middle of ``box``, without what touches it from above and below."""
    inner = BBox(box.x0, box.y0 + 0.2 * box.height, box.x1, box.y1 - 0.2 * box.height).scaled(scale)
    left, top, right, bottom = inner.clamped(pixels.shape[1], pixels.shape[0]).rounded()
    return pixels[top : max(bottom, top + 1), left : max(right, left + 1)]


def ground_of(pixels: Any, box: BBox, scale: float) -> Any | None:
    """The one colour of ``box``; ``None`` if it shows several."""
    own = patch(pixels, box, scale).reshape(-1, 3)
    return None if np.ptp(own, axis=0).max() >= CONTRAST else np.median(own, axis=0)


def looks_alike(pixels: Any, without: Any, box: BBox, scale: float) -> bool:
    """Whether two pictures of a page are the same in ``box``."""
    difference = patch(pixels, box, scale).astype(int) - patch(without, box, scale)
    return int(np.abs(difference).max(initial=0)) < CONTRAST


def says_the_same(pixels: Any, bare: Any, box: BBox, scale: float) -> bool:
    """Whether the picture over a word shows the word: as much as two prints of it are alike."""
    if bare.shape != pixels.shape:
        return True
    over = patch(pixels, box, scale).mean(axis=2)
    step = max(1.0, 0.08 * box.height * scale) / scale  # points: such prints lie a little beside the file's words
    moves = [(x * step, y * step) for x in range(-4, 5) for y in range(-2, 3)]
    return any(_correlation(over, patch(bare, box.shifted(x, y), scale).mean(axis=2)) > SAME for x, y in moves)


def _correlation(one: Any, other: Any) -> float:
    if one.shape != other.shape or not one.std() or not other.std():
        return 0.0
    return float(np.corrcoef(one.ravel(), other.ravel())[0, 1])


Rule = Literal[
    "not painted",
    "transparent",
    "too small",
    "in the colour of its ground",
    "covered",
    "on a layer that is off",
    "beside the sheet",
]

SMALLEST = 1.0
"""Points: smaller type is a line of dust."""
FAINTEST = 0.02
"""Opacity."""
SHOWN = 8
"""Words that the event shows."""
SCAN = 0.6
"""From this share of the page on a picture is a scan, whose words the judge of text layers compares with the print."""
COVERS = 0.9
"""Share of a word that a shape painted later has to reach over to cover it."""
MOST_CHARACTERS = 50_000
"""More are not looked at: a page of print has 5,000."""
PICTURES = ("fill-image", "fill-shade")
PRINTS = ("fill-image", "fill-imgmask")
SHAPES = ("fill-path", *PICTURES)
"""What MuPDF calls the things that it paints: pictures, those that may show print, and all that may cover words."""


@dataclass(frozen=True, slots=True)
class _Word:
    """Characters ``first`` (included) to ``last`` (excluded) of the page, in the order in which they are painted."""

    text: str
    box: BBox
    first: int
    last: int
    span: dict[str, Any]


def take_out(page: Any, image: Image.Image, draw: Callable[[Any], Image.Image]) -> tuple[HiddenText, ...]:
    """Takes the hidden words out of a ``pymupdf.Page`` without rotation, a private copy, whose picture is ``image``, as
    ``draw`` makes it of a page. Returns them."""
    try:
        spans = trace_of(page)
        if not spans or sum(len(span["chars"]) for span in spans) > MOST_CHARACTERS:
            return ()
        words, origins = _words(spans)
        if not (hidden := _hidden(page, words, image, draw)):
            return ()
        _remove(page, origins, {at for word, _ in hidden for at in range(word.first, word.last)})
    except Exception:  # contents that break off; drawing them reports the fault and keeps the rest
        return ()
    return tuple(HiddenText(word.box, word.text, rule) for word, rule in hidden)


def on_layers(page: Any, names: set[str]) -> tuple[HiddenText, ...]:
    """The words of a page on the layers of these ``names``."""
    words, _ = _words(trace_of(page))
    return tuple(
        HiddenText(word.box, word.text, "on a layer that is off") for word in words if word.span["layer"] in names
    )


def event_of(hidden: Sequence[HiddenText], kept: bool) -> Event:
    """What is said of hidden words."""
    rules = Counter(one.rule for one in hidden)
    why = ", ".join(f"{rule}: {count}" for rule, count in rules.most_common())
    shown = " ".join(one.text for one in hidden[:SHOWN])
    more = "..." if len(hidden) > SHOWN else ""
    one = len(hidden) == 1
    what = f"{len(hidden)} word{'' if one else 's'} that nobody sees {'is' if one else 'are'}"
    return Event("hidden_text", f"{what} {'written as hidden' if kept else 'left out'} ({why}): '{shown}{more}'")


def _words(spans: Sequence[dict[str, Any]]) -> tuple[list[_Word], list[tuple[float, float]]]:
    """The words of a page's trace, and the origin of every character."""
    words: list[_Word] = []
    origins: list[tuple[float, float]] = []
    for span in spans:
        start: int | None = None
        for at, (code, _, origin, _) in enumerate([*span["chars"], (32, 0, None, None)]):
            if code > 32 and code != 160:
                start = at if start is None else start
            elif start is not None:
                chars = span["chars"][start:at]
                box = BBox.union(BBox(*char[3]) for char in chars)
                first = len(origins) - (at - start)
                words.append(_Word("".join(chr(char[0]) for char in chars), box, first, first + at - start, span))
                start = None
            if origin is not None:
                origins.append(origin)
    return words, origins


def _hidden(
    page: Any, words: Sequence[_Word], image: Image.Image, draw: Callable[[Any], Image.Image]
) -> list[tuple[_Word, Rule]]:
    """The words that nobody sees, and why."""
    sheet, scale = BBox(*page.rect), image.width / max(page.rect.width, 1e-6)
    pixels, greys = np.asarray(image.convert("RGB")), np.asarray(image.convert("L"))
    log = boxes_of(page)
    pictures = [shown for kind, box, *_ in log if kind in PRINTS and (shown := BBox(*box).intersection(sheet))]
    is_scan = sum(box.area for box in pictures) > SCAN * sheet.area  # many scans are strips
    covers = _Covers(log)
    hidden: list[tuple[_Word, Rule]] = []
    doubtful: list[_Word] = []
    for word in words:
        if not sheet.has_center_of(word.box):
            hidden.append((word, "beside the sheet"))
            continue
        if word.span["size"] < SMALLEST and max(word.box.width / len(word.text), word.box.height) < SMALLEST:
            hidden.append((word, "too small"))
            continue
        greys_of = patch(greys, word.box, scale)
        ground = None if not greys_of.size or np.ptp(greys_of) >= CONTRAST else ground_of(pixels, word.box, scale)
        unpainted = word.span["type"] == 3
        if unpainted or word.span["opacity"] <= FAINTEST:
            over_print = is_scan or (ground is None and any(one.overlap(word.box) > COVERS for one in pictures))
            if not over_print:
                hidden.append((word, "not painted" if unpainted else "transparent"))
        elif covers.over(word) and not (is_scan and covers.by_picture(word)):
            if ground is not None:
                hidden.append((word, "covered"))
            else:
                doubtful.append(word)
        elif ground is not None and np.abs(ground - _colour(word.span)).max() < CONTRAST:
            hidden.append((word, "in the colour of its ground"))
    if doubtful:
        unseen = _unseen(page, doubtful, words, pixels, scale, draw)
        if any(map(covers.by_picture, unseen)):
            bare = _without_pictures(page, draw)
            unseen = [
                word
                for word in unseen
                if not (covers.by_picture(word) and says_the_same(pixels, bare, word.box, scale))
            ]
        hidden += [(word, "covered") for word in unseen]
    return sorted(hidden, key=lambda one: one[0].first)


class _Covers:
    """What is painted on a page after its words."""

    def __init__(self, log: Iterable[tuple[Any, ...]]) -> None:
        shapes = [(order, *box, kind in PICTURES) for order, (kind, box, *_) in enumerate(log) if kind in SHAPES]
        self._shapes = np.array(shapes, dtype=float).reshape(-1, 6)
        self._last = shapes[-1][0] if shapes else -1

    def over(self, word: _Word) -> bool:
        """Whether something that reaches over ``word`` is painted after it."""
        return self._last > word.span["seqno"] and len(self._after(word)) > 0

    def by_picture(self, word: _Word) -> bool:
        """Whether a picture is among it."""
        return bool(self._after(word)[:, 5].any())

    def _after(self, word: _Word) -> Any:
        order, x0, y0, x1, y1, _ = self._shapes.T
        box = word.box
        width = np.minimum(x1, box.x1) - np.maximum(x0, box.x0)
        height = np.minimum(y1, box.y1) - np.maximum(y0, box.y0)
        share = np.clip(width, 0, None) * np.clip(height, 0, None) / max(box.area, 1e-6)
        return self._shapes[(order > word.span["seqno"]) & (share >= COVERS)]


def _colour(span: dict[str, Any]) -> Any:
    """The colour of a span's type, in RGB of 255."""
    colour = [float(part) for part in span["color"]]
    if len(colour) == 1:
        colour = 3 * colour
    elif len(colour) == 4:
        colour = [(1 - part) * (1 - colour[3]) for part in colour[:3]]
    return 255 * np.array([*colour, 0.0, 0.0, 0.0][:3])


def _unseen(
    page: Any,
    doubtful: Sequence[_Word],
    words: Sequence[_Word],
    pixels: Any,
    scale: float,
    draw: Callable[[Any], Image.Image],
) -> list[_Word]:
    """Those of the ``doubtful`` words without which the page looks the same."""
    pymupdf = mupdf()
    with pymupdf.open() as copy:
        copy.insert_pdf(page.parent, from_page=page.number, to_page=page.number, links=False)
        other = copy[0]
        trial, origins = _words(trace_of(other))
        if len(trial) != len(words):
            return []
        _remove(other, origins, {at for word in doubtful for at in range(word.first, word.last)})
        without = np.asarray(draw(other).convert("RGB"))
        if without.shape != pixels.shape:
            return []
    return [word for word in doubtful if looks_alike(pixels, without, word.box, scale)]


def _without_pictures(page: Any, draw: Callable[[Any], Image.Image]) -> Any:
    """The pixels of a page without its pictures."""
    with mupdf().open() as copy:
        copy.insert_pdf(page.parent, from_page=page.number, to_page=page.number, links=False)
        for one in {picture[0] for picture in copy[0].get_images()}:
            copy[0].delete_image(one)
        return np.asarray(draw(copy[0]).convert("RGB"))


def _remove(page: Any, origins: Sequence[tuple[float, float]], hidden: set[int]) -> None:
    """Takes the characters with these numbers, of all in the order in which they are painted, out of the page."""
    pymupdf = mupdf()
    low = pymupdf.mupdf
    upwards = ~page.transformation_matrix
    flags: dict[tuple[int, int], list[bool]] = {}
    for at, origin in enumerate(origins):
        flags.setdefault(_place(*(pymupdf.Point(*origin) * upwards)), []).append(at in hidden)

    class Filter(low.PdfSanitizeFilterOptions2):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.use_virtual_text_filter()

        def text_filter(self, context: Any, text: Any, length: int, glyph: Any, form: Any, *more: Any) -> int:
            place = low.ll_fz_concat(glyph, form)
            known = flags.get(_place(place.e, place.f), [False])
            return int(known.pop(0) if len(known) > 1 else known[0])

    options = pymupdf._make_PdfFilterOptions(recurse=1, instance_forms=1, sanitize=1, sopts=Filter())
    low.pdf_filter_page_contents(pymupdf._as_pdf_document(page.parent), pymupdf._as_pdf_page(page.this), options)
    forget(page)


def _place(x: float, y: float) -> tuple[int, int]:
    return round(4 * x), round(4 * y)
