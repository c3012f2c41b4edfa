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
    train = verbs.add_parser("train", help="train, or go on training, in a directory (torchrun for several processes)")
    train.add_argument("directory", type=Path)
    train.add_argument("--size", choices=("tiny", "mini"), default="mini")
    train.add_argument("--seed", type=int, default=1)
    train.add_argument("--device", default="cpu")
    train.add_argument("--threads", type=int, default=1)
    train.add_argument("--minutes", type=float, default=float("inf"))
    train.add_argument("--save-every", type=int, default=100)
    train.add_argument("--log-every", type=int, default=10)
    export = verbs.add_parser("export", help="write a run's present weights as a checkpoint directory")
    export.add_argument("directory", type=Path)
    export.add_argument("target", type=Path)
    export.add_argument("--size", choices=("tiny", "mini"), default="mini")
    return root


def main(arguments: list[str] | None = None) -> None:
    """Run one verb."""
    options = parser().parse_args(arguments)
    if options.verb == "init":
        from docspec.reader.checkpoint import init

        init(options.directory, options.size, options.seed)
    elif options.verb == "train":
        import torch

        from docspec.reader.train import Run, initialise

        torch.set_num_threads(options.threads)
        initialise(options.device)
        run = Run(options.directory, size=options.size, seed=options.seed, device=options.device)
        run.train(minutes=options.minutes, save_every=options.save_every, log_every=options.log_every)
    elif options.verb == "export":
        from docspec.reader.train import Run

        Run(options.directory, size=options.size).export(options.target)


if __name__ == "__main__":
    main()
