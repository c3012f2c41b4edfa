"""Shared by the commands of ``docspec bench``: options, inputs, the JSON file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from docspec.console.terminal import CleanConsole

if TYPE_CHECKING:
    from docspec.targets.registry import TargetInfo

InputPaths = Annotated[
    list[str], typer.Argument(metavar="INPUT", show_default=False, help="PDF or image files, or folders.")
]
JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", show_default=False, help="Write all figures as JSON.")
]


Repeats = Annotated[int, typer.Option(metavar="N", min=1, help="Times that everything is run each way.")]


def repeatable(metavar: str, help: str, *flags: str, least: float | None = None, most: float | None = None) -> Any:
    """An option that may be given several times; its parameter is a list or ``None``."""
    return typer.Option(*flags, metavar=metavar, min=least, max=most, show_default=False, help=f"{help} Repeatable.")


Modes = Annotated[list[str] | None, repeatable("MODE", "Default: all but hybrid; plain always runs.")]
Proposers = Annotated[
    list[str] | None,
    repeatable("NAME", "Pages by what --proposer NAME of parse is: lookup, cursor, model:NAME, window+lookup."),
]


def sources_of(inputs: list[str]) -> list[Any]:
    """The files that ``inputs`` name; raises the first error there is."""
    from docspec.documents import expand_inputs

    expansion = expand_inputs(inputs)
    for error in expansion.errors:
        raise error
    expansion.raise_if_nothing()
    return list(expansion.sources)


def write_json(path: Path | None, schema: str, model: str, rows: list[dict[str, Any]], **more: Any) -> None:
    """Writes ``rows`` and ``more`` with versions and machine; nothing where ``path`` is ``None``."""
    if path is None:
        return
    from docspec.reporting.writer import write_whole
    from docspec.versions import machine, versions

    whole = {"schema": schema, "versions": versions(), "machine": machine(), "model": model, **more, "rows": rows}
    write_whole(path, json.dumps(whole, indent=2) + "\n")


def target_fields(info: TargetInfo) -> dict[str, Any]:
    """The target's fields of a JSON file; ``simulated``: its weights were never trained."""
    return {"target": {key: value for key, value in asdict(info).items() if key != "path"}, "simulated": info.random}


def target_line(info: TargetInfo) -> str:
    """The target in a few words, for captions and titles."""
    simulated = "; SIMULATED: random weights" if info.random else ""
    return f"{info.name}, {info.device}, {info.dtype}{simulated}"


def console() -> Console:
    """The terminal that tables are printed on."""
    return CleanConsole()


def table(title: str, left: Sequence[str], right: Sequence[str], dense: bool = False) -> Table:
    """A table whose first columns are words and whose others are figures; ``dense`` for many columns."""
    grid = Table(title=title, title_justify="left")
    if dense:
        grid.box, grid.padding, grid.show_edge = box.SIMPLE_HEAD, (0, 1, 0, 0), False
    for name in left:
        grid.add_column(name, overflow="ellipsis" if dense else "fold", no_wrap=dense)
    for name in right:
        grid.add_column(name, justify="right")
    return grid


def page_names(pages: Sequence[tuple[str, int]]) -> list[str]:
    """Pages in a few characters: the file's stem, the whole path where stems repeat, the number after page 1."""
    paths: dict[str, set[str]] = {}
    for source, _ in pages:
        paths.setdefault(PurePath(source).stem, set()).add(source)
    return [
        (stem if len(paths[stem := PurePath(source).stem]) == 1 else source) + ("" if page == 1 else f", page {page}")
        for source, page in pages
    ]
