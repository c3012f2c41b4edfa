"""Uploaded documents, stored as drafts of their pages. A page is recognised by the look of its image.

Clients render pages at different resolutions, so their bytes never match. Grey pictures of 32 x 32 cells do: two
renderings of one page differ far less than two pages.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from docspec.core import PageDraft
from docspec.serve.picture import Picture

if TYPE_CHECKING:
    from docspec.serve.recognition import Recognition

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
    """A stored page: its fingerprint (:func:`docspec.serve.recognition_worker.fingerprint_of`), its size in pixels and
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

    def has(self, client: str) -> bool:
        return any(owner == client for owner, _ in self._documents)

    async def page_like(self, client: str, picture: Picture, recognition: Recognition) -> PageDraft | None:
        """The draft of the stored page that ``picture`` shows, scaled to the picture's pixels; ``None`` if no page
        matches clearly."""
        if picture.size is None or not self.has(client):
            return None
        look = await recognition.fingerprint(picture.data())
        if look is None:
            return None
        width, height = picture.size
        pages = [
            page
            for (owner, _), pages in self._documents.items()
            if owner == client
            for page in pages
            if abs(page.size[0] * height / (page.size[1] * width) - 1) < SHAPE
        ]
        if not pages:
            return None
        first, *others = sorted(((_difference(look, page.fingerprint), page) for page in pages), key=lambda one: one[0])
        if first[0] > NEAR or any(
            other[0] < CLEAR * first[0] and other[1].draft.regions != first[1].draft.regions for other in others[:1]
        ):
            return None
        return _scaled(first[1], width)


def _difference(one: bytes, other: bytes) -> float:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / len(one)


def _scaled(page: Uploaded, width: int) -> PageDraft:
    factor = width / page.size[0]
    regions = tuple(region.moved(lambda box: box.scaled(factor)) for region in page.draft.regions)
    return replace(page.draft, regions=regions)
