"""Image files as documents: a multi-page TIFF is as many pages as it has frames, everything else is one page.

Pixels are used as they are (no resampling to a dpi), turned as EXIF says, on white paper, in RGB; only
images beyond the size limit are scaled down.

:func:`through_pdf` gives an image the size at which a model's own tool shows it: dots.ocr's lays an image on a PDF page
of 96 pixels per inch and renders that page at 200 dpi, so that the model sees it twice as large; where a side would
pass 4,500 pixels it renders at 72 dpi instead, three quarters as large.
"""

from __future__ import annotations

import io
import time
import warnings
from dataclasses import replace
from typing import IO, Any

from PIL import Image, ImageFile, UnidentifiedImageError

from docspec.core import Event, Failure, InputError, PageError, PageImage
from docspec.core.safe_text import first_line
from docspec.documents.damage import damage_of
from docspec.documents.document import Document, PageFailure
from docspec.documents.mupdf import mupdf
from docspec.documents.sources import SUPPORTED, Source
from docspec.documents.view import View, fit_scale, padded, reduced

FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF")
ORIENTATION = 0x0112  # the EXIF field
TURNED = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""Operations that turn the picture upright, by the camera's note."""

TOOL_SIDE, TOOL_DPI = 4500, 72.0
"""The longest side that dots.ocr's own tool renders at the dpi asked for, and its dpi for larger images."""


class ImageDocument(Document):
    """An image file. It is opened anew for every page, so nothing stays in memory between pages."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._damage: str | None = None
        try:
            with self._open() as image:
                # Animations (WebP, APNG) and camera previews (MPO) have frames too, but only TIFF has pages.
                self.page_count = self._frames(image) if image.format == "TIFF" else 1
        except UnidentifiedImageError:
            message = f"{source.name}: not a {SUPPORTED} file, or damaged beyond repair"
            raise InputError(message, Failure.DAMAGED) from None
        except Image.DecompressionBombError:
            message = f"{source.name}: the image has more pixels than memory can bear; scale it down"
            raise InputError(message, Failure.TOO_LARGE) from None
        except Exception as error:
            message = f"{source.name}: cannot be read as an image ({error})"
            failure = Failure.UNREADABLE if getattr(error, "errno", None) else Failure.DAMAGED
            raise InputError(message, failure) from error

    @property
    def damage(self) -> str | None:
        return self._damage

    def _frames(self, image: Any) -> int:
        """The number of frames; an unreadable directory ends them."""
        count = 1
        try:
            while True:
                image.seek(count)
                count += 1
        except EOFError:
            pass
        except Exception as error:
            self._damage = f"the TIFF is damaged after {count} of its pages ({error}); further ones are missing"
        return count

    def _load(self, number: int, view: View) -> PageImage:
        start = time.perf_counter()
        with self._open() as image:
            if number > 1:
                image.seek(number - 1)
            factor = fit_scale(image.width, image.height, 1.0, view.max_pixels)
            if factor < 1:
                image.draft("RGB", _scaled(image, factor))  # JPEG can be decoded at a fraction of its size
            events = []
            try:
                image.load()  # before any attribute that loads the pixels implicitly and hides errors
                page = as_rgb(image)
            except OSError as error:
                page, missing = _what_is_there(self._open(), number, image.size, error)
                events.append(Event("damaged_page", f"the image file is cut off: {missing}"))
            if image.format in ("JPEG", "MPO") and not events and (damage := damage_of(self.source.read())):
                events.append(Event("damaged_page", f"{damage}; some of the picture may be missing"))
            turned = _orientation(image) if view.exif else 1
            if turned != 1:
                page = page.transpose(TURNED[turned])
                events.append(Event("exif_followed", f"shown as its camera noted (orientation {turned})"))
        limit = fit_scale(page.width, page.height, 1.0, view.max_pixels)
        if limit < 1:
            page = page.resize(_scaled(page, limit), Image.Resampling.LANCZOS)
        page, widened = padded(page)
        events += [*reduced(factor), *widened]
        seconds = time.perf_counter() - start
        return PageImage(page, number, 1.0, self.name, None, seconds, tuple(events))

    def _open(self) -> Any:
        file: IO[bytes] | str
        file = str(self.source.path) if self.source.path is not None else io.BytesIO(self.source.data or b"")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # large scans are expected; twice Pillow's limit still raises
            return Image.open(file, formats=FORMATS)


def _orientation(image: Image.Image) -> int:
    """The camera's orientation by its note, 2 to 8; 1, upright, for any other note."""
    try:
        noted = image.getexif().get(ORIENTATION, 1)
    except Exception:  # EXIF that is damaged costs no pixel
        return 1
    return int(noted) if noted in TURNED else 1


def _what_is_there(opened: Any, number: int, size: tuple[int, int], error: OSError) -> tuple[Image.Image, str]:
    """The picture of an ``opened`` file that is cut off, with white for the missing pixels, and a note of their share.
    Raises ``error`` if less than a hundredth can be decoded."""
    before, ImageFile.LOAD_TRUNCATED_IMAGES = ImageFile.LOAD_TRUNCATED_IMAGES, True
    try:
        with opened as image:
            if number > 1:
                image.seek(number - 1)
            image.draft("RGB", size)
            page = as_rgb(image)
    except Exception:
        raise error from None
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = before
    import numpy as np

    pixels = np.array(page)
    # Rows that the decoder never reached are of one colour, black or grey, down to the last.
    rest = (pixels == pixels[-1, -1]).all(axis=(1, 2))
    there = len(rest) - int(np.argmin(rest[::-1])) if not rest.all() else 0
    if 100 * there < len(rest):
        raise error
    if there == len(rest) or tuple(pixels[-1, -1]) == (255, 255, 255):
        return page, "something of it may be missing"
    pixels[there:] = 255
    return Image.fromarray(pixels), f"the lower {max(0.01, 1 - there / len(rest)):.0%} of it are missing"


def _scaled(image: Image.Image, factor: float) -> tuple[int, int]:
    return max(1, round(image.width * factor)), max(1, round(image.height * factor))


def as_rgb(image: Image.Image) -> Image.Image:
    """``image`` in RGB: transparency over white, 16-bit and float grey scaled to 8 bits, palettes and CMYK
    converted.
    """
    if image.mode.startswith("I") or image.mode == "F":
        return _grey_to_8_bits(image).convert("RGB")
    if image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info:
        layer = image.convert("RGBA")
        paper = Image.new("RGB", layer.size, "white")
        paper.paste(layer, mask=layer.getchannel("A"))
        return paper
    return image.convert("RGB")


def _grey_to_8_bits(image: Image.Image) -> Image.Image:
    import numpy as np

    values = np.asarray(image).astype(np.float32)
    finite = values[np.isfinite(values)]
    # A few pixels that were never measured are beyond all others, or no numbers.
    top = float(np.quantile(finite, 0.999)) if image.mode == "F" and finite.size else float(finite.max(initial=0.0))
    values = np.nan_to_num(values, nan=0.0, neginf=0.0)
    # Files do not say how many bits are meant: 0..1 floats, 8 bits in a wide container, 16 bits, anything
    # above.
    full = next((limit for limit in (1.0, 255.0, 65535.0) if top <= limit), top)
    if image.mode != "F":
        full = 65535.0 if image.mode.startswith("I;16") else max(full, 255.0)
    return Image.fromarray((np.clip(values / full, 0, 1) * 255.0).astype(np.uint8))


def through_pdf(page: PageImage, dpi: float) -> PageImage | PageFailure:
    """``page``, an image file's, as rendered from a PDF page at ``dpi``; other pages as they are."""
    if page.pdf_page is not None or any(event.kind == "text_layer_skipped" for event in page.events):
        return page
    began = time.perf_counter()
    try:
        image = _rendered(page.image, dpi)
    except Exception as error:
        what = f"cannot be scaled as the model's own tool does ({first_line(error)}); try --set image-scale=as-is"
        return PageFailure(page.number, page.source, PageError(f"{page.source}, page {page.number}: {what}"))
    sizes = f"{image.width} x {image.height} pixels instead of {page.width} x {page.height}"
    event = Event("image_scaled", f"shown at {sizes}, as the model's own tool does")
    return replace(
        page,
        image=image,
        render_seconds=page.render_seconds + time.perf_counter() - began,
        events=(*page.events, event),
    )


def _rendered(image: Image.Image, dpi: float) -> Image.Image:
    file = io.BytesIO()
    image.save(file, format="PNG", compress_level=1)
    with mupdf().open(stream=file.getvalue(), filetype="png") as picture:
        whole = picture.convert_to_pdf()
    with mupdf().open(stream=whole, filetype="pdf") as pdf:
        rect = pdf[0].rect
        scale = dpi / 72
        if max(rect.width, rect.height) * scale > TOOL_SIDE:
            scale = TOOL_DPI / 72
        shown: Image.Image = pdf[0].get_pixmap(matrix=mupdf().Matrix(scale, scale), alpha=False).pil_image()
        return shown
