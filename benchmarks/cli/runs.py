"""``python -m benchmarks runs``: whole runs of ``docspec parse`` with other options, in turn, from start to end."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.cli.born_digital import print_timings, rows_of
from docspec.bench.cli.common import InputPaths, JsonFile, Repeats, sources_of, write_json
from docspec.core import UsageError


def runs(
    inputs: InputPaths,
    *,
    way: Annotated[
        list[str], typer.Option(metavar="NAME=OPTIONS", help="A name, and options of docspec parse; repeatable.")
    ],
    repeats: Repeats = 3,
    json_file: JsonFile = None,
) -> None:
    """How long whole runs of `docspec parse` take with other options, started anew each time and taking turns, and how
    many files have the words of the first way.

    python -m benchmarks runs samples --way "own=--words model" --way "llama=--engine llama --model FILE.gguf"
    """
    from benchmarks.race import Contestant, race

    paths = [source.path for source in sources_of(inputs) if source.path is not None]
    told = [each.partition("=") for each in way]
    if not all(name and joint for name, joint, _ in told):
        raise UsageError("--way takes a name, = and options: --way 'own=--words model'")

    def command(options: str) -> Callable[[Path], Sequence[str]]:
        words = [sys.executable, "-m", "docspec", "parse", *map(str, paths), "--set", "manifest=none", "-q"]
        return lambda folder: [*words, *shlex.split(options), "-o", f"{folder}/"]

    task = f"{len(paths)} files"
    timings = race([Contestant(name, task, command(options)) for name, _, options in told], repeats)
    print_timings(timings, "docspec parse")
    rows = rows_of(timings)
    for timing, row in zip(timings, rows, strict=True):
        row["same"] = sum(timing.written.get(name) == text for name, text in timings[0].written.items())
        print(f"{timing.name}: {row['same']} of {len(timings[0].written)} files as with {timings[0].name}")
    write_json(json_file, "docspec.bench.runs/1", "none", rows, files=list(map(str, paths)))
