"""Documents and outputs on other file systems: ``memory://`` in this process, a local stand-in for S3 for real runs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from s3_stand_in import stand_in
from scripted_parser import child, child_environment

from docspec.console import exits
from docspec.core import InputError, UsageError
from docspec.corpus.mirror import Mirror
from docspec.documents import Skipped, Source
from docspec.documents.remote import fetched, listed

NAMES = ("b/page10.pdf", "b/page2.pdf", "a.pdf")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def memory() -> Iterator[Any]:
    fs = fsspec.filesystem("memory")
    for name in (*NAMES, "notes.txt", ".hidden.pdf"):
        fs.pipe(f"/in/{name}", f"%PDF {name}".encode())
    yield fs
    fs.store.clear()
    fs.pseudo_dirs[:] = [""]


def opened(result: Any) -> list[str]:
    return [name for parser in result.parsers for name in parser.opened]


def test_files_folders_and_patterns_are_found_in_order(memory: Any) -> None:
    def found(given: str) -> list[tuple[str, str]]:
        return [(one.name, str(one.relative)) for one in listed(given) if isinstance(one, Source)]

    assert found("memory://in") == [
        ("memory:///in/a.pdf", "a.pdf"),
        ("memory:///in/b/page2.pdf", "b/page2.pdf"),
        ("memory:///in/b/page10.pdf", "b/page10.pdf"),
    ]
    assert [relative for _, relative in found("memory://in/*/*2.pdf")] == ["b/page2.pdf"]
    assert found("memory://in/a.pdf") == [("memory:///in/a.pdf", "a.pdf")]
    assert sum(isinstance(one, Skipped) for one in listed("memory://in")) == 2
    source = next(one for one in listed("memory://in/a.pdf") if isinstance(one, Source))
    assert fetched(source).data == b"%PDF a.pdf" and source.stamp is not None and source.stamp[0] == 10
    memory.rm("/in/a.pdf")
    with pytest.raises(InputError, match="cannot be fetched"):
        fetched(source)
    with pytest.raises(InputError, match="file there"):
        list(listed("memory://nowhere"))
    with pytest.raises(UsageError, match="not-a-protocol"):
        list(listed("not-a-protocol://x"))


def test_a_run_goes_on_from_what_is_there_even_on_another_machine(memory: Any, cache: Path, run_cli: Any) -> None:
    first = run_cli("parse", "memory://in", "-o", "memory://out")
    assert first.code == 0 and len(opened(first)) == 3
    files = sorted(memory.find("/out"))
    assert [name for name in files if name.endswith(".md")] == ["/out/a.md", "/out/b/page10.md", "/out/b/page2.md"]
    assert "/out/a.figures/page-2-1.png" in files and "/out/docspec.manifest.jsonl" in files
    assert not [path for path in cache.rglob("*") if path.suffix in (".md", ".png")], "they are there, not here"
    assert opened(run_cli("parse", "memory://in", "-o", "memory://out")) == []
    shutil.rmtree(cache)
    memory.pipe("/in/b/page2.pdf", b"%PDF changed")
    memory.rm("/out/a.md")
    assert [name[-9:] for name in opened(run_cli("parse", "memory://in", "-o", "memory://out"))] == [
        "/in/a.pdf",
        "page2.pdf",
    ]
    assert sorted(memory.find("/out")) == files


def test_outputs_within_the_folder_of_the_inputs_are_no_inputs(memory: Any, run_cli: Any) -> None:
    for out in ("memory://in", "memory://in/out"):
        for count in (3, 0):
            assert len(opened(run_cli("parse", "memory://in", "-o", out))) == count


def test_what_cannot_be_is_said(memory: Any, run_cli: Any, tmp_path: Path) -> None:
    for args, said in (
        (["memory://in", "-o", "memory://out", "--view", "v"], "--view"),
        (["memory://in", "-o", "memory://out", "--set", "manifest=none"], "manifest"),
        (["memory://in", "-o", "out", "--offline"], "--offline"),
        (["memory://in", "-o", "no-such-thing://out"], "no-such-thing"),
    ):
        result = run_cli("parse", *args)
        assert (result.code, result.parsers) == (2, []) and said in result.err
    nothing = run_cli("parse", "memory://nowhere", "-o", "out")
    assert nothing.code == 1 and "memory://nowhere" in nothing.err


@pytest.fixture
def s3(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with stand_in() as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        yield


def test_a_bucket_is_read_and_written(s3: None, cache: Path) -> None:
    fs = fsspec.filesystem("s3", skip_instance_cache=True)
    fs.mkdir("bucket")
    for name in NAMES:
        fs.pipe(f"bucket/in/{name}", f"%PDF {name}".encode())

    def run() -> subprocess.CompletedProcess[bytes]:
        command = child(["parse", "s3://bucket/in/", "-o", "s3://bucket/out/", "-v"])
        environment = child_environment(XDG_CACHE_HOME=str(cache), PYTHONPATH=":".join(filter(None, sys.path)))
        return subprocess.run(command, env=environment, capture_output=True, timeout=600, check=False)

    first = run()
    assert first.returncode == 0, first.stderr.decode()
    fs.invalidate_cache()
    files = [name for name in fs.find("bucket/out") if name.endswith(".md")]
    assert files == ["bucket/out/a.md", "bucket/out/b/page10.md", "bucket/out/b/page2.md"]
    shutil.rmtree(cache)
    again = run()
    assert again.returncode == 0 and b"3 done before, 0 to be read" in again.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_answered_while_outputs_are_put_away(
    memory: Any, run_cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """A network may take for ever; the document counts as read once it is there, and not before."""
    honest = Mirror.put

    def put(self: Mirror, files: Any) -> None:
        honest(self, files)
        os.kill(os.getpid(), number)
        time.sleep(60)

    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    hook = sys.unraisablehook
    signal.signal(signal.SIGINT, signal.default_int_handler)
    exits.stop_on_signals()
    try:
        monkeypatch.setattr(Mirror, "put", put)
        began = time.monotonic()
        ran = run_cli("parse", "memory://in", "-o", "memory://out", "--report", tmp_path / "r.json")
        assert ran.code == 128 + number and "interrupted: 0 of 3 inputs complete" in ran.err
        assert time.monotonic() - began < 50
        assert json.loads((tmp_path / "r.json").read_text())["documents"][0]["error"] == "interrupted"
    finally:
        exits.die_of_signals()
        exits._StopSignal.number = None
        sys.unraisablehook = hook
        for each, handler in before.items():
            signal.signal(each, handler)
    monkeypatch.setattr(Mirror, "put", honest)
    again = run_cli("parse", "memory://in", "-o", "memory://out")
    assert again.code == 0 and memory.exists("/out/a.md")
