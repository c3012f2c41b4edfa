"""``docspec models list``: which models there are and which lie on this machine."""

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
    from rich import box
    from rich.table import Table

    from docspec.console.terminal import CleanConsole
    from docspec.targets.estimate import gib

    table = Table(box=box.SIMPLE, padding=(0, 1, 0, 0))
    table.add_column("model", no_wrap=True)
    for title in ("family", "billions", "licence", "here"):
        table.add_column(title, overflow="fold")
    for entry in found:
        here = "; ".join(f"{gib(one.size)}, revision {one.revision[:10]}" for one in entry.held)
        size = f"{entry.billions:g}" if entry.billions else ""
        table.add_row(
            entry.name, entry.family, size, entry.licence, "bundled" if entry.name == "mini" else here
        )
    CleanConsole().print(table)
