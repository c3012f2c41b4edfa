"""RapidOCR's detector and recogniser (PP-OCRv6 through ONNX Runtime), from the models in its own wheel and nothing
else, as two steps: the quadrilaterals of lines are found first, and those that are wanted are read.

Every model path is given explicitly, since RapidOCR downloads whatever it is not given. The sessions are made at the
first use.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from docspec.core import DrafterError
from docspec.core.libraries import session
from docspec.drafting.language_packs import packs, wheel_folder
from docspec.drafting.repair import repair
from docspec.drafting.right_to_left import read_from_left

MODELS = {
    "Det.model_path": "PP-OCRv6_det_small.onnx",
    "Rec.model_path": "PP-OCRv6_rec_small.onnx",
    "Cls.model_path": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
}
MODEL_LIST = "default_models.yaml"
"""RapidOCR's list of models that it can download."""

STRIP, WIDENED = 16, 256
"""A strip whose shorter side RapidOCR would reduce to as many pixels it reduces to nothing, as it rounds to 32: such
strips are widened. On narrower ground the detector takes them for a line."""

LEAST_SCORE = 0.3
"""Confidence (0..1) below which a found line is no print."""

TOLD = 6  # lines reported together
_FULL_STOP = re.compile(r"^\. (?=\w)")


@dataclass(frozen=True, slots=True)
class FoundLine:
    """The quadrilateral around a line, float ``(4, 2)`` in pixels from the upper left corner clockwise, and the picture
    of the line, uint8 ``(height, width, 3)`` in BGR."""

    quad: Any
    picture: Any


class RapidEngine:
    """RapidOCR with ``threads``; images are reduced to ``max_side`` pixels for the detector, and ``model`` recognises
    in place of the wheel's own."""

    def __init__(self, threads: int, max_side: int, model: Path | None = None) -> None:
        self.threads = threads
        self.max_side = max_side
        self.models = {key: model_folder() / name for key, name in MODELS.items()}
        if model is not None:
            self.models["Rec.model_path"] = model

    def check(self) -> None:
        """Raise :class:`DrafterError` when one of the models is missing."""
        for file in self.models.values():
            if not file.is_file():
                raise DrafterError(_way_to(file))

    @property
    def characters(self) -> Sequence[str]:
        """What the recognition model can write."""
        characters: Sequence[str] = self._engine._load_rec_model().postprocess_op.character
        return characters

    def find(self, image: Image.Image) -> list[FoundLine]:
        """The lines of ``image`` in the order in which the detector finds them, unread."""
        engine = self._finder
        from rapidocr.main import RapidOCRError
        from rapidocr.utils.process_img import map_boxes_to_original

        pixels = _bgr(self._widened(image))
        height, width = pixels.shape[:2]
        reduced, record = engine.preprocess_img(pixels)
        try:
            pictures, found = engine.detect_and_crop(reduced, record)
        except RapidOCRError:  # there is none
            return []
        quads = map_boxes_to_original(found.boxes, record, height, width)
        return [FoundLine(quad, picture) for quad, picture in zip(quads, pictures, strict=True)]

    def read(
        self, lines: Sequence[FoundLine], tell: Callable[[Sequence[str]], None] | None = None
    ) -> list[tuple[str, float] | None]:
        """The text and the confidence of each of ``lines``, ``None`` where there is no print. ``tell`` is called with
        texts as they are read, a few at a time. They are read one by one anyway (``rec_batch_num``), so the texts are
        the same."""
        read: list[tuple[str, float] | None] = []
        step = len(lines) if tell is None else TOLD
        for start in range(0, len(lines), max(1, step)):
            some = self._recognised([line.picture for line in lines[start : start + step]])
            if tell is not None:
                tell([line_of(text) for text, _ in some])
            read += [(line_of(text), sure) if text.strip() and sure >= LEAST_SCORE else None for text, sure in some]
        return read

    def read_line(self, image: Image.Image) -> tuple[str, float]:
        """The text of an image of one line and the confidence, 0..1."""
        if (reduced := self._strip_factor(image)) < 1.0:
            image = image.resize((max(1, round(reduced * image.width)), max(1, round(reduced * image.height))))
        picture, _ = self._engine.preprocess_img(_bgr(image))
        [(text, sure)] = self._recognised([picture])
        return line_of(text), sure

    def _recognised(self, pictures: Sequence[Any]) -> list[tuple[str, float]]:
        from rapidocr.ch_ppocr_rec import TextRecInput

        read = self._engine._load_rec_model()(TextRecInput(img=list(pictures), return_word_box=False))
        return [(text, float(sure)) for text, sure in zip(read.txts, read.scores, strict=True)]

    def _strip_factor(self, image: Image.Image) -> float:
        """By how much RapidOCR would reduce ``image`` if nothing of it were left then; 1 where something is."""
        reduced = min(1.0, self.max_side / max(image.size))
        return reduced if int(reduced * min(image.size)) <= STRIP else 1.0

    def _widened(self, image: Image.Image) -> Image.Image:
        """``image``, or a strip that would be reduced to nothing with more of its ground below or on the right."""
        if (reduced := self._strip_factor(image)) == 1.0:
            return image
        least = math.ceil(WIDENED / reduced)
        wide = Image.new("RGB", (max(image.width, least), max(image.height, least)), image.getpixel((0, 0)))
        wide.paste(image, (0, 0))
        return wide

    @contextmanager
    def enlarging(self, side: float) -> Iterator[None]:
        """Within the block the detector enlarges images to a shorter side of ``side`` pixels, not to the usual one."""
        detector = self.detector
        usual = detector.limit_side_len
        detector.limit_side_len = min(usual, round(side))
        try:
            yield
        finally:
            detector.limit_side_len = usual

    @cached_property
    def _engine(self) -> Any:
        self.check()
        with _without_downloads():
            from rapidocr import RapidOCR

        engine = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.max_side_len": self.max_side,
                "Global.use_cls": False,
                "Rec.rec_batch_num": 1,
            }
            | {key: str(file) for key, file in self.models.items()}
        )
        self._give_session(engine, "Rec")
        return engine

    @property
    def detector(self) -> Any:
        """RapidOCR's detector."""
        return self._finder._load_det_model()

    @cached_property
    def _finder(self) -> Any:
        """The engine with its detector, which single lines do without."""
        self._give_session(self._engine, "Det")
        return self._engine

    def _give_session(self, engine: Any, part: str) -> None:
        from omegaconf import flag_override

        made = session(self.models[f"{part}.model_path"], self.threads)
        if part == "Rec" and "character" not in made.get_modelmeta().custom_metadata_map:  # it would fetch a list
            raise DrafterError(f"{self.models['Rec.model_path']}: not a recognition model of RapidOCR's list")
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


def line_of(text: str) -> str:
    """RapidOCR's ``text`` as printed. No line begins with a full stop and a space: that is a bullet."""
    return _FULL_STOP.sub("· ", repair(read_from_left(text)))


def model_folder() -> Path:
    """The models in RapidOCR's wheel."""
    folder = wheel_folder()
    assert folder is not None
    return folder / "models"


def _way_to(file: Path) -> str:
    """How to get a missing model."""
    if file.parent == model_folder() and file.name in MODELS.values():
        return f"rapidocr lacks its model {file.name}; reinstall it: pip install --force-reinstall rapidocr"
    pack = next((pack for pack in packs().values() if pack.file_name == file.name), None)
    if pack is not None:
        return f"{file}: no such file; fetch it once: {pack.download} --to {file.parent}"
    return f"{file}: no such file; docspec models list names those that RapidOCR has ({', '.join(packs())})"


def _bgr(image: Image.Image) -> Any:
    return np.ascontiguousarray(np.asarray(image.convert("RGB"))[:, :, ::-1])
