"""A cluster of this machine reads what one process reads, to the byte; bad files and killed runs are as anywhere.

Ray is an extra of 400 MB: without it these tests are skipped.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest
from folder_runs import documents, tree
from scripted_parser import child_environment

pytest.importorskip("ray")
pytest.importorskip("pyarrow")


def parse(source: Path, out: Path, model: Path, *args: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "docspec", "parse", str(source), "-o", str(out), "--model", str(model)]
    command += ["--drafter", "text-layer", "--max-tokens", "12", *args]
    environment = child_environment(PYTHONPATH=":".join(filter(None, sys.path)))
    return subprocess.run(command, capture_output=True, env=environment, timeout=600, check=False)


@pytest.mark.slow
def test_a_cluster_writes_what_one_process_writes(tmp_path: Path, lively_qwen: Path) -> None:
    source = tmp_path / "in"
    (source / "sub").mkdir(parents=True)
    for name, pages in (("a.pdf", 1), ("sub/b.pdf", 3), ("c.pdf", 2)):
        document = pymupdf.open()
        for number in range(pages):
            document.new_page(width=200, height=150).insert_text((20, 40), f"{name}, page {number}")
        document.save(source / name)
    (source / "bad.pdf").write_bytes(b"words")
    one, many = tmp_path / "one", tmp_path / "many"
    assert parse(source, one, lively_qwen).returncode == 3
    done = parse(source, many, lively_qwen, "--engine", "ray", "--ray-drafters", "2")
    assert done.returncode == 3, done.stderr.decode()
    assert b"4 of 4 documents, 1 failed; 6 pages" in done.stderr and b"(MapWorker" not in done.stderr
    assert tree(many) == tree(one)
    for found in (facts_one := documents(one)), (facts_many := documents(many)):
        for each in found.values():
            del each["steps"]  # how fast it went
    assert facts_one == facts_many
    again = parse(source, many, lively_qwen)
    assert again.returncode == 3 and b"3 done before, 1 failed before" in again.stderr, "the engines share a manifest"
