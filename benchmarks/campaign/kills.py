"""``python -m benchmarks.campaign.kills``: runs over a folder are killed and signalled at random moments, in earnest.

The real command with a tiny random model reads a folder of PDFs. It is killed (``kill -9``): the process itself, its
whole group, a child that opens and drafts, a worker that holds the model of a device. After each: no file that is half
written, no process left behind; a run whose child or worker was killed ends by itself, in words; and the same command,
given again, ends with the files and the manifest of a run that nobody disturbed. Signals are sent in the first two
seconds: the run ends at once, with the signal's exit code and a line that says so. Beside other work all times are
longer, by as many processes as wait for a core. Results are kept in ``--out``; the same command goes on where it
stopped.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.campaign.__main__ import commit
from benchmarks.campaign.raw import document, text

ROOT = Path(__file__).parents[2]
MANIFEST = "docspec.manifest.jsonl"
VOLATILE = ("seconds", "finished", "modified", "input", "attempts")
TARGETS = ("parent", "group", "child", "worker")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
IN_A_ROW = 5
"""Kills of a run before it is let go to its end: of the run itself. One whose child was killed goes to its end at once,
and has nothing left to do for another."""
EARLY = 2.0
"""Seconds within which signals are sent."""
YOUNG = 1.5
"""Seconds of a child's life within which it is killed: those of so small documents live no longer."""
PATIENCE = 180.0
"""Seconds for a run to end."""
LATE = 20.0
"""Seconds after a signal within which a run ends."""


def beside(seconds: float) -> float:
    """How long that takes now which takes so many seconds on an idle machine."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class Runs:
    """The command over ``folder/in``, with ``devices`` in processes of their own."""

    def __init__(self, folder: Path, devices: bool = False) -> None:
        self.folder = folder
        self._words = ["parse", "in", "--model", "model", "--words", "model", "--max-tokens", "12", "-v"]
        self._words += ["--drafter", "text-layer", "--dpi", "60", "--set", "stages=page"]
        self._words += ["--devices", "cpu,cpu"] if devices else ["--device", "cpu"]

    def begin(self, out: str, *more: str) -> subprocess.Popen[bytes]:
        """The command, going on in a session of its own; what it says goes to a file beside ``out``."""
        with (self.folder / "said").open("wb") as said:
            return subprocess.Popen(
                [sys.executable, "-m", "docspec", *self._words, "-o", out, *more],
                cwd=self.folder,
                stdout=said,
                stderr=said,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "XDG_CONFIG_HOME": "/nowhere"},
                preexec_fn=_hear_signals,
            )

    def end(self, process: subprocess.Popen[bytes]) -> int | None:
        """Its exit code; ``None`` where it does not end."""
        try:
            return process.wait(beside(PATIENCE))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None

    @property
    def said(self) -> str:
        return (self.folder / "said").read_text(errors="replace")

    def state(self, out: str) -> tuple[dict[str, bytes], dict[str, Any]]:
        """Files (hidden ones too) and what the manifest says of documents."""
        folder = self.folder / out
        paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != MANIFEST]
        lines = [json.loads(line) for line in (folder / MANIFEST).read_text().splitlines()]
        records = {
            line["document"]: {name: value for name, value in line.items() if name not in VOLATILE}
            for line in lines
            if line["record"] == "document"
        }
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}, records


def _hear_signals() -> None:
    """What a job in the background ignores, its children would too."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def made(folder: Path) -> Path:
    """A folder with documents and a tiny model in it."""
    from training.reader.checkpoint import init

    (folder / "in" / "sub").mkdir(parents=True)
    for number in range(9):
        pages = [text(f"Document {number}, page {page}", "and a line") for page in range(1 + number % 3)]
        (folder / "in" / ("sub" if number % 2 else "") / f"{number}.pdf").write_bytes(document(*pages))
    (folder / "in" / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    init(folder / "model", size="tiny", seed=1)
    return folder


def family(pid: int) -> dict[int, int]:
    """The processes of a session, its leader last, and the parent of each."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            fields = entry.read_text().rpartition(")")[2].split()
            if int(fields[3]) == pid and fields[0] != "Z":
                found[int(entry.parent.name)] = int(fields[1])
    return dict(sorted(found.items(), key=lambda each: each[0] == pid))


def drawing(pid: int) -> list[int]:
    """The processes of a session that open, draw and draft: without a model, and parent of none (the one that they are
    forked from serves nothing)."""
    processes = family(pid)
    return [one for one in processes if one not in {pid, *processes.values()} and not holds_a_model(one)]


def holds_a_model(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return "libtorch_cpu" in Path(f"/proc/{pid}/maps").read_text()
    return False


def gone(pid: int, seconds: float = 10.0) -> bool:
    """Whether no process of the session is left, at the latest after so many seconds."""
    end = time.monotonic() + beside(seconds)
    while family(pid):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


class Killing:
    """Kills of one kind of process. ``whole`` is what an undisturbed run leaves, ``seconds`` how long it
    takes on an idle machine."""

    def __init__(self, runs: Runs, target: str, draw: random.Random) -> None:
        self._runs, self._target, self._draw = runs, target, draw
        shutil.rmtree(runs.folder / "whole", ignore_errors=True)
        began = time.monotonic()
        assert runs.end(runs.begin("whole")) == 3, runs.said
        self._seconds = (time.monotonic() - began) / beside(1)
        self._whole = runs.state("whole")

    def row(self) -> Iterator[tuple[str, list[str]]]:
        """What was done, and what was wrong after it: kills of a row, and the run that is let go to its end."""
        shutil.rmtree(self._runs.folder / "out", ignore_errors=True)
        for _ in range(IN_A_ROW if self._target in ("parent", "group") else 1):
            hit, faults = self._kill()
            yield self._target if hit else f"{self._target}, missed", faults
        code = self._runs.end(self._runs.begin("out", "--retry-failed"))
        faults = [] if code == 3 else [f"exit code {code} at the end"]
        if self._runs.state("out") != self._whole:
            faults.append("other files or another manifest than undisturbed")
        yield f"{self._target}, to the end", faults + _words(self._runs.said)

    def _kill(self) -> tuple[bool, list[str]]:
        """Whether there was anything to kill at a random moment of the run, or of a child's first seconds, and what was
        wrong afterwards."""
        runs = self._runs
        children = self._target in ("child", "worker")
        process = runs.begin("out", *(["--retry-failed"] if children else []))
        while children and process.poll() is None and not self._children(process.pid):
            time.sleep(0.01)
        moment = time.monotonic() + self._draw.uniform(0.1, 0.9) * beside(YOUNG if children else self._seconds)
        while time.monotonic() < moment and process.poll() is None:
            time.sleep(0.01)
        faults: list[str] = []
        hit = process.poll() is None
        if self._target in ("parent", "group"):
            with contextlib.suppress(ProcessLookupError):
                (os.kill if self._target == "parent" else os.killpg)(process.pid, signal.SIGKILL)
            process.wait()
        else:
            found = self._children(process.pid)
            hit = bool(found)
            for pid in found[:1]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            code = runs.end(process)
            faults += [] if code == 3 else [f"exit code {code} where a {self._target} was killed"]
            faults += _words(runs.said)
        if not gone(process.pid):
            faults.append("a process left behind")
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        return hit, faults + self._half_written()

    def _children(self, parent: int) -> list[int]:
        """Those of the kind that is killed: with a model, or without."""
        if self._target == "child":
            return drawing(parent)
        return [pid for pid in family(parent) if pid != parent and holds_a_model(pid)]

    @property
    def said(self) -> str:
        return self._runs.said

    def _half_written(self) -> list[str]:
        out = self._runs.folder / "out"
        found = []
        for path in out.rglob("*") if out.is_dir() else ():
            name = path.relative_to(out).as_posix()
            hidden = path.name.startswith(".docspec-") or path.parent.name.startswith(".docspec-")
            if path.is_file() and not hidden and path.name != MANIFEST:
                written = path.read_bytes()
                is_whole = written == self._whole[0].get(name) or b"could not be read" in written
                found += [] if is_whole else [f"{name} is half written"]
        return found


def signalled(runs: Runs, draw: random.Random) -> list[str]:
    """What is wrong with how a run ends that is sent a signal."""
    number = draw.choice(SIGNALS)
    shutil.rmtree(runs.folder / "out", ignore_errors=True)
    process = runs.begin("out")
    time.sleep(draw.uniform(0, beside(EARLY)))
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(number)
    sent = time.monotonic()
    code = runs.end(process)
    taken = time.monotonic() - sent
    said = runs.said
    if is_of_python(said):
        return [] if gone(process.pid) else ["a process left behind"]
    faults = _words(said)
    if code == -number:  # before Python, or docspec, had taken the signal up
        faults += [] if not said else [f"died of {number.name} after it had spoken"]
    elif code != 128 + number:
        faults.append(f"exit code {code} after {number.name}")
    elif "interrupted" not in said:
        faults.append(f"ended by {number.name} without a word")
    if taken > beside(LATE):
        faults.append(f"ended after {taken:.0f} s")
    return faults if gone(process.pid) else [*faults, "a process left behind"]


def is_of_python(said: str) -> bool:
    """Whether an interrupt came while Python itself began, before it ran a line of docspec's command."""
    files = set(re.findall(r'/docspec/([\w/]+\.py)", line', said))
    return said.rstrip().endswith("KeyboardInterrupt") and files <= {"__main__.py", "__init__.py"}


def _words(said: str) -> list[str]:
    """What no run says."""
    return [fault for fault in ("Traceback (most recent call last)", "unexpected ") if fault in said]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.campaign.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--signals", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("kills.jsonl"), help="where the results are kept")
    parser.add_argument("--minutes", type=float, default=600, help="ends before a row that would begin later")
    asked = parser.parse_args()
    lines = [json.loads(line) for line in asked.out.read_text().splitlines()] if asked.out.exists() else []
    end, at = time.monotonic() + 60 * asked.minutes, commit()

    def note(what: str, number: int, faults: list[str], said: str = "") -> None:
        line = {"what": what, "number": number, "faults": faults, "commit": at}
        lines.append(line | ({"said": said[-2000:]} if faults else {}))
        with asked.out.open("a") as out:
            out.write(json.dumps(lines[-1]) + "\n")

    with tempfile.TemporaryDirectory() as scratch:
        folder = made(Path(scratch))
        for number in range(sum(line["what"] == "signal" for line in lines), asked.signals):
            if time.monotonic() > end:
                break
            runs = Runs(folder)
            note("signal", number, signalled(runs, random.Random(f"signal {asked.seed} {number}")), runs.said)
        killings: dict[str, Killing] = {}
        hits = Counter(line["what"] for line in lines)
        while time.monotonic() < end:
            target = min(TARGETS, key=lambda one: hits[one])
            if hits[target] >= asked.kills // len(TARGETS):
                break
            if target not in killings:
                runs = Runs(folder, devices=target == "worker")
                killings[target] = Killing(runs, target, random.Random(f"{target} {asked.seed} {hits[target]}"))
            for what, faults in killings[target].row():
                note(what, hits[what], faults, killings[target].said)
                hits[what] += 1
    failed = [line for line in lines if line["faults"]]
    counts = Counter(line["what"] for line in lines)
    told = ", ".join(f"{what}: {count}" for what, count in counts.items())
    print(f"{told}; at {', '.join(sorted({line['commit'] for line in lines}))}")
    for line in failed:
        print(f"  {line['what']} {line['number']}: {', '.join(line['faults'])}")
    print("faults: " + (str(len(failed)) if failed else "none"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
