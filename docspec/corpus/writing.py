"""How each document of a run is written: format, layout, and where pictures go."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from docspec.reporting.destinations import Destination
from docspec.reporting.figures import EmbeddedFigures, FigureFiles, FigureSink, NoFigures
from docspec.reporting.formats import renderer_for
from docspec.reporting.renderer import Format, Layout
from docspec.reporting.writer import AtomicFile, DocumentWriter, StreamSink, TextSink


@dataclass(frozen=True, slots=True)
class Writing:
    """What was asked for; ``figures`` is a folder, ``none``, or ``None`` for the format's own way."""

    format: Format
    layout: Layout
    figures: str | None = None

    def has_figures(self, place: Destination) -> bool:
        """Whether pictures are cut out of pages."""
        return place.figures is not None or self._embeds

    def writer(self, name: str, sha256: str, place: Destination, stdout: BinaryIO) -> DocumentWriter:
        """The writer of one document; raises :class:`docspec.core.OutputError` where its place cannot be written to."""
        sink: TextSink = StreamSink(stdout) if place.path is None else AtomicFile(place.path)
        renderer = renderer_for(self.format, self.layout)
        return DocumentWriter(sink, renderer, self._figures(place), source=name, sha256=sha256)

    @property
    def _embeds(self) -> bool:
        return self.format == "html" and self.figures != "none"

    def _figures(self, place: Destination) -> FigureSink:
        if place.figures is not None:
            return FigureFiles(place.figures, Path.cwd() if place.path is None else place.path.parent)
        return EmbeddedFigures() if self._embeds else NoFigures()
