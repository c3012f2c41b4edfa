"""The main cases of a run with nothing scripted: the real parser, its children, the default drafter, a tiny model."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image

from benchmarks.campaign.images import encoded, page
from benchmarks.campaign.kills import drawing, gone
from benchmarks.campaign.words import ENOUGH, share_of, words_of
from docspec.cli import app

ROOT = Path(__file__).parents[2]
SMALL = ["--words", "model", "--max-tokens", "8", "--dtype", "float32", "--device", "cpu"]
MANIFEST = "docspec.manifest.jsonl"
TEXTS = {
    "letter.pdf": ["Dear members, the bridge over the river is closed", "until the timber has been paid."],
    "sub/report.pdf": ["Yearly accounts of the society, number 4815", "Repairs and labour took most of it."],
}
STATUS = {"cut.md": "damaged", "letter.md": "ok", "locked.md": "failed", "sub/report.md": "ok", "words.md": "failed"}


def pdf(path: Path, lines: list[str], **how: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with pymupdf.open() as document:
        for line in lines:
            document.new_page(width=400, height=200).insert_text((30, 60), line, fontsize=11)
        document.save(path, **how)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sound documents, one that is locked, one that is none, an image that is cut off."""
    folder = tmp_path_factory.mktemp("real") / "in"
    for name, lines in TEXTS.items():
        pdf(folder / name, lines)
    pdf(folder / "locked.pdf", ["secret"], encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="other")
    (folder / "words.pdf").write_bytes(b"these are words and nothing else\n" * 40)
    scan = encoded(page(), "PNG")
    (folder / "cut.png").write_bytes(scan[: len(scan) * 7 // 10])
    return folder


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """``run("parse", ...)`` in this process: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))

    def command(*words: object) -> tuple[int, str, str]:
        code = app.run(list(map(str, words)))
        out, err = capsys.readouterr()
        return code, out, err

    return command


def records(out: Path) -> dict[str, dict[str, Any]]:
    lines = map(json.loads, (out / MANIFEST).read_text().splitlines())
    return {line["document"]: line for line in lines if line["record"] == "document"}


def files(out: Path) -> dict[str, bytes]:
    return {
        found.relative_to(out).as_posix(): found.read_bytes()
        for found in out.rglob("*")
        if found.is_file() and found.name != MANIFEST
    }


def test_bad_inputs_cost_themselves_and_the_words_of_the_others_are_written(
    source: Path, tmp_path: Path, run: Any
) -> None:
    code, _, err = run("parse", source, "-o", "out", "--report", "r.json", "--format", "md", "--format", "json")
    out = tmp_path / "out"
    assert code == 3 and "unexpected" not in err and "Traceback" not in err
    assert {name: record["status"] for name, record in records(out).items()} == STATUS
    for name, lines in TEXTS.items():
        markdown = (out / name).with_suffix(".md").read_text()
        assert share_of(words_of(" ".join(lines)), markdown) == 1
        pages = json.loads((out / name).with_suffix(".json").read_text())["pages"]
        assert [one["page"] for one in pages] == [1, 2]
    above = "Minutes of the ninth meeting The treasurer read the yearly accounts aloud."
    assert share_of(words_of(above), (out / "cut.md").read_text()) >= ENOUGH, "what is there of it is read"
    report = json.loads(Path("r.json").read_text())
    assert report["exit_code"] == 3 and len(report["documents"]) == 5
    before = files(out)
    code, _, err = run("parse", source, "-o", "out", "--format", "md", "--format", "json")
    assert code == 3 and "3 done before, 2 failed before" in err
    assert files(out) == before


def test_a_model_that_does_not_read_costs_no_page(source: Path, tmp_path: Path, lively_qwen: Path, run: Any) -> None:
    """Its words are asked for: pages are cut into regions, drafted, verified, and end at their budget."""
    code, _, _ = run("parse", source, "-o", "out", "--model", lively_qwen, *SMALL)
    assert code == 3
    assert {name: record["status"] for name, record in records(tmp_path / "out").items()} == STATUS
    read = records(tmp_path / "out")["letter.md"]
    assert read["pages"] == 2 and read["tokens"] > 0


def test_a_document_goes_from_a_pipe_to_standard_output(
    source: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = (source / "letter.pdf").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    code, out, _ = run("parse", "-", "--pages", "2")
    assert code == 0 and out.strip() == TEXTS["letter.pdf"][1]


def test_a_picture_is_cut_out_and_linked(tmp_path: Path, run: Any) -> None:
    shade = Image.linear_gradient("L").resize((300, 200))
    with pymupdf.open() as document:
        sheet = document.new_page()
        sheet.insert_text((60, 80), "A paragraph of text above the picture of a shade.")
        sheet.insert_image((100, 300, 400, 500), stream=encoded(shade, "PNG"))
        document.save(tmp_path / "a.pdf")
    code, _, _ = run("parse", "a.pdf", "-o", "a.md")
    assert code == 0
    [picture] = (tmp_path / "a.figures").iterdir()
    assert f"](a.figures/{picture.name})" in (tmp_path / "a.md").read_text()


def begun(source: Path, folder: Path, *words: str) -> subprocess.Popen[bytes]:
    with (folder / "said").open("wb") as said:
        return subprocess.Popen(
            [sys.executable, "-m", "docspec", "parse", str(source), "-o", "out", "-v", *words, *SMALL],
            cwd=folder,
            stdout=said,
            stderr=said,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(folder), "TMPDIR": str(folder / "tmp")},
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )


def wait_for(folder: Path, text: str) -> None:
    end = time.monotonic() + 180
    while text not in (folder / "said").read_text():
        assert time.monotonic() < end, (folder / "said").read_text()
        time.sleep(0.02)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="no way here to see a process's children")
def test_a_run_that_is_killed_and_loses_a_child_ends_as_one_that_is_not(
    tmp_path: Path, lively_qwen: Path, run: Any
) -> None:
    """The same folder undisturbed, and killed with its group at a page; gone on with, it loses the child that draws at
    a page, which costs that page at most; and what failed is read again."""
    model = "--model", str(lively_qwen)
    for number in range(4):
        pdf(tmp_path / "in" / f"{number}.pdf", [f"Page {each} of document {number}, of many" for each in range(2)])
    assert run("parse", tmp_path / "in", "-o", "whole", *model, *SMALL)[0] == 0
    folder = tmp_path / "killed"
    (folder / "tmp").mkdir(parents=True)
    process = begun(tmp_path / "in", folder, *model)
    wait_for(folder, "1.pdf page 1")
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait(180) == -9 and gone(process.pid)
    for left in (folder / "tmp").iterdir():
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    process = begun(tmp_path / "in", folder, *model)
    wait_for(folder, "2.pdf page 1")
    [child] = drawing(process.pid)
    os.kill(child, signal.SIGKILL)
    code = process.wait(180)
    assert code in (0, 3) and gone(process.pid)
    assert "Traceback" not in (folder / "said").read_text()
    assert not [*(folder / "tmp").iterdir()], "libraries leave nothing there either"
    os.chdir(folder)
    assert run("parse", tmp_path / "in", "-o", "out", *model, *SMALL, "--retry-failed")[0] == 0
    whole = files(tmp_path / "whole")
    assert len(whole) == 4 and files(folder / "out") == whole
