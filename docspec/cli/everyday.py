"""The help page of a command with many options: the usual ones on one screen, the others on request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import typer
from rich.text import Text
from typer.core import TyperCommand

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter

EVERYDAY = (
    "output",
    "format",
    "figures",
    "pages",
    "profile",
    "words",
    "model",
    "device",
    "server",
    "engine",
    "drafter",
    "view",
    "report",
    "baseline",
    "retry_failed",
    "force",
    "offline",
    "config",
    "quiet",
    "verbose",
)
"""Parameters of ``docspec parse`` that its first help page shows, in the order of their use."""

WIDEST = 28
"""Most characters of an option with its choices; longer lists of choices are left to ``--help-all``."""

_FIRST_SENTENCE = re.compile(r".+?(?:[.:](?= [A-Z]|$)|;|$)", re.DOTALL)


class EverydayCommand(TyperCommand):
    """Its ``--help`` shows :data:`EVERYDAY`, a sentence each; ``--help-all`` shows every option by group."""

    def format_help(self, ctx: Context, formatter: HelpFormatter) -> None:
        if ctx.meta.get(ALL):
            super().format_help(ctx, formatter)
            return
        formatter.width = min(ctx.terminal_width or formatter.width, 100)
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        options: dict[str, Any] = {str(one.name): one for one in self.params}
        shown = [options[name] for name in EVERYDAY]
        with formatter.section("Options"):
            rows = [(_flags(one, ctx), _sentence(one.help or "")) for one in shown]
            count = sum(not getattr(one, "hidden", False) for one in self.params) - 1
            formatter.write_dl([*rows, ("--help-all", f"All {count} options, by group.")], WIDEST)


ALL = "docspec.help.all"


def show_all(context: typer.Context, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        context.meta[ALL] = True
        context.get_help()
        context.exit()


def _flags(option: Any, context: Context) -> str:
    flags: str = option.get_help_record(context)[0]
    return flags if len(flags) <= WIDEST else f"{', '.join(option.opts)} NAME"


def _sentence(markup: str) -> str:
    text = Text.from_markup(markup).plain
    found = _FIRST_SENTENCE.match(text)
    return (found.group() if found else text).rstrip(".:;") + "."
