"""`python -m training init|train|eval|pages|export`: the recipe's command line, plain argparse."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

SIZES = ("tiny", "mini-draft", "mini")

if TYPE_CHECKING:
    from training.evaluate import Report


def parser() -> argparse.ArgumentParser:
    """The argument parser with one sub-command a verb."""
    root = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    verbs = root.add_subparsers(dest="verb", required=True)
    init = verbs.add_parser("init", help="write a checkpoint with random weights")
    init.add_argument("directory", type=Path)
    init.add_argument("--size", choices=SIZES, default="tiny")
    init.add_argument("--seed", type=int, default=0)
    train = verbs.add_parser("train", help="train, or go on training, in a directory (torchrun for several processes)")
    train.add_argument("directory", type=Path)
    train.add_argument("--size", choices=SIZES, default="mini")
    train.add_argument("--seed", type=int, default=1)
    train.add_argument(
        "--from",
        dest="start",
        type=Path,
        metavar="CHECKPOINT",
        help="a checkpoint to begin with, where the directory is new",
    )
    train.add_argument(
        "--teacher",
        type=Path,
        metavar="CHECKPOINT",
        help="a larger reader whose tokenizer is taken over and whose choices are learned beside the text",
    )
    train.add_argument("--device", default="cpu")
    train.add_argument("--threads", type=int, default=1)
    train.add_argument("--workers", type=int, default=0, help="processes that render ahead")
    train.add_argument("--minutes", type=float, default=float("inf"))
    train.add_argument("--save-every", type=int, default=100)
    train.add_argument("--log-every", type=int, default=10)
    export = verbs.add_parser("export", help="write a run's present weights as a checkpoint directory")
    export.add_argument("directory", type=Path)
    export.add_argument("target", type=Path)
    export.add_argument("--size", choices=SIZES, default="mini")
    blend = verbs.add_parser("blend", help="write a checkpoint between two: of one run, before and after")
    blend.add_argument("first", type=Path)
    blend.add_argument("second", type=Path)
    blend.add_argument("target", type=Path)
    blend.add_argument("--share", type=float, default=0.5, help="the second one's share of the weights")
    pages = verbs.add_parser("pages", help="write pages and lines as the training draws them, as PNG files")
    pages.add_argument("count", type=int)
    pages.add_argument("directory", type=Path)
    pages.add_argument("--seed", type=int, default=50_000_000)
    evaluate = verbs.add_parser("eval", help="measure a checkpoint on held-out crops and pages")
    evaluate.add_argument("model", type=Path)
    evaluate.add_argument("--crops", type=int, default=24, help="crops in each bucket")
    evaluate.add_argument("--lines", type=int, default=24, help="wide crops of lines in each bucket, or of each file")
    evaluate.add_argument("--pages", type=int, default=3, help="pages of each kind")
    evaluate.add_argument("--pdf", type=Path, nargs="+", default=[], help="files whose text layer is the truth")
    evaluate.add_argument("--scans", action="store_true", help="print and scan the files first")
    evaluate.add_argument("--seed", type=int, default=90_000_000)
    evaluate.add_argument("--seen-only", action="store_true", help="leave the held-out fonts out")
    evaluate.add_argument("--threads", type=int, default=2)
    return root


def print_report(report: Report) -> None:
    """A plain table of an evaluation."""
    print(
        f"seed {report.seed}, {report.crops_per_bucket} crops and {report.lines_per_bucket} line crops a bucket, "
        f"{report.pages_per_kind} pages a kind"
    )
    print(f"{'group':28}{'fonts':>8}{'n':>5}{'CER':>8}{'raw':>8}{'exact':>8}{'twice':>8}{'skipped':>8}{'s':>7}")
    for b in report.buckets:
        fonts = "unseen" if b.unseen_fonts else "seen"
        shares = "".join(f"{value:8.2%}" for value in (b.cer, b.cer_raw, b.exact, b.repeated, b.skipped))
        print(f"{b.name:28}{fonts:>8}{b.samples:5}{shares}{b.seconds:7.2f}")
    for unseen in sorted({b.unseen_fonts for b in report.buckets}):
        fonts = "unseen" if unseen else "seen"
        groups = [
            g for g in ("file", "line", "region", "crop", "page") if any(b.name.startswith(g) for b in report.buckets)
        ]
        means = ", ".join(f"all {group}s {report.mean(group, unseen):.2%}" for group in groups)
        print(f"{fonts} fonts: {means}")
    print(f"blank page: {report.blank_output!r}")


def main(arguments: list[str] | None = None) -> None:
    """Run one verb."""
    root = parser()
    options = root.parse_args(arguments)
    if options.verb == "init":
        from training.reader.checkpoint import init

        init(options.directory, options.size, options.seed)
    elif options.verb == "train":
        import torch

        from training.train import Run, initialise

        for given in filter(None, (options.start, options.teacher)):
            if not (given / "config.json").is_file():
                root.error(f"{given}: is not a checkpoint directory (no config.json)")
        torch.set_num_threads(options.threads)
        initialise(options.device)
        run = Run(
            options.directory,
            size=options.size,
            seed=options.seed,
            device=options.device,
            workers=options.workers,
            start=options.start,
            teacher=options.teacher,
        )
        run.train(minutes=options.minutes, save_every=options.save_every, log_every=options.log_every)
    elif options.verb == "eval":
        import torch

        from training.evaluate import run as evaluate

        torch.set_num_threads(options.threads)
        report = evaluate(
            options.model,
            crops_per_bucket=options.crops,
            lines_per_bucket=options.lines,
            pages_per_kind=options.pages,
            pdfs=options.pdf,
            scans=options.scans,
            seed=options.seed,
            unseen=not options.seen_only,
        )
        print_report(report)
    elif options.verb == "pages":
        from training.pages import write_pages

        write_pages(options.directory, options.count, options.seed)
    elif options.verb == "blend":
        from training.reader.checkpoint import blend

        blend(options.first, options.second, options.target, options.share)
    elif options.verb == "export":
        from training.train import Run

        Run(options.directory, size=options.size).export(options.target)


if __name__ == "__main__":
    main()
