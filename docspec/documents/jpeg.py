"""Damage within the data of a JPEG.

Decoders go on after it: half of a picture is shifted, torn or grey, and neither Pillow nor MuPDF says a word. libjpeg
warns where the data of a scan ends too soon or holds a code that is none; ``simplejpeg`` passes that on.
"""

from __future__ import annotations

import re
from typing import Any

MOST_PIXELS = 200_000_000
MOST_PICTURES = 64
"""Of a page; more are tiles or signs."""

_LOST = re.compile(r"premature end|bad (?:Huffman|arithmetic) code|instead of RST", re.IGNORECASE)
"""Bytes too many before a marker are not among them: cameras and scanners write such files."""


def damage_of(data: bytes) -> str | None:
    """What is wrong within the data of a JPEG; ``None`` where nothing is, and of what cannot be decoded at all."""
    import simplejpeg

    try:
        height, width, space, _ = simplejpeg.decode_jpeg_header(data)
        if height * width <= MOST_PIXELS:
            space = "CMYK" if space in ("CMYK", "YCCK") else "GRAY"
            simplejpeg.decode_jpeg(data, space, fastdct=True, min_height=1, min_width=1, min_factor=8)
    except ValueError as error:
        return str(error) if _LOST.search(str(error)) else None
    return None


def damage_on(pdf: Any, index: int) -> str | None:
    """The same of the pictures that the page of a PDF shows; of several, of one."""
    try:
        shown = {one[0] for one in pdf.get_page_images(index)[:MOST_PICTURES] if one[8] == "DCTDecode"}
        found = (damage_of(pdf.xref_stream_raw(xref)) for xref in shown)
        return next(filter(None, found), None)
    except Exception:  # what cannot even be listed was drawn by others, and they have said so
        return None
