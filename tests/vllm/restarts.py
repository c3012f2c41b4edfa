"""``python -m tests.vllm.restarts --python FILE``: documents are read through a real vLLM that is killed in the middle
and started again; nothing may be lost, and nothing read into its place twice.

Prints the figures and ends with 1 where a fact does not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pymupdf

from docspec.generation.vllm import VllmServer, VllmSettings, free_port
from docspec.targets.registry import BUNDLED

ROOT = Path(__file__).parents[2]
ARGUMENTS = ("--enforce-eager", "--max-model-len", "2048", "--max-num-seqs", "32")
WORDS = ("harbour", "winter", "signal", "copper", "meadow", "lantern", "violin", "granite", "silver", "window")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True)
    parser.add_argument("--documents", type=int, default=200)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "in"), Path(folder, "out")
        source.mkdir()
        for number in range(asked.documents):
            write(source / f"{number:03}.pdf", number)
        port, settings = free_port(), VllmSettings(str(BUNDLED), asked.python, ARGUMENTS, "float32")
        first = VllmServer(settings, tell, port)
        began = time.monotonic()
        words = f"--server {first.url} --words model --drafter text-layer --page-timeout 300"
        words += f" --report {folder}/report.json"
        run = subprocess.Popen(
            [sys.executable, "-m", "docspec", "parse", str(source), "-o", str(out), *words.split()],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        while len(list(out.glob("*.md"))) < asked.documents // 3 and run.poll() is None:
            time.sleep(0.05)
        family = psutil.Process(first.pid).children(recursive=True)
        for process in family:
            process.kill()
        before = len(list(out.glob("*.md")))
        tell(f"vLLM is killed (-9) with {before} of {asked.documents} documents written")
        first.close()
        killed = time.monotonic()
        second = VllmServer(settings, tell, port)
        away = time.monotonic() - killed
        code = run.wait(900)
        second.close()
        seconds = time.monotonic() - began
        report = json.loads(Path(folder, "report.json").read_text())
        lines = [json.loads(line) for line in (out / "docspec.manifest.jsonl").read_text().splitlines()]
        finished = [line["document"] for line in lines if line["record"] == "document"]
        texts = {path.stem: path.read_text() for path in out.glob("*.md")}
    [server] = report["engine"]["servers"]
    facts = {
        "it ended with 0": code == 0,
        "vLLM was killed in the middle": 0 < before < asked.documents,
        "every document is there once": sorted(finished) == sorted(set(finished))
        and len(finished) == asked.documents == len(texts),
        "with its own words": all(f"{int(name)}" in text.split()[0] for name, text in texts.items()),
        "no page failed": report["totals"]["failed"] == 0,
    }
    told = f"{server['answered']} requests answered, {server['failed']} attempts repeated"
    print(f"{asked.documents} documents in {seconds:.0f} s, vLLM away for {away:.0f} s of them: {told}")
    for fact, holds in facts.items():
        print(f"{'yes' if holds else 'NO '} {fact}")
    return 0 if all(facts.values()) else 1


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def write(path: Path, number: int) -> None:
    """A page of a few lines that begins with its number."""
    with pymupdf.open() as document:
        page = document.new_page(width=300, height=160)
        words = [WORDS[(number * 7 + index * 3) % len(WORDS)] for index in range(24)]
        lines = [f"{number} " + " ".join(words[:5]), *(" ".join(words[at : at + 6]) for at in (5, 11, 17))]
        page.insert_text((20, 40), lines, fontsize=12)
        document.save(path)


if __name__ == "__main__":
    sys.exit(main())
