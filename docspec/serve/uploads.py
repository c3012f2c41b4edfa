"""Uploaded documents, stored as drafts of their pages: the text layer of each, or recognised text. A page is recognised
by the look of its image.

Clients render pages at different resolutions, so their bytes never match. Grey pictures of 32 x 32 cells do: two
renderings of one page differ far less than two pages.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from docspec.core import DrafterError, PageDraft, ParseOptions, UsageError
from docspec.documents import parse_page_ranges
from docspec.documents.sources import source_from_bytes
from docspec.documents.view import View
from docspec.drafting.drafted_page import DraftedPage
from docspec.isolation.pool import Isolation
from docspec.isolation.worker_handle import PrepareOptions
from docspec.serve.converter import Submission
from docspec.serve.picture import Picture
from docspec.serve.recognition import Recognition, fingerprint_of

MOST_PAGES = 4_000
"""Pages stored for all clients together; the oldest documents are dropped first."""
NEAR = 6.0
"""Largest mean difference of the cells (0..255) between two pictures of the same page."""
CLEAR = 1.5
"""Least ratio of the second-best page's difference to the best one's."""
SHAPE = 0.02
"""Largest relative difference of the aspect ratios."""


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A stored page: its fingerprint (:func:`docspec.serve.recognition.fingerprint_of`), its size in pixels and
    its draft."""

    fingerprint: bytes
    size: tuple[int, int]
    draft: PageDraft


class Uploads:
    """The pages of each client's documents."""

    def __init__(self) -> None:
        self._documents: OrderedDict[tuple[str, str], tuple[Uploaded, ...]] = OrderedDict()

    def keep(self, client: str, pages: Sequence[Uploaded]) -> str:
        """Stores the pages of a document; returns the name to delete it by."""
        name = secrets.token_urlsafe(24)
        self._documents[client, name] = tuple(pages)
        while sum(map(len, self._documents.values())) > MOST_PAGES:
            self._documents.popitem(last=False)
        return name

    def forget(self, client: str, name: str) -> bool:
        """Deletes a document; returns whether it existed."""
        return self._documents.pop((client, name), None) is not None

    async def page_like(self, client: str, picture: Picture, recognition: Recognition) -> PageDraft | None:
        """The draft of the stored page that ``picture`` shows, scaled to the picture's pixels; ``None`` if no page
        matches clearly."""
        if picture.size is None:
            return None
        width, height = picture.size
        pages = [
            page
            for (owner, _), pages in self._documents.items()
            if owner == client
            for page in pages
            if abs(page.size[0] * height / (page.size[1] * width) - 1) < SHAPE
        ]
        look = await recognition.fingerprint(picture.data()) if pages else None
        if look is None:
            return None
        first, *others = sorted(((_difference(look, page.fingerprint), page) for page in pages), key=lambda one: one[0])
        if first[0] > NEAR or any(
            other[0] < CLEAR * first[0] and other[1].draft.regions != first[1].draft.regions for other in others[:1]
        ):
            return None
        draft, factor = first[1].draft, width / first[1].size[0]
        return replace(draft, regions=tuple(region.moved(lambda box: box.scaled(factor)) for region in draft.regions))


def _difference(one: bytes, other: bytes) -> float:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / len(one)


class UploadedDrafts:
    """Opens, renders and drafts documents in worker processes (:mod:`docspec.isolation`), up to ``most`` pages of
    each."""

    def __init__(self, options: ParseOptions, most: int) -> None:
        self._options = replace(options, drafter="auto")
        self._most = most
        self._isolation = Isolation(self._options)
        self._turn = threading.Lock()

    def of(self, given: Submission) -> list[Uploaded]:
        """The drafted pages of a document. Raises :class:`docspec.core.DocspecError`."""
        with self._turn:
            document = self._isolation.open(source_from_bytes(given.data, given.title))
            numbers = parse_page_ranges(given.pages).resolve(document.page_count, given.title)
            if len(numbers) > self._most:
                raise UsageError(f"{given.title}: {len(numbers)} pages; this gateway takes up to {self._most}")
            wanted = PrepareOptions.complete(View.of(self._options), None)
            pages = ((document, number) for number in numbers)
            with closing(self._isolation.pages(pages, wanted, 1)) as drafted:
                return [uploaded for _, page in drafted if (uploaded := _uploaded(page)) is not None]

    def close(self) -> None:
        self._isolation.close()


def _uploaded(page: object) -> Uploaded | None:
    """The stored form of a page; ``None`` if the page could not be rendered or has no draft."""
    if not isinstance(page, DraftedPage):
        return None
    try:
        draft = page.with_draft().draft
    except DrafterError:
        return None
    if draft is None or draft.is_empty:
        return None
    return Uploaded(fingerprint_of(page.page.image), page.page.image.size, draft)
