"""``python -m tests.campaign --inputs DIR``: mutants of real PDFs and crafted ones, each parsed, each judged.

A file passes when its process ends by itself with a documented exit code, without a traceback, within the limits of
time and memory, and without silent loss: where it ended with 0 it wrote as many pages as the larger of MuPDF's and
qpdf's counts, and none of them blank that held text before the file was damaged.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.campaign.crafted import crafted
from tests.campaign.mutants import mutant
from tests.campaign.worker import CODES, CPU_SECONDS

REFERENCE = "import pymupdf, sys; print(pymupdf.open(sys.argv[1]).page_count)"


@dataclass(frozen=True)
class Case:
    """One file of the campaign. ``texts`` says whether every page of the undamaged original held text."""

    name: str
    kind: str
    data: bytes
    texts: bool = False


@dataclass
class Shelf:
    """The cases still to be run and the results so far, shared by the workers' threads."""

    cases: Iterator[Case]
    results: list[dict[str, Any]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self) -> Case | None:
        with self.lock:
            return next(self.cases, None)


def cases(inputs: Path, mutants: int, seed: int, with_crafted: bool) -> Iterator[Case]:
    """The crafted files, then mutants of the PDFs below ``inputs`` in turn (the ten with the fewest bytes)."""
    if with_crafted:
        for name, data in crafted().items():
            yield Case(name, "crafted", data)
    sources = sorted(inputs.rglob("*.pdf"), key=lambda path: path.stat().st_size)[:10]
    read = [(path.name, path.read_bytes(), _all_text(path)) for path in sources]
    for number in range(mutants if read else 0):
        name, data, texts = read[number // 8 % len(read)]
        kind, damaged = mutant(data, seed + number)
        yield Case(f"{name} #{seed + number}", kind, damaged, texts)


def _all_text(path: Path) -> bool:
    import pymupdf

    with pymupdf.open(path) as pdf:
        return all(len(page.get_text().strip()) > 50 for page in pdf)


def faults(case: Case, result: dict[str, Any], counts: list[int]) -> list[str]:
    """What is wrong with how a case ended; nothing where it passed."""
    found = []
    pages = len(result["statuses"] or ())
    if result["stopped"]:
        found.append(f"out of {result['stopped']}")
    elif result["signal"] is not None:
        found.append("crash")
    elif result["code"] not in CODES:
        found.append("undocumented exit code")
    if result["traceback"]:
        found.append("traceback")
    if result["unexpected"]:
        found.append("unexpected error")
    if result["cpu"] > CPU_SECONDS * max(1, pages):
        found.append("too slow")
    if result["code"] == 0:
        if pages < max(counts, default=0):
            found.append("pages lost in silence")
        if case.texts and "blank" in (result["statuses"] or ()):
            found.append("text lost in silence")
    return found


def page_counts(path: Path) -> list[int]:
    """The page counts of those who can tell: MuPDF itself, and qpdf where it is installed."""
    commands = [[sys.executable, "-c", REFERENCE, str(path)]]
    if shutil.which("qpdf"):
        commands.append(["qpdf", "--show-npages", str(path)])
    counts = []
    for command in commands:
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        except subprocess.TimeoutExpired:
            continue
        words = done.stdout.split()
        if words and words[-1].isdigit():
            counts.append(int(words[-1]))
    return counts


def work(shelf: Shelf, model: Path, folder: Path) -> None:
    """Runs cases until none are left; a worker that dies is started anew."""
    folder.mkdir()
    command = [sys.executable, "-m", "tests.campaign.worker", str(model), str(folder)]
    worker: subprocess.Popen[str] | None = None
    while (case := shelf.next()) is not None:
        path = folder / "case.pdf"
        path.write_bytes(case.data)
        if worker is None or worker.poll() is not None:
            worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write(f"{path}\n")
        worker.stdin.flush()
        answer = worker.stdout.readline()
        if not answer:
            raise RuntimeError(f"the worker itself died at {case.name}")
        result = json.loads(answer)
        counts = page_counts(path) if result["code"] == 0 else []
        result |= {
            "name": case.name,
            "kind": case.kind,
            "counts": counts,
            "faults": faults(case, result, counts),
        }
        if not result["faults"]:
            result.pop("said")
        with shelf.lock:
            shelf.results.append(result)
    if worker is not None and worker.stdin is not None:
        worker.stdin.close()
        worker.wait()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    parser.add_argument("--inputs", type=Path, required=True, help="folder of real PDFs to damage")
    parser.add_argument("--out", type=Path, default=Path("campaign.json"), help="where the results go")
    parser.add_argument("--mutants", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-crafted", action="store_true")
    asked = parser.parse_args()
    from docspec.reader.checkpoint import init

    started = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        init(Path(scratch) / "model", size="tiny", seed=1)
        shelf = Shelf(cases(asked.inputs, asked.mutants, asked.seed, not asked.no_crafted))
        threads = [
            threading.Thread(target=work, args=(shelf, Path(scratch) / "model", Path(scratch) / str(job)))
            for job in range(asked.jobs)
        ]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            threads[0].join(30)
            _write(asked.out, shelf.results, time.monotonic() - started)
        _write(asked.out, shelf.results, time.monotonic() - started)
    failed = [result for result in shelf.results if result["faults"]]
    print(summary(shelf.results, time.monotonic() - started))
    for result in failed:
        print(f"  {result['name']} ({result['kind']}): {', '.join(result['faults'])}")
    return 1 if failed else 0


def summary(results: list[dict[str, Any]], seconds: float) -> str:
    """The figures of a campaign in three lines."""
    crafted_ones = sum(result["kind"] == "crafted" for result in results)
    codes = Counter(result["code"] for result in results)
    wrong = Counter(fault for result in results for fault in result["faults"])
    slowest = max((result["cpu"] for result in results), default=0)
    largest = max((result["memory"] for result in results), default=0)
    return (
        f"{len(results) - crafted_ones} mutants and {crafted_ones} crafted files in {seconds / 60:.0f} minutes\n"
        f"exit codes: {', '.join(f'{code}: {codes[code]}' for code in sorted(codes, key=str))}; "
        f"most processor time {slowest:.1f} s, most memory {largest / 2**30:.2f} GiB\n"
        f"faults: {', '.join(f'{fault}: {count}' for fault, count in wrong.most_common()) or 'none'}"
    )


def _write(out: Path, results: list[dict[str, Any]], seconds: float) -> None:
    out.write_text(json.dumps({"summary": summary(results, seconds), "results": results}, indent=1))


if __name__ == "__main__":
    sys.exit(main())
