"""``docspec bench``: what users measure on their own pages, a file for each command.

Heavy imports happen when a command runs. What compares docspec with other tools and with published figures is beside
the package: ``python -m benchmarks``.
"""

from __future__ import annotations

import typer

from docspec.bench.cli.cost import cost
from docspec.bench.cli.fidelity import fidelity
from docspec.bench.cli.speed import speed

bench = typer.Typer()
for command in (speed, fidelity, cost):
    bench.command()(command)
