"""``docspec inspect``: what a run would meet in files, without a model, and how long it would take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer

from docspec.cli.config import load, resolve_model
from docspec.console import exits
from docspec.console.terminal import say, say_warning
from docspec.core import ParseOptions
from docspec.core.safe_text import dump_json, one_line
from docspec.corpus.counts import duration
from docspec.corpus.job import CorpusOptions
from docspec.corpus.listing import list_documents
from docspec.corpus.pace import Pace, Paces, PageWords, key_of
from docspec.inspection import HAVE_TEXT, MODELS_WORDS, NEEDS_OCR, WORDS, FileFacts, PageFacts, inspect_files


def inspect(
    inputs: Annotated[
        list[str], typer.Argument(metavar="INPUT...", help="Files, folders, patterns.", show_default=False)
    ],
    password: Annotated[str | None, typer.Option(metavar="TEXT", help="For encrypted PDFs.")] = None,
    model: Annotated[
        str, typer.Option(metavar="NAME|DIR", help="The model that would read them. auto: what parse would use.")
    ] = "auto",
    pages: Annotated[bool, typer.Option("--pages", help="A line for each page, too.")] = False,
    needs_ocr: Annotated[
        bool, typer.Option("--needs-ocr", help="Name the files with pages whose words are not in the file, no others.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Facts as JSON, one object a line.")] = False,
) -> int:
    """Say what is in files, in milliseconds a page and without a model: born-digital, scanned and garbled pages,
    scripts, forms, encryption, attachments, damage, whose words each page would get, and about how long that takes.

    Exit codes: 0, and with --needs-ocr 0 if a file needs it and 1 if none does; 3 if a file cannot be read.
    """
    prospect = Prospect.of(model)
    listed = list_documents(inputs, CorpusOptions())
    for unreadable in listed.unreadable:
        say_warning(str(unreadable.error))
    lost, needing = len(listed.unreadable), 0
    for inspected in inspect_files(listed.sources, password):
        lost += inspected.error is not None
        needing += inspected.needs_ocr
        prospect.pages += inspected.pages
        if needs_ocr and not inspected.needs_ocr:
            continue
        if as_json:
            typer.echo(dump_json({"schema": "docspec.inspect/1", **prospect.as_object(inspected)}))
        elif inspected.error is not None:
            say_warning(inspected.error)
        elif needs_ocr and not pages:
            typer.echo(inspected.name)
        else:
            seconds = prospect.seconds(inspected.pages)
            about = "" if seconds is None else f"; about {duration(seconds)}"
            typer.echo(one_line(inspected.line() + about))
            for page in inspected.pages if pages else ():
                why = f" ({page.why})" if page.why else ""
                words = prospect.words[page.kind]
                typer.echo("  " + one_line(f"page {page.number}: {page.kind}{why}; words: {words}"))
    if prospect.pages and not (as_json or needs_ocr):
        say(prospect.line())
    if lost:
        return exits.PARTIAL
    return exits.FATAL if needs_ocr and not needing else exits.OK


@dataclass
class Prospect:
    """What ``docspec parse`` would do with ``pages``, and how long by the ``pace`` of earlier runs."""

    model: str
    engine: str
    words: dict[Any, str]
    pace: Pace | None
    pages: list[PageFacts] = field(default_factory=list)

    @classmethod
    def of(cls, model: str) -> Prospect:
        """With ``model`` and the config file's words, engine and server."""
        configured = load(None)
        given = {name: configured[name] for name in ("words", "engine", "server") if name in configured}
        options = ParseOptions(model=resolve_model(model, configured.get("model")), **given)
        name, engine, words = key_of(options)
        by_evidence = words == "evidence" or (words == "auto" and name == "mini")
        return cls(name, engine, WORDS if by_evidence else MODELS_WORDS, Paces.read().of(name, engine, words))

    def seconds(self, pages: Iterable[PageFacts]) -> float | None:
        """How long one run over ``pages`` takes; ``None`` if that is not known."""
        kinds = kinds_of(pages)
        return None if self.pace is None or not kinds else self.pace.seconds(kinds)

    def measured_on(self, pages: Iterable[PageFacts]) -> int:
        """The pages read on this machine that this comes from; 0 for a guess."""
        return 0 if self.pace is None else self.pace.measured_on(kinds_of(pages))

    def as_object(self, inspected: FileFacts) -> dict[str, Any]:
        """The file's facts and what it takes, as plain values for JSON."""
        seconds = self.seconds(inspected.pages)
        return inspected.as_object(self.words) | {
            "model": self.model,
            "engine": self.engine,
            "seconds": None if seconds is None else round(seconds, 1),
            "seconds_measured_on_pages": self.measured_on(inspected.pages),
        }

    def line(self) -> str:
        """All pages in one run."""
        seconds, count = self.seconds(self.pages), f"{len(self.pages):,} page{'' if len(self.pages) == 1 else 's'}"
        reads = f"{count} with {self.model} (engine {self.engine})"
        if seconds is None:
            return f"{reads}: no run has measured here how long that takes"
        pages = self.measured_on(self.pages)
        measured = f"measured here on {pages:,} page{'' if pages == 1 else 's'}"
        guess = "a guess from another machine: no run here has read such pages"
        return f"{reads}: about {duration(seconds)} in one run ({measured if pages else guess})"


def kinds_of(pages: Iterable[PageFacts]) -> list[PageWords]:
    """Whose words those of ``pages`` get that have any."""
    having = [page.kind for page in pages if page.kind in HAVE_TEXT | NEEDS_OCR]
    return ["text" if kind in HAVE_TEXT else "recognised" for kind in having]
