"""``docspec parse``: words on the command line become ``ParseOptions`` and destinations; ``batch`` does the work."""

from __future__ import annotations

import os
import re
from collections import ChainMap
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from rich.text import Text

from docspec.cli import config as config_file
from docspec.cli.batch import Batch
from docspec.cli.outputs import Outputs
from docspec.console import log
from docspec.console.parameters import SettingsCommand, takes_options
from docspec.core import ParseOptions, UsageError
from docspec.core.choices import PROFILES, Profile
from docspec.core.extras import missing
from docspec.core.option import options_of
from docspec.core.options import OPTIONS
from docspec.corpus.job import CorpusOptions
from docspec.reporting.renderer import PLACED, Layout

CONFIG_PATH, CONFIG_MODEL = "docspec.config.path", "docspec.config.model"
CONFIG_VALUES, PROFILE_VALUES = "docspec.config.values", "docspec.profile.values"
SET_VALUES = "docspec.set.values"
SOURCES = {"command line": SET_VALUES, "file": CONFIG_VALUES, "profile": PROFILE_VALUES}
"""What sets options beside their own words; the first counts."""
NOT_CONFIGURABLE = {
    *("context", "inputs", "pages", "password", "server_key", "config", "settings", "help_all"),
    *("output", "report", "view", "layout_pdf", "numbers_report", "log_file"),  # each run has its own
    *(name for name, declared in options_of(CorpusOptions).items() if not declared.config_only),
}

EVERYDAY = (
    "output",
    "format",
    "figures",
    "page_separator",
    "keep_furniture",
    "pages",
    "profile",
    "words",
    "model",
    "device",
    "server",
    "engine",
    "language",
    "on_loop",
    "view",
    "report",
    "force",
    "offline",
    "quiet",
    "verbose",
)
"""Parameters of ``docspec parse`` that its first help page shows, in the order of their use."""

WIDEST = 28
"""Most characters of an option with its choices; longer lists of choices are left to ``--help-all``."""

ALL = "docspec.help.all"


class EverydayCommand(SettingsCommand):
    """Its ``--help`` shows :data:`EVERYDAY`, a sentence each; ``--help-all`` shows every option by group."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        if ctx.meta.get(ALL):
            super().format_help(ctx, formatter)
            return
        formatter.width = min(ctx.terminal_width or formatter.width, 100)
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        options: dict[str, Any] = {str(one.name): one for one in self.params}
        rows = []
        for option in [options[name] for name in EVERYDAY]:
            flags = option.get_help_record(ctx)[0]
            text = Text.from_markup(option.help).plain
            sentence = re.split(r"[.:](?= [A-Z])|;", text, maxsplit=1)[0].rstrip(".") + "."
            rows.append((flags if len(flags) <= WIDEST else f"{', '.join(option.opts)} NAME", sentence))
        settings = len(self.settings)
        both = f"All {len(self.params) - 1 - settings} options, {settings} settings of --config."
        with formatter.section("Options"):
            formatter.write_dl([*rows, ("--help-all", both)], WIDEST)


def show_all(context: typer.Context, is_given: bool) -> None:
    """Prints the help page with all options and ends the command: the callback of ``--help-all``."""
    if is_given and not context.resilient_parsing:
        context.meta[ALL] = True
        context.get_help()
        context.exit()


_option = partial(typer.Option, rich_help_panel="Run", show_default=False)
KEY_VARIABLE = OPTIONS["server_key"].variable or ""
"""The variable of a server's key: command lines are visible to everybody on the machine."""


def _load_config(context: typer.Context, path: Path | None) -> Path | None:
    if context.resilient_parsing:
        return path
    values = config_file.load(path, _kinds())
    # The model has a rule of its own (an environment variable stands between flag and file).
    context.meta[CONFIG_MODEL] = values.pop("model", None)
    context.meta[CONFIG_PATH] = config_file.default_path() if path is None else path
    context.meta[CONFIG_VALUES] = values
    _set_defaults(context)
    return path


def _kinds() -> dict[str, Any]:
    """The types of what the config file may set."""
    return {name: kind for name, kind in get_type_hints(parse).items() if name not in NOT_CONFIGURABLE}


def _load_settings(context: typer.Context, words: list[str] | None) -> list[str] | None:
    if words and not context.resilient_parsing:
        context.meta[SET_VALUES] = config_file.settings(words, _kinds())
        _set_defaults(context)
    return words


def _load_profile(context: typer.Context, name: Profile | None) -> Profile | None:
    if name is not None and not context.resilient_parsing:
        context.meta[PROFILE_VALUES] = PROFILES[name]
        _set_defaults(context)
    return name


def _set_defaults(context: typer.Context) -> None:
    context.default_map = dict(ChainMap(*(context.meta.get(key, {}) for key in SOURCES.values())))


@takes_options()
def parse(
    *,
    context: typer.Context,
    inputs: Annotated[
        list[str] | None, typer.Argument(metavar="INPUT", help="What to read.", show_default=False)
    ] = None,
    outputs: Outputs,
    layout: Layout,
    corpus: CorpusOptions,
    options: ParseOptions,
    config: Annotated[
        Path | None,
        _option(
            metavar="FILE.toml",
            is_eager=True,
            callback=_load_config,
            help="TOML file with options. Default: docspec/config.toml in the user's config folder.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        _option("--set", metavar="NAME=VALUE", is_eager=True, callback=_load_settings, help="As a config file does."),
    ] = None,
    profile: Annotated[
        Profile | None,
        _option(
            is_eager=True,
            callback=_load_profile,
            help="Preset: the model's exact output, fast with sound words of the file, or lossy. Options override it.",
        ),
    ] = None,
    quiet: Annotated[bool, _option("-q", "--quiet", help="Print errors only.")] = False,
    verbose: Annotated[int, _option("-v", "--verbose", count=True, help="Print more detail; -vv for traces.")] = 0,
    log_file: Annotated[
        Path | None, _option(metavar="FILE", help="Also append all messages, with times and traces, to this file.")
    ] = None,
    help_all: Annotated[
        bool, _option("--help-all", is_eager=True, callback=show_all, help="Show all options and exit.")
    ] = False,
) -> int:
    """Read documents into Markdown, JSON or HTML.

    INPUT: PDF or image files, folders, patterns ('scans/**/*.pdf'), or - for
    standard input.

    Without --model: the words of the file where they are sound, recognised ones
    elsewhere, with layout, order and tables; a small reader for the rest. With
    --model: that model's own output, drafted and verified.

    Exit codes: 0 all read, 1 fatal, 2 wrong usage, 3 some pages or inputs
    failed or are damaged (with --strict: or are doubtful), 129 hung up, 130
    interrupted, 141 pipe closed, 143 terminated.
    """
    context.obj.verbosity = verbose
    if corpus.allow_urls and options.offline:
        raise UsageError("--allow-urls and --offline: choose one of them")
    log.start(quiet=quiet, verbosity=verbose, keep=log_file is not None)
    model = config_file.resolve_model(options.model, context.meta.get(CONFIG_MODEL))
    key = options.server_key or os.environ.get(KEY_VARIABLE)
    # A view also shows the source of words that the engine in this process has read, where one can run.
    if outputs.numbers_report is not None and options.has_other_engine:
        raise UsageError(f"--numbers-report and --engine {options.engine}: choose one of them")
    shown = outputs.view is not None or outputs.numbers_report is not None
    late = replace(options, model=model).loads_late and bool(missing("local"))
    traced = options.provenance or (shown and not options.has_other_engine and not late)
    places = options.places
    if places == "none" and (outputs.view is not None or any(format in PLACED for format in outputs.formats)):
        places = "drafts"
    return Batch(
        replace(options, model=model, server_key=key, provenance=traced, places=places),
        outputs,
        layout,
        corpus,
        quiet=quiet,
        verbosity=verbose,
        words=context.obj.words,
        log_file=log_file,
        config=context.meta.get(CONFIG_PATH),
    ).run(inputs or ())
