"""Images as requests carry them."""

from __future__ import annotations

import base64
import io

from PIL import Image


def data_url(image: Image.Image, format: str = "PNG") -> str:
    """``image`` as a ``data:`` address."""
    buffer = io.BytesIO()
    image.save(buffer, format)
    return f"data:image/{format.lower()};base64,{base64.b64encode(buffer.getvalue()).decode()}"
