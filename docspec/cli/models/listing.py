"""``docspec models list``: the known models and those on this machine."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from docspec.cli.models.parameters import AsJson, go_offline
from docspec.console import exits

if TYPE_CHECKING:
    from docspec.models.known import Entry


def listing(as_json: AsJson = False) -> int:
    """Models that docspec knows how to ask, and others of their families in the cache. Opens no connection."""
    go_offline(True)
    from docspec.core.safe_text import dump_json
    from docspec.models.known import entries

    found = entries()
    if as_json:
        print(dump_json([_object(entry) for entry in found], indent=2))
    else:
        _print(found)
    return exits.OK


def _object(entry: Entry) -> dict[str, Any]:
    return asdict(entry) | {"held": [asdict(one) | {"path": str(one.path)} for one in entry.held]}


def _print(found: list[Entry]) -> None:
    """Prints two lines per model, three if it exists for llama.cpp: names and licences fit whole into a narrow
    terminal."""
    from textwrap import wrap

    from docspec.console.terminal import CleanConsole
    from docspec.targets.estimate import gib

    console = CleanConsole()
    for entry in found:
        said = [entry.family, f"{entry.billions:g} billion" if entry.billions else "", entry.licence]
        held = [f"here: {gib(one.size)}, revision {one.revision[:10]}" for one in entry.held]
        here = ["bundled"] if entry.name == "mini" else held
        console.print(entry.name, markup=False, highlight=False)
        lines = wrap("; ".join([", ".join(filter(None, said)), *here]), console.width - 4)
        for line in [*lines, *([f"for llama.cpp: {entry.gguf}"] if entry.gguf else [])]:
            console.print(f"    {line}", markup=False, highlight=False)
