"""Runs that are killed, interrupted and split up end with the tree and the manifest of a run in one go."""

from __future__ import annotations

import random
import signal
import subprocess
import threading
from pathlib import Path

import pytest
from folder_runs import begun, documents, inputs, kill_and_go_on, lines, parse, tree
from scripted_parser import run_child

NAMES = ["a.pdf", "b.pdf", "lost.pdf", "sub/broken.pdf", "sub/c.pdf", "x.pdf"]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return inputs(tmp_path_factory.mktemp("source") / "in", NAMES)


@pytest.fixture(scope="module")
def undisturbed(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    assert parse(source, out).returncode == 3
    return out


def test_a_killed_run_goes_on_to_the_same_end(source: Path, undisturbed: Path, tmp_path: Path) -> None:
    kill_and_go_on(source, tmp_path / "out", kills=3, seed=1)
    assert tree(tmp_path / "out") == tree(undisturbed)
    assert documents(tmp_path / "out") == documents(undisturbed)
    finished = [line["document"] for line in lines(tmp_path / "out") if line["record"] == "document"]
    assert len(finished) == len(set(finished)) == len(NAMES), "nothing that was finished is done again"


def wait_for(process: subprocess.Popen[bytes], text: str) -> None:
    assert process.stderr is not None
    while text.encode() not in (line := process.stderr.readline()):
        assert line, f"ended before {text!r}"
    threading.Thread(target=process.stderr.read, daemon=True).start()


def test_a_long_document_goes_on_behind_its_last_page(tmp_path: Path) -> None:
    source = inputs(tmp_path / "in", ["long.pdf", "short.pdf"])
    process = begun(source, tmp_path / "out", "-v", pages=40, halt="long.pdf page 31")
    wait_for(process, "long.pdf page 30")
    process.kill()
    process.wait()
    again = parse(source, tmp_path / "out", pages=40)
    assert again.returncode == 0
    before = int(again.stderr.split(b"goes on, ")[1].split()[0])
    assert 29 <= before <= 30 and b"of 40 pages were read before" in again.stderr
    parse(source, tmp_path / "whole", pages=40)
    assert tree(tmp_path / "out") == tree(tmp_path / "whole")
    assert documents(tmp_path / "out") == documents(tmp_path / "whole")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_says_so_and_goes_on(
    source: Path, undisturbed: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    out, report = tmp_path / "out", tmp_path / "r.json"
    process = begun(source, out, "-v", "--report", str(report), halt="b.pdf page 2")
    wait_for(process, "b.pdf page 1")
    process.send_signal(number)
    assert process.wait(timeout=180) == code
    assert '"interrupted": true' in report.read_text()
    assert [line["document"] for line in lines(out) if line["record"] == "document"] == ["a.md"]
    assert parse(source, out).returncode == 3
    assert (tree(out), documents(out)) == (tree(undisturbed), documents(undisturbed))


def test_neither_order_nor_shards_change_a_byte(source: Path, undisturbed: Path, tmp_path: Path) -> None:
    shards = tmp_path / "shards"
    for index in (3, 1, 2):
        parse(source, shards, "--shard", f"{index}/3")
    assert (tree(shards), documents(shards)) == (tree(undisturbed), documents(undisturbed))
    names = [str(source / name) for name in NAMES]
    outs = []
    for seed in (1, 2):
        random.Random(seed).shuffle(names)
        (tmp_path / "list").write_text("\n".join(names))
        outs.append(tmp_path / f"mixed{seed}")
        assert run_child(["parse", "--from-file", str(tmp_path / "list"), "-o", str(outs[-1])]).returncode == 3
    assert (tree(outs[0]), documents(outs[0])) == (tree(outs[1]), documents(outs[1]))


def test_two_runs_into_one_folder_are_one(source: Path, tmp_path: Path) -> None:
    first = begun(source, tmp_path / "out", "-v", halt="a.pdf page 2")
    wait_for(first, "a.pdf page 1")
    second = parse(source, tmp_path / "out")
    first.kill()
    first.wait()
    assert second.returncode == 1 and b"another run is writing here" in second.stderr
    assert parse(source, tmp_path / "out").returncode == 3, "the dead one holds nothing"
