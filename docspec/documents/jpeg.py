"""Damage within the data of a JPEG.

Decoders go on after it: half of a picture is shifted, torn or grey, and neither Pillow nor MuPDF reports it. libjpeg
warns if the data of a scan ends too soon or holds an invalid code; ``simplejpeg`` passes that on.
"""

from __future__ import annotations

import re
from typing import Any

MOST_PIXELS = 200_000_000
MOST_PICTURES = 64
"""Most images of a page; more are tiles or signs."""

_LOST = re.compile(r"premature end|bad (?:Huffman|arithmetic) code|instead of RST", re.IGNORECASE)
"""Surplus bytes before a marker are no damage: cameras and scanners write such files."""


def damage_of(data: bytes) -> str | None:
    """The damage within the data of a JPEG; ``None`` for sound data, and for data that cannot be decoded at all."""
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
    """The damage of a picture on the page of a PDF; of several damaged ones, of one."""
    try:
        shown = {one[0] for one in pdf.get_page_images(index)[:MOST_PICTURES] if one[8] == "DCTDecode"}
        found = (damage_of(pdf.xref_stream_raw(xref)) for xref in shown)
        return next(filter(None, found), None)
    except Exception:  # pictures that cannot be listed were reported when the page was drawn
        return None
