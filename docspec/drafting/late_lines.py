"""Recognises a page after it was read, for the places of words of which no draft told (``--places recognise``)."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING

from docspec.core import PageImage, ParseOptions, PrintedLine
from docspec.core.straightening import Straightening
from docspec.drafting import page_reader

if TYPE_CHECKING:
    from docspec.drafting.recogniser import PageReader


class LateLines:
    """The lines of pages, by the recogniser that ``options`` name; loaded at the first page. Safe to call from several
    threads, which wait for each other."""

    def __init__(self, options: ParseOptions) -> None:
        self._options = options
        self._turn = threading.Lock()

    @cached_property
    def _reader(self) -> PageReader:
        return page_reader(self._options)

    def of(self, page: PageImage) -> tuple[PrintedLine, ...]:
        """The recognised lines of ``page``, in its pixels. Raises :class:`docspec.core.DrafterError` where none can be
        recognised."""
        from docspec.drafting.straightening import as_printed  # it loads PIL, which a parser that is only made does not

        with self._turn:
            self._reader.check()
            reading = self._reader.read(page)
        lean = Straightening(tilt=reading.tilt)
        return tuple(
            PrintedLine(as_printed(line.bbox, lean, page), line.text, confidence=line.confidence)
            for line in reading.lines
        )
