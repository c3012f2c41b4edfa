"""Finds the drafts of a request. Sources are tried from the cheapest to the dearest: the client's own prediction, a
page of a document that it uploaded, an image that was recognised before, and recognition now if it pays."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from docspec.core import PageDraft
from docspec.serve.chat import Chat
from docspec.serve.payoff import Payoff, Way
from docspec.serve.picture import Picture
from docspec.serve.readers import PLAIN, KnownPrompt, bounded, reader_of, spelled
from docspec.serve.recognition import Recognition
from docspec.serve.settings import RecogniseMode
from docspec.serve.uploads import Uploads

PROPOSED = {"chart": "text", "layout": "page"}
"""The kinds of requests whose name in docspec's proposer is another one."""

WAYS: tuple[Way, ...] = ("drafted", "prefilled")
"""The ways to recognise an image for a request."""

MOST_BYTES = 32 * 2**20
"""Size limit of the cached drafts."""


class DraftCache:
    """The most recently used drafts of each client's images. A request for an image that is being recognised waits for
    that result. The client's name is part of every key: a fast answer tells no client that another one has sent the
    same image."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._size = 0
        self._kept: OrderedDict[tuple[str, bytes], tuple[PageDraft, int]] = OrderedDict()
        self._coming: dict[tuple[str, bytes], asyncio.Future[PageDraft | None]] = {}

    def get(self, client: str, digest: bytes) -> PageDraft | None:
        kept = self._kept.get((client, digest))
        if kept is None:
            return None
        self._kept.move_to_end((client, digest))
        return kept[0]

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


@dataclass(frozen=True, slots=True)
class FoundDrafts:
    """The drafts of one request and their ``source``. ``seconds`` is the time that finding them took, ``waited`` the
    part of it spent waiting for the upstream's prefill. The time of the answer is recorded for ``way`` (``None``: not
    recorded)."""

    texts: tuple[str, ...] = ()
    source: str = "none"
    kind: str = "page"
    seconds: float = 0.0
    way: Way | None = None
    waited: float = 0.0

    @property
    def fields(self) -> Mapping[str, Any]:
        """The content of ``vllm_xargs``."""
        if not self.texts:
            return {}
        kind = PROPOSED.get(self.kind, self.kind)
        return {"docspec_drafts": list(self.texts), "docspec_kind": kind}


class DraftFinder:
    """Finds the drafts of requests; ``mode`` says when images are recognised for them."""

    def __init__(self, mode: RecogniseMode, recognition: Recognition, uploads: Uploads) -> None:
        self._mode = mode
        self._recognition = recognition
        self._uploads = uploads
        self._cache = DraftCache()
        self.payoff = Payoff()

    async def of(self, client: str, chat: Chat, prefill: Callable[[], Awaitable[None]] | None = None) -> FoundDrafts:
        """The drafts of a request; an unreadable image is no error. ``prefill`` lets an upstream read the prompt while
        the image is recognised; it is used where measurements show that it helps."""
        if chat.brings_drafts:
            return FoundDrafts(source="client")
        if chat.prediction:
            reader = reader_of(chat.prompt, chat.model) if chat.pictures else PLAIN
            return FoundDrafts(bounded(list(chat.prediction)), "prediction", reader.kind)
        pictures = [one for one in chat.pictures if one.size is not None]
        if len(pictures) != 1 or len(chat.pictures) != 1:
            return FoundDrafts()
        reader = reader_of(chat.prompt, chat.model)
        if reader.kind in ("layout", "chart"):
            return FoundDrafts(kind=reader.kind)
        return await self._of_picture(client, pictures[0], reader, chat.streams, prefill)

    async def _of_picture(
        self,
        client: str,
        picture: Picture,
        reader: KnownPrompt,
        streams: bool,
        prefill: Callable[[], Awaitable[None]] | None,
    ) -> FoundDrafts:
        assert picture.size is not None
        began, size = time.perf_counter(), picture.size

        def drafts_of(draft: PageDraft | None, source: str, way: Way | None, waited: float = 0.0) -> FoundDrafts:
            texts = () if draft is None else spelled(draft, size, reader)
            seconds = time.perf_counter() - began
            return FoundDrafts(texts, source if texts else "none", reader.kind, seconds, way, waited)

        uploaded = await self._uploads.page_like(client, picture, self._recognition)
        if uploaded is not None:
            return drafts_of(uploaded, "upload", None)
        if self._mode == "never":
            return drafts_of(None, "none", None)
        digest = picture.digest
        known = self._cache.get(client, digest)
        if known is not None:
            return drafts_of(known, "cache", None)
        pixels, ways = size[0] * size[1], WAYS if prefill is not None else WAYS[:1]
        way = self.payoff.decide((reader.kind, streams), pixels, ways, self._mode == "always")
        if way == "plain":
            return drafts_of(None, "none", "plain")

        async def read() -> PageDraft | None:
            began = time.perf_counter()
            draft = await self._recognition.recognise(picture.data())
            if draft is not None:
                self.payoff.recognised(pixels, time.perf_counter() - began)
            return draft

        beside = asyncio.ensure_future(prefill()) if prefill is not None and way == "prefilled" else None
        try:
            draft = await self._cache.read(client, digest, read)
            ended = time.perf_counter()
            if beside is not None:
                await beside
            return drafts_of(draft, "recognition", way, time.perf_counter() - ended)
        finally:
            if beside is not None:
                beside.cancel()
