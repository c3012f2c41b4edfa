"""Packages of plug-ins as an installer leaves them, not installed: their metadata in a folder for the path."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path


def write_metadata(pyproject: str, home: Path, more: Mapping[str, Mapping[str, str]] | None = None) -> None:
    """Writes into ``home`` the metadata of the package whose ``pyproject.toml`` has the text ``pyproject``, with
    ``more`` entry points by group."""
    facts = tomllib.loads(pyproject)["project"]
    name, version, points = facts["name"], facts["version"], facts["entry-points"]
    folder = home / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    groups = {group: {**those, **(more or {}).get(group, {})} for group, those in points.items()}
    lines = [line for group, those in groups.items() for line in (f"[{group}]", *map(" = ".join, those.items()))]
    (folder / "entry_points.txt").write_text("\n".join(lines))
