"""A table of the report: rows of cells, each of ours with the command that made it; as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """``values`` stand under the table's columns; ``None`` is an empty cell. ``command`` made them (the paper's rows
    have none); ``remark`` says of a row without values why it has none."""

    name: str
    values: tuple[float | None, ...] = ()
    command: str | None = None
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """One table: ``number`` is the paper's. ``caption`` says what the rows of ours were measured with."""

    number: str
    title: str
    columns: tuple[str, ...]
    published: tuple[Row, ...]
    ours: tuple[Row, ...]
    caption: str

    def as_json(self, source: str) -> dict[str, Any]:
        """All cells; those of the paper name ``source`` and the table, ours the command."""
        rows = []
        for whose, of in (("paper", self.published), ("docspec", self.ours)):
            for row in of:
                made = {"command": row.command} if whose == "docspec" else {"source": f"{source}, table {self.number}"}
                cells = {
                    column: {"value": value, **made}
                    for column, value in zip(self.columns, row.values, strict=False)
                    if value is not None
                }
                rows.append({"whose": whose, "name": row.name, "cells": cells, "remark": row.remark})
        head = {key: value for key, value in asdict(self).items() if key in ("number", "title", "columns", "caption")}
        return {**head, "rows": rows}

    def as_markdown(self, digits: int = 2) -> str:
        """The table with its caption above and the commands of our rows below."""
        commands = list(dict.fromkeys(row.command for row in self.ours if row.command))
        lines = [
            f"## Table {self.number}: {self.title}",
            "",
            self.caption,
            "",
            "| | " + " | ".join(self.columns) + " | made by |",
            "|---|" + "---:|" * len(self.columns) + "---|",
        ]
        for row in (*self.published, *self.ours):
            made = (
                "paper"
                if row in self.published
                else f"docspec [{commands.index(row.command) + 1}]"
                if row.command
                else ""
            )
            name = row.name if row in self.published else f"**{row.name}**"
            if row.remark and not row.values:
                lines.append(f"| {name} | {row.remark} |" + " |" * (len(self.columns) - 1) + f" {made} |")
                continue
            cells = [*row.values, *[None] * (len(self.columns) - len(row.values))]
            shown = " | ".join("" if value is None else f"{value:.{digits}f}" for value in cells)
            lines.append(f"| {name} | {shown} | {made} |")
        for number, command in enumerate(commands, 1):
            lines += ["", f"[{number}] `{command}`"]
        return "\n".join(lines) + "\n"


def as_report(title: str, introduction: Sequence[str], grids: Sequence[Grid], ending: str) -> str:
    """The whole report as Markdown."""
    parts = [f"# {title}\n", *(f"{line}\n" for line in introduction), *(grid.as_markdown() for grid in grids), ending]
    return "\n".join(parts)
