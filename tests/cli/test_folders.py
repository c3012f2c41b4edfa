"""The same command again skips what is done; what changed is read again; what failed when it is asked for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer
from scripted_parser import page, pdf

from docspec.core import Failure, InputError
from docspec.corpus.job import CorpusOptions
from docspec.corpus.listing import list_documents, without_outputs
from docspec.corpus.manifest import FolderLock, Manifest

MANIFEST = Path("out") / "docspec.manifest.jsonl"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a", "b", "sub/c"):
        pdf(tmp_path / "in" / f"{name}.pdf").write_text(f"%PDF {name}")
    return tmp_path / "in"


def opened(result: Any) -> list[str]:
    return [Path(name).name for parser in result.parsers for name in parser.opened]


def records(kind: str = "document") -> list[dict[str, Any]]:
    found = [json.loads(line) for line in MANIFEST.read_text().splitlines()]
    return [line for line in found if line["record"] == kind]


def fails(*names: str) -> Any:
    def act(name: str, number: int) -> None:
        if Path(name).name in names:
            raise InputError(f"{name}: damaged", Failure.DAMAGED)

    return act


def test_the_same_command_again_reads_nothing(folder: Path, run_cli: Any) -> None:
    first = run_cli("parse", "in", "-o", "out")
    before = MANIFEST.read_bytes()
    again = run_cli("parse", "in", "-o", "out")
    assert (first.code, again.code) == (0, 0)
    assert opened(first) == ["a.pdf", "b.pdf", "c.pdf"] and opened(again) == []
    assert "3 done before, 0 to be read" in again.err
    assert MANIFEST.read_bytes() == before


@pytest.mark.parametrize(
    "change", ["content", "time alone", "neither", "output gone", "figure gone", "options", "force"]
)
def test_what_changed_is_read_again(folder: Path, run_cli: Any, change: str) -> None:
    run_cli("parse", "in", "-o", "out")
    more = {"options": ["--dpi", "100"], "force": ["--force"]}.get(change, [])
    if change == "content":
        (folder / "b.pdf").write_text("%PDF changed")
    elif change == "time alone":
        os.utime(folder / "b.pdf", (1, 1))
    elif change == "neither":  # of size and time: such a file is not hashed again, which takes long in large folders
        facts = (folder / "b.pdf").stat()
        (folder / "b.pdf").write_text("%PDF x")
        os.utime(folder / "b.pdf", ns=(facts.st_atime_ns, facts.st_mtime_ns))
    elif change == "output gone":
        Path("out/b.md").unlink()
    elif change == "figure gone":
        Path("out/b.figures/page-2-1.png").unlink()
    read = opened(run_cli("parse", "in", "-o", "out", *more))
    expected = {
        "time alone": [],
        "neither": [],
        "options": ["a.pdf", "b.pdf", "c.pdf"],
        "force": ["a.pdf", "b.pdf", "c.pdf"],
    }
    assert read == expected.get(change, ["b.pdf"])
    attempts = {record["document"]: record["attempts"] for record in records()}
    assert attempts["b.md"] == (2 if change in ("output gone", "figure gone", "force") else 1)


def test_a_document_in_several_formats_is_done_as_long_as_all_are_there(folder: Path, run_cli: Any) -> None:
    args = ("parse", "in", "-o", "out", "--format", "md", "--format", "json", "--view", "views")
    assert len(opened(run_cli(*args))) == 3
    assert opened(run_cli(*args)) == []
    Path("out/b.json").unlink()
    assert opened(run_cli(*args)) == ["b.pdf"]


def test_a_picture_that_a_document_no_longer_has_goes_unless_it_was_changed(folder: Path, run_cli: Any) -> None:
    run_cli("parse", "in", "-o", "out", pages=3)
    Path("out/a.figures/page-3-1.png").write_bytes(b"mine")
    run_cli("parse", "in", "-o", "out", "--force", pages=1)
    left = sorted(path.name for path in Path("out").rglob("*.png"))
    assert left == ["page-1-1.png", "page-1-1.png", "page-1-1.png", "page-3-1.png"]
    assert Path("out/a.figures/page-3-1.png").read_bytes() == b"mine"


def test_another_model_reads_everything_again(folder: Path, run_cli: Any, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(name)
    run_cli("parse", "in", "-o", "out", "--model", str(tmp_path / "one"))
    assert len(opened(run_cli("parse", "in", "-o", "out", "--model", str(tmp_path / "two")))) == 3
    (tmp_path / "two").rename(tmp_path / "three")
    assert opened(run_cli("parse", "in", "-o", "out", "--model", str(tmp_path / "three"))) == []


def test_what_failed_is_said_again_and_read_again_when_asked_for(folder: Path, run_cli: Any) -> None:
    first = run_cli("parse", "in", "-o", "out", act=fails("a.pdf", "c.pdf"))
    assert first.code == 3 and len(first.error_lines) == 2
    assert "failed: 2 damaged" in first.err
    assert "docspec parse in -o out --retry-failed" in first.err
    again = run_cli("parse", "in", "-o", "out")
    assert (again.code, opened(again)) == (3, [])
    assert "1 done before, 2 failed before" in again.err and "failed: 2 damaged" in again.err
    retried = run_cli("parse", "in", "-o", "out", "--retry-failed", act=fails("c.pdf"))
    assert (retried.code, opened(retried)) == (3, ["a.pdf", "c.pdf"])
    last = {record["document"]: record for record in records()}
    assert [(last[name]["status"], last[name]["attempts"]) for name in ("a.md", "b.md", "sub/c.md")] == [
        ("ok", 2),
        ("ok", 1),
        ("failed", 2),
    ]
    assert last["sub/c.md"]["failure"] == "damaged" and "files" not in last["sub/c.md"]


def test_how_to_read_many_files_again_is_told_in_a_short_line(run_cli: Any, tmp_path: Path) -> None:
    names = [f"a-file-with-a-long-name-{number:03}.pdf" for number in range(40)]
    for name in names:
        (tmp_path / name).write_bytes(b"no PDF")
    result = run_cli("parse", *names, "-o", "out", act=fails(*names))
    assert "to read them again: the same command with --retry-failed\n" in result.err


def test_a_failed_input_that_is_mended_or_taken_away_is_no_failure_any_more(folder: Path, run_cli: Any) -> None:
    run_cli("parse", "in", "-o", "out", act=fails("a.pdf", "b.pdf"))
    (folder / "a.pdf").write_text("%PDF mended")
    (folder / "b.pdf").unlink()
    result = run_cli("parse", "in", "-o", "out")
    assert (result.code, opened(result)) == (0, ["a.pdf"])
    assert run_cli("status", "out").code == 0
    assert [line["document"] for line in records("gone")] == ["b.md"]


def test_a_document_with_a_missing_page_is_written_with_a_marker_and_counts_as_failed(
    folder: Path, run_cli: Any
) -> None:
    def act(name: str, number: int) -> Any:
        if name.endswith("b.pdf") and number == 2:
            lost = {"status": "failed", "error": f"{name}, page 2: hung", "failure": Failure.TIMED_OUT}
            return page(name, number, blocks=(), text="", **lost)
        return None

    result = run_cli("parse", "in", "-o", "out", act=act)
    assert result.code == 3 and "failed: 1 timed_out" in result.err
    assert "<!-- docspec: page 2 could not be read" in Path("out/b.md").read_text()
    record = records()[1]
    assert (record["status"], record["failure"], record["pages"]) == ("partial", "timed_out", 2)
    assert [(lost["page"], lost["failure"]) for lost in record["failed_pages"]] == [(2, "timed_out")]
    assert opened(run_cli("parse", "in", "-o", "out")) == []
    assert opened(run_cli("parse", "in", "-o", "out", "--retry-failed")) == ["b.pdf"]
    assert "could not be read" not in Path("out/b.md").read_text()


def test_a_run_ends_when_so_many_documents_failed(folder: Path, run_cli: Any) -> None:
    result = run_cli("parse", "in", "-o", "out", "--set", "max-failures=1", "--report", "r.json", act=fails("b.pdf"))
    assert (result.code, opened(result)) == (3, ["a.pdf", "b.pdf"])
    assert json.loads(Path("r.json").read_text())["error"] == "ended after 1 documents that failed (max-failures)"
    status = run_cli("status", "out")
    assert status.code == 3 and "1 done, 1 failed, 1 missing of 3 documents" in status.out
    assert opened(run_cli("parse", "in", "-o", "out", "--set", "max-failures=1")) == ["c.pdf"]


def test_without_a_manifest_nothing_is_remembered(folder: Path, run_cli: Any) -> None:
    for _ in range(2):
        assert len(opened(run_cli("parse", "in", "-o", "out", "--set", "manifest=none"))) == 3
    assert not MANIFEST.exists()
    assert run_cli("status", "out").code == 1


def test_single_documents_have_no_manifest(folder: Path, run_cli: Any) -> None:
    for _ in range(2):
        assert opened(run_cli("parse", "in/a.pdf", "-o", "out/")) == ["a.pdf"]
    assert sorted(path.name for path in Path("out").iterdir()) == [".docspec.inputs", "a.figures", "a.md"]


def test_a_missing_file_of_a_list_is_a_failure_until_it_is_there(folder: Path, run_cli: Any) -> None:
    Path("list").write_text("in/a.pdf\n\nin/gone.pdf\nin/sub/c.pdf\n")
    result = run_cli("parse", "--from-file", "list", "-o", "out")
    assert (result.code, opened(result)) == (3, ["a.pdf", "c.pdf"])
    assert sorted(path.as_posix() for path in Path("out").rglob("*.md")) == ["out/in/a.md", "out/in/sub/c.md"]
    assert run_cli("parse", "--from-file", "list", "-o", "out").code == 3
    pdf(folder / "gone.pdf")
    mended = run_cli("parse", "--from-file", "list", "-o", "out")
    assert (mended.code, opened(mended)) == (0, ["gone.pdf"])
    assert run_cli("status", "out").code == 0


def test_a_torn_last_line_is_taken_off(folder: Path, run_cli: Any) -> None:
    run_cli("parse", "in", "-o", "out")
    whole = MANIFEST.read_bytes()
    MANIFEST.write_bytes(whole[:-20])
    result = run_cli("parse", "in", "-o", "out")
    assert (result.code, opened(result)) == (0, ["c.pdf"])
    assert [record["document"] for record in records()] == ["a.md", "b.md", "sub/c.md"]


def test_a_second_run_into_the_same_folder_is_refused_in_one_line(folder: Path, run_cli: Any) -> None:
    manifest = Manifest(Path("out"))
    refused = run_cli("parse", "in", "-o", "out")
    assert (refused.code, refused.parsers) == (1, [])
    assert refused.err == (
        "docspec: error: out: another run is writing here; wait for it to end, or split the work with --shard I/N\n"
    )
    manifest.close()
    assert run_cli("parse", "in", "-o", "out").code == 0


def test_shards_share_a_folder_and_are_read_together(folder: Path, run_cli: Any) -> None:
    for number in range(20):
        pdf(folder / f"n{number}.pdf").write_text(f"%PDF {number}")
    read = []
    other = FolderLock(_made("out"), Path("out/docspec.manifest.9-of-9.jsonl"), shared=True)
    for shard in ("1/3", "2/3"):
        read += opened(run_cli("parse", "in", "-o", "out", "--shard", shard))
    status = run_cli("status", "out")
    assert status.code == 3 and "shards that have not begun: 3/3" in status.out
    assert f"{len(read)} done, 0 failed, {23 - len(read)} missing of 23 documents" in status.out
    assert run_cli("parse", "in", "-o", "out").code == 1, "not beside a shard"
    read += opened(run_cli("parse", "in", "-o", "out", "--shard", "3/3"))
    other.release()
    assert len(read) == len(set(read)) == 23
    assert opened(run_cli("parse", "in", "-o", "out")) == [], "the whole run knows what shards did"
    assert run_cli("status", "out").code == 0
    run_cli("parse", "in", "-o", "whole")
    for path in Path("whole").rglob("*.md"):
        assert path.read_bytes() == (Path("out") / path.relative_to("whole")).read_bytes()


def _made(folder: str) -> Path:
    Path(folder).mkdir()
    return Path(folder)


def test_status_as_json_says_what_failed_and_what_is_missing(folder: Path, run_cli: Any) -> None:
    run_cli(*("parse", "in", "-o", "out", "--password", "secret", "--set", "max-failures=1"), act=fails("a.pdf"))
    assert b"secret" not in MANIFEST.read_bytes()
    found = json.loads(run_cli("status", "out", "--json").out)
    assert (found["done"], found["failed"], found["missing"], found["complete"]) == (0, 1, 2, False)
    assert found["failures"] == {"damaged": 1}
    assert found["failed_documents"][0]["input"] == str(folder / "a.pdf")
    assert found["missing_documents"] == [str(folder / "b.pdf"), str(folder / "sub/c.pdf")]
    assert found["retry"] == "docspec parse in -o out --password ... --set max-failures=1 --retry-failed"


def test_the_log_file_has_what_was_said_and_the_traces(folder: Path, run_cli: Any) -> None:
    def act(name: str, number: int) -> None:
        if name.endswith("b.pdf"):
            raise ValueError("odd")

    result = run_cli("parse", "in", "-o", "out", "-q", "--log-file", "run.log", act=act)
    assert len(result.err.splitlines()) == 1 and "Traceback" not in result.err
    logged = Path("run.log").read_text()
    assert "ERROR" in logged and "unexpected ValueError: odd" in logged and "Traceback" in logged
    assert "INFO 3 of 3 documents, 1 failed; 4 pages" in logged
    assert run_cli("parse", "in", "-o", "out2", "--log-file", "in").code == 1


@pytest.mark.parametrize("args", ["--shard 0/2", "--shard 3/2", "--shard x", "--set max-failures=0"])
def test_wrong_requests_are_refused(folder: Path, run_cli: Any, args: str) -> None:
    result = run_cli("parse", "in", "-o", "out", *args.split())
    assert (result.code, len(result.error_lines), result.parsers) == (2, 1, [])


def test_no_input_at_all_is_wrong_usage(run_cli: Any) -> None:
    result = run_cli("parse", "-o", "out")
    assert result.code == 2 and "no input given" in result.err


@pytest.mark.parametrize(
    ("out", "more"), [("in", []), ("in/out", []), ("in", ["--figures", "in/pictures"]), ("link/out", [])]
)
def test_what_was_written_into_the_folder_of_the_inputs_is_no_input(
    folder: Path, run_cli: Any, out: str, more: list[str]
) -> None:
    """Pictures beside documents are of a kind that is read."""
    Path("link").symlink_to("in", target_is_directory=True)
    inputs = {path: path.read_bytes() for path in folder.rglob("*.pdf")}
    first, second = run_cli("parse", "in", "-o", out, *more), run_cli("parse", "in", "-o", out, *more)
    assert (first.code, opened(first)) == (0, ["a.pdf", "b.pdf", "c.pdf"])
    assert (second.code, opened(second)) == (0, [])
    assert list(folder.rglob("page-2-1.png")), "there are pictures"
    again = run_cli("parse", "in/**/*", "-o", out, "--force", "-v", *more)
    assert opened(again) == ["a.pdf", "b.pdf", "c.pdf"]
    assert "this run writes" in again.err or "a picture that a run wrote" in again.err
    assert {path: path.read_bytes() for path in inputs} == inputs


def test_what_lies_where_a_run_writes_is_no_input_unless_it_is_named(folder: Path) -> None:
    pdf(Path("in/marked/a.pdf"))

    def left(inputs: list[str], *folders: str) -> list[str]:
        found = without_outputs(list_documents(inputs, CorpusOptions()), inputs, list(map(Path, folders)))
        return [source.name for source in found.sources]

    others = ["in/a.pdf", "in/b.pdf", "in/sub/c.pdf"]
    assert left(["in"], "in/marked") == others
    assert left(["in"], "other", ".") == ["in/a.pdf", "in/b.pdf", "in/marked/a.pdf", "in/sub/c.pdf"]
    assert left(["in", "in/marked/a.pdf"], "in/marked") == ["in/a.pdf", "in/b.pdf", "in/marked/a.pdf", "in/sub/c.pdf"]
    assert left(["in/marked"], "in/marked") == ["in/marked/a.pdf"], "where inputs are named, they are read"


def test_a_picture_that_is_named_is_read_but_never_replaced(folder: Path, run_cli: Any) -> None:
    run_cli("parse", "in", "-o", "out")
    read = run_cli("parse", "out/a.figures/page-1-1.png", "in/b.pdf", "-o", "other")
    assert opened(read) == ["page-1-1.png", "b.pdf"]
    refused = run_cli("parse", "out/a.figures/page-1-1.png", "in/a.pdf", "-o", "out", "--force")
    assert refused.code == 2 and "a picture could replace" in refused.err


def test_a_new_file_moves_no_document_that_is_done(folder: Path, run_cli: Any) -> None:
    assert run_cli("parse", "in", "-o", "out").code == 0
    before = Path("out/a.md").read_bytes()
    (folder / "a.png").write_bytes(b"\x89PNG\r\n\x1a\nscripted")
    ran = run_cli("parse", "in", "-o", "out")
    assert ran.code == 0 and "3 done before, 1 to be read" in ran.err
    assert Path("out/a.md").read_bytes() == before and Path("out/a.png.md").is_file()
    assert not Path("out/a.pdf.md").exists()
    assert "4 done before, 0 to be read" in run_cli("parse", "in", "-o", "out").err


def test_an_interrupt_that_typer_has_made_another_error_of_keeps_its_code(
    run_cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from docspec.cli import app
    from docspec.console import exits

    monkeypatch.setattr(exits._StopSignal, "number", None)

    def interrupted(*args: Any, **more: Any) -> None:
        monkeypatch.setattr(exits._StopSignal, "number", int(signal.SIGTERM))
        raise typer.Abort

    monkeypatch.setattr(app.typer.main, "get_command", lambda found: type("Command", (), {"main": interrupted})())
    assert run_cli("parse", "in").code == 143


def test_outputs_go_as_deep_as_their_inputs(run_cli: Any) -> None:
    """Deeper than Python's recursions go."""
    here = Path.cwd()
    try:
        Path("in").mkdir()
        for _ in range(990):
            os.chdir("in")
            Path("in").mkdir()
        Path("deep.pdf").write_bytes(b"%PDF-1.7 scripted")
        os.chdir(here)
        ran = run_cli("parse", "in", "-o", "out", "--tables", "tables")
        assert ran.code == 0, ran.err
        assert (here / "out" / Path(*["in"] * 989) / "deep.md").is_file()
        assert "1 done before" in run_cli("parse", "in", "-o", "out", "--tables", "tables").err
    finally:
        os.chdir(here)
        subprocess.run(["rm", "-rf", "in", "out", "tables"], check=True)  # Python's own way is a recursion
