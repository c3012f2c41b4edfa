"""A document: a page count, a hash, and its pages as images, streamed one by one.

A page that cannot be rendered arrives as a :class:`PageFailure` in its place among the pages, so that the caller
can report it and go on with the next one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from docspec.core import Failure, PageError, PageImage
from docspec.core.closing import Closing
from docspec.core.safe_text import first_line
from docspec.documents.memory import return_free_memory
from docspec.documents.pages import PageSelection, parse_page_ranges
from docspec.documents.sources import Source
from docspec.documents.view import View


@dataclass(frozen=True, slots=True)
class PageFailure:
    """A page that could not be rendered; ``number`` is 1-based."""

    number: int
    source: str
    error: PageError


class Document(Closing, ABC):
    """An open input of ``page_count`` pages, at least one. Close it (or use ``with``) when done; it is to be used from
    one thread."""

    page_count: int

    def __init__(self, source: Source) -> None:
        self.source = source

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def damage(self) -> str | None:
        """The fault of a file that could be opened nevertheless; ``None`` for a sound file."""
        return None

    @cached_property
    def sha256(self) -> str:
        return self.source.sha256()

    def pages(
        self, selection: PageSelection | str | None = None, dpi: float = 200.0, view: View | None = None
    ) -> Iterator[PageImage | PageFailure]:
        """The selected pages in ascending order, rendered when they are asked for, at ``dpi`` or as ``view`` says.

        ``PageImage.pdf_page`` is closed when the next page is asked for; ``image`` stays. Raises
        :class:`docspec.core.UsageError` or :class:`docspec.core.InputError` at once (not at the first page) when the
        selection is not possible.
        """
        if not isinstance(selection, PageSelection):
            selection = parse_page_ranges(selection)
        return self._stream(selection.resolve(self.page_count, self.name), view or View(dpi))

    def _stream(self, numbers: tuple[int, ...], view: View) -> Iterator[PageImage | PageFailure]:
        for number in numbers:
            try:
                page = self._load(number, view)
            except MemoryError:
                what = "not enough memory to render it; lower --dpi"
                yield self._failure(number, what, Failure.OUT_OF_MEMORY)
            except Exception as error:
                failure = error.failure if isinstance(error, PageError) else Failure.DAMAGED
                yield self._failure(number, f"cannot be rendered ({first_line(error)})", failure)
            else:
                yield page
                self._release(page)
                del page
                return_free_memory()

    @abstractmethod
    def _load(self, number: int, view: View) -> PageImage:
        """Render page ``number`` (1-based); any error fails this page only."""

    def _release(self, page: PageImage) -> None:
        """Free the resources of ``page``."""

    def _failure(self, number: int, what: str, failure: Failure) -> PageFailure:
        return PageFailure(number, self.name, PageError(f"{self.name}, page {number}: {what}", failure))

    def close(self) -> None:
        """Free the file; may be called twice."""
