"""Drafts of whole documents without a model: each page's text layer, or recognised text."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from docspec.core import DrafterError, ParseOptions, UsageError
from docspec.documents import parse_page_ranges
from docspec.documents.sources import source_from_bytes
from docspec.documents.view import View
from docspec.drafting.drafted_page import DraftedPage
from docspec.isolation.pool import Isolation, PagePlace
from docspec.isolation.worker_handle import PrepareOptions
from docspec.serve.recognition_worker import fingerprint_of
from docspec.serve.uploads import Uploaded

if TYPE_CHECKING:
    from docspec.isolation.document import IsolatedDocument


class UploadedDrafts:
    """Opens, renders and drafts documents in worker processes (:mod:`docspec.isolation`), up to ``most`` pages of
    each."""

    def __init__(self, options: ParseOptions, most: int) -> None:
        self._options = replace(options, drafter="auto")
        self._most = most
        self._isolation = Isolation(self._options)
        self._turn = threading.Lock()

    def of(self, data: bytes, title: str, pages: str | None) -> list[Uploaded]:
        """The drafted pages of a document. Raises :class:`docspec.core.DocspecError`."""
        with self._turn:
            document = self._isolation.open(source_from_bytes(data, title))
            numbers = parse_page_ranges(pages).resolve(document.page_count, title)
            if len(numbers) > self._most:
                raise UsageError(f"{title}: {len(numbers)} pages; this gateway takes up to {self._most}")
            wanted = PrepareOptions.complete(View.of(self._options), None)
            with closing(self._isolation.pages(_places(document, numbers), wanted, 1)) as found:
                return [uploaded for _, page in found if (uploaded := _uploaded(page)) is not None]

    def close(self) -> None:
        self._isolation.close()


def _places(document: IsolatedDocument, numbers: tuple[int, ...]) -> Iterator[PagePlace]:
    for number in numbers:
        yield document, number


def _uploaded(page: object) -> Uploaded | None:
    """The stored form of a page; ``None`` if the page could not be rendered or has no draft."""
    if not isinstance(page, DraftedPage):
        return None
    try:
        draft = page.settled().draft
    except DrafterError:
        return None
    if draft is None or draft.is_empty:
        return None
    return Uploaded(fingerprint_of(page.page.image), page.page.image.size, draft)
