"""One worker of the campaign: loads everything once, then parses every file in a forked copy of itself.

So each file meets the real command line in a process of its own, with its own exit code, its own child that opens and
draws, and its own death, at the price of a fork and that child. The model is tiny and random and writes four tokens:
what is tried is everything before it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

CPU_SECONDS = 30
"""Processor seconds that a page may take, and a file without pages."""
WALL_SECONDS = 600
MEMORY = 2 * 2**30
"""Bytes in use at any moment, the loaded libraries among them."""
CODES = {0, 1, 2, 3}


def warm(model: Path) -> None:
    """Imports what a run needs and replaces what costs time and is not under trial: loading and OCR."""
    import docspec.cli
    from docspec.cli import batch
    from docspec.core import ParseOptions
    from docspec.isolation.pool import Isolation
    from docspec.parser import Parser
    from tests.campaign.drafter import text_only

    kept = Parser(
        ParseOptions(model=str(model), device="cpu", dtype="float32", stages="none", drafter="none")
    )
    loaded = kept.loaded

    def make_parser(options: Any, observer: Any, devices: Any) -> Parser:
        parser = Parser(options, observer)
        parser.__dict__["loaded"] = loaded
        parser._isolation = Isolation(options, text_only)
        return parser

    batch.make_parser = make_parser
    assert docspec.cli.main


def parse(path: Path, model: Path, out: Path) -> int:
    """The exit code of ``docspec parse`` on ``path``; runs in the forked child."""
    from docspec.cli import main

    words = ["docspec", "parse", str(path), "-o", str(out), "--figures", "none", "--dpi", "50", "-q"]
    words += ["--page-timeout", str(CPU_SECONDS)]
    sys.argv = [*words, "--model", str(model), "--device", "cpu", "--stages", "none", "--max-tokens", "4"]
    try:
        code = main()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 1
    return int(code or 0)


def run(path: Path, model: Path, folder: Path) -> dict[str, Any]:
    """What became of one file."""
    out, err = folder / "out.json", folder / "err.txt"
    out.unlink(missing_ok=True)
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        with err.open("wb") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        code = 99
        try:
            code = parse(path, model, out)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    status, usage, peak, stopped = _wait(child, started)
    seconds = usage.ru_utime + usage.ru_stime
    said = err.read_text(errors="replace")
    pages = _pages(out)
    return {
        "code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
        "stopped": stopped,
        "cpu": round(seconds, 2),
        "wall": round(time.monotonic() - started, 2),
        "memory": peak,
        "traceback": "Traceback (most recent call last)" in said,
        "unexpected": re.findall(r"unexpected [A-Z]\w+[^\n]*", said)[:1],
        "statuses": None if pages is None else [page["status"] for page in pages],
        "said": said[-600:],
    }


def _wait(child: int, started: float) -> tuple[int, resource.struct_rusage, int, str]:
    """Waits for the child and kills it beyond the limits: its status, its use, its peak memory, why it was killed."""
    peak, stopped = 0, ""
    while True:
        done, status, usage = os.wait4(child, os.WNOHANG)
        if done:
            return status, usage, max(peak, 0), stopped
        memory, cpu = map(sum, zip(_use_of(child), *map(_use_of, _children(child)), strict=True))
        peak = max(peak, memory)
        if not stopped:
            if memory > MEMORY:
                stopped = "memory"
            elif cpu > 10 * CPU_SECONDS or time.monotonic() - started > WALL_SECONDS:
                stopped = "time"
            if stopped:
                os.kill(child, signal.SIGKILL)
        time.sleep(0.02)


def _children(process: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():  # each thread has its own children
            found += map(int, (task / "children").read_text().split())
    return found


def _use_of(child: int) -> tuple[int, float]:
    try:
        resident = int(Path(f"/proc/{child}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    except (OSError, IndexError):
        return 0, 0.0
    return resident, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _pages(out: Path) -> list[dict[str, Any]] | None:
    try:
        pages: list[dict[str, Any]] = json.loads(out.read_text())["pages"]
    except (OSError, ValueError, KeyError):
        return None
    return pages


def main() -> None:
    """``python -m tests.campaign.worker MODEL FOLDER``: a path a line on standard input, a result a line out."""
    model, folder = Path(sys.argv[1]), Path(sys.argv[2])
    answers = os.fdopen(os.dup(1), "w")
    os.environ["OMP_NUM_THREADS"] = "1"
    warm(model)
    for line in sys.stdin:
        answers.write(json.dumps(run(Path(line.rstrip("\n")), model, folder)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
