"""Parameters shared by several of these commands."""

from __future__ import annotations

from typing import Annotated

import typer

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", show_default=False, help="owner/model, owner/model@revision, mini, or a local folder."
    ),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Offline = Annotated[bool, typer.Option("--offline", help="Never open a connection.")]
AsJson = Annotated[bool, typer.Option("--json", help="Facts as JSON on standard output.")]


def go_offline(asked: bool) -> None:
    """Refuses connections for the rest of the process if ``asked``."""
    from docspec import offline
    from docspec.console.terminal import quiet_libraries

    quiet_libraries(0)
    if asked:
        offline.enforce()


def confirmed(question: str, yes: bool) -> bool:
    """Whether the user says yes; without a terminal, only ``--yes`` counts."""
    import sys

    from docspec.console.terminal import say
    from docspec.core import UsageError

    if yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError(f"{question} Nobody can be asked here: say --yes")
    if typer.confirm(question, err=True):
        return True
    say("nothing was done")
    return False
