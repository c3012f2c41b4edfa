"""Images in requests, judged by their headers; nothing here decodes pixels.

A data URL of a few kilobytes can contain an image of billions of pixels. Its header says so, and the image is refused
before the recogniser here or the server behind the gateway decodes it.
"""

from __future__ import annotations

import binascii
import hashlib
import io
import warnings
from dataclasses import dataclass
from urllib.parse import urlsplit

from PIL import Image

from docspec.serve.refusal import Refusal

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "MPO", "JPEG2000", "AVIF")
HEAD = 64 * 1024
"""Bytes at the beginning of an image that nearly always contain its size."""


@dataclass(frozen=True, slots=True)
class Picture:
    """``url`` is a data URL or an http URL. ``size`` in pixels is ``None`` where the format is unknown."""

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


def looked_at(url: str, most_pixels: int) -> Picture:
    """The picture at ``url``. Raises :class:`Refusal` (400) if it has more than ``most_pixels``, is not valid base64,
    or has a scheme of local files (``file:``)."""
    scheme = urlsplit(url[:64]).scheme.lower()
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
    return Picture(url, size)


def _decoded(payload: str) -> bytes:
    try:
        return binascii.a2b_base64(payload)
    except ValueError:
        raise Refusal(400, "an image is not valid base64") from None


def opened(data: bytes) -> Image.Image:
    """The image file, whose pixels are not decoded yet."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Image.open(io.BytesIO(data), formats=FORMATS)


def _size_of(data: bytes, most: int) -> tuple[int, int] | None:
    try:
        size = opened(data).size
    except Image.DecompressionBombError:
        raise _too_large(most) from None
    except Exception:  # truncated, or no image: decoding it will fail with a message
        return None
    if size[0] * size[1] > most:
        raise _too_large(most)
    return size


def _too_large(most: int) -> Refusal:
    return Refusal(400, f"an image has more than {most / 1e6:g} million pixels; scale it down")
