"""``python -m benchmarks born-digital``: folders of born-digital pages and a cold start, beside pymupdf4llm."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docspec.bench.cli.common import InputPaths, JsonFile, Repeats, console, sources_of, table, write_json

if TYPE_CHECKING:
    from benchmarks.race import ContestantTiming


def born_digital(
    inputs: InputPaths,
    *,
    repeats: Repeats = 3,
    processes: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, show_default=False, help="Processes of pymupdf4llm; as many as processors."),
    ] = None,
    json_file: JsonFile = None,
) -> None:
    """How long born-digital files and the first page take, beside pymupdf4llm with the same layout model."""
    from benchmarks.born_digital import compare
    from docspec.core.container import processors

    paths = [source.path for source in sources_of(inputs) if source.path is not None]
    timings = compare(paths, repeats, processes or processors())
    print_timings(timings, "Born-digital")
    rows = rows_of(timings)
    write_json(json_file, "docspec.bench.born-digital/1", "none", rows, files=list(map(str, paths)))


def rows_of(timings: Sequence[ContestantTiming]) -> list[dict[str, Any]]:
    """The figures of ``timings``, without what was written."""
    return [{name: getattr(timing, name) for name in ("name", "task", "wall", "processor")} for timing in timings]


def print_timings(timings: Sequence[ContestantTiming], title: str) -> None:
    """A table for each task, in 80 columns, one row a contestant: the median of its seconds with what the runs lie
    between, those of processors, and how many times the first one's time that is."""
    for task in dict.fromkeys(timing.task for timing in timings):
        grid = table(f"{title}: {task}", ["program"], ["seconds", "from", "to", "cpu s", "times"], dense=True)
        mine = [timing for timing in timings if timing.task == task]
        for timing in mine:
            seconds = timing.median, min(timing.wall), max(timing.wall), median(timing.processor)
            grid.add_row(timing.name, *(f"{one:.2f}" for one in (*seconds, timing.median / mine[0].median)))
        console().print(grid)
