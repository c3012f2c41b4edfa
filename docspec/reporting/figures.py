"""Crops of picture regions: written to PNG files that appear together with their document, embedded, or left
out.

Names are ``page-<page>-<count>.png``, so that a figure can be found from the page number and the other way
round; the count is of all pictures that the target named on the page, so that no link depends on a drafted box.
"""

from __future__ import annotations

import base64
import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote

from docspec.core import BBox, Category, OutputError, PageResult
from docspec.core.paths import make_folder
from docspec.reporting.staging import Staged

if TYPE_CHECKING:
    from PIL.Image import Image

SUFFIX = ".figures"
"""Suffix of the folder that holds a document's pictures."""


class FigureSink(Protocol):
    """Takes the pictures of one document's pages. They appear only at :meth:`commit`."""

    def page(self, result: PageResult) -> Mapping[int, str]:
        """Stores the page's pictures; returns block index -> link for those that have pixels."""
        ...

    def commit(self) -> None:
        """Makes everything stored so far visible; raises :class:`OutputError` where it cannot."""
        ...

    def discard(self) -> None:
        """Forgets everything that was not committed; never raises."""
        ...

    @property
    def files(self) -> Sequence[Path]:
        """The files that were committed."""
        ...


class NoFigures:
    """``--figures none``: pictures are not cropped."""

    def page(self, result: PageResult) -> Mapping[int, str]:
        return {}

    def commit(self) -> None:
        pass

    def discard(self) -> None:
        pass

    @property
    def files(self) -> Sequence[Path]:
        return ()


class EmbeddedFigures(NoFigures):
    """Pictures as ``data:`` URLs inside the document: what makes an HTML page self-contained."""

    def page(self, result: PageResult) -> Mapping[int, str]:
        links = {}
        for _, index, _, picture in pictures_of(result):
            buffer = io.BytesIO()
            picture.save(buffer, format="PNG")
            links[index] = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
        return links


class FigureFiles:
    """Pictures as PNG files in ``folder``, linked relative to ``base``, the folder of the document.

    Files are staged in a hidden folder on the same file system and moved into place by :meth:`commit`.
    """

    def __init__(self, folder: Path, base: Path) -> None:
        self._folder = folder
        self._link = _link(folder, base)
        self._staged: Staged | None = None
        self._names: list[str] = []
        self._files: list[Path] = []

    @property
    def files(self) -> Sequence[Path]:
        return self._files

    def page(self, result: PageResult) -> Mapping[int, str]:
        links = {}
        for count, index, _, picture in pictures_of(result):
            name = f"page-{result.number}-{count}.png"
            try:
                picture.save(self._staging().folder() / name, format="PNG")
            except OSError as error:
                raise OutputError(f"{self._folder}: cannot write figures here: {error.strerror or error}") from error
            self._names.append(name)
            links[index] = f"{self._link}/{name}" if self._link != "." else name
        return links

    def commit(self) -> None:
        if self._staged is None:
            return
        try:
            make_folder(self._folder)
            for name in self._names:
                (self._staged.folder() / name).replace(self._folder / name)
                self._files.append(self._folder / name)
        except OSError as error:
            raise OutputError(f"{self._folder}: cannot write figures here: {error.strerror or error}") from error
        finally:
            self.discard()

    def discard(self) -> None:
        if self._staged is not None:
            self._staged.discard()
            self._staged = None
            self._names.clear()

    def _staging(self) -> Staged:
        if self._staged is None:
            self._staged = Staged(nearest_folder(self._folder))
        return self._staged


def is_figure(path: Path) -> bool:
    """Whether ``path`` is named as the pictures that are written beside documents."""
    return path.parent.suffix == SUFFIX and re.fullmatch(r"page-\d+-\d+\.png", path.name) is not None


class SharedFigures:
    """The pictures of one document for several of its formats: each page's are stored once."""

    def __init__(self, figures: FigureSink) -> None:
        self._figures = figures
        self._last: tuple[PageResult | None, Mapping[int, str]] = None, {}

    def page(self, result: PageResult) -> Mapping[int, str]:
        if self._last[0] is not result:
            self._last = result, self._figures.page(result)
        return self._last[1]

    @property
    def files(self) -> Sequence[Path]:
        return self._figures.files

    def commit(self) -> None:
        self._last = None, {}
        self._figures.commit()

    def discard(self) -> None:
        self._figures.discard()


def _link(folder: Path, base: Path) -> str:
    """The link to ``folder`` in a document in ``base``: relative, or absolute where no relative one exists (between
    drives of Windows)."""
    try:
        return quote(os.fsencode(Path(os.path.relpath(folder, base)).as_posix()))
    except ValueError:
        return folder.absolute().as_uri()


def nearest_folder(path: Path) -> Path:
    """``path`` if it is a folder, else the nearest folder above it."""
    return next((each for each in (path, *path.parents) if each.is_dir()), Path())


def crop(image: Image, box: BBox) -> Image | None:
    """The pixels of ``box`` in a page image, or ``None`` where no whole pixel of the page lies in it."""
    x0, y0, x1, y1 = box.clamped(image.width, image.height).rounded()
    return image.crop((x0, y0, x1, y1)) if x1 > x0 and y1 > y0 else None


def pictures_of(result: PageResult) -> Iterator[tuple[int, int, BBox, Image]]:
    """Count (from 1), index of the block, box within the page and pixels of each picture that has pixels."""
    if result.image is None:
        return
    pictures = [i for i, block in enumerate(result.blocks) if block.category is Category.PICTURE]
    for count, index in enumerate(pictures, start=1):
        box = result.blocks[index].bbox
        picture = None if box is None else crop(result.image, box)
        if box is not None and picture is not None:
            yield count, index, box.clamped(result.image.width, result.image.height), picture
