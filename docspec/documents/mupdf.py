"""PyMuPDF, silenced: MuPDF prints its own warnings about damaged files unless it is told not to.

Everything that needs PyMuPDF takes it from here, so that standard output stays the document's alone.
"""

from __future__ import annotations

import logging
from functools import cache
from typing import Any


@cache
def mupdf() -> Any:
    """The ``pymupdf`` module; its messages go to the logger ``docspec.mupdf`` and nowhere else."""
    import pymupdf

    logger = logging.getLogger("docspec.mupdf")
    logger.addHandler(logging.NullHandler())
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    pymupdf.set_messages(pylogging_logger=logger, pylogging_level=logging.DEBUG)
    return pymupdf
