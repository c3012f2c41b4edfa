"""The options of runs over many documents; they change which documents are read when, never what is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from docspec.core import UsageError
from docspec.core.option import DOCUMENTS, MACHINES, check, option


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusOptions:
    """Which documents are read, and how earlier runs count. Raises ``UsageError`` for values out of bounds."""

    from_file: str | None = option(
        None, "Read the documents listed in this file, one a line; - for standard input.", DOCUMENTS, "FILE|-"
    )
    include: list[str] | None = option(
        None,
        "Read only documents whose name, or path below their folder, matches; * also crosses folders. May be repeated.",
        DOCUMENTS,
        "PATTERN",
    )
    exclude: list[str] | None = option(None, "Leave out documents that match. May be repeated.", DOCUMENTS, "PATTERN")
    allow_urls: bool = option(False, "Download inputs that are addresses (https://...), up to 256 MiB each.", DOCUMENTS)
    shard: str | None = option(
        None, "Read the I-th of N parts of the documents, for schedulers that start N runs.", DOCUMENTS, "I/N"
    )
    manifest: Literal["auto", "none"] = option(
        "auto",
        "Keep docspec.manifest.jsonl in the output folder, by which the next run goes on (auto), or nothing (none).",
        DOCUMENTS,
    )
    retry_failed: bool = option(
        False, "Read documents again that failed before (with --strict: or are doubtful).", DOCUMENTS
    )
    force: bool = option(False, "Read all documents again, finished ones too.", DOCUMENTS)
    strict: bool = option(False, "Exit with code 3 if pages are doubtful, too.", DOCUMENTS)
    max_failures: int | None = option(
        None, "End the run when this many documents have failed.", DOCUMENTS, "N", least=1
    )

    devices: str | None = option(
        None,
        "Verify in several processes, each with a copy of the model: one for each GPU (0,1 or all), or two "
        "that share the CPU (cpu,cpu).",
        MACHINES,
        "0,1|all|cpu,cpu",
    )
    scheduler: Literal["local", "ray"] = option(
        "local",
        "Run in this process (local), or on the machines of a Ray cluster (ray: pip install 'docspec-vlm[ray]').",
        MACHINES,
    )
    ray_address: str | None = option(
        None, "Address of the Ray cluster. Default: Ray is started on this machine.", MACHINES, "auto|ADDRESS"
    )
    ray_actors: int = option(1, "Ray actors that hold the model.", MACHINES, "N", least=1)
    ray_gpus: float = option(0.0, "GPUs of each Ray actor that holds the model.", MACHINES, "N", least=0)
    ray_drafters: int = option(1, "Ray actors that render and draft pages.", MACHINES, "N", least=1)

    def __post_init__(self) -> None:
        check(self)
        if self.devices is not None and self.scheduler == "ray":
            raise UsageError(
                "--devices and --scheduler ray: choose one of them (there --ray-actors says how many verify)"
            )
