"""The options of outputs, which ``parse`` and ``convert`` share, and the destinations of the inputs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import cast, get_args

from docspec.core import UsageError
from docspec.core.option import INSPECTION, OUTPUT, option
from docspec.core.options import flag_of
from docspec.corpus.writing import OutputChoice
from docspec.reporting.destinations import LINKING, Destination, InputFile, infer_format, plan, plan_more
from docspec.reporting.renderer import Format, Layout

FormatName = StrEnum("FormatName", [(name, name) for name in get_args(Format)])  # type: ignore[misc]
"""The formats as Typer takes several of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """The options of outputs, as given on the command line."""

    output: str | None = option(
        None,
        "Output file, folder (ends with / or exists), or -: standard output, to which one input goes by default.",
        OUTPUT,
        "FILE|DIR|-",
        flags=("-o", "--output"),
    )
    format: list[FormatName] | None = option(
        None,
        "Output format (md, json, html, ...). Default: by the suffix of the output, else md. May be "
        "repeated: one file for each.",
        OUTPUT,
    )
    figures: str | None = option(
        None,
        "Folder for pictures, or none. Default: NAME.figures beside the output; inside the page for html.",
        OUTPUT,
        "DIR|none",
    )
    tables: str | None = option(None, "Write every table as a CSV file, too.", OUTPUT, "DIR")
    report: Path | None = option(
        None, "Write a timing report with every page, stage and token count.", OUTPUT, "FILE.json"
    )
    view: str | None = option(
        None,
        "Write an HTML file with pages beside their text. It shows where words come from, what to check, "
        "and the speed of each page.",
        INSPECTION,
        "FILE.html|DIR",
    )
    layout_pdf: str | None = option(
        None,
        "Write the input with numbered boxes, their categories and the reading order drawn over it.",
        INSPECTION,
        "FILE.pdf|DIR",
    )

    numbers_report: Path | None = option(
        None, "Write the numbers on which two readings of a page differ, one a line.", INSPECTION, "FILE.csv"
    )

    @property
    def formats(self) -> tuple[Format, ...]:
        """The formats asked for, each once, that of the output's suffix first; only that one if none was asked
        for."""
        named = infer_format(self.output, None)
        if not self.format:
            return (named,)
        chosen = dict.fromkeys(cast(Format, name.value) for name in self.format)
        return tuple(sorted(chosen, key=lambda one: (one != named, one not in LINKING)))

    def writing(self, layout: Layout) -> OutputChoice:
        first, *others = self.formats
        shows = [name for name in ("view", "layout_pdf", "tables") if getattr(self, name) is not None]
        return OutputChoice(first, layout, self.figures, tuple(others), tuple(shows))

    @property
    def folders(self) -> list[Path]:
        given = (self.output, self.figures, self.tables, self.view, self.layout_pdf)
        return [Path(each) for each in given if each not in (None, "-", "none")]

    def destinations(
        self,
        sources: Sequence[InputFile],
        into_folder: bool,
        kept: Mapping[str, str] | None = None,
        taken: Collection[str] = (),
    ) -> list[Destination]:
        """The destination of each source; that of an earlier run (``kept``, by absolute path) stays, and those that are
        ``taken`` by other inputs are given to none. Raises :class:`UsageError` if the options contradict each other or
        the inputs."""
        first, *others = self.formats
        planned = plan(
            sources, self.output, first, self.figures, others=others, into_folder=into_folder, kept=kept, taken=taken
        )
        if len(self.formats) > 1 and any(destination.path is None for destination in planned):
            raise UsageError("several formats need files: -o FILE or FOLDER")
        for name, suffix in (("view", ".html"), ("layout_pdf", ".pdf"), ("tables", "")):
            paths = plan_more(sources, flag_of(name), getattr(self, name), suffix, into_folder=into_folder)
            if paths is not None:
                planned = [
                    replace(destination, **{name: path}) for destination, path in zip(planned, paths, strict=True)
                ]
        return planned
