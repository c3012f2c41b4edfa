"""Crops of picture regions: written to PNG files that appear together with their document, embedded, or left
out.

Names are ``page-<page>-<count>.png``, so that a figure can be found from the page number and the other way
round.
"""

from __future__ import annotations

import base64
import io
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote

from docspec.core import BBox, Category, OutputError, PageResult

if TYPE_CHECKING:
    from PIL.Image import Image


class FigureSink(Protocol):
    """Takes the pictures of one document's pages. Nothing is to be seen of them before :meth:`commit`."""

    def page(self, result: PageResult) -> Mapping[int, str]:
        """Stores the page's pictures; returns block index -> link for those that have pixels."""
        ...

    def commit(self) -> None:
        """Makes everything stored so far visible; raises :class:`OutputError` where it cannot."""
        ...

    def discard(self) -> None:
        """Forgets everything that was not committed; never raises."""
        ...


class NoFigures:
    """``--figures none``: pictures are not cropped."""

    def page(self, result: PageResult) -> Mapping[int, str]:
        return {}

    def commit(self) -> None:
        pass

    def discard(self) -> None:
        pass


class EmbeddedFigures(NoFigures):
    """Pictures as ``data:`` URLs inside the document: what makes an HTML page self-contained."""

    def page(self, result: PageResult) -> Mapping[int, str]:
        links = {}
        for index, picture in _pictures(result):
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
        self._link = quote(Path(os.path.relpath(folder, base)).as_posix())
        self._staging: Path | None = None
        self._names: list[str] = []

    def page(self, result: PageResult) -> Mapping[int, str]:
        links = {}
        for count, (index, picture) in enumerate(_pictures(result), start=1):
            name = f"page-{result.number}-{count}.png"
            try:
                picture.save(self._staging_folder() / name, format="PNG")
            except OSError as error:
                raise OutputError(
                    f"{self._folder}: cannot write figures here: {error.strerror or error}"
                ) from error
            self._names.append(name)
            links[index] = f"{self._link}/{name}" if self._link != "." else name
        return links

    def commit(self) -> None:
        if self._staging is None:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for name in self._names:
                os.replace(self._staging / name, self._folder / name)  # noqa: PTH105
        except OSError as error:
            raise OutputError(
                f"{self._folder}: cannot write figures here: {error.strerror or error}"
            ) from error
        finally:
            self.discard()

    def discard(self) -> None:
        if self._staging is not None:
            shutil.rmtree(self._staging, ignore_errors=True)
            self._staging = None
            self._names.clear()

    def _staging_folder(self) -> Path:
        if self._staging is None:
            parent = self._folder
            while not parent.is_dir() and parent != parent.parent:
                parent = parent.parent
            self._staging = Path(tempfile.mkdtemp(prefix=".docspec-figures-", dir=parent))
        return self._staging


def crop(image: Image, box: BBox) -> Image | None:
    """The pixels of ``box`` in a page image, or ``None`` where no whole pixel of the page lies in it."""
    x0, y0, x1, y1 = box.clamped(image.width, image.height).rounded()
    return image.crop((x0, y0, x1, y1)) if x1 > x0 and y1 > y0 else None


def _pictures(result: PageResult) -> Iterator[tuple[int, Image]]:
    if result.image is None:
        return
    for index, block in enumerate(result.blocks):
        if block.category is Category.PICTURE and block.bbox is not None:
            picture = crop(result.image, block.bbox)
            if picture is not None:
                yield index, picture
