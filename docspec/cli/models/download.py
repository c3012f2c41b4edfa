"""``docspec models download``: licence, revision and size are shown first, then the files are fetched and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from docspec.cli.models.parameters import Name, Offline, Yes, confirmed, go_offline
from docspec.console import exits


def download(
    name: Name,
    folder: Annotated[
        Path | None,
        typer.Option("--to", metavar="DIR", show_default=False, help="Into this folder instead of the cache."),
    ] = None,
    number_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            show_default=False,
            help="Of GGUF files: a part of the name of the one that is wanted. Default: Q8_0.",
        ),
    ] = None,
    yes: Yes = False,
    offline: Offline = False,
) -> int:
    """Fetch a model from the hub (HF_ENDPOINT) into the ordinary cache, and print where it lies.

    Of a repository of GGUF files one is fetched, with its picture tower. NAME@REVISION pins it. Run it again after an
    interruption: what is whole is not fetched twice.
    """
    go_offline(offline)
    from docspec.console.terminal import say
    from docspec.models import hub
    from docspec.targets.estimate import gib

    model = hub.ask(name, number_format)
    say(
        f"{model.name}, revision {model.revision}: licence {model.licence}, {gib(model.size)} in "
        f"{len(model.files)} files" + (", given out to those who accept its licence on the hub" if model.gated else "")
    )
    if not confirmed(f"Fetch {model.name} under that licence?", yes):
        return exits.OK
    print(hub.download(model, folder))
    return exits.OK
