"""``docspec config``: the values of the options of ``docspec parse`` here, as a config file."""

from __future__ import annotations

import json
import os
from enum import Enum
from pathlib import Path
from typing import Any

import typer
import typer.main

from docspec.cli import config as config_file
from docspec.cli.parse import CONFIG_MODEL, CONFIG_PATH, NOT_CONFIGURABLE, SOURCES, EverydayCommand, parse
from docspec.core.options import flag_of
from docspec.core.safe_text import without_secrets

config = typer.Typer(
    name="config",
    no_args_is_help=True,
    help="What the config file says.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@config.callback()
def _group() -> None:
    pass


@config.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def show(context: typer.Context) -> int:
    """Show every option of docspec parse and where its value is from, as TOML for --config FILE.

    Options of docspec parse that are named here count: docspec config show --profile fast --config team.toml
    """
    app = typer.Typer(add_completion=False)
    app.command(cls=EverydayCommand)(parse)
    command = typer.main.get_command(app)
    context_of_parse = command.make_context("docspec config show", list(context.args), obj=context.obj)
    path: Path = context_of_parse.meta[CONFIG_PATH]
    typer.echo(f"# {path}" + ("" if path.is_file() else " (there is none)"))
    group = None
    for option in command.params:
        name = str(option.name)
        if name in NOT_CONFIGURABLE or name == "context":
            continue
        if (panel := getattr(option, "rich_help_panel", None)) != group:
            group = panel
            typer.echo(f"\n# {group}")
        value, origin = _value_of(name, context_of_parse)
        key = flag_of(name).removeprefix("--")
        shown = f"{key} = {without_secrets(_toml(value))}" if value is not None else f"# {key} ="
        typer.echo(f"{shown}  # {origin}" if origin != "default" else shown)
    return 0


def _value_of(name: str, context: Any) -> tuple[Any, str]:
    """The value of an option, and its source."""
    value, source = context.params[name], context.get_parameter_source(name)
    origins = ["command line"] if source is not None and source.name == "COMMANDLINE" else []
    origins += [origin for origin, key in SOURCES.items() if name in context.meta.get(key, {})]
    if name == "model":
        configured = context.meta.get(CONFIG_MODEL)
        model = config_file.resolve_model(value, configured)
        if origins and value == model:
            return model, "command line"
        if model == os.environ.get(config_file.MODEL_VARIABLE):
            return model, f"${config_file.MODEL_VARIABLE}"
        return model, "file" if model == configured else "default"
    return value, next(iter(origins), "default")


def _toml(value: Any) -> str:
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(str(value) if isinstance(value, Path) else value, ensure_ascii=False)
