"""Images in requests, judged by their headers; nothing here decodes pixels.

A data URL of a few kilobytes can contain an image of billions of pixels. Its header says so, and the image is refused
before the recogniser here or the server behind the gateway decodes it.
"""

from __future__ import annotations

import binascii
import hashlib
import importlib
import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from PIL import Image

from docspec.serve.refusal import Refusal

FORMATS = {
    "PNG": ("png", "PngImagePlugin"),
    "JPEG": ("jpeg", "JpegImagePlugin"),
    "WEBP": ("webp", "WebPImagePlugin"),
    "GIF": ("gif", "GifImagePlugin"),
    "BMP": ("bmp", "BmpImagePlugin"),
    "TIFF": ("tiff", "TiffImagePlugin"),
}
"""Formats that are accepted, by Pillow's names, each with its media subtype and its module of Pillow (MPO is a JPEG).
Servers behind the gateway may open others, so that an image of a format whose size nobody has checked is refused."""

MOST_PICTURES = 256
"""Images of one request."""

HEAD = 64 * 1024
"""Bytes at the beginning of an image that nearly always contain its size."""


@dataclass(frozen=True, slots=True)
class Picture:
    """``url`` is a data URL or an http URL, of which ``size`` in pixels is not known yet."""

    url: str
    size: tuple[int, int] | None = None

    @property
    def is_address(self) -> bool:
        return self.url[:5].lower() != "data:"

    @property
    def digest(self) -> bytes:
        """The SHA-256 digest of the content."""
        return hashlib.sha256(self.url.partition(",")[2].encode()).digest()

    def data(self) -> bytes:
        """The image file. Raises :class:`Refusal`."""
        return _decoded(self.url.partition(",")[2])


def checked_picture(url: str, most_pixels: int) -> Picture:
    """The picture at ``url``. Raises :class:`Refusal` (400) if it has more than ``most_pixels`` or none, is not valid
    base64, is no image of :data:`FORMATS`, or has a scheme of local files (``file:``)."""
    scheme = url[:8].partition(":")[0].lower()
    if scheme in ("http", "https"):
        return Picture(url)
    if scheme != "data":
        raise Refusal(400, "images come as data URLs, or as http addresses where the gateway allows them")
    head, comma, payload = url.partition(",")
    if not comma or not head.lower().endswith(";base64"):
        raise Refusal(400, "images in data URLs have to be in base64")
    whole = len(payload) <= HEAD * 4 // 3
    size = _size_of(_decoded(payload[: HEAD * 4 // 3 // 4 * 4]), most_pixels)
    if size is None and not whole:
        size = _size_of(_decoded(payload), most_pixels)
    if size is None:
        kinds = ", ".join(dict.fromkeys(kind for kind, _ in FORMATS.values()))
        raise Refusal(400, f"an image is damaged or of no accepted format ({kinds})")
    return Picture(url, size)


def _decoded(payload: str) -> bytes:
    try:
        return binascii.a2b_base64(payload)
    except ValueError:
        raise Refusal(400, "an image is not valid base64") from None


def opened(data: bytes) -> Image.Image:
    """The image file, whose pixels are not decoded yet."""
    _load_formats()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Image.open(io.BytesIO(data), formats=tuple(FORMATS))


@cache
def _load_formats() -> None:
    """Registers the formats: Pillow looks some up by name before it has loaded their modules."""
    for _, module in FORMATS.values():
        importlib.import_module(f"PIL.{module}")


def _size_of(data: bytes, most: int) -> tuple[int, int] | None:
    try:
        size = opened(data).size
    except Image.DecompressionBombError:
        raise _too_large(most) from None
    except Exception:  # truncated, or no image
        return None
    if size[0] * size[1] > most:
        raise _too_large(most)
    if min(size) < 1:
        raise Refusal(400, "an image has no pixels")
    return size


def check_together(pictures: Sequence[Picture], most_pixels: int) -> None:
    """Raises :class:`Refusal` (400) if the images of one request are too many, or too large together."""
    if len(pictures) > MOST_PICTURES:
        raise Refusal(400, f"a request has more than {MOST_PICTURES} images")
    if sum(width * height for width, height in (one.size for one in pictures if one.size)) > 4 * most_pixels:
        raise Refusal(400, f"the images have more than {4 * most_pixels / 1e6:g} million pixels together")


def _too_large(most: int) -> Refusal:
    return Refusal(400, f"an image has more than {most / 1e6:g} million pixels; scale it down")
