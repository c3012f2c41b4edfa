"""Finds errors of a request before any file is opened."""

from __future__ import annotations

from collections.abc import Sequence

from docspec.cli.outputs import Outputs
from docspec.core import ParseOptions, UsageError
from docspec.core.options import flag_of
from docspec.corpus.options import CorpusOptions
from docspec.documents.remote import is_remote
from docspec.remote_verifier import check_offline
from docspec.reporting.destinations import STDOUT


def check_request(inputs: Sequence[str], options: ParseOptions, outputs: Outputs, corpus: CorpusOptions) -> None:
    """Raises :class:`docspec.core.UsageError` for options that exclude each other. An empty input is an unset variable
    of a script, and never the current folder."""
    for name, word in (*(("INPUT", each) for each in inputs), ("-o", outputs.output)):
        if word == "":
            raise UsageError(f"{name} is empty; name a file, a folder or -")
    check_offline(options)
    if options.offline and any(map(is_remote, (*inputs, outputs.output or ""))):
        raise UsageError("--offline and a place on another file system: choose one of them")
    if is_remote(outputs.output or ""):
        for name in ("figures", "tables", "view", "layout_pdf"):
            if getattr(outputs, name) not in (None, "none"):
                raise UsageError(f"-o {outputs.output} and {flag_of(name)}: choose one of them")
        if corpus.manifest == "none":
            raise UsageError(f"-o {outputs.output} needs a manifest")
    if corpus.devices is not None and options.device != "auto":
        raise UsageError(f"--devices and --device {options.device}: choose one of them")
    if corpus.scheduler == "ray" and outputs.view is not None:
        raise UsageError("--scheduler ray and --view: choose one (a view holds whole pages, which stay away)")
    if outputs.report is not None and str(outputs.report) in STDOUT:
        raise UsageError("--report needs a file: standard output is the document's")
