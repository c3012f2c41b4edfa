"""A run over a folder by a real process, and what it leaves: the tree byte by byte, the manifest without times."""

from __future__ import annotations

import json
import os
import random
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from scripted_parser import HALT, child_environment, forked, run_child

from tests.forked import ForkedRun

MANIFEST = "docspec.manifest.jsonl"
VOLATILE = ("seconds", "finished", "modified", "input")


def inputs(folder: Path, names: list[str]) -> Path:
    """Files that pass for PDFs, each with bytes of its own."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"%PDF-1.7 scripted " + os.fsencode(name) + b"\n")
    return folder


def parse(source: Path | str, out: Path, *args: str, pages: int = 3, **more: Any) -> Any:
    """``docspec parse SOURCE -o OUT ARGS`` to its end."""
    return run_child(["parse", str(source), "-o", str(out), *args], pages=pages, **more)


def begun(
    source: Path, out: Path, *args: str, pages: int = 3, page_seconds: float = 0.0, halt: str = ""
) -> subprocess.Popen[bytes]:
    """The same, going on; its messages come through ``stderr``. It waits before page ``halt`` (``a.pdf page 2``)."""
    return ForkedRun(
        forked(["parse", str(source), "-o", str(out), *args], pages=pages, page_seconds=page_seconds),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=child_environment(**{HALT: halt}),
    )


def kill_and_go_on(source: Path, out: Path, kills: int, seed: int) -> None:
    """Starts ``docspec parse`` again and again, kills it ``kills`` times while it runs, and lets the last one end."""
    draw, page_seconds = random.Random(seed), 0.02
    for _ in range(kills):
        process = begun(source, out, "-v", page_seconds=page_seconds)
        assert process.stderr is not None
        for _ in range(draw.randrange(1, 5)):  # events of its own, so that slow machines die at the same places
            while (line := process.stderr.readline()) and b" page " not in line:
                continue
        threading.Thread(target=process.stderr.read, daemon=True).start()
        time.sleep(draw.uniform(0, 1.5 * page_seconds))
        process.kill()
        process.wait()
    parse(source, out)


def lines(out: Path, name: str = MANIFEST) -> list[dict[str, Any]]:
    """The lines of a manifest."""
    return [json.loads(line) for line in (out / name).read_text(encoding="utf-8").splitlines()]


def documents(out: Path) -> dict[str, dict[str, Any]]:
    """The last line about each document, by document, without what differs from run to run."""
    found = {}
    for path in sorted(out.glob("docspec.manifest*.jsonl")):
        for line in lines(out, path.name):
            if line["record"] == "document":
                found[line["document"]] = {k: v for k, v in line.items() if k not in VOLATILE}
    return dict(sorted(found.items()))


def tree(out: Path) -> dict[str, bytes]:
    """Every file below ``out`` but the manifests, hidden ones included."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and not path.name.startswith("docspec.manifest")
    }
