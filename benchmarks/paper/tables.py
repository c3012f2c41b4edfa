"""Tables 1 to 8, A1 and A2 of the paper, docspec's rows made of the results of runs over data sets, and one of the
window's length.

A data set that was not read leaves its rows out and the caption says so. Where OmniDocBench was not read, pages with
their true Markdown (the samples) stand in its tables, and the caption says that they are not OmniDocBench.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.paper.grid import Grid, Row
from benchmarks.suites.item import SCAN
from benchmarks.suites.journal import Record
from benchmarks.suites.reading import DEFAULT_MODES, DRAFT, STAGE1
from benchmarks.suites.results import SuiteResults
from benchmarks.suites.summary import FILTERS, Speed, by_kind, readable, speed
from docspec.bench.speed import NAMED, PLAIN, WINDOWS

PUBLISHED: dict[str, Any] = json.loads(Path(__file__).with_name("published.json").read_text(encoding="utf-8"))
SOURCE: str = PUBLISHED["source"]
OMNIDOCBENCH, PAIRS = "omnidocbench", "pairs"
HEADS = Path(__file__).parents[2] / "methods" / "docspec_methods" / "heads"
"""The bundled reader's heads, one folder each."""

HEAD_KINDS = ("hivis", "vispec")
"""Methods that are taught heads."""

METHODS = "methods"
"""The name of results that only tables 4 and 5 are made of."""

OVERALL = ("AAL", "SR_decode", "SR_e2e")
TRANSPARENT = "deepseek"
"""What the model type of a target with visual token compression, as table 6 has it, contains."""

SCANS = ", scans"
"""What rows of scans are called."""

EXTREMES = "the slowest runs over plain decoding's fastest, and of the fastest over its slowest"
"""How captions call :attr:`Speed.slowest` and :attr:`Speed.fastest`."""

NAMES = {
    "page": "page alone",
    "hierarchical": "both stages, exact",
    "tau 0.75": "both stages, tau 0.75",
    "planned": "as planned (default)",
}
"""Modes as the report calls them."""


def tables(
    results: Mapping[str, SuiteResults], commands: Mapping[str, str], target: str, model_type: str
) -> list[Grid]:
    """All tables. ``results`` and the ``commands`` that made them are keyed by the names of the data sets (and
    :data:`METHODS`); ``target`` is the model in a few words, for the captions."""
    main = OMNIDOCBENCH if OMNIDOCBENCH in results else PAIRS
    made = _Maker(results, commands, target, main)
    return [
        *(made.acceleration(number) for number in ("1", "A1", "2", "A2", "3")),
        made.methods(),
        made.draft_latency(),
        made.compression(model_type),
        made.accuracy(),
        made.components(),
        *made.windows(),
    ]


class _Maker:
    def __init__(
        self, results: Mapping[str, SuiteResults], commands: Mapping[str, str], target: str, main: str
    ) -> None:
        self._results = {name: one for name, one in results.items() if name != METHODS}
        self._methods = results.get(METHODS)
        self._commands = commands
        self._target = target
        self._main = main

    def acceleration(self, number: str) -> Grid:
        """Tables 1 to 3, A1 and A2: every mode over all pages and by kind, with the filters of long outputs."""
        table = PUBLISHED["tables"][number]
        columns = tuple(table["columns"])
        results = self._read(table["suite"])
        rows: list[Row] = []
        if results is not None:
            filters = (FILTERS[1],) if number.startswith("A") else (None, FILTERS[0])
            for most in filters:
                if most == FILTERS[0] and not _longer(results, most):
                    continue  # the same rows again
                for part, records in _parts(results):
                    for mode in _compared(results):
                        row = self._accelerated(results.suite, part, records, mode, most, columns)
                        rows += [row] if row is not None else []
        caption = f"SR_e2e by kind of page. {self._said(table['suite'])}{self._left_out(results)}"
        return _grid(number, tuple(rows), caption)

    def methods(self) -> Grid:
        """Table 4: ours beside other methods; those that did not run say what it takes."""
        table = PUBLISHED["tables"]["4"]
        ran: set[str] = set()
        rows: list[Row] = []
        for part, mode, found, command in self._compared_methods():
            rows.append(Row(_name(mode) + _taught(mode) + part, (found.aal, found.sr_e2e), command))
            ran.add(_method(mode))
        also = {"name": "ParallelVLM", "proposer": "parallel"}
        for method in (*table["rows"], *table["cited_without_figures"], also):
            name = method.get("proposer")
            if name is None or name in ran:
                continue
            remark = f"not run: name it with --proposer {name}:MODEL"
            if name in HEAD_KINDS:
                remark = (
                    "no trained head was named: "
                    f"python -m docspec_methods.teaching --head {name}, then --proposer head:DIR"
                )
            rows.append(Row(method["name"].split(",")[0].split(":")[0], remark=remark))
        return _grid("4", tuple(dict.fromkeys(rows)), self._said_of_methods())

    def draft_latency(self) -> Grid:
        """Table 5: seconds that drafting a page takes."""
        rows = [
            Row(_name(mode) + part, (found.draft, found.aal), command)
            for part, mode, found, command in self._compared_methods()
        ]
        return _grid("5", tuple(rows), f"Mean seconds a page. {self._said_of_methods()}")

    def windows(self) -> Iterator[Grid]:
        """What the length of the paper's window does, where any was measured; the paper names n = 3 alone."""
        results = self._read(OMNIDOCBENCH)
        rows = [
            Row(mode + part, (found.aal, found.sr_decode, found.sr_e2e), self._commands[results.suite])
            for part, mode, found in (_measured(results, tuple(WINDOWS)) if results else ())
            if results is not None
        ]
        if rows:
            title = "Length of the window, page level only (not in the paper, which has n = 3)"
            yield Grid("W", title, OVERALL, (), tuple(rows), self._said(OMNIDOCBENCH))

    def _compared_methods(self) -> Iterator[tuple[str, str, Speed, str]]:
        """Every mode of tables 4 and 5 with what was measured and the command."""
        results = self._methods or self._read(OMNIDOCBENCH)
        if results is not None:
            command = self._commands[METHODS if self._methods else results.suite]
            found = _measured(results, _compared(results))
            yield from ((part, mode, one, command) for part, mode, one in found)

    def _said_of_methods(self) -> str:
        said = self._said(OMNIDOCBENCH)
        if self._methods is not None:
            said += " Read by regions, line by line: so the bundled reader reads, and its drafters were taught."
        spread = [
            f"{_name(mode)}{part} {one.slowest:.2f} to {one.fastest:.2f}"
            for part, mode, one, _ in self._compared_methods()
        ]
        if spread:
            said += f" SR_e2e of {EXTREMES}: {', '.join(spread)}."
        return said

    def compression(self, model_type: str) -> Grid:
        """Table 6: only with a target that compresses its visual tokens."""
        if TRANSPARENT not in model_type:
            remark = "needs DeepSeek-OCR or its kin as --model"
            return _grid("6", (Row("not measured", remark=remark),), f"The target was {self._target}.")
        rows = []
        for mode in dict.fromkeys(mode for one in self._results.values() for mode in _compared(one)):
            values: list[float | None] = []
            for name in (OMNIDOCBENCH, "olmocr-bench", "ocean-ocr"):
                one = self._results.get(name)
                found = speed(one.records, mode) if one else None
                values += [None] * 3 if found is None else [found.aal, found.sr_decode, found.sr_e2e]
            rows.append(Row(_name(mode), tuple(values), self._all_commands()))
        return _grid("6", tuple(rows), f"The target was {self._target}.")

    def accuracy(self) -> Grid:
        """Table 7: draft, plain decoding, Stage 1 alone and every mode, each data set by its own measure."""
        names = {"omnidocbench": "OmniDocBench v1.5", "olmocr-bench": "olmOCR-Bench", "ocean-ocr": "Ocean-OCR-Bench"}
        extra = {PAIRS: "samples"} if PAIRS in self._results else {}
        read = {**names, **extra}
        ways = dict.fromkeys(way for one in self._results.values() for way in one.scores if way not in WINDOWS)
        shown = {DRAFT: "draft", PLAIN: "plain decoding", STAGE1: "Stage 1 alone"}
        rows = []
        for way in ways:
            scores = [self._results[name].scores.get(way) if name in self._results else None for name in read]
            values = tuple(None if one is None else one.overall for one in scores)
            rows.append(Row(shown.get(way, _name(way)), values, self._all_commands()))
        said = [f"{self._results[name].title}: {text}." for name, text in self._measures()]
        return _grid("7", tuple(rows), " ".join((f"The target was {self._target}.", *said)), tuple(extra.values()))

    def components(self) -> Grid:
        """Table 8: what each part of the method adds."""
        results = self._read(OMNIDOCBENCH)
        rows = [Row("plain decoding", (0.0, 1.0, 1.0), self._commands[results.suite])] if results else []
        for part, mode, found in _measured(results, DEFAULT_MODES[1:]) if results else ():
            if results is not None:
                values = (found.aal, found.sr_decode, found.sr_e2e)
                rows.append(Row(_name(mode) + part, values, self._commands[results.suite]))
        caption = f"The paper's AAL of plain decoding counts the target's own token. {self._said(OMNIDOCBENCH)}"
        return _grid("8", tuple(rows), caption)

    def _all_commands(self) -> str:
        return "; ".join(self._commands[name] for name in self._results)

    def _read(self, name: str) -> SuiteResults | None:
        """The results of the data set ``name``, or of what stands in for it."""
        return self._results.get(self._main if name == OMNIDOCBENCH else name)

    def _accelerated(
        self, suite: str, part: str, records: Sequence[Record], mode: str, most: int | None, columns: Sequence[str]
    ) -> Row | None:
        found = speed(records, mode, most)
        if found is None:
            return None
        kinds = {_key(kind.removesuffix(SCAN)): group for kind, group in by_kind(records).items()}
        each: list[Speed | None] = [
            speed(kinds[_key(column)], mode, most) if _key(column) in kinds else None for column in columns[3:]
        ]
        values = (found.aal, found.sr_decode, found.sr_e2e, *(one.sr_e2e if one else None for one in each))
        star = {None: "", FILTERS[0]: "*", FILTERS[1]: ""}[most]
        return Row(f"{_name(mode)}{star}{part}", values, self._commands[suite])

    def _left_out(self, results: SuiteResults | None) -> str:
        """How many pages the filters leave out, and how far pages lie apart."""
        if results is None:
            return ""
        said = ""
        for most in FILTERS:
            said += f" {_longer(results, most)} pages have more than {most:,} tokens."
        for part, records in _parts(results):
            for mode in _compared(results)[-1:]:
                found = speed(records, mode)
                if found is not None:
                    said += (
                        f" {_name(mode)}{part}: SR_e2e of single pages has a median of {found.median:.2f}, 10 to 90 % "
                        f"of pages {found.low:.2f} to {found.high:.2f}; of {EXTREMES}: "
                        f"{found.slowest:.2f} to {found.fastest:.2f}."
                    )
        return said

    def _said(self, name: str) -> str:
        """The caption of a table of the data set ``name``."""
        results = self._read(name)
        if results is None:
            return f"{name} was not given (--suite DIR): the paper's rows alone."
        what = f"{len(results.records)} of {results.of_items} pages"
        stand_in = "" if results.suite == name else f" **These are {results.title}, not OmniDocBench.**"
        failed = sum("error" in record for record in results.records)
        lost = f" {failed} could not be read." if failed else ""
        return f"docspec's rows: {self._target}; {what}.{lost}{stand_in}"

    def _measures(self) -> Iterator[tuple[str, str]]:
        for name, results in self._results.items():
            for one in results.scores.values():
                yield name, "; ".join(part for part in (one.overall_name, *one.remarks) if part)
                break


def _grid(number: str, ours: tuple[Row, ...], caption: str, more_columns: tuple[str, ...] = ()) -> Grid:
    table = PUBLISHED["tables"][number]
    published = tuple(
        Row(f"{row['name']} ({row['parameters']})" if "parameters" in row else row["name"], tuple(row["values"]))
        for row in table["rows"]
    )
    starred = any(row.get("most_tokens") == FILTERS[0] for row in table["rows"])
    note = f" *: without outputs over {FILTERS[0]:,} tokens." if starred else ""
    return Grid(number, table["title"], (*table["columns"], *more_columns), published, ours, caption + note)


def _compared(results: SuiteResults) -> list[str]:
    """The modes but plain decoding and the windows, which have a table of their own."""
    return [mode for mode in results.modes if mode != PLAIN and mode not in WINDOWS]


def _longer(results: SuiteResults, most: int) -> int:
    """Pages that a filter leaves out."""
    return len(readable(results.records, PLAIN)) - len(readable(results.records, PLAIN, most))


def _head_of(mode: str) -> dict[str, Any] | None:
    """What ``head.json`` says of the head that ``mode`` drafts with; ``None`` for other modes."""
    kind, _, name = mode.partition(":")
    if kind != "head":
        return None
    folder = Path(name).expanduser() if Path(name).expanduser().is_dir() else HEADS / name
    try:
        return dict(json.loads((folder / "head.json").read_text(encoding="utf-8")))
    except (OSError, ValueError):  # the results are of another machine
        return None


def _method(mode: str) -> str:
    """The published method that ``mode`` is: of a head what it was taught as."""
    head = _head_of(mode)
    return mode.partition(":")[0] if head is None else str(head["config"]["kind"])


def _taught(mode: str) -> str:
    """What a head was taught for, behind its name."""
    head = _head_of(mode)
    if head is None:
        return ""
    simulated = ", simulated" if head.get("simulated") else ""
    return f" ({head['config']['kind']}, taught for {head.get('target')}{simulated})"


def _name(mode: str) -> str:
    return NAMES.get(mode, mode if mode in NAMED else f"proposer {mode}")


def _parts(results: SuiteResults) -> list[tuple[str, list[Record]]]:
    """The records, those of scans apart, with what rows of each are called."""
    parts: dict[str, list[Record]] = {}
    for record in results.records:
        parts.setdefault(SCANS if record["kind"].endswith(SCAN) else "", []).append(record)
    return sorted(parts.items())


def _measured(results: SuiteResults, modes: Sequence[str]) -> Iterator[tuple[str, str, Speed]]:
    """Every part with every mode that read any of it."""
    for part, records in _parts(results):
        for mode in modes:
            found = speed(records, mode)
            if found is not None:
                yield part, mode, found


def _key(kind: str) -> str:
    """A kind of page in the spelling that the paper's columns and the data sets' names share."""
    return re.sub(r"[^a-z]", "", kind.lower().replace("tests", "")).removesuffix("s")
