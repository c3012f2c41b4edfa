"""The Typer application, and the one place where errors become a line on standard error and an exit code."""

from __future__ import annotations

import contextlib
import errno
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.main
from typer.core import TyperGroup
from typer.exceptions import TyperException

from docspec.cli.config_show import config
from docspec.cli.convert import convert
from docspec.cli.doctor import doctor
from docspec.cli.inspect import inspect
from docspec.cli.models import models
from docspec.cli.parse import CONFIG_PATH, SET_VALUES, EverydayCommand, parse
from docspec.cli.serve import mcp, serve
from docspec.cli.status import status
from docspec.console import exits, log
from docspec.console.terminal import drop_standard_output, say_error, say_warning
from docspec.core import DocspecError, UsageError
from docspec.core.extras import remedy

HELP = """
PDFs, scans and photographs to Markdown: the words of the file where they are sound, a document model's elsewhere.

[bold]docspec parse report.pdf -o report.md[/]
"""


class TellingGroup(TyperGroup):
    """Typer ends silently with exit code 130 at an interrupt, whichever signal it was. Here the interrupt becomes
    Typer's ``Abort``, which :func:`run_application` reports."""

    def make_context(self, *args: Any, **settings: Any) -> Any:
        with _aborting():
            return super().make_context(*args, **settings)

    def invoke(self, ctx: Any) -> Any:
        with _aborting():
            return super().invoke(ctx)


@contextlib.contextmanager
def _aborting() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt as interrupt:
        raise typer.Abort from interrupt


MOVED = ("engines", "step", "transcripts")
"""Commands that are beside the package now."""


class BenchGroup(TyperGroup):
    """``docspec bench``: its commands are imported when one of them is called."""

    @cached_property
    def measurements(self) -> dict[str, Any]:
        from docspec.bench.cli import bench

        return dict(typer.main.get_group(bench).commands)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.measurements)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in MOVED:
            raise UsageError(f"docspec bench {cmd_name}: it is `python -m benchmarks {cmd_name}` now, from a clone")
        return self.measurements.get(cmd_name)


HELP_NAMES = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    name="docspec",
    cls=TellingGroup,
    help=HELP,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings=HELP_NAMES,
)
bench = typer.Typer(
    name="bench",
    cls=BenchGroup,
    no_args_is_help=True,
    help="Measure what speculation brings.",
    context_settings=HELP_NAMES,
)
app.command(cls=EverydayCommand)(parse)
app.command()(convert)
app.command()(status)
app.command()(inspect)
app.command()(doctor)
app.command()(serve)
app.command()(mcp)
app.add_typer(bench)
app.add_typer(models)
app.add_typer(config)


ROOT_OPTIONS = {"--help", "-h", "--version", "--install-completion", "--show-completion"}


@dataclass
class RunState:
    """State shared by the commands and the error handler: the words of the command line, and their ``verbosity``
    (``None``: the command has none)."""

    words: Sequence[str] = ()
    verbosity: int | None = None


def _print_version(is_given: bool) -> None:
    if is_given:
        from docspec.versions import versions

        numbers = versions()
        typer.echo(f"docspec {numbers.pop('docspec') or 'unknown'}")
        typer.echo(", ".join(f"{name} {version or '(missing)'}" for name, version in numbers.items()))
        raise typer.Exit


@app.callback()
def docspec(  # noqa: D103 (a docstring would be the help page)
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def with_verb(words: Sequence[str]) -> list[str]:
    """``words`` of the command line, with ``parse`` in front if they name an input and no command."""
    first = words[0] if words else ""
    commands = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    groups = {group.typer_instance.info.name for group in app.registered_groups if group.typer_instance}
    if not first or first in commands | groups:
        return list(words)
    if first.startswith("-") and first != "-":
        reads = first.split("=")[0] not in ROOT_OPTIONS
    else:
        reads = first == "-" or any(sign in first for sign in "./\\*?") or Path(first).exists()
    return ["parse", *words] if reads else list(words)


def run(args: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code; never raises for errors of users."""
    return run_application(app, "docspec", with_verb(sys.argv[1:] if args is None else args))


def run_application(application: typer.Typer, name: str, args: Sequence[str] | None = None) -> int:
    """Runs ``application`` as :func:`run` does ``docspec``."""
    state = RunState(tuple(sys.argv[1:] if args is None else args))
    try:
        code = typer.main.get_command(application).main(
            args=list(state.words), prog_name=name, standalone_mode=False, obj=state
        )
        return code if isinstance(code, int) else exits.OK
    except TyperException as error:
        return _usage(error)
    except typer.Abort:  # an interrupt, whichever signal it was
        say_warning("interrupted")
        return exits.code_of(exits.asked_to_stop() or KeyboardInterrupt())
    except KeyboardInterrupt as error:
        say_warning("interrupted")
        return exits.code_of(error)
    except SystemExit as error:
        if not error.code:  # a shell asked for completions
            return exits.OK
        # Typer's own answer to a closed pipe while it prints help.
        drop_standard_output()
        return exits.PIPE_CLOSED if error.code == 1 else exits.FATAL
    except BrokenPipeError as error:
        drop_standard_output()
        return exits.code_of(error)
    except DocspecError as error:
        say_error(str(error), traceback.format_exc())
        return exits.code_of(error)
    except ModuleNotFoundError as error:
        say_error(remedy(error) or f"unexpected {type(error).__name__}: {error}", traceback.format_exc())
        return exits.FATAL
    except Exception as error:
        interrupt = exits.asked_to_stop()
        if interrupt is not None:  # a library turned it into another error
            say_warning("interrupted")
            return exits.code_of(interrupt)
        if isinstance(error, OSError) and error.errno == errno.ENOSPC and error.filename is None:
            drop_standard_output()  # help, a table: documents have errors of their own
            say_error(f"standard output: cannot be written: {error.strerror}")
            return exits.FATAL
        hint = "" if state.verbosity not in (0, 1) else " (run again with -vv for the details)"
        say_error(f"unexpected {type(error).__name__}: {error}{hint}", traceback.format_exc())
        return exits.FATAL
    finally:
        log.stop()


def _usage(error: TyperException) -> int:
    message = error.format_message().replace("Value error, ", "")  # Pydantic's own word before ours
    if message:  # Without one, Typer has just printed the help page.
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "docspec"
        end = "" if message.endswith("?") else "."
        say_error(f"{_config_prefix(error)}{message.rstrip('.')}{end} See {command} --help")
    return getattr(error, "exit_code", exits.USAGE)


def _config_prefix(error: TyperException) -> str:
    """The config file's name, or ``--set``, where the wrong value came from it."""
    context, parameter = getattr(error, "ctx", None), getattr(error, "param", None)
    if context is None or parameter is None:
        return ""
    source = context.get_parameter_source(parameter.name)
    from_file = source is not None and source.name == "DEFAULT_MAP"
    place = "--set" if parameter.name in context.meta.get(SET_VALUES, {}) else context.meta.get(CONFIG_PATH)
    return f"{place}: " if from_file else ""
