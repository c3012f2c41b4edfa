"""Documents that a client has uploaded, kept as drafts of their pages: an image of one of them is known by its look.

Clients draw pages at resolutions of their own, so that bytes never match. What does is a grey picture of 32 x 32 cells:
two drawings of a page differ by far less in it than two pages do.
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
"""That are known of all clients together; the oldest documents go first."""
NEAR = 6.0
"""Mean difference of cells (0..255) up to which two pictures may show the same page."""
CLEAR = 1.5
"""How much farther the next page has to be."""
SHAPE = 0.02
"""Largest relative difference of the sides' ratio."""


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A page: its fingerprint (:func:`docspec.serve.recognition_worker.fingerprint_of`), its size in pixels, its
    draft."""

    fingerprint: bytes
    size: tuple[int, int]
    draft: PageDraft


class Uploads:
    """The pages of each client's documents."""

    def __init__(self) -> None:
        self._documents: OrderedDict[tuple[str, str], tuple[Uploaded, ...]] = OrderedDict()

    def keep(self, client: str, pages: Sequence[Uploaded]) -> str:
        """Keeps the pages of a document; the name under which they may be forgotten."""
        name = secrets.token_urlsafe(24)
        self._documents[client, name] = tuple(pages)
        while sum(map(len, self._documents.values())) > MOST_PAGES:
            self._documents.popitem(last=False)
        return name

    def forget(self, client: str, name: str) -> bool:
        """Lets go of a document; says whether it was there."""
        return self._documents.pop((client, name), None) is not None

    def has(self, client: str) -> bool:
        return any(owner == client for owner, _ in self._documents)

    async def page_like(self, client: str, picture: Picture, recognition: Recognition) -> PageDraft | None:
        """The draft of the page that ``picture`` shows, in its pixels."""
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
