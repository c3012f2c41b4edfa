"""Keeps the pages of a document that were read, until all are: the next run goes on behind them.

It holds results and pictures of pages, not text in a format: so rendering gives the same as in one go, also where it
joins pages. It is one hidden file in the output folder, removed when the document is done.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from docspec.core import OutputError, PageResult
from docspec.core.paths import is_regular
from docspec.core.validation import InvalidValues, check_page, values_as
from docspec.documents.view import MAX_PIXELS
from docspec.reporting.figures import pictures_of

PREFIX, SUFFIX = ".docspec-", ".pages"
PICTURES = "pictures"


def journal_path(folder: Path, document: str) -> Path:
    """The journal's file for ``document`` (its place in the tree)."""
    name = hashlib.blake2b(document.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
    return folder / f"{PREFIX}{name}{SUFFIX}"


class Journal:
    """The pages of one document so far; ``head`` says of what input, by which options and model.

    Pages under another head are dropped, and everything from the first invalid line on (torn, or changed by
    somebody). Raises :class:`OutputError` where it cannot be written.
    """

    def __init__(self, path: Path, head: Mapping[str, Any], *, with_pictures: bool) -> None:
        self.path = path
        self._with_pictures = with_pictures
        self._offsets: dict[int, int] = {}
        if path.exists() and not is_regular(path):
            raise OutputError(f"{path}: is no regular file; pages cannot be kept there")
        try:
            self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
        except OSError as error:
            raise self._error(error) from error
        try:
            self._read(dict(head))
        except OSError as error:
            self.close()
            raise self._error(error) from error

    @property
    def numbers(self) -> frozenset[int]:
        return frozenset(self._offsets)

    def page(self, number: int) -> PageResult:
        self._file.seek(self._offsets[number])
        return page_result(json.loads(self._file.readline()))

    def add(self, result: PageResult) -> None:
        """Keeps a page that was read; one that failed is tried again."""
        if result.status == "failed":
            return
        try:
            offset = self._file.seek(0, os.SEEK_END)
            self._append(page_values(result, with_pictures=self._with_pictures))
        except OSError as error:
            raise self._error(error) from error
        self._offsets[result.number] = offset

    def close(self) -> None:
        """Closes the file and leaves it for the next run; removes it where it holds no page."""
        with contextlib.suppress(OSError):  # what a full disk does not take is torn, and dropped by the next run
            self._file.close()
        with contextlib.suppress(OSError):
            if not self._offsets:
                self.path.unlink(missing_ok=True)

    def remove(self) -> None:
        """Removes the file: the document is done."""
        self.close()
        self.path.unlink(missing_ok=True)

    def _read(self, head: dict[str, Any]) -> None:
        end = 0
        for line in iter(self._file.readline, b""):
            values = _parsed(line)
            if values is None or (end == 0 and values != head):
                break
            if end:
                try:
                    result = page_result(values)
                except InvalidValues:
                    break
                self._offsets[result.number] = end
            end += len(line)
        self._file.truncate(end)
        if end == 0:
            self._file.seek(0)
            self._append(head)

    def _append(self, values: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(values).encode("ascii") + b"\n")
        self._file.flush()

    def _error(self, error: OSError) -> OutputError:
        return OutputError(f"{self.path}: cannot be written: {error.strerror or error}")


def _parsed(line: bytes) -> dict[str, Any] | None:
    """The values of a line; ``None`` for one that is torn."""
    if not line.endswith(b"\n"):
        return None
    with contextlib.suppress(ValueError, RecursionError):
        values = json.loads(line)
        return values if isinstance(values, dict) else None
    return None


def page_values(result: PageResult, *, with_pictures: bool) -> dict[str, Any]:
    """All that is written and reported of ``result``, as JSON values. ``with_pictures``: with the pixels of its
    pictures; they come back on a white page, where the writer finds them."""
    values = asdict(replace(result, image=None))
    del values["image"]
    if with_pictures and result.image is not None:
        size = (result.image.width, result.image.height)
        crops = [(box.rounded()[:2], _png(picture)) for _, _, box, picture in pictures_of(result)]
        values[PICTURES] = {"size": size, "crops": crops}
    return values


def page_result(values: Mapping[str, Any]) -> PageResult:
    """The result that ``values`` were made of. Raises :class:`docspec.core.validation.InvalidValues` for others."""
    result = values_as(PageResult, {name: value for name, value in values.items() if name != PICTURES})
    if result.image is not None:
        raise InvalidValues("pixels where none are kept")
    check_page(result)
    given = values.get(PICTURES)
    if given is None:
        return result
    pictures = values_as(_Pictures, given)
    if not pictures.crops:
        return result
    if not 0 < pictures.size[0] * pictures.size[1] <= MAX_PIXELS:
        raise InvalidValues(f"a page of {pictures.size} pixels")
    from PIL import Image

    page = Image.new("RGB", pictures.size, "white")
    try:
        for offset, png in pictures.crops:
            with Image.open(io.BytesIO(base64.b64decode(png)), formats=("PNG",)) as picture:
                page.paste(picture, offset)
    except Exception as error:  # whatever Pillow raises for bytes that are no picture
        raise InvalidValues(f"a picture that cannot be read ({error})") from error
    return replace(result, image=page)


@dataclass(frozen=True, slots=True)
class _Pictures:
    size: tuple[int, int]
    crops: tuple[tuple[tuple[int, int], str], ...]


def _png(picture: Any) -> str:
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG", compress_level=1)
    return base64.b64encode(buffer.getvalue()).decode("ascii")
