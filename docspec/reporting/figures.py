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
from typing import TYPE_CHECKING
from urllib.parse import quote

from docspec.core import BBox, Category, PageResult
from docspec.reporting.staging import StagedFiles

if TYPE_CHECKING:
    from PIL.Image import Image

PNG = "data:image/png;base64,"
"""How the URL of a picture in a document begins."""

SUFFIX = ".figures"
"""Suffix of the folder that holds a document's pictures."""


class FigureSink:
    """Takes the pictures of one document's pages. They appear only at :meth:`commit`. This one leaves them out
    (``--figures none``)."""

    files: Sequence[Path] = ()
    """The files that were committed."""

    def page(self, result: PageResult) -> Mapping[int, str]:
        """Stores the page's pictures; returns block index -> link for those that have pixels."""
        return {}

    def commit(self) -> None:
        """Makes everything stored so far visible; raises :class:`docspec.core.OutputError` where it cannot."""

    def discard(self) -> None:
        """Forgets everything that was not committed; never raises."""


class EmbeddedFigures(FigureSink):
    """Pictures as ``data:`` URLs inside the document: what makes an HTML page self-contained."""

    def page(self, result: PageResult) -> Mapping[int, str]:
        return {index: data_url(picture) for _, index, _, picture in pictures_of(result)}


class FigureFiles(StagedFiles, FigureSink):
    """Pictures as PNG files in ``folder``, linked relative to ``base``, the folder of the document. Several formats of
    a document may share them: each page's are stored once."""

    def __init__(self, folder: Path, base: Path) -> None:
        super().__init__(folder, "figures")
        self._link = _link(folder, base)
        self._last: tuple[PageResult | None, Mapping[int, str]] = None, {}

    def page(self, result: PageResult) -> Mapping[int, str]:
        if self._last[0] is not result:
            links = {}
            for count, index, _, picture in pictures_of(result):
                name = f"page-{result.number}-{count}.png"
                self.put(name, _png(picture))
                links[index] = f"{self._link}/{name}" if self._link != "." else name
            self._last = result, links
        return self._last[1]

    def commit(self) -> None:
        self._last = None, {}
        super().commit()


def data_url(picture: Image) -> str:
    """``picture`` as a PNG in a ``data:`` URL."""
    return PNG + base64.b64encode(_png(picture)).decode("ascii")


def _png(picture: Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG")
    return buffer.getvalue()


def is_figure(path: Path) -> bool:
    """Whether ``path`` is named as the pictures that are written beside documents."""
    return path.parent.suffix == SUFFIX and re.fullmatch(r"page-\d+-\d+\.png", path.name) is not None


def _link(folder: Path, base: Path) -> str:
    """The link to ``folder`` in a document in ``base``: relative, or absolute where no relative one exists (between
    drives of Windows)."""
    try:
        return quote(os.fsencode(Path(os.path.relpath(folder, base)).as_posix()))
    except ValueError:
        return folder.absolute().as_uri()


def crop(image: Image, box: BBox) -> Image | None:
    """The pixels of ``box`` in a page image, or ``None`` where no whole pixel of the page lies in it."""
    x0, y0, x1, y1 = box.clamped(image.width, image.height).rounded()
    return image.crop((x0, y0, x1, y1)) if x1 > x0 and y1 > y0 else None


def passage(result: PageResult, boxes: Sequence[BBox]) -> str | None:
    """The part of the page around ``boxes``, lines of text, as a ``data:`` URL, with half a line's height on each side;
    ``None`` where there is none, or the page has no image."""
    if result.image is None or not boxes:
        return None
    picture = crop(result.image, BBox.union(boxes).grown(0.5 * min(box.height for box in boxes)))
    return None if picture is None else data_url(picture)


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
