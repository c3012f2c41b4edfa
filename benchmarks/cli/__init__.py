"""The commands of ``python -m benchmarks``, a file each. Heavy imports happen when a command runs."""

from __future__ import annotations

import typer

from benchmarks.cli.accuracy import accuracy
from benchmarks.cli.corrections import corrections
from benchmarks.cli.drafts import drafts
from benchmarks.cli.figures import figures
from benchmarks.cli.marks import marks
from benchmarks.cli.paper import paper
from benchmarks.cli.pictures import pictures
from benchmarks.cli.suite import suite

app = typer.Typer(
    name="benchmarks",
    no_args_is_help=True,
    help="Published benchmarks, the paper's tables, and what drafts of varied quality are worth.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (suite, paper, figures, pictures, accuracy, drafts, corrections, marks):
    app.command()(command)
