"""`python -m docspec.reader init|train|eval|export`: the recipe's command line, plain argparse."""

from __future__ import annotations

import argparse
from pathlib import Path


def parser() -> argparse.ArgumentParser:
    """The argument parser with one sub-command a verb."""
    root = argparse.ArgumentParser(prog="python -m docspec.reader", description=__doc__)
    verbs = root.add_subparsers(dest="verb", required=True)
    init = verbs.add_parser("init", help="write a checkpoint with random weights")
    init.add_argument("directory", type=Path)
    init.add_argument("--size", choices=("tiny", "mini"), default="tiny")
    init.add_argument("--seed", type=int, default=0)
    return root


def main(arguments: list[str] | None = None) -> None:
    """Run one verb."""
    options = parser().parse_args(arguments)
    if options.verb == "init":
        from docspec.reader.checkpoint import init

        init(options.directory, options.size, options.seed)


if __name__ == "__main__":
    main()
