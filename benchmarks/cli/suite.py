"""``python -m benchmarks suite``: a published benchmark, read in every way, scored and timed; it can go on."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docspec.bench.cli.common import Proposers, Repeats, console, repeatable, table, target_fields, target_line
from docspec.console import exits
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions, UsageError
from docspec.core.options import flag_of

if TYPE_CHECKING:
    from benchmarks.suites.item import Item, Suite
    from benchmarks.suites.results import SuiteResults
    from docspec.targets.registry import TargetInfo

NAMES = "omnidocbench|parsebench|olmocr-bench|ocean-ocr|icdar2013|pairs"

Limit = Annotated[
    int | None, typer.Option(metavar="N", min=1, show_default=False, help="Read a sample of N pages of a data set.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on where a run was interrupted.")]
SuiteModes = Annotated[
    list[str] | None,
    repeatable("MODE", "As of docspec bench speed; default: page, hierarchical, tau 0.75, planned; plain always runs."),
]
Beside = Annotated[
    list[str] | None,
    repeatable(
        "NAME",
        "Other tools scored in the same run: pymupdf4llm, rapidocr, tesseract, find_tables, pdfplumber, camelot.",
    ),
]
Scorer = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        show_default=False,
        help="The publisher's own scorer: a checkout of OmniDocBench's repository, an environment with parse-bench.",
    ),
]


@takes_options(
    *("model", "read", "device", "dtype", "dpi", "ppstructure_models", "drafts", "align", "max_tokens"),
    drafter="auto",
    words="model",
)
def suite(
    *,
    name: Annotated[str, typer.Argument(metavar=NAMES, help="The data set; pairs: NAME.pdf with NAME.md.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where it lies, as published.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Journal, texts and figures of the run.")
    ],
    options: ParseOptions,
    limit: Limit = None,
    seed: Annotated[int, typer.Option(help="Of the sample.")] = 1,
    shard: Annotated[
        str, typer.Option(metavar="I/N", help="Read every Nth page from the Ith on: one process a GPU.")
    ] = "1/1",
    resume: Resume = False,
    mode: SuiteModes = None,
    proposer: Proposers = None,
    repeats: Repeats = 1,
    scorer: Scorer = None,
    beside: Beside = None,
) -> int:
    """A published benchmark in one run: accuracy and speed of every way of reading, by kind of page.

    Draft, plain decoding, Stage 1 alone and every mode read each page; every page is kept in a journal when it is done.
    """
    from benchmarks.suites.registry import suite_in
    from benchmarks.suites.results import failed

    chosen = suite_in(folder, name)
    parts = parse_shard(shard)
    ways = modes_named(mode, proposer)
    results, info = read_suite(
        chosen, options, output, limit, seed, parts, resume, ways, repeats, scorer, others_named(beside)
    )
    print_suite(results, target_line(info))
    write_summary(output, results, info)
    lost = sum(failed(record) for record in results.records)
    return exits.code_of_run(1, lost, 0)


def read_suite(
    chosen: Suite,
    options: ParseOptions,
    output: Path,
    limit: int | None,
    seed: int,
    shard: tuple[int, int],
    resume: bool,
    ways: list[str],
    repeats: int,
    scorer: Path | None,
    beside: Sequence[str] = (),
) -> tuple[SuiteResults, TargetInfo]:
    """Runs (or goes on with) one data set into ``output`` and scores what is there of all shards."""
    from benchmarks.suites.item import share
    from benchmarks.suites.reading import ItemReader
    from benchmarks.suites.results import results_in
    from benchmarks.suites.run import run
    from docspec.console.terminal import say
    from docspec.parser import Parser

    everything = share(chosen.items(), limit, seed, (1, 1))
    ours: list[Item] = share(everything, None, seed, shard)
    if not ours:
        raise UsageError(f"{chosen.title}: nothing to read")
    with Parser(options) as parser:
        info = parser.loaded.info
        settings = _settings(chosen, options, info, limit, seed, ways, repeats, beside)
        reader: list[ItemReader] = []

        def read(item: Item) -> dict[str, Any]:
            if not reader:  # nothing is calibrated where all items are done
                reader.append(ItemReader(parser, ways, repeats, beside))
            return reader[0].read(item)

        run(ours, read, output, settings, shard, resume, lambda left, record: say(_told(left, record)))
    return results_in(output, chosen, everything, scorer), info


def others_named(names: Sequence[str] | None) -> list[str]:
    """The tools beside docspec. Raises :class:`UsageError` for a name that is none."""
    from benchmarks.table_finders import BESIDE

    for name in names or ():
        if name not in BESIDE:
            raise UsageError(f"--beside {name}: choose among {', '.join(BESIDE)}")
    return list(names or ())


def modes_named(modes: list[str] | None, proposers: list[str] | None) -> list[str]:
    """The modes to read in: those named and every proposer, or the default ones. Raises :class:`UsageError` for a name
    that is neither."""
    from benchmarks.suites.reading import DEFAULT_MODES
    from docspec.bench.speed import NAMED, settings_of

    for name in modes or ():
        if name not in NAMED:
            raise UsageError(f"--mode {name}: unknown; choose among {', '.join(NAMED)}")
    for name in proposers or ():
        settings_of(name)
    return [*(modes or DEFAULT_MODES), *(proposers or ())]


def parse_shard(text: str) -> tuple[int, int]:
    """``I/N`` as two numbers, 1 <= I <= N."""
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise UsageError(f"--shard {text}: must be I/N with I from 1 to N, as 2/8")
    return int(number), int(of)


def _settings(
    chosen: Suite,
    options: ParseOptions,
    info: TargetInfo,
    limit: int | None,
    seed: int,
    modes: list[str],
    repeats: int,
    beside: Sequence[str],
) -> dict[str, Any]:
    """What must be the same for journals to belong together, and the command that makes them."""
    from benchmarks.suites.reading import DEFAULT_MODES
    from docspec.bench.speed import NAMED

    model = options.model if "/" not in options.model.strip("/") or options.model.count("/") == 1 else info.name
    flags = ["--model", model, "--drafter", options.drafter, "--proposer", options.align]
    plain = ParseOptions(words="model")
    for field in ("read", "words", "device", "dtype", "dpi", "max_tokens"):
        if (value := getattr(options, field)) != getattr(plain, field):
            flags += [flag_of(field), str(value)]
    flags += ["--limit", str(limit)] if limit is not None else []
    for mode in modes if modes != list(DEFAULT_MODES) else ():
        flags += ["--mode" if mode in NAMED else "--proposer", mode]
    for other in beside:
        flags += ["--beside", other]
    flags += ["--seed", str(seed), "--repeats", str(repeats)]
    return {
        "suite": chosen.name,
        "target": info.name,
        "device": info.device,
        "dtype": info.dtype,
        "simulated": info.random,
        "drafter": options.drafter,
        "align": options.align,
        "read": options.read,
        "words": options.words,
        "dpi": options.dpi,
        "max_tokens": options.max_tokens,
        "limit": limit,
        "seed": seed,
        "modes": modes,
        "repeats": repeats,
        "beside": list(beside),
        "command": f"python -m benchmarks suite {chosen.name} DIR -o OUT {shlex.join(flags)}",
    }


def _told(left: int, record: dict[str, Any]) -> str:
    what = record.get("error") or ", ".join(
        f"{name} {way['seconds'][0]:.2f} s" for name, way in record["ways"].items() if way.get("seconds")
    )
    return f"{record['item']}: {what}; {left} left"


def write_summary(output: Path, results: SuiteResults, info: TargetInfo) -> None:
    """``results.json`` in the run's folder."""
    import json

    from docspec.reporting.writer import write_whole
    from docspec.versions import machine, versions

    whole = {
        "schema": "docspec.bench.suite/1",
        "versions": versions(),
        "machine": machine(),
        **target_fields(info),
        **results.as_json(),
    }
    write_whole(output / "results.json", json.dumps(whole, indent=2, ensure_ascii=False) + "\n")


def print_suite(results: SuiteResults, target: str) -> None:
    """Accuracy of every way, speed of every mode, and SR_e2e by kind of page."""
    from benchmarks.suites.summary import FILTERS, by_kind, speed
    from docspec.bench.speed import PLAIN

    pages = f"{len(results.records)} of {results.of_items} pages"
    right = table(f"{results.title}, {pages}: accuracy", ["what"], ["overall", *_figures(results)], dense=True)
    right.caption = "\n".join(_captions(results, target))
    for way, one in results.scores.items():
        overall = "" if one.overall is None else f"{one.overall:.2f}"
        right.add_row(way, overall, *(_figure(one.figures.get(name)) for name in _figures(results)))
    console().print(right)
    columns = ["pages", "AAL", "tok/step", "SR_decode", "SR_e2e", "draft s", "same"]
    fast = table("Speed: plain over the mode's, sums over pages", ["mode"], columns, dense=True)
    spread = table("Spread of the pages' own SR_e2e", ["mode"], ["10 %", "median", "90 %"], dense=True)
    compared = [mode for mode in results.modes if mode != PLAIN]
    for most in (None, *FILTERS):
        for mode in compared:
            found = speed(results.records, mode, most)
            if found is None or (most is not None and found.pages == len(results.records)):
                continue
            shown = mode if most is None else f"{mode}, <= {most} tokens"
            fast.add_row(
                shown,
                str(found.pages),
                *(f"{value:.2f}" for value in (found.aal, found.tokens_per_step, found.sr_decode, found.sr_e2e)),
                f"{found.draft:.2f}",
                f"{found.identical}/{found.pages}",
            )
            spread.add_row(shown, *(f"{value:.2f}" for value in (found.low, found.median, found.high)))
    console().print(fast)
    console().print(spread)
    kinds = table("SR_e2e by kind of page", ["kind"], ["pages", *compared], dense=True)
    for kind, group in by_kind(results.records).items():
        each = [speed(group, mode) for mode in compared]
        kinds.add_row(kind, str(len(group)), *("" if one is None else f"{one.sr_e2e:.2f}" for one in each))
    console().print(kinds)


def _figures(results: SuiteResults) -> list[str]:
    return list(dict.fromkeys(name for one in results.scores.values() for name in one.figures))


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _captions(results: SuiteResults, target: str) -> list[str]:
    """The target, how the overall figure is made, its interval, and what was left out."""
    said = [target]
    for one in results.scores.values():
        said += [f"overall: {one.overall_name}"] if one.overall_name else []
        said += (
            [f"95 % interval of a way's overall: {one.interval[0]:.1f} to {one.interval[1]:.1f}"]
            if one.interval
            else []
        )
        said += one.remarks
        break
    return said
