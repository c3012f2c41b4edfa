"""A bounded cache of recognised images, keyed by client and content.

The client's name is part of every key: a fast answer tells no client that another one has sent the same image.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from docspec.core import PageDraft

MOST_BYTES = 32 * 2**20
"""Size limit of the cached drafts."""


class DraftCache:
    """The most recently used drafts of each client. A request for an image that is being recognised waits for that
    result."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._size = 0
        self._kept: OrderedDict[tuple[str, bytes], tuple[PageDraft, int]] = OrderedDict()
        self._coming: dict[tuple[str, bytes], asyncio.Future[PageDraft | None]] = {}

    def get(self, client: str, digest: bytes) -> PageDraft | None:
        """The cached draft of an image, or ``None``."""
        found = self._kept.get((client, digest))
        if found is None:
            return None
        self._kept.move_to_end((client, digest))
        return found[0]

    async def read(
        self, client: str, digest: bytes, read: Callable[[], Awaitable[PageDraft | None]]
    ) -> PageDraft | None:
        """The result of ``read`` for an image; requests at the same time share one call."""
        key = (client, digest)
        coming = self._coming.get(key)
        if coming is None:
            coming = self._coming[key] = asyncio.ensure_future(read())
            coming.add_done_callback(lambda done: self._arrived(key, done))
        return await asyncio.shield(coming)  # others may wait for it where this one leaves

    def put(self, client: str, digest: bytes, draft: PageDraft) -> None:
        key, size = (client, digest), _size_of(draft)
        self._size += size - self._kept.pop(key, (draft, 0))[1]
        self._kept[key] = draft, size
        while self._size > self._most and self._kept:
            self._size -= self._kept.popitem(last=False)[1][1]

    def _arrived(self, key: tuple[str, bytes], done: asyncio.Future[PageDraft | None]) -> None:
        self._coming.pop(key, None)
        if not done.cancelled() and done.exception() is None:
            draft = done.result()
            if draft is not None:
                self.put(*key, draft)


def _size_of(draft: PageDraft) -> int:
    """The approximate size of a draft in bytes: each text is stored in its region and again in the region's lines."""
    texts = sum(len(text) for region in draft.regions for text in region.texts)
    return 1024 + 8 * texts + 512 * len(draft.regions)
