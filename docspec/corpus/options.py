"""The options of runs over many documents; they change which documents are read when, never what is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from docspec.core import UsageError
from docspec.core.options import bounded, check


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusOptions:
    """Which documents are read, and how earlier runs count. Raises ``UsageError`` for values out of bounds."""

    from_file: str | None = None
    include: list[str] | None = None
    exclude: list[str] | None = None
    allow_urls: bool = False
    shard: str | None = None
    manifest: Literal["auto", "none"] = "auto"
    retry_failed: bool = False
    force: bool = False
    strict: bool = False
    max_failures: int | None = bounded(None, least=1)

    devices: str | None = None
    scheduler: Literal["local", "ray"] = "local"
    ray_address: str | None = None
    ray_actors: int = bounded(1, least=1)
    ray_gpus: float = bounded(0.0, least=0)
    ray_drafters: int = bounded(1, least=1)

    def __post_init__(self) -> None:
        check(self)
        if self.devices is not None and self.scheduler == "ray":
            raise UsageError(
                "--devices and --scheduler ray: choose one of them (there --ray-actors says how many verify)"
            )
