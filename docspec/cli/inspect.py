"""``docspec inspect``: what a run would meet in files, without a model."""

from __future__ import annotations

from typing import Annotated

import typer

from docspec.console import exits
from docspec.console.terminal import say_warning
from docspec.core.safe_text import dump_json, one_line
from docspec.corpus.listing import list_documents
from docspec.corpus.options import CorpusOptions
from docspec.inspection import inspect_files


def inspect(
    inputs: Annotated[
        list[str], typer.Argument(metavar="INPUT...", help="Files, folders, patterns.", show_default=False)
    ],
    password: Annotated[str | None, typer.Option(metavar="TEXT", help="For encrypted PDFs.")] = None,
    pages: Annotated[bool, typer.Option("--pages", help="A line for each page, too.")] = False,
    needs_ocr: Annotated[
        bool, typer.Option("--needs-ocr", help="Name the files with pages whose words are not in the file, no others.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Facts as JSON, one object a line.")] = False,
) -> int:
    """Say what is in files, in milliseconds a page and without a model: born-digital, scanned and garbled pages,
    scripts, forms, encryption, attachments, damage, and whose words each page would get.

    Exit codes: 0, and with --needs-ocr 0 if a file needs it and 1 if none does; 3 if a file cannot be read.
    """
    listed = list_documents(inputs, CorpusOptions())
    for unreadable in listed.unreadable:
        say_warning(str(unreadable.error))
    lost, needing = len(listed.unreadable), 0
    for inspected in inspect_files(listed.sources, password):
        lost += inspected.error is not None
        needing += inspected.needs_ocr
        if needs_ocr and not inspected.needs_ocr:
            continue
        if as_json:
            typer.echo(dump_json({"schema": "docspec.inspect/1", **inspected.as_object()}))
        elif inspected.error is not None:
            say_warning(inspected.error)
        elif needs_ocr and not pages:
            typer.echo(inspected.name)
        else:
            typer.echo(one_line(inspected.line()))
            for page in inspected.pages if pages else ():
                why = f" ({page.why})" if page.why else ""
                typer.echo("  " + one_line(f"page {page.number}: {page.kind}{why}; words: {page.words}"))
    if lost:
        return exits.PARTIAL
    return exits.FATAL if needs_ocr and not needing else exits.OK
