"""``python -m benchmarks paper``: the paper's tables and figure 3 with docspec's figures beside the published ones."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.cli.suite import Limit, Resume, Scorer, SuiteModes, modes_named, read_suite, write_summary
from docspec.bench.cli.common import Repeats, repeatable, target_line
from docspec.console import exits
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions, UsageError

SAMPLES = Path(__file__).parents[2] / "samples"
"""Where the samples lie in a clone of the repository."""


KINDS = (
    "academic-paper",
    "book",
    "exam-paper",
    "financial-report",
    "magazine",
    "newspaper",
    "notes",
    "slides",
    "textbook",
)
"""The samples that stand in for OmniDocBench's kinds of pages."""

BUNDLED_METHODS = (
    "lookup",
    "model:mini-draft",
    "parallel:mini-draft",
    "head:mini-vispec",
    "head:mini-hivis",
    "window",
    "planned",
)
"""What tables 4 and 5 compare over the samples, where the bundled reader is the target."""


@takes_options(
    *("model", "read", "device", "dtype", "dpi", "ppstructure_models", "align", "max_tokens"),
    drafter="auto",
    words="model",
)
def paper(
    *,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Where the report goes.")],
    suite: Annotated[
        list[Path] | None,
        repeatable(
            "DIR",
            "A data set as published, recognised by its files; default: the samples of a clone that are of "
            "OmniDocBench's kinds.",
        ),
    ] = None,
    options: ParseOptions,
    limit: Limit = None,
    seed: Annotated[int, typer.Option(help="Of the sample, and of figure 3's noise.")] = 1,
    resume: Resume = False,
    mode: SuiteModes = None,
    proposer: Annotated[
        list[str] | None, repeatable("NAME", "Other methods for table 4, as of docspec bench speed.")
    ] = None,
    repeats: Repeats = 1,
    figure_pages: Annotated[int, typer.Option(min=0, help="Pages that figure 3 is made of; 0: no figure.")] = 2,
    scorer: Scorer = None,
) -> int:
    """Tables 1 to 8 and figure 3 of the paper (arXiv 2602.12957), our figures beside the published ones.

    Without data sets the samples are read, by the bundled reader where no model is named, and every caption says so:
    whole for the paper's two stages and windows, and by regions for the methods beside ours, unless --read, --mode or
    --proposer say otherwise.
    """
    from benchmarks.extras import require
    from benchmarks.paper.figure import draw_figure, figure_text
    from benchmarks.paper.grid import as_report
    from benchmarks.paper.tables import METHODS, PUBLISHED, SOURCE, tables
    from benchmarks.suites.pairs import Pairs
    from benchmarks.suites.registry import suite_in
    from benchmarks.suites.results import failed
    from docspec.bench.speed import NAMED, PLAIN, WINDOWS
    from docspec.reporting.writer import write_whole
    from docspec.versions import machine, versions

    if figure_pages:
        require("matplotlib", "figure 3")
    ways = modes_named(mode, proposer)
    usual = options.model in ("auto", "mini") and options.read == "auto" and not (mode or proposer)
    if suite is None and not SAMPLES.is_dir():
        raise UsageError("--suite DIR: name a data set, or run this in a clone of the repository, which has samples")
    samples = Pairs(SAMPLES, KINDS)
    chosen = (
        {one.name: (folder, one) for folder in suite for one in [suite_in(folder)]}
        if suite
        else {samples.name: (SAMPLES, samples)}
    )
    runs = [(name, folder, one, options, ways) for name, (folder, one) in chosen.items()]
    if suite is None and usual:
        modes_named(None, [one for one in BUNDLED_METHODS if one not in NAMED])  # an error before anything is read
        whole = replace(options, read="page")
        runs = [
            (samples.name, SAMPLES, samples, whole, [*ways, *WINDOWS]),
            (METHODS, SAMPLES, samples, replace(options, read="regions"), [PLAIN, *BUNDLED_METHODS]),
        ]
    results, commands = {}, {}
    for name, folder, one, how, modes in runs:
        place = output / name
        judge = scorer if name == "omnidocbench" else None
        results[name], info = read_suite(one, how, place, limit, seed, (1, 1), resume, modes, repeats, judge)
        write_summary(place, results[name], info)
        asked = f"suite {name} {folder} -o {place}" if suite else f"paper -o {output}"
        commands[name] = results[name].settings["command"].replace(f"suite {one.name} DIR -o OUT", asked)
        if judge is not None:
            commands[name] += f" --scorer {judge}"
    line = target_line(info)
    grids = tables(results, commands, line, info.model_type)
    _, _, first, how, _ = runs[0]
    figure = draw_figure(first, how, output, figure_pages, seed, resume)
    kind = machine()
    about = {"versions": versions(), "machine": kind, "target": line, "simulated": info.random}
    report = {
        "schema": "docspec.bench.paper/1",
        **about,
        "published": SOURCE,
        "published_hardware": PUBLISHED["hardware"],
        "tables": [grid.as_json(SOURCE) for grid in grids],
        "figure_3": figure,
    }
    write_whole(output / "report.json", json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    introduction = [
        f"Published figures: {SOURCE} ({PUBLISHED['hardware']}). docspec's: {line}; "
        f"{kind['system']} on {kind['architecture']}, {kind['cpus']} processor cores.",
        "AAL counts accepted drafted tokens per verification step of Stage 2, without the target's own token. Ratios "
        "are sums over pages of plain seconds over the mode's, drafts included.",
    ]
    ending = figure_text(figure, PUBLISHED["figure_3"])
    text = as_report("The paper's tables, and docspec's", introduction, grids, ending)
    write_whole(output / "report.md", text)
    lost = sum(failed(record) for one in results.values() for record in one.records)
    return exits.code_of_run(1, lost, 0)
