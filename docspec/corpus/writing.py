"""How each document of a run is written: formats, layout, where pictures go, and what shows it to people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from docspec.core import UsageError
from docspec.reporting.destinations import LINKING, Destination, beside
from docspec.reporting.figures import EmbeddedFigures, FigureFiles, FigureSink
from docspec.reporting.formats import renderer_for
from docspec.reporting.joined_tables import JoinedTables
from docspec.reporting.page_xml import PageFiles
from docspec.reporting.renderer import Format, Layout
from docspec.reporting.tables import TableFiles
from docspec.reporting.writer import AtomicFile, DocumentWriter, PageWriter, StreamSink, Together


@dataclass(frozen=True, slots=True)
class OutputChoice:
    """The outputs asked for; ``figures`` is a folder, ``none``, or ``None`` for the format's own way. ``others`` are
    formats written beside the first, ``shows`` what is written beside them all (so that runs can be told apart)."""

    format: Format
    layout: Layout
    figures: str | None = None
    others: tuple[Format, ...] = ()
    shows: tuple[str, ...] = ()

    def has_figures(self, destination: Destination) -> bool:
        """Whether pictures are cut out of pages."""
        return destination.figures is not None or any(map(self._embeds, (self.format, *self.others)))

    def files_beside(self, destination: Destination) -> list[Path]:
        """A document's files except the first, pictures and tables: names of the last two are not known yet."""
        path = destination.path
        files = [] if path is None else [beside(path, self.format, other) for other in self.others]
        return [*files, *filter(None, (destination.view, destination.layout_pdf))]

    def writer(
        self,
        name: str,
        sha256: str,
        destination: Destination,
        stdout: BinaryIO,
        more: Sequence[PageWriter] = (),
        simulated: bool = False,
        searchable: Callable[[Path], PageWriter] | None = None,
        figures: Callable[[Path, bool], FigureSink] | None = None,
    ) -> PageWriter:
        """The writer of one document; raises :class:`docspec.core.OutputError` where its place cannot be written to.

        ``more`` take its pages too; of a ``simulated`` target (random weights) the view says so. ``figures`` makes the
        pictures of a format from the folder of its file and whether it is HTML; without it they are cut out of pages.
        ``searchable`` makes the writer of the document's own pages with a text layer.
        """
        linked = self._linked(destination)
        writers: list[PageWriter] = []
        for format in (self.format, *self.others):
            path = None if destination.path is None else beside(destination.path, self.format, format)
            if format == "pdf":
                if searchable is None or path is None:
                    raise UsageError("--format pdf needs the document's own pages, and a file: docspec parse -o FILE")
                writers.append(searchable(path))
                continue
            if format == "page" and path is not None:
                writers.append(PageFiles(path, self.layout, name))
                continue
            sink = StreamSink(stdout) if path is None else AtomicFile(path)
            if figures is not None:
                pictures = figures(Path.cwd() if path is None else path.parent, format == "html")
            else:
                pictures = EmbeddedFigures() if self._embeds(format) else linked
            renderer = renderer_for(format, self.layout)
            writer: PageWriter = DocumentWriter(sink, renderer, pictures, source=name, sha256=sha256)
            writers.append(JoinedTables(writer) if self.layout.joins_tables else writer)
        if destination.view is not None:
            from docspec.reporting.view import ViewRenderer

            view = ViewRenderer(simulated)
            writers.append(DocumentWriter(AtomicFile(destination.view), view, source=name, sha256=sha256))
        if destination.tables is not None:
            tables = TableFiles(destination.tables)
            writers.append(JoinedTables(tables) if self.layout.joins_tables else tables)
        writers += more
        return writers[0] if len(writers) == 1 else Together(writers)

    def _embeds(self, format: Format) -> bool:
        return format == "html" and self.figures is None

    def _linked(self, destination: Destination) -> FigureSink:
        wanted = any(format in LINKING or format == "html" for format in (self.format, *self.others))
        if destination.figures is None or not wanted:
            return FigureSink()
        return FigureFiles(destination.figures, Path.cwd() if destination.path is None else destination.path.parent)
