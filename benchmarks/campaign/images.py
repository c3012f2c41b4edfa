"""Images for the campaign: sound ones of print in every format that is read, and sixty that are wrong on purpose."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

PRINT = (
    "Minutes of the ninth meeting",
    "The treasurer read the yearly accounts aloud.",
    "Members asked about the bridge over the river.",
    "Repairs will take until the end of September.",
    "Costs so far: 4815 for timber, 1623 for labour.",
    "Nobody objected and the meeting was closed.",
)


def page(lines: tuple[str, ...] = PRINT, mode: str = "RGB") -> Image.Image:
    """A small page of print."""
    image = Image.new("L", (640, 40 + 48 * len(lines)), 255)
    for number, line in enumerate(lines):
        ImageDraw.Draw(image).text((24, 20 + 48 * number), line, 0, font=ImageFont.load_default(26))
    return image.convert(mode)


def encoded(image: Image.Image, format: str, **how: Any) -> bytes:
    """``image`` as a file."""
    buffer = io.BytesIO()
    image.save(buffer, format, **how)
    return buffer.getvalue()


def sound() -> dict[str, bytes]:
    """A file of each kind that is read, by name."""
    second = page(PRINT[::-1])
    return {
        "grey.png": encoded(page(mode="L"), "PNG"),
        "palette.png": encoded(page(mode="P"), "PNG"),
        "alpha.png": encoded(page(mode="RGBA"), "PNG"),
        "plain.jpg": encoded(page(), "JPEG", quality=80),
        "progressive.jpg": encoded(page(), "JPEG", quality=80, progressive=True),
        "cmyk.jpg": encoded(page(mode="CMYK"), "JPEG"),
        "two-pages.tif": encoded(page(), "TIFF", save_all=True, append_images=[second], compression="tiff_lzw"),
        "fax.tif": encoded(page(mode="1"), "TIFF", compression="group4"),
        "lossless.webp": encoded(page(), "WEBP", lossless=True),
    }


def crafted() -> dict[str, bytes]:
    """Files that are wrong on purpose, by name."""
    return {**_cut(), **_floats(), **_sizes(), **_exif(), **_pngs(), **_others()}


def _cut() -> dict[str, bytes]:
    return {
        f"cut at {percent} %: {name}": data[: len(data) * percent // 100]
        for name, data in sound().items()
        for percent in (1, 50, 95)
    }


def _floats() -> dict[str, bytes]:
    found = {}
    for what, value in (("nan", np.nan), ("inf", np.inf), ("minus-inf", -np.inf), ("huge", 1e30)):
        pixels = np.asarray(page(mode="L")).astype(np.float32)
        pixels[3, 3] = value
        found[f"float with {what}.tif"] = encoded(Image.fromarray(pixels), "TIFF")
    found["float all nan.tif"] = encoded(Image.fromarray(np.full((99, 99), np.nan, np.float32)), "TIFF")
    return found


def _sizes() -> dict[str, bytes]:
    letter = {}
    for side in (1, 2, 12, 16, 24, 32):
        image = Image.new("L", (side, side), 255)
        ImageDraw.Draw(image).text((side / 2, side / 2), "B", 0, anchor="mm", font=ImageFont.load_default(side))
        letter[f"a letter in {side} pixels.png"] = encoded(image, "PNG")
    return {
        **letter,
        "one row.png": encoded(page().resize((3000, 1)), "PNG"),
        "one column.png": encoded(page().resize((1, 3000)), "PNG"),
        "large.png": encoded(Image.new("1", (30_000, 3000), 1), "PNG"),
        "larger than memory.png": png(200_000, 200_000, b""),
        "no pixels.png": png(64, 64, b""),
        "no width.png": png(0, 64, b""),
    }


def _exif() -> dict[str, bytes]:
    plain = encoded(page(), "JPEG", quality=80)
    found = {}
    for value in (0, 9, 99, 65535):
        exif = Image.Exif()
        exif[0x0112] = value
        found[f"orientation {value}.jpg"] = encoded(page(), "JPEG", exif=exif)
    for what, tags in {
        "tags without end": b"II*\0\x08\0\0\0\xff\xff" + b"\x12\x01\x03\0\xff\xff\xff\xff\x06\0\0\0" * 3,
        "directory in itself": b"II*\0\x08\0\0\0\1\0\x69\x87\4\0\1\0\0\0\x08\0\0\0\x08\0\0\0",
        "nothing": b"",
        "noise": bytes(range(256)),
    }.items():
        part = b"Exif\0\0" + tags
        length = struct.pack(">H", len(part) + 2)
        found[f"exif: {what}.jpg"] = plain[:2] + b"\xff\xe1" + length + part + plain[2:]
    return found


def _pngs() -> dict[str, bytes]:
    sound_png = encoded(page(mode="L"), "PNG")
    bomb = zlib.compress(bytes(20_000 * 2_500), 9)
    return {
        "checksum wrong.png": sound_png.replace(b"IHDR", b"IHDR", 1)[:29] + b"\0\0\0\0" + sound_png[33:],
        "chunk too long.png": sound_png.replace(b"IDAT", b"IDAX", 1),
        "no end.png": sound_png[:-12],
        "words behind.png": sound_png + b"words" * 10_000,
        "unfolds.png": png(20_000, 20_000, bomb, bits=1, colour=0),
        "depth unknown.png": png(64, 64, zlib.compress(bytes(5000)), bits=3),
        "text chunk unfolds.png": sound_png[:33] + _chunk(b"zTXt", b"a\0\0" + bomb) + sound_png[33:],
    }


def _others() -> dict[str, bytes]:
    return {
        "only a mark.jpg": b"\xff\xd8\xff",
        "words.png": b"these are words and nothing else",
        "pdf inside.png": b"%PDF-1.7 and no more",
        "directory is itself.tif": b"II*\0\x08\0\0\0\0\0\x08\0\0\0",
        "directory far away.tif": b"II*\0\xff\xff\xff\x7f",
        "many frames.tif": b"II*\0\x08\0\0\0"
        + b"".join(b"\0\0" + struct.pack("<I", 14 + 6 * number) for number in range(2000)),
        "header alone.webp": b"RIFF\x10\0\0\0WEBPVP8 \0\0\0\0",
        "big tiff.tif": b"II+\0\x08\0\0\0\xff\xff\xff\xff\xff\xff\xff\x7f",
    }


def png(width: int, height: int, data: bytes, bits: int = 8, colour: int = 2) -> bytes:
    """A PNG file that says it is of that size, whatever ``data`` holds."""
    head = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
