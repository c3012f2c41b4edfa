"""A disk that is full (a real one, of a few KiB): one line that says so, nothing half-written is taken as done, and the
same command goes on once there is room."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from tests.forked import run_forked
from tests.small_disk import mount_point, mounted

DOCUMENTS, PAGES = 4, 3
WORDS = "Some words that fill the page, and with it the disk. " * 40


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with mount_point(tmp_path / "disk") as folder:
        yield folder


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(DOCUMENTS):
        with pymupdf.open() as document:
            for page in range(1, PAGES + 1):
                text = f"Document {number}, page {page}. {WORDS}"
                document.new_page().insert_textbox((50, 50, 550, 800), text, fontsize=10)
            document.save(folder / f"{number}.pdf")
    return folder


def parse(folder: Path, *more: str) -> Any:
    command = ["parse", "in", "-o", "disk/out/", *more]
    return run_forked(command, cwd=folder, timeout=170, text=True)


@pytest.mark.parametrize("size", ["8k", "24k", "44k"], ids=["the first page", "within a document", "a later document"])
def test_a_full_disk_ends_the_run_and_the_same_command_goes_on(
    tmp_path: Path, disk: Path, documents: Path, size: str
) -> None:
    assert mounted(disk, size)
    first = parse(tmp_path, "--report", "report.json")
    assert first.returncode == 1, first.stderr
    [said] = [line for line in first.stderr.splitlines() if "error" in line]
    assert "disk/out/" in said and "No space left on device" in said and "Traceback" not in first.stderr
    written = sorted(disk.glob("out/*.md"))
    assert len(written) < DOCUMENTS
    for path in written:
        assert path.read_text().count("Document ") == PAGES, "whole, or not there"
    assert subprocess.run(["mount", "-o", "remount,size=8m", str(disk)], check=True)
    again = parse(tmp_path)
    assert again.returncode == 0, again.stderr
    for number in range(DOCUMENTS):
        text = (disk / "out" / f"{number}.md").read_text()
        assert [f"Document {number}, page {page}." in text for page in range(1, PAGES + 1)] == [True] * PAGES
    left = {path.name for path in (disk / "out").iterdir()} - {f"{number}.md" for number in range(DOCUMENTS)}
    assert left == {"docspec.manifest.jsonl"}


def test_a_log_on_a_full_disk_ends_and_the_run_does_not(tmp_path: Path, disk: Path, documents: Path) -> None:
    assert mounted(disk, "4k")
    command = ["parse", "in", "-o", "out/", "--log-file", "disk/log.txt", "-vv"]
    ran = run_forked(command, cwd=tmp_path, timeout=170, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.count("disk/log.txt: cannot be written: No space left on device") == 1
    assert "Traceback" not in ran.stderr and (disk / "log.txt").stat().st_size == 4096


def test_a_disk_that_is_read_only_is_one_line(tmp_path: Path, disk: Path, documents: Path) -> None:
    assert mounted(disk, "1m", "ro")
    ran = parse(tmp_path)
    assert ran.returncode == 1 and ran.stderr.count("Read-only file system") == 1, ran.stderr
