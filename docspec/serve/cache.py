"""What was read of images, by their content: bounded, and a client's own.

The client's name is part of every key: that an image comes back at once tells nobody that somebody else has sent it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from docspec.core import PageDraft

MOST_BYTES = 32 * 2**20
"""Of texts that are kept."""


class DraftCache:
    """The latest used drafts of each client. Who asks for an image that is being read waits for that reading."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._size = 0
        self._kept: OrderedDict[tuple[str, bytes], tuple[PageDraft, int]] = OrderedDict()
        self._coming: dict[tuple[str, bytes], asyncio.Future[PageDraft | None]] = {}

    def get(self, client: str, digest: bytes) -> PageDraft | None:
        """What was read of an image, where it is still known."""
        found = self._kept.get((client, digest))
        if found is None:
            return None
        self._kept.move_to_end((client, digest))
        return found[0]

    async def read(
        self, client: str, digest: bytes, read: Callable[[], Awaitable[PageDraft | None]]
    ) -> PageDraft | None:
        """What ``read`` makes of an image, once."""
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
    """Bytes that a draft takes, roughly: its texts are in regions and once more in their lines."""
    texts = sum(len(text) for region in draft.regions for text in region.texts)
    return 1024 + 8 * texts + 512 * len(draft.regions)
