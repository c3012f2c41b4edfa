"""``docspec status``: how far the documents of an output folder are, for people and for CI."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from docspec.console import exits
from docspec.console.terminal import say
from docspec.core.safe_text import dump_json, one_line
from docspec.corpus.status import examine
from docspec.corpus.status import prune as remove_gone


def status(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The output folder of a run.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Facts as JSON on standard output.")] = False,
    prune: Annotated[bool, typer.Option("--prune", help="Remove outputs whose input is gone.")] = False,
) -> int:
    """Say what of an output folder's documents is done, has failed and is missing, by its manifests.

    Exit codes: 0 all done, 1 no manifest there, 3 something failed, is damaged or missing.
    """
    status = examine(folder)
    if prune and status.gone:
        removed = remove_gone(folder, status.gone)
        say(f"{len(removed):,} file{'' if len(removed) == 1 else 's'} of {len(status.gone):,} gone inputs removed")
        status = examine(folder)
    if as_json:
        typer.echo(dump_json(status.as_object(), indent=2))
    else:
        for line in status.lines():
            typer.echo(one_line(line))
    return exits.OK if status.is_complete else exits.PARTIAL
