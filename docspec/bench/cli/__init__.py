"""``docspec bench``: measurements, a file for each command. Heavy imports happen when a command runs."""

from __future__ import annotations

import typer

from docspec.bench.cli.born_digital import born_digital
from docspec.bench.cli.cost import cost
from docspec.bench.cli.engines import engines
from docspec.bench.cli.fidelity import fidelity
from docspec.bench.cli.kinds import kinds
from docspec.bench.cli.layer import layer
from docspec.bench.cli.memory import memory
from docspec.bench.cli.overlap import overlap
from docspec.bench.cli.proposer import proposer
from docspec.bench.cli.speed import speed
from docspec.bench.cli.step import scripted, step
from docspec.bench.cli.transcripts import transcripts
from docspec.bench.cli.words import words

bench = typer.Typer(
    name="bench",
    no_args_is_help=True,
    help="Measure what speculation brings.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    speed,
    engines,
    overlap,
    fidelity,
    layer,
    born_digital,
    words,
    kinds,
    memory,
    cost,
    step,
    scripted,
    transcripts,
    proposer,
):
    bench.command()(command)
