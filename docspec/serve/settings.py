"""What a gateway is started with: one value, made at the edge, that nothing changes afterwards."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from docspec.core import ParseOptions

UpstreamKind = Literal["vllm", "sglang", "llama", "plain"]
"""How drafts travel to an upstream: in ``vllm_xargs``, as an external corpus of SGLang, as ``drafts`` of llama.cpp's
server (with the patch in ``integrations/llama.cpp``), or not at all."""

RecogniseMode = Literal["auto", "always", "never"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds, each of which a request meets as an answer with a status. Sizes are bytes, times seconds."""

    body: int = 64 * 2**20
    """Of a request's body (413)."""
    pixels: int = 50_000_000
    """Of an image as its header tells (400); it is not decoded to find out."""
    pages: int = 2_000
    """Of a document (400)."""
    in_flight: int = 256
    """Requests that one upstream has at a time; the others wait."""
    waiting: int = 2_048
    """Requests that are here at a time beyond those in flight (429 with ``Retry-After``)."""
    held: int = 192 * 2**20
    """Of all bodies in memory; a request beyond it waits before its body is read."""
    body_seconds: float = 60.0
    """For a body to arrive (408)."""
    seconds: float = 600.0
    """For the next piece of an upstream's answer (504), and for an upstream to come free (503)."""
    connect_seconds: float = 5.0
    """For a connection to an upstream."""
    patience_seconds: float = 5.0
    """For any upstream to be there at all (503 with ``Retry-After``)."""
    drain_seconds: float = 60.0
    """For answers that are under way when the gateway is asked to stop."""


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """``keys`` are the API keys, each a client of its own; without any, clients are told apart by their addresses.
    ``upstream_key`` goes to upstreams in place of what clients send. ``workers`` processes recognise and open
    documents; ``state`` holds jobs (``None``: a folder that ends with the gateway). ``options`` say how documents are
    read (``None``: as they are by default)."""

    upstreams: tuple[str, ...] = ()
    kind: UpstreamKind = "vllm"
    keys: tuple[str, ...] = field(default=(), repr=False)
    upstream_key: str | None = field(default=None, repr=False)
    recognition: RecogniseMode = "auto"
    workers: int = 1
    allow_urls: bool = False
    state: Path | None = None
    options: ParseOptions | None = None
    limits: Limits = Limits()
