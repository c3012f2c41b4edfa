"""``python -m benchmarks``: exit codes, signals and messages are those of ``docspec``."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.cli import app
from docspec.cli import main
from docspec.cli.app import run_application


def run(args: Sequence[str] | None = None) -> int:
    """Runs the command line of the benchmarks and returns its exit code."""
    return run_application(app, "python -m benchmarks", args)


if __name__ == "__main__":
    main(run)
