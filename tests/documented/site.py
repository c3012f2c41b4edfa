"""The folder in which documented commands run: the files that pages name, all of them a small sample."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pymupdf

from tests.benchmarks.made_suites import ocean_ocr, olmocr_bench, omnidocbench
from tests.forked import ROOT
from training.reader.checkpoint import init

VLLM = """
import argparse, threading
from tests.generation.stand_in import StandIn

words = argparse.ArgumentParser()
words.add_argument("--port", type=int)
words.add_argument("--served-model-name")
told, _ = words.parse_known_args()
StandIn(model=told.served_model_name, port=told.port)
threading.Event().wait()
"""
"""A vLLM that answers each request with one word."""


def made_site(folder: Path) -> Path:
    """Fills ``folder``."""
    shutil.copy(ROOT / "samples/notes.pdf", folder / "input.pdf")
    shutil.copy(ROOT / "samples/notes.md", folder / "input.md")
    shutil.copy(ROOT / "samples/notes-scan.pdf", folder / "scan.pdf")
    with pymupdf.open(ROOT / "samples/notes.pdf") as document:
        document[0].get_pixmap(dpi=100).save(folder / "letter.jpg")
    for name in ("in", "pages", "sets/made"):
        (folder / name).mkdir(parents=True)
        shutil.copy(folder / "input.pdf", folder / name / "a.pdf")
        shutil.copy(folder / "input.md", folder / name / "a.md")
    (folder / "names").write_bytes(b"input.pdf\0")
    init(folder / "tiny-model", size="tiny", seed=1)
    (folder / "docspec/reader").mkdir(parents=True)
    (folder / "docspec/reader/mini").symlink_to(ROOT / "docspec/reader/mini")
    api = folder / "stand-ins/vllm/entrypoints/openai/api_server.py"
    api.parent.mkdir(parents=True)
    api.write_text(VLLM)
    for name, make in (("omnidocbench", omnidocbench), ("ocean-ocr", ocean_ocr), ("olmocr-bench", olmocr_bench)):
        (folder / "sets" / name).mkdir(parents=True)
        make(folder / "sets" / name)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for words in (
        "input.pdf -o out.json --format json",
        "input.pdf -o made.md --words model --max-tokens 8 --report report.json",
        "in/ -o texts/",
    ):
        command = [sys.executable, "-m", "docspec", "parse", *words.split(), "--model", "tiny-model"]
        ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert ran.returncode in (0, 3), ran.stderr
    return folder
