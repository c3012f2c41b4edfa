"""Drafters, dialects, formats, families, proposers and engines of other packages, found by their entry points.

A package names them in its ``pyproject.toml``; docs/extending.md has one of each:

    [project.entry-points."docspec.drafters"]
    mine = "my_package:MyDrafter"

A name that docspec has itself stays docspec's. A plug-in is imported when it is first used, except families, which are
told apart by their contents.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal, get_args

from docspec.core.errors import UsageError

PluginKind = Literal["drafters", "dialects", "formats", "families", "proposers", "engines"]


@cache
def plugins(kind: PluginKind) -> dict[str, EntryPoint]:
    """The entry points of the group ``docspec.KIND`` by their names."""
    return {one.name: one for one in _installed().select(group=f"docspec.{kind}")}


@cache
def _installed() -> Any:
    """The entry points of all installed packages, whose files are read once."""
    return entry_points()


def load(kind: PluginKind, name: str) -> Any:
    """The object of the plug-in called ``name``. Raises :class:`docspec.core.UsageError` if it cannot be imported."""
    entry = plugins(kind)[name]
    try:
        return entry.load()
    except Exception as error:
        package = entry.dist.name if entry.dist is not None else "an installed package"
        why = f"{type(error).__name__}: {error}"
        raise UsageError(f"{name} of {package} ({entry.value}) cannot be loaded: {why}") from error


def with_plugins(names: Any, kind: PluginKind) -> Any:
    """The ``Literal`` of ``names`` with those of plug-ins behind them."""
    return Literal[tuple(dict.fromkeys((*get_args(names), *plugins(kind))))]
