"""The options of runs over many documents; they change which documents are read when, never what is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from docspec.core import UsageError
from docspec.core.options import check, option

DOCUMENTS, MACHINES = "Documents", "Machines"


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusOptions:
    """Which documents, and what earlier runs count for. Raises ``UsageError`` for values out of bounds."""

    from_file: str | None = option(
        None,
        "Read the documents that this file names, one a line; - for standard input.",
        DOCUMENTS,
        metavar="FILE|-",
    )
    include: list[str] | None = option(
        None,
        "Only documents whose name or path below their folder fits; * also crosses folders. May be repeated.",
        DOCUMENTS,
        metavar="PATTERN",
    )
    exclude: list[str] | None = option(
        None, "Not those that fit. May be repeated.", DOCUMENTS, metavar="PATTERN"
    )
    allow_urls: bool = option(
        False, "Download inputs that are named by an address (https://...), up to 256 MiB each.", DOCUMENTS
    )
    shard: str | None = option(
        None,
        "The I-th of N parts of the documents, for schedulers that start N runs.",
        DOCUMENTS,
        metavar="I/N",
    )
    manifest: Literal["auto", "none"] = option(
        "auto",
        "Keep docspec.manifest.jsonl in the output folder, so that the next run goes on; none: forget.",
        DOCUMENTS,
    )
    retry_failed: bool = option(False, "Read again what failed in earlier runs.", DOCUMENTS)
    force: bool = option(False, "Read everything again.", DOCUMENTS)
    strict: bool = option(False, "End with exit code 3 where pages are doubtful, too.", DOCUMENTS)
    max_failures: int | None = option(
        None, "End the run when so many documents failed.", DOCUMENTS, metavar="N", least=1
    )

    devices: str | None = option(
        None,
        "Verify in several processes, each with the model: one a GPU (0,1 or all), or two sharing the CPU (cpu,cpu).",
        MACHINES,
        metavar="0,1|all|cpu,cpu",
    )
    scheduler: Literal["local", "ray"] = option(
        "local", "Work in this process, or on the machines of a Ray cluster (pip install 'docspec-vlm[ray]').", MACHINES
    )
    ray_address: str | None = option(
        None,
        "The cluster. Default: Ray is started on this machine.",
        MACHINES,
        metavar="auto|ADDRESS",
    )
    ray_actors: int = option(1, "Actors that hold the model.", MACHINES, metavar="N", least=1)
    ray_gpus: float = option(0.0, "GPUs of each of them.", MACHINES, metavar="N", least=0)
    ray_drafters: int = option(1, "Actors that draw and draft pages.", MACHINES, metavar="N", least=1)

    def __post_init__(self) -> None:
        check(self)
        if self.devices is not None and self.scheduler == "ray":
            raise UsageError(
                "--devices and --scheduler ray: choose one of them (there --ray-actors says how many verify)"
            )


