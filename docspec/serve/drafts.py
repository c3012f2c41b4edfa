"""Where the drafts of a request come from, in the order of what they cost: what the client predicts itself, a page of a
document that it uploaded before, an image that was read before, and reading it now, where that pays."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from docspec.serve.cache import DraftCache
from docspec.serve.chat import Chat
from docspec.serve.payoff import Payoff
from docspec.serve.picture import Picture
from docspec.serve.readers import PLAIN, KnownPrompt, reader_of
from docspec.serve.recognition import Recognition
from docspec.serve.settings import Recognition as Mode
from docspec.serve.spelling import bounded, spelled
from docspec.serve.uploads import Uploads

PROPOSED = {"chart": "text", "layout": "page"}
"""Kinds as docspec's proposer counts them, where they differ."""


@dataclass(frozen=True, slots=True)
class FoundDrafts:
    """The drafts of one request, the ``source`` that they are from, and the seconds that getting them took."""

    texts: tuple[str, ...] = ()
    source: str = "none"
    kind: str = "page"
    seconds: float = 0.0

    @property
    def fields(self) -> Mapping[str, Any]:
        """What goes into ``vllm_xargs``."""
        if not self.texts:
            return {}
        kind = PROPOSED.get(self.kind, self.kind)
        return {"docspec_drafts": list(self.texts), "docspec_kind": kind}


class DraftFinder:
    """Finds drafts. ``recognition`` is ``None`` where nothing is recognised."""

    def __init__(
        self, mode: Mode, recognition: Recognition | None, uploads: Uploads, cache: DraftCache, payoff: Payoff
    ) -> None:
        self._mode = mode
        self._recognition = recognition
        self._uploads = uploads
        self._cache = cache
        self.payoff = payoff

    async def of(self, client: str, chat: Chat) -> FoundDrafts:
        """The drafts of a request; never fails for what is wrong with an image."""
        began = time.perf_counter()
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
        texts, source = await self._read(client, pictures[0], reader, chat.streams)
        return FoundDrafts(texts, source if texts else "none", reader.kind, time.perf_counter() - began)

    async def _read(
        self, client: str, picture: Picture, reader: KnownPrompt, streams: bool
    ) -> tuple[tuple[str, ...], str]:
        assert picture.size is not None
        uploaded = await self._uploads.page_like(client, picture, self._recognition)
        if uploaded is not None:
            return spelled(uploaded, picture.size, reader), "upload"
        if self._mode == "never" or self._recognition is None:
            return (), "none"
        digest = picture.digest
        known = self._cache.get(client, digest)
        if known is not None:
            return spelled(known, picture.size, reader), "cache"
        pixels = picture.size[0] * picture.size[1]
        if self._mode == "auto" and not self.payoff.decide((reader.kind, streams), pixels):
            return (), "none"
        recognition = self._recognition

        async def read() -> Any:
            began = time.perf_counter()
            draft = await recognition.recognise(picture.data())
            if draft is not None:
                self.payoff.recognised(pixels, time.perf_counter() - began)
            return draft

        draft = await self._cache.read(client, digest, read)
        return ((), "none") if draft is None else (spelled(draft, picture.size, reader), "recognition")
