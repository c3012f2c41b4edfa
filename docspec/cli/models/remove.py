"""``docspec models remove``: removes a model from the cache."""

from __future__ import annotations

from docspec.cli.models.parameters import Name, Yes, confirmed, go_offline
from docspec.console import exits


def remove(name: Name, yes: Yes = False) -> int:
    """Remove a model from the cache: all its revisions, or the one of NAME@REVISION. Folders are left alone."""
    go_offline(True)
    from docspec.console.terminal import say
    from docspec.core import ModelError
    from docspec.models import held
    from docspec.targets.estimate import gib

    found = held.of_name(name)
    if not found:
        raise ModelError(f"{name} is not in the cache; docspec models list shows what is")
    revisions = ", ".join(f"{one.revision[:10]} ({gib(one.size)})" for one in found)
    if confirmed(f"Remove {name}, {revisions}?", yes):
        say(f"{gib(held.remove(found))} freed")
    return exits.OK
