"""What one call of ``docspec parse`` asks for: whether it goes together, and the jobs that it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from docspec.cli.outputs import Outputs
from docspec.console.terminal import say
from docspec.core import ParseOptions, UsageError
from docspec.core.options import flag_of
from docspec.corpus.job import CorpusOptions, Job
from docspec.corpus.resume import note_owner, of_others, owners_in
from docspec.corpus.writing import OutputChoice
from docspec.documents import Expansion, Source
from docspec.documents.inputs import Unreadable, is_folder, is_pattern
from docspec.documents.remote import is_remote
from docspec.documents.sources import SUFFIXES, shown
from docspec.opening import check_offline
from docspec.reporting.collisions import check_own
from docspec.reporting.destinations import STDOUT, Destination


@dataclass(frozen=True)
class RunRequest:
    """The options of a run; ``config`` is the config file. ``is_mirrored``: the output folder is on another file
    system, and ``outputs`` name its mirror here."""

    options: ParseOptions
    outputs: Outputs
    corpus: CorpusOptions
    log_file: Path | None = None
    config: Path | None = None
    is_mirrored: bool = False

    def jobs(self, inputs: Sequence[str], expansion: Expansion) -> list[Job]:
        """One job for each document, unreadable ones first."""
        outputs = self.outputs
        if not expansion.sources:
            return [Job(each, Destination(None, None), each.relative.as_posix()) for each in expansion.unreadable]
        sources: list[Source | Unreadable] = [*expansion.unreadable, *expansion.sources]
        many, base = self.is_many(inputs), Path(outputs.output or "")
        owners = self._owners()
        kept = {path: document for document, path in owners.items()}
        own = {shown(source.path.absolute()) for source in sources if source.path is not None}
        others = {} if self.corpus.force else of_others(base, owners, own)
        destinations = outputs.destinations(sources, many, kept, others)
        if others:
            without = outputs.destinations(sources, many, kept)
            for source, old, new in zip(sources, without, destinations, strict=True):
                if old != new and old.path is not None:
                    other = others.get(_below(old.path, base), "another input")
                    say(f"{old.path} is of {other} and is kept; {source.name} is written to {new.path}")
        return [
            Job(source, destination, _below(destination.path, base))
            for source, destination in zip(sources, destinations, strict=True)
        ]

    def note_single(self, inputs: Sequence[str], jobs: Sequence[Job]) -> None:
        """Notes whose document one is that is written to a folder without a manifest."""
        output = self.outputs.output
        if self.is_many(inputs) or len(jobs) != 1 or output in (None, *STDOUT) or self.corpus.manifest == "none":
            return
        [job] = jobs
        base = Path(str(output))
        if base.is_dir() and job.document and job.destination.path != base and job.source.path is not None:
            note_owner(base, job.document, shown(job.source.path.absolute()))

    def _owners(self) -> dict[str, str]:
        """The documents that earlier runs to this folder gave their inputs: a new file with the name of another moves
        none of them. Shards that run side by side have to agree, and use names alone."""
        output, corpus = self.outputs.output, self.corpus
        if output in (None, *STDOUT) or corpus.manifest == "none" or corpus.shard is not None:
            return {}
        return owners_in(Path(str(output)))

    def is_many(self, inputs: Sequence[str]) -> bool:
        """Whether the run may read several documents."""
        folders = any(given != "-" and (is_folder(Path(given)) or is_pattern(given)) for given in inputs)
        away = any(is_remote(given) and PurePath(given).suffix.lower() not in SUFFIXES for given in inputs)
        listed = self.corpus.from_file is not None
        return len(inputs) > 1 or folders or away or listed or self.is_mirrored

    def folder(self, inputs: Sequence[str], jobs: Sequence[Job]) -> Path | None:
        """The output folder, which may have a manifest; ``None`` for single documents."""
        output = self.outputs.output
        if output is None or not self.is_many(inputs) or all(job.destination.path is None for job in jobs):
            if self.corpus.shard is not None:
                raise UsageError("--shard needs an output folder: -o FOLDER")
            return None
        return Path(output)

    def check_own_files(self, jobs: Sequence[Job], manifest: Path | None, writing: OutputChoice) -> None:
        """Checks that the run's own files replace no input, no output, and no file that it reads."""
        named = {
            "log file": self.log_file,
            "report": self.outputs.report,
            "numbers report": self.outputs.numbers_report,
            "manifest": manifest,
        }
        destinations = [job.destination for job in jobs]
        read = [self.config]
        if self.options.drafts is not None and self.options.drafts.is_file():
            read.append(self.options.drafts)
        if self.corpus.from_file not in (None, "-"):
            read.append(Path(str(self.corpus.from_file)))
        check_own(
            {what: path for what, path in named.items() if path is not None},
            destinations,
            [job.source for job in jobs],
            [file for destination in destinations for file in writing.files_beside(destination)],
            [path for path in read if path is not None],
        )


def check_request(inputs: Sequence[str], options: ParseOptions, outputs: Outputs, corpus: CorpusOptions) -> None:
    """Raises :class:`docspec.core.UsageError` for options that exclude each other, before any file is opened. An empty
    input is an unset variable of a script, and never the current folder."""
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
        raise UsageError("scheduler ray and --view: choose one (a view holds whole pages, which stay away)")
    if outputs.report is not None and str(outputs.report) in STDOUT:
        raise UsageError("--report needs a file: standard output is the document's")


def _below(path: Path | None, folder: Path) -> str:
    """The place of a document in the output tree, as text that can be stored."""
    if path is None:
        return ""
    return shown(Path(path.relative_to(folder).as_posix())) if path.is_relative_to(folder) else path.name
