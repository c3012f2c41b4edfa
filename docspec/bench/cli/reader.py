"""``docspec bench reader``: how well a bundled-reader checkpoint reads."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from docspec.bench.cli.common import JsonFile, write_json
from docspec.bench.cli.tables import console, table

if TYPE_CHECKING:
    from docspec.reader.evaluate import Report


def reader(
    model: Annotated[
        str, typer.Option(metavar="DIR", help="A reader's checkpoint; auto: the bundled one.")
    ] = "auto",
    crops: Annotated[int, typer.Option(min=0, help="Crops of each number of lines.")] = 24,
    lines: Annotated[int, typer.Option(min=0, help="Wide crops of lines of each kind and number.")] = 24,
    pages: Annotated[int, typer.Option(min=0, help="Pages of each kind.")] = 3,
    seed: Annotated[int, typer.Option(help="Of the held-out text.")] = 90_000_000,
    json_file: JsonFile = None,
) -> int:
    """How well a bundled-reader checkpoint reads generated crops and pages of held-out text."""
    from docspec.reader.evaluate import run
    from docspec.targets.registry import locate

    directory = locate(model, offline=True)
    report = run(directory, crops_per_bucket=crops, lines_per_bucket=lines, pages_per_kind=pages, seed=seed)
    print_reader(report)
    write_json(json_file, "docspec.bench.reader/1", model, [asdict(bucket) for bucket in report.buckets])
    return 0


def print_reader(report: Report) -> None:
    """One row a bucket."""
    columns = ["samples", "CER %", "exact %", "repeated %", "skipped %", "seconds"]
    grid = table(f"Bundled reader, seed {report.seed}, {report.threads} threads", ["what", "fonts"], columns)
    for bucket in report.buckets:
        grid.add_row(
            bucket.name,
            "unseen" if bucket.unseen_fonts else "seen",
            str(bucket.samples),
            *(f"{100 * value:.2f}" for value in (bucket.cer, bucket.exact, bucket.repeated, bucket.skipped)),
            f"{bucket.seconds:.2f}",
        )
    console().print(grid)
    print("blank page:", repr(report.blank_output))
