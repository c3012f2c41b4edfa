"""``docspec convert``: other formats of a result of ``--format json``, without the model."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Annotated
from urllib.parse import quote, unquote

import typer

from docspec.cli.outputs import Outputs
from docspec.console import exits
from docspec.console.parameters import takes_options
from docspec.console.terminal import document_stream, say_error
from docspec.core import InputError, PageResult
from docspec.core.paths import inside, open_regular
from docspec.reporting.collisions import check
from docspec.reporting.figures import FigureSink
from docspec.reporting.reading import SavedDocument, read_document
from docspec.reporting.renderer import Layout

PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class ResultFile:
    """A JSON result as an input; outputs take its name without its suffix."""

    path: Path

    @property
    def relative(self) -> Path:
        return Path(self.path.stem)


@takes_options("output", "format", "tables", *(each.name for each in fields(Layout)))
def convert(
    *,
    inputs: Annotated[list[Path], typer.Argument(metavar="RESULT.json", help="Files that --format json has written.")],
    outputs: Outputs,
    layout: Layout,
) -> int:
    """Make other formats of a result, without the model: the same bytes as if they had been asked for at once."""
    sources = [ResultFile(path) for path in inputs]
    outputs = replace(outputs, figures="none")  # they are in files already, or in the result
    writing = outputs.writing(layout)
    destinations = outputs.destinations(sources, len(inputs) > 1)
    more = [file for destination in destinations for file in writing.files_beside(destination)]
    check(destinations, sources, more=more)
    failed = 0
    with document_stream() as stdout:
        for source, destination in zip(sources, destinations, strict=True):
            try:
                saved = read_document(source.path)
                figures = partial(SavedFigures, saved, source.path.parent)
                with writing.writer(saved.source, saved.sha256, destination, stdout, figures=figures) as writer:
                    for page in saved.pages:
                        writer.add(page)
            except InputError as error:
                say_error(str(error))
                failed += 1
    return exits.code_of_run(len(sources) - failed, 0, failed)


class SavedFigures(FigureSink):
    """Pictures in files beside a result: the new document links to them, or holds them."""

    def __init__(self, saved: SavedDocument, base: Path, target: Path, embed: bool) -> None:
        self._links = {page.number: links for page, links in zip(saved.pages, saved.figures, strict=True)}
        self._base, self._target, self._embed = base, target, embed

    def page(self, result: PageResult) -> Mapping[int, str]:
        return {index: self._link(link) for index, link in self._links[result.number].items()}

    def _link(self, link: str) -> str:
        if not self._embed:
            return quote(Path(os.path.relpath(self._base / unquote(link), self._target)).as_posix())
        file = inside(self._base, unquote(link))
        if file is None:
            raise InputError(f"{self._base / unquote(link)}: the picture is not in the folder of the result")
        try:
            with open_regular(file) as opened:
                data = opened.read()
        except OSError as error:
            raise InputError(f"{file}: the picture cannot be read ({error.strerror or error})") from error
        if not data.startswith(PNG):
            raise InputError(f"{file}: the picture is no PNG file")
        return "data:image/png;base64," + base64.b64encode(data).decode("ascii")
