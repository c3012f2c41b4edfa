"""The settings of a gateway: one value that is made at start and never changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from docspec.core import ParseOptions

UpstreamKind = Literal["vllm", "own", "sglang", "plain"]
"""How drafts travel to an upstream: in ``vllm_xargs`` (``own``: to docspec's own engines, which keep no prompts from
one request to the next), as an external corpus of SGLang, or not at all."""

RecogniseMode = Literal["auto", "always", "never"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on requests, each with the status of the refusal. Sizes are in bytes, times in seconds."""

    body: int = 64 * 2**20
    """Size of a request's body (413)."""
    pixels: int = 50_000_000
    """Pixels of an image by its header (400); the image is not decoded for the check."""
    pages: int = 2_000
    """Pages of a document (400)."""
    in_flight: int = 256
    """Requests that one upstream handles at a time; the others wait."""
    waiting: int = 2_048
    """Requests that may wait beyond those in flight (429 with ``Retry-After``)."""
    held: int = 384 * 2**20
    """Memory of what requests hold until they are done: bodies, what is made of them, what is fetched for them. A
    request beyond it waits, for up to ``room_seconds`` (503)."""
    room_seconds: float = 120.0
    pause_seconds: float = 10.0
    """Time without a byte of a body (408), of a request's head, and in which a client has to take what it is sent."""
    least_rate: int = 32 * 1024
    """Bytes a second with which a body has to arrive, after the first ``pause_seconds`` (408)."""
    seconds: float = 600.0
    """Time for the next piece of an upstream's answer (504), and for an upstream to become free (503)."""
    connect_seconds: float = 5.0
    """Time for a connection to an upstream."""
    patience_seconds: float = 5.0
    """Time for any upstream to be reachable (503 with ``Retry-After``)."""
    drain_seconds: float = 60.0
    """Time for running requests to finish when the gateway stops."""

    @property
    def share(self) -> int:
        """The part of ``held`` that one client may have."""
        return max(self.held // 2, min(self.held, 2 * self.body))

    @property
    def spare(self) -> int:
        """Bytes beyond ``held`` for one request at a time, so that none waits for ever: twice its body."""
        return 2 * self.body


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """``keys`` are the API keys, one for each client; without keys, clients are distinguished by their addresses.
    ``upstream_key`` replaces the clients' keys towards upstreams. ``workers`` processes recognise images. ``state`` is
    the folder of the job queue (``None``: a temporary one). ``options`` are those for reading documents (``None``: the
    defaults), of which ``documents`` are read side by side."""

    upstreams: tuple[str, ...] = ()
    kind: UpstreamKind = "vllm"
    keys: tuple[str, ...] = field(default=(), repr=False)
    upstream_key: str | None = field(default=None, repr=False)
    recognition: RecogniseMode = "auto"
    workers: int = 1
    allow_urls: bool = False
    state: Path | None = None
    options: ParseOptions | None = None
    documents: int = 2
    limits: Limits = Limits()
