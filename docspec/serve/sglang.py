"""Drafts for SGLang: texts that its n-gram speculation searches, added before a request and removed after it.

Written after SGLang's documentation (``--speculative-algorithm NGRAM --speculative-ngram-external-sam-budget``;
``/add_external_corpus``, ``/remove_external_corpus``) and tested against a stand-in; **never run on SGLang**. SGLang
searches all corpora for every request: one client's draft may be proposed in another client's request, where its model
rejects it. Answers stay the same, but their timing may leak. Where clients must not learn of each other, use vLLM.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections.abc import AsyncIterator, Sequence

from docspec.serve.settings import UpstreamKind
from docspec.serve.upstream import BROKEN, Upstream

SECONDS = 5.0


class Corpora:
    """Adds and removes drafts as corpora if the upstream is SGLang; otherwise does nothing."""

    def __init__(self, kind: UpstreamKind) -> None:
        self._used = kind == "sglang"
        self._removing: set[asyncio.Task[bool]] = set()

    @contextlib.asynccontextmanager
    async def with_drafts(self, upstream: Upstream, texts: Sequence[str]) -> AsyncIterator[None]:
        """The upstream knows ``texts`` within this context; an upstream that refuses them answers without drafts."""
        if not self._used or not texts:
            yield
            return
        name = f"docspec-{secrets.token_hex(12)}"
        added = await _told(upstream, "/add_external_corpus", {"corpus_id": name, "documents": list(texts)})
        try:
            yield
        finally:
            if added:  # also where the client has gone, which cancels everything else
                removing = asyncio.ensure_future(_told(upstream, "/remove_external_corpus", {"corpus_id": name}))
                self._removing.add(removing)
                removing.add_done_callback(self._removing.discard)
                await asyncio.shield(removing)


async def _told(upstream: Upstream, path: str, values: dict[str, object]) -> bool:
    headers = [*upstream.own_headers, ("Content-Type", "application/json")]
    try:
        async with await upstream.ask(path, json.dumps(values).encode(), headers, SECONDS) as answer:
            return answer.ok
    except BROKEN:  # whether it is there at all, the request itself will tell
        return False
