"""``docspec parse``: words on the command line become ``ParseOptions`` and destinations; ``batch`` does the
work.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, cast, get_args, get_type_hints

import typer

from docspec.cli import config as config_file
from docspec.cli.batch import Batch, Outputs
from docspec.console import log
from docspec.console.parameters import declared, takes_options
from docspec.core import ParseOptions, UsageError
from docspec.core.options import OUTPUT
from docspec.corpus.options import CorpusOptions
from docspec.reporting.renderer import Format, Layout

CONFIG_PATH, CONFIG_MODEL = "docspec.config.path", "docspec.config.model"
NOT_CONFIGURABLE = {
    *(
        "context",
        "inputs",
        "output",
        "report",
        "config",
        "pages",
        "password",
        "log_file",
        "view",
        "layout_pdf",
    ),
    *(each.name for each in declared(CorpusOptions)),
}

FormatName = StrEnum("FormatName", [(name, name) for name in get_args(Format)])  # type: ignore[misc]
"""The formats as Typer takes several of them."""

LOOKING, _RUN = "Looking at it", "Run"


def formats_of(names: Sequence[FormatName] | None) -> tuple[Format, ...]:
    """The formats that were named."""
    return tuple(cast(Format, name.value) for name in names or ())


def _load_config(context: typer.Context, path: Path | None) -> Path | None:
    if context.resilient_parsing:
        return path
    kinds = {name: kind for name, kind in get_type_hints(parse).items() if name not in NOT_CONFIGURABLE}
    values = config_file.load(path, kinds)
    # The model has a rule of its own (an environment variable stands between flag and file).
    context.meta[CONFIG_MODEL] = values.pop("model", None)
    context.meta[CONFIG_PATH] = config_file.default_path() if path is None else path
    context.default_map = values
    return path


@takes_options()
def parse(
    *,
    context: typer.Context,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT",
            help="PDF or image files, folders, patterns ('scans/**/*.pdf'), or - for standard input.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE|DIR|-",
            rich_help_panel=OUTPUT,
            show_default=False,
            help="File, folder (ends with / or exists), or - for standard output (default of one input).",
        ),
    ] = None,
    format: Annotated[
        list[FormatName] | None,
        typer.Option(
            "--format",
            rich_help_panel=OUTPUT,
            show_default=False,
            help="Default: by the suffix of the output, else md. May be repeated: one file each.",
        ),
    ] = None,
    figures: Annotated[
        str | None,
        typer.Option(
            metavar="DIR|none",
            rich_help_panel=OUTPUT,
            show_default=False,
            help="Where pictures go. Default: NAME.figures beside the output; inside the page for html.",
        ),
    ] = None,
    tables: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            rich_help_panel=OUTPUT,
            show_default=False,
            help="Write every table as a CSV file too.",
        ),
    ] = None,
    layout: Layout,
    view: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.html|DIR",
            rich_help_panel=LOOKING,
            show_default=False,
            help="Write pages beside their text, in one HTML file: where words come from, what to check, speed.",
        ),
    ] = None,
    layout_pdf: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.pdf|DIR",
            rich_help_panel=LOOKING,
            show_default=False,
            help="Write the input with numbered boxes, their kinds and the reading order drawn over it.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json",
            rich_help_panel=OUTPUT,
            show_default=False,
            help="Write a timing report: every page, stage and token count.",
        ),
    ] = None,
    corpus: CorpusOptions,
    options: ParseOptions,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.toml",
            is_eager=True,
            callback=_load_config,
            rich_help_panel=_RUN,
            show_default=False,
            help="Options from a TOML file. Default: docspec/config.toml in the user's config folder.",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", rich_help_panel=_RUN, help="Errors only.")] = False,
    verbose: Annotated[
        int,
        typer.Option(
            "-v",
            "--verbose",
            count=True,
            rich_help_panel=_RUN,
            show_default=False,
            help="More detail; -vv for traces.",
        ),
    ] = 0,
    log_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            rich_help_panel=_RUN,
            show_default=False,
            help="Also append what is said, with times and traces, to this file.",
        ),
    ] = None,
) -> int:
    """Read documents into Markdown, JSON or HTML.

    Exit codes: 0 all read, 1 fatal, 2 wrong usage, 3 some pages or inputs failed or are damaged, 129 hung up,
    130 interrupted, 141 pipe closed, 143 terminated.
    """
    context.obj.verbosity = verbose
    if corpus.allow_urls and options.offline:
        raise UsageError("--allow-urls and --offline: choose one of them")
    log.start(quiet=quiet, verbosity=verbose, file=log_file)
    configured: Any = context.meta.get(CONFIG_MODEL)
    model = config_file.resolve_model(options.model, os.environ, configured)
    outputs = Outputs(output, formats_of(format), figures, layout, report, view, layout_pdf, tables)
    return Batch(
        replace(options, model=model, provenance=options.provenance or view is not None),
        outputs,
        corpus,
        quiet=quiet,
        verbosity=verbose,
        words=context.obj.words,
    ).run(inputs or ())
