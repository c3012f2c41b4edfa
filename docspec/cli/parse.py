"""``docspec parse``: words on the command line become ``ParseOptions`` and destinations; ``batch`` does the
work.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from docspec.cli import config as config_file
from docspec.cli.batch import Batch, Outputs
from docspec.core import ParseOptions, UsageError
from docspec.core.options import Align, DrafterName, Graphs, Schedule, Stages
from docspec.reporting.renderer import Format, Layout

DEFAULTS = ParseOptions()
CONFIG_PATH, CONFIG_MODEL = "docspec.config.path", "docspec.config.model"
NOT_CONFIGURABLE = {"inputs", "output", "report", "config", "pages", "password"}

_OUTPUT, _PAGES, _MODEL, _DRAFTS = "Output", "Pages", "Model", "Drafts"
_SPECULATION, _RUN = "Speculation", "Run"


def _load_config(context: typer.Context, path: Path | None) -> Path | None:
    if context.resilient_parsing:
        return path
    names = {parameter.name for parameter in context.command.params if parameter.name}
    values = config_file.load(path, names - NOT_CONFIGURABLE - {"help"})
    # The model has a rule of its own (an environment variable stands between flag and file).
    context.meta[CONFIG_MODEL] = values.pop("model", None)
    context.meta[CONFIG_PATH] = config_file.default_path() if path is None else path
    context.default_map = values
    return path


def parse(
    context: typer.Context,
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT", help="PDF or image files, folders, or - for standard input.", show_default=False
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE|DIR|-",
            rich_help_panel=_OUTPUT,
            show_default=False,
            help="File, folder (ends with / or exists), or - for standard output (default of one input).",
        ),
    ] = None,
    format: Annotated[
        Format | None,
        typer.Option(
            "--format",
            rich_help_panel=_OUTPUT,
            show_default=False,
            help="Default: by the suffix of the output, else md.",
        ),
    ] = None,
    figures: Annotated[
        str | None,
        typer.Option(
            metavar="DIR|none",
            rich_help_panel=_OUTPUT,
            show_default=False,
            help="Where pictures go. Default: NAME.figures beside the output; inside the page for html.",
        ),
    ] = None,
    page_separator: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            rich_help_panel=_OUTPUT,
            show_default=False,
            help="A line between pages, or before each page if it holds {page}.",
        ),
    ] = None,
    keep_furniture: Annotated[
        bool, typer.Option("--keep-furniture", rich_help_panel=_OUTPUT, help="Keep page headers and footers.")
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json",
            rich_help_panel=_OUTPUT,
            show_default=False,
            help="Write a timing report: every page, stage and token count.",
        ),
    ] = None,
    pages: Annotated[
        str | None,
        typer.Option(
            metavar="1-3,7",
            rich_help_panel=_PAGES,
            show_default=False,
            help="Pages to read, counted from 1. Default: all.",
        ),
    ] = DEFAULTS.pages,
    dpi: Annotated[
        float,
        typer.Option(min=1, rich_help_panel=_PAGES, help="Pixels per inch that PDF pages are rendered at."),
    ] = DEFAULTS.dpi,
    password: Annotated[
        str | None,
        typer.Option(rich_help_panel=_PAGES, show_default=False, help="Password of encrypted PDF files."),
    ] = DEFAULTS.password,
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME|DIR",
            rich_help_panel=_MODEL,
            help="Hub name or local folder. auto: $DOCSPEC_MODEL, the config file, else the bundled reader.",
        ),
    ] = DEFAULTS.model,
    device: Annotated[
        str,
        typer.Option(metavar="auto|cpu|cuda[:N]|mps", rich_help_panel=_MODEL, help="Where the model runs."),
    ] = DEFAULTS.device,
    dtype: Annotated[
        Literal["auto", "float32", "bfloat16", "float16"],
        typer.Option(rich_help_panel=_MODEL, help="Number format of the weights."),
    ] = DEFAULTS.dtype,
    attention: Annotated[
        Literal["auto", "eager", "sdpa"],
        typer.Option(rich_help_panel=_MODEL, help="Attention implementation."),
    ] = DEFAULTS.attention,
    offline: Annotated[
        bool,
        typer.Option(
            "--offline", rich_help_panel=_MODEL, help="Never open a connection; use what is on this machine."
        ),
    ] = DEFAULTS.offline,
    graphs: Annotated[
        Graphs,
        typer.Option(
            rich_help_panel=_MODEL,
            help="How steps are run: captured as CUDA graphs, compiled, or as they come (off); auto: what works.",
        ),
    ] = DEFAULTS.graphs,
    kv_memory: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="MIB",
            rich_help_panel=_MODEL,
            show_default=False,
            help="Most MiB that key-value buffers may take; a page that needs more fails. Default: no bound.",
        ),
    ] = DEFAULTS.kv_memory,
    pages_in_flight: Annotated[
        int,
        typer.Option(
            min=1,
            max=64,
            metavar="N",
            rich_help_panel=_MODEL,
            help="Pages of a document verified side by side, for throughput on an accelerator.",
        ),
    ] = DEFAULTS.pages_in_flight,
    drafter: Annotated[
        DrafterName,
        typer.Option(rich_help_panel=_DRAFTS, help="What proposes text; auto decides page by page."),
    ] = DEFAULTS.drafter,
    drafts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|DIR",
            rich_help_panel=_DRAFTS,
            show_default=False,
            help="Saved results, for --drafter saved.",
        ),
    ] = DEFAULTS.drafts,
    ppstructure_models: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            rich_help_panel=_DRAFTS,
            show_default=False,
            help="Local PP-StructureV3 models, one folder each.",
        ),
    ] = DEFAULTS.ppstructure_models,
    ppstructure_engine: Annotated[
        str, typer.Option(metavar="NAME", rich_help_panel=_DRAFTS, help="What runs PP-StructureV3.")
    ] = DEFAULTS.ppstructure_engine,
    stages: Annotated[
        Stages,
        typer.Option(
            rich_help_panel=_SPECULATION,
            help="Check regions and page, the page only, or decode plainly (none); auto: what pays.",
        ),
    ] = DEFAULTS.stages,
    schedule: Annotated[
        Schedule,
        typer.Option(
            rich_help_panel=_SPECULATION,
            help="Regions before the page, or together with it in one batch.",
        ),
    ] = DEFAULTS.schedule,
    align: Annotated[
        Align,
        typer.Option(rich_help_panel=_SPECULATION, help="How drafts are lined up with the output so far."),
    ] = DEFAULTS.align,
    window: Annotated[
        int, typer.Option(min=1, rich_help_panel=_SPECULATION, help="Tokens that must match to line up.")
    ] = DEFAULTS.window,
    tau: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            rich_help_panel=_SPECULATION,
            show_default=False,
            help="Relaxed acceptance (0 to 1, paper: 0.75). Default: exact, the model's own output.",
        ),
    ] = DEFAULTS.tau,
    max_tree: Annotated[
        int, typer.Option(min=1, rich_help_panel=_SPECULATION, help="Tokens checked in one step.")
    ] = DEFAULTS.max_tree,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            min=1,
            rich_help_panel=_SPECULATION,
            show_default=False,
            help="Most tokens a page may have. Default: the model's limit.",
        ),
    ] = DEFAULTS.max_tokens,
    baseline: Annotated[
        bool,
        typer.Option(
            "--baseline", rich_help_panel=_SPECULATION, help="Also decode plainly and report the speed-up."
        ),
    ] = DEFAULTS.baseline,
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
) -> int:
    """Read documents into Markdown, JSON or HTML.

    Exit codes: 0 all read, 1 fatal, 2 wrong usage, 3 some pages or inputs failed, 130 interrupted.
    """
    context.obj.verbosity = verbose
    if tau is not None and tau <= 0:
        raise UsageError(f"--tau {tau:g}: must be above 0 and at most 1; leave it out for exact acceptance")
    if drafter == "saved" and drafts is None:
        raise UsageError("--drafter saved needs --drafts FILE or DIR")
    if pages_in_flight > 1 and (baseline or schedule == "together"):
        other = "--baseline" if baseline else "--schedule together"
        raise UsageError(f"--pages-in-flight {pages_in_flight} and {other}: choose one of them")
    configured: Any = context.meta.get(CONFIG_MODEL)
    options = ParseOptions(
        pages=pages,
        dpi=dpi,
        password=password,
        model=config_file.resolve_model(model, os.environ, configured),
        device=device,
        dtype=dtype,
        attention=attention,
        offline=offline,
        graphs=graphs,
        kv_memory=kv_memory,
        pages_in_flight=pages_in_flight,
        drafter=drafter,
        drafts=drafts,
        ppstructure_models=ppstructure_models,
        ppstructure_engine=ppstructure_engine,
        stages=stages,
        schedule=schedule,
        align=align,
        window=window,
        tau=tau,
        max_tree=max_tree,
        max_tokens=max_tokens,
        baseline=baseline,
    )
    outputs = Outputs(output, format, figures, Layout(keep_furniture, page_separator), report)
    return Batch(options, outputs, quiet=quiet, verbosity=verbose).run(inputs)
