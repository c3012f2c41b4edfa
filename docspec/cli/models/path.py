"""``docspec models path``: the path of a model, for scripts."""

from __future__ import annotations

from docspec.cli.models.parameters import Name, go_offline
from docspec.console import exits


def path(name: Name) -> int:
    """Print the folder of a model on this machine; exit code 1 if it is not here. Opens no connection."""
    go_offline(True)
    from docspec.models.known import path_of

    print(path_of(name))
    return exits.OK
