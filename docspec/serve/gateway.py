"""The state that the gateway's routes share."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import secrets
from collections.abc import AsyncIterator
from functools import partial

from starlette.requests import Request

from docspec.serve.access import Access
from docspec.serve.admission import Admission, Holding, bounded, check_declared
from docspec.serve.drafts import DraftFinder
from docspec.serve.fetch import Fetcher
from docspec.serve.metrics import Metrics
from docspec.serve.recognition import Recognition
from docspec.serve.settings import GatewaySettings
from docspec.serve.stopping import Stopping
from docspec.serve.uploads import Uploads
from docspec.serve.upstream import Corpora, Upstreams


class Gateway:
    """Everything that lives as long as the gateway; created within the server's event loop."""

    def __init__(self, settings: GatewaySettings, local: bool = True) -> None:
        limits = settings.limits
        self.settings = settings
        self.metrics = Metrics()
        self.access = Access(settings.keys, local)
        self.upstreams = Upstreams(settings.upstreams, limits, settings.upstream_key)
        self.stopping = Stopping(self.upstreams, limits.drain_seconds)
        most = limits.waiting + limits.in_flight * max(1, len(settings.upstreams))
        self.admission = Admission(most, limits.held, limits.share, limits.room_seconds, limits.spare)
        self.fetcher = Fetcher(limits.body) if settings.allow_urls else None
        self.corpora = Corpora(settings.kind)
        self.uploads = Uploads()
        self.recognition = Recognition(settings.workers, partial(self.metrics.add, "workers_lost_total"))
        self.drafts = DraftFinder(settings.recognition, self.recognition, self.uploads)
        self._salt = secrets.token_bytes(32)
        self.metrics.show("requests_here", lambda: self.admission.here)
        self.metrics.show("requests_waiting", lambda: self.upstreams.waiting)
        self.metrics.show("bytes_held", lambda: self.admission.taken)
        self.metrics.show("upstreams_there", lambda: sum(one.is_there for one in self.upstreams.all))
        self.metrics.show("recognition_waiting", lambda: self.recognition.waiting)

    @contextlib.asynccontextmanager
    async def admitted(self, request: Request) -> AsyncIterator[tuple[str, Request, Holding]]:
        """The client's name, the request with a bounded body, and the memory that it holds until its end. Raises
        :class:`docspec.serve.refusal.Refusal` (401, 403, 413, 429)."""
        client, limits = self.access.client(request.scope), self.settings.limits
        check_declared(request.headers, limits)
        with self.admission.enter(client) as holding:
            yield client, Request(request.scope, bounded(request.receive, limits, holding)), holding

    def salt(self, client: str) -> str | None:
        """A salt that separates the clients in an upstream's prefix cache, so that no answer is faster because another
        client sent the same prompt; ``None`` where there is only one client."""
        if len(self.settings.keys) < 2:
            return None
        return hmac.new(self._salt, client.encode(), hashlib.sha256).hexdigest()

    async def close(self) -> None:
        self.recognition.close()
        await self.upstreams.close()
        if self.fetcher is not None:
            await self.fetcher.close()
