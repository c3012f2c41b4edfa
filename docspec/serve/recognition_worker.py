"""The worker process of the gateway: it decodes and recognises images. It imports no torch."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable

from docspec.core import PageDraft, PageImage
from docspec.documents.images import as_rgb
from docspec.drafting.rapidocr import RapidOcrDrafter
from docspec.drafting.recogniser import Recogniser
from docspec.isolation.serving import RecognisedLines
from docspec.isolation.shared_pixels import PixelsHandle
from docspec.serve.picture import FORMATS

FINGERPRINT = 32
"""Cells of an image's fingerprint on a side."""


class RecognitionWorker:
    """The worker of :class:`docspec.serve.recognition.Recognition`."""

    say: Callable[[RecognisedLines], None]

    def __init__(self, place: PixelsHandle) -> None:
        self._drafter: RapidOcrDrafter | None = None

    def recognise(self, data: bytes, threads: int) -> PageDraft:
        """The draft of an image file whose size was checked."""
        from PIL import Image

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = as_rgb(Image.open(io.BytesIO(data), formats=FORMATS))
        if self._drafter is None:
            self._drafter = RapidOcrDrafter(Recogniser(threads))
        return self._drafter.draft(PageImage(image, 1, 1.0, "image"))

    def fingerprint(self, data: bytes) -> bytes:
        """A small grey picture of an image file, nearly the same at all resolutions: see
        :mod:`docspec.serve.uploads`."""
        from PIL import Image

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(data), formats=FORMATS)
            image.draft("L", (8 * FINGERPRINT, 8 * FINGERPRINT))  # JPEG alone: decoded at a fraction
        return fingerprint_of(as_rgb(image))


def fingerprint_of(image: object) -> bytes:
    from PIL import Image

    assert isinstance(image, Image.Image)
    return image.convert("L").resize((FINGERPRINT, FINGERPRINT), Image.Resampling.BOX).tobytes()
