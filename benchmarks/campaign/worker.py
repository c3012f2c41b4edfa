"""One worker of the campaign: loads everything once, then runs each command in a forked copy of itself.

So each batch of files meets the real command line in a process of its own, with its own exit code, its own children
that open and draw, and its own death, at the price of a fork. Two ways: ``quick`` has a tiny random model that writes
four tokens and a drafter that knows text layers alone, so that what is tried is everything before them; without it
nothing is replaced.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
import traceback
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docspec.drafting.recogniser import Recogniser

CPU_SECONDS = 30
"""Processor seconds that a page may take, and a file without pages."""
WALL_SECONDS = 900
MEMORY = 2 * 2**30
"""Bytes in use at any moment, the loaded libraries among them."""
CODES = {0, 1, 2, 3}
"""The documented exit codes of a run that nobody stops."""


LATE = (
    "docspec.cli.app",
    "docspec.corpus.journal",
    "docspec.drafting.recogniser",
    "docspec.reporting.totals",
    "docspec.targets.registry",
    "pydantic",
    "pymupdf",
)
"""What runs import when they need it; a fork that has it already is quicker."""


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int | None
    signal: int | None
    stopped: str
    cpu: float
    wall: float
    memory: int
    said: str

    def faults(self) -> list[str]:
        """What is wrong with it, whatever it was given; nothing where it ended as documented."""
        found = []
        if self.stopped:
            found.append(f"out of {self.stopped}")
        elif self.signal is not None:
            found.append("crash")
        elif self.code not in CODES:
            found.append("undocumented exit code")
        if "Traceback (most recent call last)" in self.said:
            found.append("traceback")
        if re.search(r"unexpected [A-Z]\w+", self.said):
            found.append("unexpected error")
        return found


class Worker:
    """The campaign's side of a worker, which is started anew where it dies. ``model`` is the tiny checkpoint."""

    def __init__(self, model: Path) -> None:
        self.model = model
        self._process: subprocess.Popen[str] | None = None

    def docspec(
        self, *words: str | Path, cwd: Path, quick: bool = True, files: int = 1, keep_journals: bool = False
    ) -> Ran:
        """``docspec WORDS`` in ``cwd``, over so many files of a page or two."""
        asked = {"words": list(map(str, words)), "quick": quick, "keep_journals": keep_journals, "files": files}
        return Ran(**self._answer(asked, cwd))

    def look(self, path: Path, recognise: bool, folder: Path) -> dict[str, Any]:
        """What MuPDF itself finds in a file, and the recogniser on the pages of a PDF: ``{"pages": count, "texts":
        [...], "seen": [...]}``; of a file that cannot be looked at, no pages."""
        found = folder / "look.json"
        found.unlink(missing_ok=True)
        self._answer({"look": str(path), "recognise": recognise, "to": str(found), "files": 4}, folder)
        try:
            answer: dict[str, Any] = json.loads(found.read_text())
        except (OSError, ValueError):
            return {"pages": 0, "texts": [], "seen": []}
        return answer

    def close(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait()

    def _answer(self, asked: dict[str, Any], cwd: Path) -> dict[str, Any]:
        if self._process is None or self._process.poll() is not None:
            command = [sys.executable, "-m", "benchmarks.campaign.worker", str(self.model)]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked | {"cwd": str(cwd)}) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the worker itself died at {asked}")
        result: dict[str, Any] = json.loads(answer)
        return result


def warm(model: Path) -> Any:
    """Imports what a run needs, and gives what makes quick parsers."""
    from benchmarks.campaign.drafter import text_only
    from docspec.core import ParseOptions
    from docspec.isolation.pool import Isolation
    from docspec.parser import Parser

    kept = Parser(ParseOptions(model=str(model), device="cpu", dtype="float32", stages="none", drafter="none"))
    loaded = kept.loaded

    def make_parser(options: Any, observer: Any, devices: Any) -> Parser:
        parser = Parser(options, observer)
        if options.model == str(model):
            parser.loaded = loaded
        if options.drafter == "auto":
            parser._stream.isolation = Isolation(options, text_only)
        return parser

    for name in LATE:
        importlib.import_module(name)
    return make_parser


def _command(asked: dict[str, Any], make_parser: Any) -> int:
    """The exit code of the command; runs in the forked child."""
    from docspec.cli import batch, main

    if asked["quick"]:
        batch.make_parser = make_parser
    if asked["keep_journals"]:
        from docspec.corpus.journal import Journal

        Journal.remove = Journal.close  # type: ignore[method-assign]
    sys.argv = ["docspec", *asked["words"]]
    try:
        main()
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 1
    return 0


@cache
def _recogniser() -> Recogniser:
    """Loaded, so that forks have it."""
    from PIL import Image

    from docspec.drafting.recogniser import Recogniser

    found = Recogniser(1)
    found.read_page(Image.new("RGB", (64, 64), "white"))
    return found


def _look(asked: dict[str, Any]) -> int:
    import pymupdf
    from PIL import Image, ImageSequence

    texts, seen, recogniser = [], list[str](), _recogniser() if asked["recognise"] else None
    path = Path(asked["look"])
    if path.suffix == ".pdf":
        with pymupdf.open(path) as pdf:
            for page in pdf:
                texts.append(page.get_text(clip=page.rect))
                if recogniser is not None:
                    pixels = page.get_pixmap(dpi=150, alpha=False)
                    image = Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)
                    seen += (line.text for line in recogniser.read_page(image)[0])
    elif recogniser is not None:
        with Image.open(path) as frames:
            count = getattr(frames, "n_frames", 1) if frames.format == "TIFF" else 1
            for frame in list(ImageSequence.Iterator(frames))[:count] if count > 1 else [frames]:
                lines = recogniser.read_page(frame.convert("RGB"))[0]
                texts.append("\n".join(line.text for line in lines))
    Path(asked["to"]).write_text(json.dumps({"pages": len(texts), "texts": texts, "seen": seen}))
    return 0


def run(asked: dict[str, Any], make_parser: Any) -> dict[str, Any]:
    """What became of one command."""
    if asked.get("recognise"):
        _recogniser()
    err = Path(asked["cwd"], ".said")
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.chdir(asked["cwd"])
        with err.open("wb") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        code = 99
        try:
            code = _look(asked) if "look" in asked else _command(asked, make_parser)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    status, usage, peak, stopped = _wait(child, started, 2 * CPU_SECONDS * asked["files"])
    return {
        "code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
        "stopped": stopped,
        "cpu": round(usage.ru_utime + usage.ru_stime, 2),
        "wall": round(time.monotonic() - started, 2),
        "memory": peak,
        "said": err.read_text(errors="replace")[-20_000:],
    }


def _wait(child: int, started: float, seconds: float) -> tuple[int, resource.struct_rusage, int, str]:
    """Waits for the child and kills it beyond the limits: its status, its use, its peak memory, why it was killed."""
    peak, stopped = 0, ""
    while True:
        done, status, usage = os.wait4(child, os.WNOHANG)
        if done:
            return status, usage, peak, stopped
        memory, cpu = map(sum, zip(_use_of(child), *map(_use_of, _children(child)), strict=True))
        peak = max(peak, memory)
        if not stopped:
            if memory > 2 * MEMORY:  # the process and its child have one each
                stopped = "memory"
            elif cpu > seconds or time.monotonic() - started > WALL_SECONDS:
                stopped = "time"
            if stopped:
                os.killpg(child, signal.SIGKILL)
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


def main() -> None:
    """``python -m benchmarks.campaign.worker MODEL``: a request a line on standard input, an answer a line out."""
    answers = os.fdopen(os.dup(1), "w")
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["XDG_CONFIG_HOME"] = "/nowhere"
    make_parser = warm(Path(sys.argv[1]))
    for line in sys.stdin:
        answers.write(json.dumps(run(json.loads(line), make_parser)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
