"""``python -m benchmarks memory``: peak memory of short and long documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from docspec.bench.cli.common import JsonFile, console, repeatable, table, write_json
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions

if TYPE_CHECKING:
    from benchmarks.memory import Peak


@takes_options("model", max_tokens=32, words="model")
def memory(
    *,
    options: ParseOptions,
    pages: Annotated[list[int] | None, repeatable("N", "Default: 10 and 300.", least=1)] = None,
    json_file: JsonFile = None,
) -> int:
    """Peak memory of generated documents of different length, each in a process of its own."""
    from benchmarks.memory import measure

    peaks = measure(pages or [10, 300], ["--model", options.model, "--max-tokens", str(options.max_tokens)])
    print_memory(peaks)
    write_json(json_file, "docspec.bench.memory/1", options.model, [asdict(peak) for peak in peaks])
    return 0


def print_memory(peaks: Sequence[Peak]) -> None:
    """One row a run, with its ratio to the first."""
    grid = table("Peak resident memory", [], ["pages", "MiB", "of the first", "seconds"])
    for peak in peaks:
        grid.add_row(str(peak.pages), f"{peak.mib:.0f}", f"{peak.mib / peaks[0].mib:.3f}", f"{peak.seconds:.0f}")
    console().print(grid)
