"""The options of runs over many documents; they change which documents are read when, never what is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from docspec.core.options import check, option

DOCUMENTS = "Documents"


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
    max_failures: int | None = option(
        None, "End the run when so many documents failed.", DOCUMENTS, metavar="N", least=1
    )

    def __post_init__(self) -> None:
        check(self)


