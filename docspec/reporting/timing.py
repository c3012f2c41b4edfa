"""The timing report, schema ``docspec.report/1``: what was done to every page, how long it took, its result.

The report is built page by page while the run goes on and written once at its end. ``report.schema.json``
beside this file is its documentation for programs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from docspec.core import Baseline, Event, Failure, PageResult, PageTimings, ParseOptions, StageStats
from docspec.core.account import STATES, PageAccount
from docspec.core.safe_text import dump_json, without_secrets
from docspec.reporting.jsonout import known, margin_value, quality_object
from docspec.reporting.numbers import NumbersReport
from docspec.reporting.totals import Totals, output_tokens
from docspec.reporting.writer import write_whole

SCHEMA = "docspec.report/1"
TRACE_LINES = 12
"""The last lines of a traceback tell where a page failed; ``-vv`` shows the whole of it."""
SIMULATED_NOTE = "the target has random weights: times and counts show the machinery, not what a real model reaches"


@dataclass
class DocumentEntry:
    """One input of the report."""

    source: str
    sha256: str | None = None
    output: str | None = None
    error: str | None = None
    failure: Failure | None = None
    pages: list[dict[str, Any]] = field(default_factory=list)
    totals: Totals = field(default_factory=Totals)

    @property
    def status(self) -> str:
        """``ok``, ``partial`` (some pages failed) or ``failed`` (nothing was written)."""
        if self.error is not None:
            return "failed"
        return "partial" if self.totals.failed else "ok"


class Report:
    """Collects a run. ``versions``, ``machine`` and ``target`` are plain facts gathered by the caller.

    A report that nobody will ``keep`` holds sums alone, however many documents there are.
    """

    def __init__(
        self,
        options: ParseOptions,
        versions: Mapping[str, str | None],
        machine: Mapping[str, str | int] | None = None,
        *,
        keep: bool = True,
    ) -> None:
        self.documents: list[DocumentEntry] = []
        self.count = 0
        self.totals = Totals()
        self.numbers: NumbersReport | None = None
        self.target: Mapping[str, Any] | None = None
        self.steps: Mapping[str, Any] | None = None
        self.engine: Mapping[str, Any] | None = None
        self.wall_seconds = 0.0
        self.load_seconds = 0.0
        self.interrupted = False
        self.exit_code = 0
        self.error: str | None = None
        self.skipped: list[tuple[str, str]] = []
        """Files that were found and not read, and why."""
        self._options = options
        self._versions = dict(versions)
        self._machine = dict(machine or {})
        self._keep = keep

    def start_document(self, source: str, sha256: str | None = None, output: Path | None = None) -> DocumentEntry:
        """A new input; pages added from now on are its pages."""
        entry = DocumentEntry(source, sha256, None if output is None else str(output))
        if not self._keep:
            self.documents.clear()
        self.documents.append(entry)
        self.count += 1
        return entry

    def add_page(self, page: PageResult) -> None:
        """Counts a page of the document that was started last; keeps numbers only, no text and no pixels."""
        entry = self.documents[-1]
        if self._keep:
            entry.pages.append(page_object(page))
        entry.totals.add(page)
        self.totals.add(page)
        if self.numbers is not None:
            self.numbers.add_page(page)

    def as_object(self) -> dict[str, Any]:
        simulated = bool(self.target and self.target.get("random"))
        return {
            "schema": SCHEMA,
            "versions": self._versions,
            "machine": self._machine,
            "options": options_object(self._options),
            "target": _plain(self.target),
            "simulated": simulated,
            "interrupted": self.interrupted,
            "exit_code": self.exit_code,
            "error": self.error,
            "wall_seconds": _seconds(self.wall_seconds),
            "load_seconds": _seconds(self.load_seconds),
            "totals": totals_object(self.totals),
            "documents": [_document_object(entry) for entry in self.documents],
            **({"skipped": [{"input": path, "reason": why} for path, why in self.skipped]} if self.skipped else {}),
            **known(steps=_plain(self.steps), engine=_plain(self.engine), note=SIMULATED_NOTE if simulated else None),
        }

    def write(self, path: Path) -> None:
        """Writes the report whole or not at all; raises :class:`docspec.core.OutputError`."""
        write_whole(path, without_secrets(dump_json(self.as_object(), indent=2)) + "\n")


def options_object(options: ParseOptions) -> dict[str, Any]:
    """The options as JSON values; whether a password or a key was given, never which."""
    values = _plain(asdict(options))
    for secret in ("password", "server_key"):
        values[secret] = getattr(options, secret) is not None
    return dict(values)


def page_object(page: PageResult) -> dict[str, Any]:
    """One page's entry. Tokens are the page output's; each stage has its own counts beside them."""
    main = page.stage2 or StageStats()
    return {
        "page": page.number,
        "status": page.status,
        "width": page.width,
        "height": page.height,
        "drafter": page.drafter,
        "drafter_reason": page.drafter_reason,
        "read": page.read,
        "layout": page.layout or None,
        "regions": page.regions,
        "trusted": {"regions": page.trusted_regions, "characters": page.trusted},
        "prompt_tokens": main.prompt_tokens,
        "output_tokens": output_tokens(page),
        "stage1": None if page.stage1 is None else stage_object(page.stage1),
        "stage2": None if page.stage2 is None else stage_object(page.stage2),
        "seconds": seconds_object(page.timings),
        "events": [event_object(event) for event in page.events],
        "baseline": None if page.baseline is None else baseline_object(page.baseline),
        **known(
            quality=None if page.quality is None else quality_object(page.quality),
            doubtful=page.doubtful,
            words=None if page.account is None else words_object(page.account),
            timeline=[asdict(replace(each, at=_seconds(each.at))) for each in page.timeline] or None,
            cut=None if page.cut is None else asdict(page.cut),
            error=page.error,
            failure=page.failure,
            trace=None if page.trace is None else page.trace.splitlines()[-TRACE_LINES:],
        ),
    }


def words_object(account: PageAccount) -> dict[str, Any]:
    """What became of the words of a page, in figures."""
    return {
        "witness": account.witness,
        **{str(state): count for state, count in account.counts.items()},
        "rules": account.rules,
        "added": len(account.added),
        "displaced": account.displaced,
        "misplaced": len(account.misplaced),
    }


def event_object(event: Event) -> dict[str, str]:
    """An event; ``failure`` only where something failed."""
    return {"kind": event.kind, "detail": event.detail, **known(failure=event.failure)}


def stage_object(stats: StageStats) -> dict[str, Any]:
    """Counts of a stage. ``aal`` leaves out the target's own token of each step, ``tokens_per_step`` counts
    it.
    """
    values = _rounded(asdict(stats))
    values["aal"], values["tokens_per_step"] = round(stats.aal, 4), round(stats.tokens_per_step, 4)
    values["smallest_margin"] = margin_value(stats.smallest_margin)
    values["source_seconds"] = _rounded(values["source_seconds"])
    return values


def seconds_object(times: PageTimings) -> dict[str, float]:
    """Wall seconds of a page's phases. ``prefill`` is vision plus prompt of the full page."""
    return {**_rounded(asdict(times)), "total": _seconds(times.total)}


def baseline_object(baseline: Baseline) -> dict[str, Any]:
    """Plain decoding of the same page, and how much faster the speculative run was."""
    values = _rounded(asdict(baseline))
    return {**values, "sr_decode": round(baseline.sr_decode, 4), "sr_e2e": round(baseline.sr_e2e, 4)}


def totals_object(totals: Totals) -> dict[str, Any]:
    """Sums over pages; ``baseline`` is null where no page was decoded autoregressively too."""
    baseline = None
    if totals.compared:
        baseline = {
            "pages": totals.compared,
            "identical": totals.identical,
            "sr_decode": None if totals.sr_decode is None else round(totals.sr_decode, 4),
            "sr_e2e": None if totals.sr_e2e is None else round(totals.sr_e2e, 4),
        }
    return {
        "pages": totals.pages,
        "ok": totals.ok,
        "blank": totals.blank,
        "failed": totals.failed,
        "doubtful": totals.doubtful,
        "words": {**{state: totals.words[state] for state in STATES}, "rules": dict(totals.rules)},
        "regions": totals.regions,
        "trusted": {"regions": totals.trusted_regions, "characters": totals.trusted},
        "prompt_tokens": totals.stage2.prompt_tokens,
        "output_tokens": totals.output_tokens,
        "stage1": stage_object(totals.stage1),
        "stage2": stage_object(totals.stage2),
        "seconds": seconds_object(totals.timings),
        "baseline": baseline,
    }


def _document_object(entry: DocumentEntry) -> dict[str, Any]:
    return {
        "source": entry.source,
        "sha256": entry.sha256,
        "output": entry.output,
        "status": entry.status,
        "totals": totals_object(entry.totals),
        "pages": entry.pages,
        **known(error=entry.error, failure=entry.failure),
    }


def _seconds(value: float) -> float:
    return round(value, 6)


def _rounded(values: Mapping[str, Any]) -> dict[str, Any]:
    """``values`` with their seconds to the microsecond."""
    return {name: _seconds(value) if isinstance(value, float) else value for name, value in values.items()}


def _plain(value: Any) -> Any:
    """Paths and other values that JSON does not know, as text."""
    return json.loads(json.dumps(value, default=str))
