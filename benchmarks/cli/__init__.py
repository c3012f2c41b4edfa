"""The commands of ``python -m benchmarks``, a file each. Heavy imports happen when a command runs."""

from __future__ import annotations

import typer

from benchmarks.cli.accuracy import accuracy
from benchmarks.cli.born_digital import born_digital
from benchmarks.cli.browser import browser
from benchmarks.cli.cards import cards
from benchmarks.cli.certainty import certainty
from benchmarks.cli.corrections import corrections
from benchmarks.cli.device import device
from benchmarks.cli.drafts import drafts
from benchmarks.cli.engines import engines
from benchmarks.cli.figures import figures
from benchmarks.cli.formulas import formulas
from benchmarks.cli.half_precision import half_precision
from benchmarks.cli.hyphens import hyphens
from benchmarks.cli.kinds import kinds
from benchmarks.cli.languages import languages
from benchmarks.cli.layer import layer
from benchmarks.cli.ledger import ledger
from benchmarks.cli.made_tables import made_tables
from benchmarks.cli.marks import marks
from benchmarks.cli.memory import memory
from benchmarks.cli.overlap import overlap
from benchmarks.cli.paper import paper
from benchmarks.cli.pictures import pictures
from benchmarks.cli.places import places
from benchmarks.cli.proposer import proposer
from benchmarks.cli.reading_order import reading_order
from benchmarks.cli.runs import runs
from benchmarks.cli.searchable import searchable
from benchmarks.cli.step import scripted, step
from benchmarks.cli.structure import structure
from benchmarks.cli.suite import suite
from benchmarks.cli.transcripts import transcripts
from benchmarks.cli.view_picture import view_picture
from benchmarks.cli.words import words
from docspec.cli.app import TellingGroup

app = typer.Typer(
    name="benchmarks",
    cls=TellingGroup,
    no_args_is_help=True,
    help="Published benchmarks, the paper's tables, and what drafts of varied quality are worth.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS = (
    *(suite, made_tables, reading_order, paper, figures, pictures, view_picture),
    *(
        words,
        ledger,
        structure,
        places,
        certainty,
        searchable,
        browser,
        kinds,
        layer,
        formulas,
        hyphens,
        languages,
        accuracy,
        born_digital,
        runs,
        engines,
    ),
    *(drafts, corrections, marks, overlap),
    *(transcripts, step, scripted, half_precision, proposer, memory, cards),
)
for command in COMMANDS:
    app.command()(command)
app.add_typer(device, name="device")
