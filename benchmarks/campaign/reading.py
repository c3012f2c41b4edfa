"""Documents that are read: PDFs and images, a folder of them in one run, each judged by the words of its output.

Where a document was called sound, at least 95 % of the words that its undamaged original has and that MuPDF or the
recogniser still finds in it are in its output, as many pages as MuPDF's and qpdf's counts, and none of them blank that
held text. What the quick way, which recognises nothing, may have lost is read again as users read it. Words that are
lost in a document whose every page is called doubtful are not lost in silence: they are counted apart.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.campaign.case import Case, Result
from benchmarks.campaign.words import ENOUGH, share_of, words_of
from benchmarks.campaign.worker import CPU_SECONDS, Ran, Worker

QUICK = ["--words", "evidence", "--set", "stages=none", "--max-tokens", "4", "--device", "cpu", "--dpi", "50"]
DAMAGE = {"damaged_page", "damaged_input"}
SAYS = DAMAGE | {"page_reduced", "page_unread", "hidden_text"}
"""Events that say that something of a page may be missing or is too small to be read."""


class Documents:
    """Runs of ``docspec parse`` over folders of PDFs and images."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def run(self, cases: Sequence[Case], folder: Path) -> list[Result]:
        """What came of ``cases``; those that the quick way seems to have lost words of are read again as users read."""
        quick = all(case.family == "pdf" for case in cases)
        results, unsure = self._run(cases, folder, quick)
        if quick and unsure:
            again, _ = self._run([cases[at] for at in unsure], folder, quick=False)
            for at, result in zip(unsure, again, strict=True):
                result.cpu += results[at].cpu
                results[at] = result
        return results

    def alarms(self, cases: Sequence[Case], folder: Path) -> list[Result]:
        """What came of sound files: ``marked`` are those that the run called damaged, or could not read."""
        places, ran = self._read(cases, folder, quick=True)
        outcomes = _outcomes(folder)
        results = []
        for case, place in zip(cases, places, strict=True):
            outcome = outcomes.get(place)
            result = Result(case.family, case.name, case.kind, ran.code, ran.faults(), ran.cpu / len(cases), ran.memory)
            result.marked, result.said = outcome is None or outcome.is_alarm, ran.said[-600:]
            results.append(result)
        return results

    def _run(self, cases: Sequence[Case], folder: Path, quick: bool) -> tuple[list[Result], list[int]]:
        """What came of ``cases``, read together, and the places of those that lost something in silence; where that run
        as a whole went wrong, of each alone."""
        places, ran = self._read(cases, folder, quick)
        outcomes = _outcomes(folder)
        if len(cases) > 1 and (ran.faults() or any(place not in outcomes for place in places)):
            alone = [self._run([case], folder, quick) for case in cases]
            return [result for [result], _ in alone], [at for at, (_, unsure) in enumerate(alone) if unsure]
        results: list[Result] = []
        unsure: list[int] = []
        for case, place in zip(cases, places, strict=True):
            outcome = outcomes.get(place)
            result = Result(case.family, case.name, case.kind, ran.code, ran.faults(), memory=ran.memory)
            result.cpu, result.said = ran.cpu / len(cases), ran.said[-600:]
            if outcome is None:
                result.faults += [] if ran.faults() else ["lost without a word"]
            else:
                result.code = outcome.code if len(cases) > 1 else ran.code
                losses = self.losses(case, Path(folder, "in", place), outcome, result, folder, recognise=not quick)
                if not ran.faults() and (losses or result.lost > 1 - ENOUGH):
                    unsure.append(len(results))
                result.faults += losses
            results.append(result)
        return results, unsure

    def _read(self, cases: Sequence[Case], folder: Path, quick: bool) -> tuple[list[str], Ran]:
        for name in ("in", "out"):
            shutil.rmtree(folder / name, ignore_errors=True)
        (folder / "in").mkdir()
        (folder / "report.json").unlink(missing_ok=True)
        places = [f"{number:03}{Path(case.name).suffix}" for number, case in enumerate(cases)]
        for case, place in zip(cases, places, strict=True):
            Path(folder, "in", place).write_bytes(case.data)
        words = ["parse", "in", "-o", "out", "--format", "json", "--figures", "none", "--report", "report.json", "-q"]
        words += ["--page-timeout", str(CPU_SECONDS)]
        words += ["--model", str(self._worker.model), *QUICK] if quick else []
        return places, self._worker.docspec(*words, cwd=folder, quick=quick, files=len(cases))

    def losses(
        self, case: Case, path: Path, outcome: Outcome, result: Result, folder: Path, recognise: bool
    ) -> list[str]:
        """What of the file at ``path`` is in no output and no event; ``result`` hears what was said and which share of
        the original's words is not there."""
        result.marked, result.missing = outcome.is_marked, outcome.missing
        if result.marked or outcome.error:
            return []
        seen = self._worker.look(path, recognise=recognise, folder=folder)
        found = []
        if len(outcome.pages) < max(seen["pages"], _pages_by_qpdf(path)):
            found.append("pages lost in silence")
        if case.full and "blank" in outcome.pages:
            found.append("text lost in silence: a page is called blank")
        still = words_of("\n".join(seen["texts"])) | words_of("\n".join(seen["seen"]))
        # A crafted file is its own original; words that stand upon each other are seen as one.
        words = case.words & still if case.words else Counter(dict.fromkeys(still, 1))
        if share_of(words, outcome.text) < ENOUGH:
            result.doubtful = recognise and outcome.is_doubtful  # the quick way's model knows no word
            found += [] if result.doubtful else ["words lost in silence"]
        result.lost = round(1 - share_of(case.words, outcome.text), 3)
        return found


class Outcome:
    """What a run's report and its output say of one document."""

    def __init__(self, entry: dict[str, Any], output: Path) -> None:
        self.pages: list[str] = [page["status"] for page in entry["pages"]]
        self.error: str | None = entry.get("error")
        kinds = {event["kind"] for page in entry["pages"] for event in page["events"]}
        read = [page for page in entry["pages"] if page["status"] == "ok"]
        self.is_doubtful = bool(read) and all("doubtful" in page for page in read)
        self.is_marked = bool(kinds & SAYS) or "failed" in self.pages or entry["status"] != "ok"
        self.missing = sum(page["words"]["missing"] for page in read if "words" in page)
        self.is_alarm = bool(kinds & DAMAGE) or "failed" in self.pages or entry["status"] != "ok"
        self.code = 1 if self.error else 3 if self.is_marked else 0
        self.text = ""
        if output.is_file():
            written = json.loads(output.read_text())["pages"]
            self.text = "\n".join(block["text"] for page in written for block in page["blocks"])


def _outcomes(folder: Path) -> dict[str, Outcome]:
    """By name below the folder ``in``."""
    try:
        report = json.loads((folder / "report.json").read_text())
    except (OSError, ValueError):
        return {}
    found = {}
    for entry in report["documents"]:
        name = Path(entry["source"]).name
        found[name] = Outcome(entry, folder / "out" / f"{Path(name).stem}.json")
    return found


def _pages_by_qpdf(path: Path) -> int:
    """The page count of one more who can tell, where it is installed."""
    if path.suffix != ".pdf" or not shutil.which("qpdf"):
        return 0
    try:
        command = ["qpdf", "--show-npages", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return 0
    last = (done.stdout.split() or [""])[-1]
    return int(last) if last.isdigit() else 0
