"""How pages are shown: their resolution, and the allowed changes to the page of the file.

Every change that was made is an event of its page, and each can be turned off.
"""

from __future__ import annotations

from dataclasses import dataclass

from docspec.core import ParseOptions
from docspec.documents.sizes import MAX_PIXELS


@dataclass(frozen=True, slots=True)
class View:
    """``dpi`` is for PDF pages. ``upright`` turns pages whose text runs sideways (event ``page_turned``), ``exif``
    follows the orientation that a camera noted (``exif_followed``), ``max_pixels`` is the size beyond which pages and
    images are reduced (``page_reduced``; ``None``: never). With ``sketched`` PDF pages are drawn in small at first, and
    in full size when their pixels are used.
    """

    dpi: float = 200.0
    upright: bool = True
    exif: bool = True
    max_pixels: int | None = MAX_PIXELS
    sketched: bool = False

    @classmethod
    def of(cls, options: ParseOptions) -> View:
        """The view of a run's options."""
        limit = None if options.max_megapixels == 0 else round(1e6 * options.max_megapixels)
        return cls(options.dpi, not options.keep_rotation, not options.ignore_exif, limit)
