"""``docspec models convert``: a checkpoint as GGUF files for ``--engine llama``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from docspec.cli.models.parameters import Name, go_offline
from docspec.console import exits
from docspec.generation.llama.convert import WeightFormat


def convert(
    name: Name,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.gguf", help="Where to write it; mmproj-FILE.gguf beside it.")
    ],
    kind: Annotated[WeightFormat, typer.Option("--type", help="Number format of the weights.")] = "auto",
    source: Annotated[
        Path | None,
        typer.Option(metavar="FILE|DIR", show_default=False, help="llama-cpp-python's sdist, or llama.cpp's source."),
    ] = None,
) -> int:
    """Write a model as GGUF files, with what docspec asks of it in their metadata. Opens no connection."""
    go_offline(True)
    from docspec.generation.llama.convert import convert as converted
    from docspec.models.known import path_of
    from docspec.targets.estimate import gib

    for file in converted(path_of(name), output, kind, source):
        print(f"{file}: {gib(file.stat().st_size)}")
    return exits.OK
