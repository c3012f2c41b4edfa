"""Text recognition by RapidOCR (PP-OCRv6 through ONNX Runtime), from the models in its own wheel and
nothing else.

Every model path is given explicitly, since RapidOCR downloads whatever it is not given. The sessions are
made at the first use. Very long or wide images are cut into pieces that the detector can see without shrinking them to
nothing.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from PIL import Image

from docspec.core import BBox, DrafterError, Event, PageImage
from docspec.core.languages import BUNDLED
from docspec.core.onnx import session
from docspec.core.processors import processors
from docspec.core.scripts import scripts_of
from docspec.core.straightening import Projection
from docspec.drafting.language_packs import packs, wheel_folder
from docspec.drafting.lines import TextLine
from docspec.drafting.repair import repair
from docspec.drafting.right_to_left import read_from_left

MODELS = {
    "Det.model_path": "PP-OCRv6_det_small.onnx",
    "Rec.model_path": "PP-OCRv6_rec_small.onnx",
    "Cls.model_path": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
}
MODEL_LIST = "default_models.yaml"
"""RapidOCR's list of models that it can download."""
MAX_SIDE = 1440  # pixels; 1280 to 1600 are fastest without loss on printed pages
MAX_THREADS = 8
AREA_ENLARGED = 1.5  # an area is enlarged by at most this factor: a detector's time grows with the pixels
MAX_SEARCHED = 6_000_000
"""Pixels of an image as the detector sees it. It enlarges the shorter side to 736 pixels whatever the longer one
becomes: a strip of 15 by 750 pixels took 7 GB."""
LEAST_SIDE = 5
"""Pixels of the shorter side of an image in which there may be print: a rule of 3 by 2,000 pixels took a minute."""

STRIP, WIDENED = 16, 256
"""A strip whose shorter side RapidOCR would reduce to as many pixels it reduces to nothing, as it rounds to 32: such
strips are widened. On narrower ground the detector takes them for a line."""

AREA_MARGIN = 8.0  # pixels around an area that are shown too
MOST_AREAS = 64
"""Areas whose lines are remembered: the same logo or frame stands on every page of a document."""
_FULL_STOP = re.compile(r"^\. (?=\w)")
TOLD = 6  # lines reported together
MAX_ASPECT, TILE_ASPECT = 2.5, 1.5  # of an image that is read whole, and of its pieces
MIN_LENGTH = 1500  # pixels; shorter images are read whole whatever their shape


MOST_LETTERS = 20
"""From so many letters of a script on a model was made for it; the smallest alphabet, Hebrew, has 27 letters."""


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
        """Raises :class:`DrafterError` where it cannot work at all."""

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
        self._max_side = max_side
        self._model = model
        self._areas: dict[tuple[tuple[int, int], bytes], list[TextLine]] = {}
        self._models = {key: _model_folder() / name for key, name in MODELS.items()}
        if model is not None:
            self._models["Rec.model_path"] = model

    def check(self) -> None:
        """Raise :class:`DrafterError` when one of the models is missing."""
        for file in self._models.values():
            if not file.is_file():
                raise DrafterError(_way_to(file))

    @cached_property
    def alphabet(self) -> frozenset[str]:
        """The characters that it can write."""
        characters = self._engine._load_rec_model().postprocess_op.character
        return frozenset(character for character in characters if len(character) == 1) | {" "}

    def with_model(self, model: Path) -> Recogniser:
        """One like this whose lines are read by the file ``model``."""
        return Recogniser(self._threads, self._max_side, model)

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
        self, image: Image.Image, tell: Callable[[Sequence[str]], None] | None = None
    ) -> tuple[list[TextLine], float]:
        """The lines of an RGB image, in its pixels, and the tilt of the page in degrees (clockwise is
        positive).

        The boxes are those of the page turned upright about its middle by that tilt, so that lines of a
        crooked scan do not overlap. ``size`` is the line's height. ``tell`` is called with texts as they are read, a
        few lines at a time, in the order in which they were found.
        """
        quads: list[ReadQuad] = []
        for tile, left, top in tiles(image) if min(image.size) >= LEAST_SIDE else ():
            shape = max(tile.size) / min(tile.size)
            with self._enlarging(math.sqrt(MAX_SEARCHED / shape)):
                found = self._read(tile, tell)
            quads += [one._replace(quad=[(x + left, y + top) for x, y in one.quad]) for one in found]
        tilt = _tilt([one.quad for one in quads])
        lines = []
        for number, one in enumerate(quads):
            if one.text:
                bbox = _upright(one.quad, tilt, image.width, image.height)
                line = TextLine(bbox, one.text, bbox.height, number, one.confidence, words="recognition")
                lines.append(replace(line, unsure=one.unsure))
        return lines, tilt

    def read_area(self, image: Image.Image, area: BBox) -> list[TextLine]:
        """The lines inside ``area`` of an RGB image, in the image's pixels; an area that leans is read as it leans."""
        left, top, right, bottom = area.grown(AREA_MARGIN).clamped(image.width, image.height).rounded()
        crop = image.crop((left, top, right, bottom))
        key = (crop.size, hashlib.sha256(crop.tobytes()).digest())
        lines = self._areas.pop(key) if key in self._areas else self._read_crop(crop)
        self._areas[key] = lines
        if len(self._areas) > MOST_AREAS:
            del self._areas[next(iter(self._areas))]
        return [replace(line, bbox=line.bbox.shifted(left, top)) for line in lines]

    def _read_crop(self, crop: Image.Image) -> list[TextLine]:
        with self._enlarging(AREA_ENLARGED * min(crop.size)):
            lines, tilt = self.read_page(crop)
        leaning = Projection.turning(tilt, crop.width, crop.height)
        return [replace(line, bbox=leaning.box(line.bbox)) for line in lines] if tilt else lines

    def read_line(self, image: Image.Image) -> tuple[str, float]:
        """The text of an image of one line and the recogniser's confidence, 0..1."""
        if (reduced := self._strip_factor(image)) < 1.0:
            image = image.resize((max(1, round(reduced * image.width)), max(1, round(reduced * image.height))))
        result = self._engine(_bgr(image), use_det=False, use_rec=True)
        texts, scores = getattr(result, "txts", None), getattr(result, "scores", None)
        return (_line_of(texts[0]), float(scores[0])) if texts and scores else ("", 0.0)

    def _read(self, image: Image.Image, tell: Callable[[Sequence[str]], None] | None) -> list[ReadQuad]:
        """The lines of ``image``, in the order in which the detector found them."""
        with self._telling(tell):
            result = self._finder(_bgr(self._widened(image)), use_det=True, use_rec=True)
        if getattr(result, "boxes", None) is None or not result.txts:
            return []
        found = zip(result.boxes, result.txts, result.scores, strict=True)
        return [ReadQuad(box.tolist(), _line_of(text), float(score)) for box, text, score in found]

    def _strip_factor(self, image: Image.Image) -> float:
        """By how much RapidOCR would reduce ``image`` if nothing of it were left then; 1 where something is."""
        reduced = min(1.0, self._max_side / max(image.size))
        return reduced if int(reduced * min(image.size)) <= STRIP else 1.0

    def _widened(self, image: Image.Image) -> Image.Image:
        """``image``, or a strip that would be reduced to nothing with more of its ground below or on the right."""
        if (reduced := self._strip_factor(image)) == 1.0:
            return image
        least = math.ceil(WIDENED / reduced)
        wide = Image.new("RGB", (max(image.width, least), max(image.height, least)), image.getpixel((0, 0)))
        wide.paste(image, (0, 0))
        return wide

    def find_lines(self, image: Image.Image) -> list[Any]:
        """The quadrilaterals (four corners, from the upper left one clockwise, in pixels) around the lines of
        ``image``, unread."""
        if min(image.size) < LEAST_SIDE:
            return []
        result = self._finder(_bgr(self._widened(image)), use_det=True, use_rec=False)
        return [] if getattr(result, "boxes", None) is None else list(result.boxes)

    def read_lines(self, images: Sequence[Image.Image]) -> list[tuple[str, float]]:
        """The text and the confidence of each image of a line."""
        return [self.read_line(image) for image in images]

    @contextmanager
    def _enlarging(self, side: float) -> Iterator[None]:
        """Within the block the detector enlarges images to a shorter side of ``side`` pixels, not to the usual one."""
        detector = self._finder._load_det_model()
        usual = detector.limit_side_len
        detector.limit_side_len = min(usual, round(side))
        try:
            yield
        finally:
            detector.limit_side_len = usual

    @contextmanager
    def _telling(self, tell: Callable[[Sequence[str]], None] | None) -> Iterator[None]:
        """Within the block RapidOCR's model gets lines a few at a time. It reads them one by one anyway
        (``rec_batch_num``), so the texts are the same."""
        if tell is None:
            yield
            return
        engine = self._engine
        read = engine._load_rec_model()

        def read_some(given: Any) -> Any:
            parts = []
            for start in range(0, len(given.img), TOLD):
                parts.append(read(replace(given, img=given.img[start : start + TOLD])))
                tell([_line_of(text) for text in parts[-1].txts])
            whole = parts[0]
            for part in parts[1:]:
                names = ("imgs", "txts", "scores", "word_results")
                joined = {name: (*getattr(whole, name), *getattr(part, name)) for name in names}
                whole = replace(whole, **joined, elapse=whole.elapse + part.elapse)
            return whole

        engine.text_rec = read_some
        try:
            yield
        finally:
            engine.text_rec = read

    @cached_property
    def _engine(self) -> Any:
        self.check()
        with _without_downloads():
            from rapidocr import RapidOCR

        engine = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.max_side_len": self._max_side,
                "Global.use_cls": False,
                "Global.text_score": 0.3,
                "Rec.rec_batch_num": 1,
            }
            | {key: str(file) for key, file in self._models.items()}
        )
        self._give_session(engine, "Rec")
        return engine

    @cached_property
    def _finder(self) -> Any:
        """The engine with its detector, which single lines do without."""
        self._give_session(self._engine, "Det")
        return self._engine

    def _give_session(self, engine: Any, part: str) -> None:
        from omegaconf import flag_override

        made = session(self._models[f"{part}.model_path"], self._threads)
        if part == "Rec" and "character" not in made.get_modelmeta().custom_metadata_map:  # it would fetch a list
            raise DrafterError(f"{self._models['Rec.model_path']}: not a recognition model of RapidOCR's list")
        with flag_override(engine.cfg, "allow_objects", True):
            engine.cfg[part].session = made


@contextmanager
def _without_downloads() -> Iterator[None]:
    """Within the block RapidOCR has no list of the models that it could download. When it is imported it reads that
    list twice and makes a node of every value, for a fifth of a second; nothing looks at it, since every path is given.
    There is no public way."""
    from omegaconf import OmegaConf

    usual = OmegaConf.load
    OmegaConf.load = lambda file: {} if Path(file).name == MODEL_LIST else usual(file)  # type: ignore
    try:
        yield
    finally:
        OmegaConf.load = usual  # type: ignore[method-assign]


def _line_of(text: str) -> str:
    """RapidOCR's ``text`` as printed. No line begins with a full stop and a space: that is a bullet."""
    return _FULL_STOP.sub("· ", repair(read_from_left(text)))


def _model_folder() -> Path:
    """The models in RapidOCR's wheel."""
    folder = wheel_folder()
    assert folder is not None
    return folder / "models"


def _way_to(file: Path) -> str:
    """How to get a missing model."""
    if file.parent == _model_folder() and file.name in MODELS.values():
        return f"rapidocr lacks its model {file.name}; reinstall it: pip install --force-reinstall rapidocr"
    pack = next((pack for pack in packs().values() if pack.file_name == file.name), None)
    if pack is not None:
        return f"{file}: no such file; fetch it once: {pack.download} --to {file.parent}"
    return f"{file}: no such file; docspec models list names those that RapidOCR has ({', '.join(packs())})"


def _bgr(image: Image.Image) -> Any:
    return np.ascontiguousarray(np.asarray(image.convert("RGB"))[:, :, ::-1])


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
