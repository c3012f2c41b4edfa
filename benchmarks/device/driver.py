"""Runs the stages one after the other, each part as a process with a limit, and writes what it finds at once.

A part that crashes or hangs costs itself alone. The processes of the next stage import torch while the present one
runs; they begin when they are told how many seconds they have.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.device.findings import Finding, Findings, plain
from benchmarks.device.plan import LEAST_SECONDS, Stage
from benchmarks.device.summary import summary

GRACE = 6.0
"""Seconds that a part may go on beyond what it was told, to end by itself."""

LOG_LINES = 25

PART = "benchmarks.device.part"
"""The module that is started for a part."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """``data`` is the prepared folder; results come into ``out``. ``patience`` multiplies the limits of all parts;
    ``tiny`` takes small models and pages, for a test without a GPU."""

    data: Path
    out: Path
    device: str = "cuda"
    seconds: float = 440.0
    tiny: bool = False
    patience: float = 1.0


class PartProcess:
    """One part, importing until :meth:`go`."""

    def __init__(self, driver: Driver, part: str, most: float, threads: int) -> None:
        self.part, self.most, self.lines = part, most * driver.options.patience, 0
        self._driver = driver
        options = driver.options
        command = [sys.executable, "-u", "-m", PART, part, str(options.data), options.device]
        self._process = subprocess.Popen(
            command + ["--tiny"] * options.tiny,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=driver.log,
            text=True,
            start_new_session=True,
            env={**os.environ, **({"OMP_NUM_THREADS": str(threads)} if threads else {})},
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.strip():
                self._driver.add(self.part, parsed(line))
                self.lines += 1

    def go(self, seconds: float) -> None:
        """Lets it begin; it has ``seconds``."""
        self._began, self._seconds = time.monotonic(), seconds
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it is gone already, which wait() tells
            self._process.stdin.write(f"{seconds}\n")
            self._process.stdin.flush()

    def wait(self) -> None:
        """Until it ends or its limit is over, which is a finding."""
        try:
            code = self._process.wait(max(0.1, self._began + self._seconds + GRACE - time.monotonic()))
            how = "done" if code == 0 else f"exit {code}"
        except subprocess.TimeoutExpired:
            how = "killed at its limit"
        self.kill()
        self._reader.join(5)
        seconds = time.monotonic() - self._began
        self._driver.add(self.part, {"kind": "part", "how": how, "seconds": seconds})
        self._driver.say(f"{self.part}: {how}, {seconds:.1f} s, {self.lines} lines")

    def kill(self) -> None:
        """Ends it with all processes that it started."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)


class Driver:
    """Runs ``stages``; ``OUT/results.jsonl`` has the findings, ``log.txt`` what parts say, ``summary.txt`` the end."""

    def __init__(self, options: RunOptions, stages: Sequence[Stage]) -> None:
        options.out.mkdir(parents=True, exist_ok=True)
        self.options = options
        self.log = (options.out / "log.txt").open("a")
        self._stages = list(stages)
        self._results = (options.out / "results.jsonl").open("a")
        self._lock = threading.Lock()
        self._started = time.monotonic()
        self._found: list[Finding] = []

    def add(self, part: str, values: Finding) -> None:
        """Notes a finding, and writes it before anything else happens."""
        finding = {"part": part, **plain(values), "at": round(time.monotonic() - self._started, 1)}
        with self._lock:
            self._found.append(finding)
            self._results.write(json.dumps(finding) + "\n")
            self._results.flush()

    def say(self, text: str) -> None:
        print(f"[{time.monotonic() - self._started:6.1f} s] {text}", flush=True)

    def run(self) -> Findings:
        """All stages for which there is time. Ends where the first part of all finds nothing: nothing works there."""
        options = self.options
        told = {"device": options.device, "tiny": options.tiny, "seconds": options.seconds}
        self.add("driver", {"kind": "run", "commit": commit(options.data), "at_utc": _now(), **told})
        end = self._started + options.seconds
        waiting: list[PartProcess] = []
        try:
            waiting = self._processes(self._stages[0]) if self._stages else []
            for number, stage in enumerate(self._stages):
                left = end - time.monotonic()
                if left < LEAST_SECONDS:
                    skipped = [part for later in self._stages[number:] for part in later]
                    self.add("driver", {"kind": "skipped", "parts": skipped})
                    self.say(f"no time left for {', '.join(skipped)}")
                    break
                present, waiting = waiting, []
                for part in present:
                    part.go(min(part.most, left - GRACE))
                if number + 1 < len(self._stages):
                    waiting = self._processes(self._stages[number + 1])
                for part in present:
                    part.wait()
                if "facts" in stage and not any(part.lines for part in present):
                    self.say("nothing works here: stopped")
                    print("".join((options.out / "log.txt").read_text().splitlines(True)[-LOG_LINES:]), flush=True)
                    break
        finally:
            for part in waiting:
                part.kill()
            findings = Findings(self._found)
            text = summary(findings)
            (options.out / "summary.txt").write_text(text)
            print(text, flush=True)
        return findings

    def _processes(self, stage: Stage) -> list[PartProcess]:
        """The parts of a stage; those that run side by side share the processors."""
        threads = max(1, len(os.sched_getaffinity(0)) // len(stage)) if len(stage) > 1 else 0
        return [PartProcess(self, part, most, threads) for part, most in stage.items()]


def parsed(line: str) -> Finding:
    """A line of a part as a finding; one that is no JSON is what something ``said``."""
    try:
        found: Any = json.loads(line)
    except ValueError:
        found = None
    return found if isinstance(found, dict) and "kind" in found else {"kind": "said", "text": line.strip()[:500]}


def commit(data: Path | None = None) -> str:
    """The commit of the code here, ``-dirty`` where files were changed; where there is no git, that of ``data``."""
    try:
        asked = ["git", "describe", "--always", "--dirty", "--exclude=*"]
        return subprocess.run(asked, capture_output=True, text=True, check=True, timeout=20).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        about = data / "prepared.json" if data is not None else None
        return str(json.loads(about.read_text())["commit"]) if about is not None and about.is_file() else "unknown"


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
