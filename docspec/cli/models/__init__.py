"""``docspec models``: models on this machine and on the hub, a file for each command."""

from __future__ import annotations

import typer

from docspec.cli.models.check import check
from docspec.cli.models.convert import convert
from docspec.cli.models.download import download
from docspec.cli.models.listing import listing
from docspec.cli.models.path import path
from docspec.cli.models.remove import remove
from docspec.cli.models.show import show

models = typer.Typer(
    name="models",
    no_args_is_help=True,
    help="List, fetch, check and remove models.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
models.command("list")(listing)
for command in (show, download, path, remove, check, convert):
    models.command()(command)
