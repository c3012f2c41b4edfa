"""A cluster of this machine reads what one process reads, to the byte; bad files and killed runs are as anywhere.

Ray is an extra of 400 MB: without it these tests are skipped.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import fsspec
import pymupdf
import pytest
from folder_runs import documents, tree
from s3_stand_in import stand_in
from scripted_parser import child_environment

from tests.generation.stand_in import StandIn

pytest.importorskip("ray")
pytest.importorskip("pyarrow")


def parse(
    source: Path | str, out: Path | str, model: Path | str, *args: str, **more: str
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "docspec", "parse", str(source), "-o", str(out), "--model", str(model)]
    command += ["--drafter", "text-layer", "--max-tokens", "12", *args]
    environment = child_environment(PYTHONPATH=":".join(filter(None, sys.path)), **more)
    return subprocess.run(command, capture_output=True, env=environment, timeout=1800, check=False)


def written(path: Path, pages: int) -> Path:
    with pymupdf.open() as document:
        for number in range(pages):
            document.new_page(width=200, height=150).insert_text((20, 40), f"{path.name}, page {number}")
        document.save(path)
    return path


def test_a_cluster_writes_what_one_process_writes(tmp_path: Path, lively_qwen: Path) -> None:
    source = tmp_path / "in"
    (source / "sub").mkdir(parents=True)
    for name, pages in (("a.pdf", 1), ("sub/b.pdf", 3), ("c.pdf", 2)):
        written(source / name, pages)
    (source / "bad.pdf").write_bytes(b"words")
    one, many = tmp_path / "one", tmp_path / "many"
    assert parse(source, one, lively_qwen).returncode == 3
    done = parse(source, many, lively_qwen, "--set", "scheduler=ray", "--set", "ray-drafters=2")
    assert done.returncode == 3, done.stderr.decode()
    assert b"4 of 4 documents, 1 failed; 6 pages" in done.stderr and b"(MapWorker" not in done.stderr
    assert tree(many) == tree(one)
    for found in (facts_one := documents(one)), (facts_many := documents(many)):
        for each in found.values():
            del each["steps"]  # how fast it went
    assert facts_one == facts_many
    again = parse(source, many, lively_qwen)
    assert again.returncode == 3 and b"3 done before, 1 failed before" in again.stderr, "the engines share a manifest"


def test_a_cluster_reads_a_bucket_and_writes_one(tmp_path: Path, lively_qwen: Path) -> None:
    with stand_in() as environment, pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        fs = fsspec.filesystem("s3", skip_instance_cache=True)
        fs.mkdir("bucket")
        fs.put_file(str(written(tmp_path / "a.pdf", 2)), "bucket/in/a.pdf")
        fs.pipe("bucket/in/bad.pdf", b"words")
        places = ("s3://bucket/in", "s3://bucket/out")
        done = parse(*places, lively_qwen, "--set", "scheduler=ray", XDG_CACHE_HOME=str(tmp_path / "cache"))
        assert done.returncode == 3 and b"2 of 2 documents, 1 failed; 2 pages" in done.stderr, done.stderr.decode()
        fs.invalidate_cache()
        assert parse(tmp_path / "a.pdf", tmp_path / "a.md", lively_qwen).returncode == 0
        assert fs.cat_file("bucket/out/a.md") == (tmp_path / "a.md").read_bytes()
        again = parse(*places, lively_qwen, XDG_CACHE_HOME=str(tmp_path / "other"))
        assert again.returncode == 3 and b"1 done before, 1 failed before" in again.stderr


@pytest.mark.words_missing("a stand-in reads")
def test_actors_read_with_a_server(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    for name, pages in (("a.pdf", 2), ("b.pdf", 1)):
        written(source / name, pages)
    with StandIn(lambda body: body["vllm_xargs"]["docspec_drafts"][0]) as server:
        words = ("--server", server.url, "--words", "model", "--set", "scheduler=ray")
        done = parse(source, tmp_path / "out", "mini", *words, "--max-tokens", "100")
    assert done.returncode == 0, done.stderr.decode()
    assert (tmp_path / "out" / "a.md").read_text() == "a.pdf, page 0\n\na.pdf, page 1\n", "they count up"
    assert len(server.asked) == 3
