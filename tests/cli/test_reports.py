"""Every run that begins leaves its report, however it ends; a process that is told to stop says so in one line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from scripted_parser import HALT, child, child_environment, forked, pdf

from docspec.core import DrafterError, ModelError, OutputError
from tests.forked import ForkedRun, run_forked

INTERRUPTIBLE = "import signal; signal.signal(2, signal.default_int_handler)"
"""As at a terminal; what a test's own process ignores its children ignore too."""


def report_of(path: Path = Path("r.json")) -> dict[str, Any]:
    value = json.loads(path.read_text())
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ModelError("the device is gone"), 1, "the device is gone"),
        (DrafterError("no models"), 1, "no models"),
        (BrokenPipeError(), 141, "standard output was closed"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 1, None),
        (OutputError("full"), 1, None),
        (ValueError("odd"), 1, None),
    ],
)
def test_a_run_that_fails_at_its_first_page_leaves_a_report(
    tmp_path: Path, run_cli: Any, error: BaseException, code: int, said: str | None
) -> None:
    def act(name: str, number: int) -> None:
        raise error

    result = run_cli("parse", pdf(tmp_path / "a.pdf"), "-o", "o.md", "--report", "r.json", act=act)
    report = report_of()
    assert (report["exit_code"], result.code, report["error"]) == (code, code, said)
    assert [entry["status"] for entry in report["documents"]] == ["failed"]
    assert said is None or report["documents"][0]["error"] == said


def test_a_place_that_cannot_be_written_leaves_a_report_and_wrong_usage_does_not(tmp_path: Path, run_cli: Any) -> None:
    source = pdf(tmp_path / "a.pdf")
    (tmp_path / "folder.md").mkdir()
    assert run_cli("parse", source, "-o", "folder.md", "--report", "r.json").code == 1
    assert "is a folder" in report_of()["error"]
    for output, report in (("a.pdf", "u.json"), ("o.md", "o.md"), ("o.md", "a.pdf")):
        result = run_cli("parse", source, "-o", output, "--report", report)
        assert (result.code, len(result.error_lines)) == (2, 1)
    assert not Path("u.json").exists() and source.read_bytes().startswith(b"%PDF")


def test_a_report_that_cannot_be_written_hides_no_other_error(tmp_path: Path, run_cli: Any) -> None:
    def act(name: str, number: int) -> None:
        Path("r").rmdir()
        Path("r").touch()
        raise ModelError("the device is gone")

    result = run_cli("parse", pdf(tmp_path / "a.pdf"), "-o", "o.md", "--report", "r/r.json", act=act)
    assert result.code == 1
    assert ["r.json" in result.error_lines[0], result.error_lines[1:]] == [True, ["docspec: error: the device is gone"]]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_leaves_a_report_of_what_was_read(tmp_path: Path, number: signal.Signals, code: int) -> None:
    source = pdf(tmp_path / "a.pdf")
    command = forked(["parse", str(source), "-o", "o.md", "--report", "r.json"], pages=50)
    environment = child_environment(**{HALT: "a.pdf page 3"})
    process = ForkedRun(command, stderr=subprocess.PIPE, text=True, env=environment, cwd=tmp_path)
    assert process.stderr is not None
    while "page 2" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(number)
    rest = process.stderr.read()
    assert process.wait(timeout=180) == code
    report = report_of(tmp_path / "r.json")
    assert (report["interrupted"], report["exit_code"], report["error"]) == (True, code, "interrupted")
    assert report["totals"]["pages"] >= 1 and report["documents"][0]["status"] == "failed"
    assert "Traceback" not in rest and rest.count("docspec: interrupted") == 1


def test_a_pipe_that_closes_leaves_a_report(tmp_path: Path) -> None:
    source = pdf(tmp_path / "a.pdf")
    command = forked(["parse", "-q", str(source), "--report", "r.json"], pages=50, page_seconds=0.02)
    process = ForkedRun(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=child_environment(), cwd=tmp_path
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=180) == 141
    assert report_of(tmp_path / "r.json")["exit_code"] == 141


def test_messages_that_nobody_reads_end_no_run(tmp_path: Path) -> None:
    """``docspec parse a.pdf -o o.md 2>&1 | head -1``, with a library that prints."""
    process = ForkedRun(
        forked(["parse", str(pdf(tmp_path / "a.pdf")), "-o", "o.md"], pages=4, page_seconds=0.05),
        stderr=subprocess.PIPE,
        env=child_environment(),
        cwd=tmp_path,
    )
    assert process.stderr is not None
    process.stderr.readline()
    process.stderr.close()
    assert process.wait(timeout=180) == 0
    assert (tmp_path / "o.md").read_text().count("Text of page") == 4


def test_a_signal_that_a_library_swallows_still_ends_the_run(tmp_path: Path) -> None:
    code = """
import os, signal, sys
sys.path.insert(0, sys.argv.pop(1))
from docspec import cli
from docspec.cli import batch
from scripted_parser import HALT, ScriptedParser

def act(name, number):
    if number == 2:  # in a destructor, as in a callback of an import, it is ignored
        type("Doomed", (), {"__del__": lambda self: os.kill(os.getpid(), signal.SIGTERM)})()
        print("went on", file=sys.stderr)
        observer.decoding(2, "stage2", 20, 5.6)
        raise AssertionError("went on for long")

def make_parser(options, watching, devices):
    global observer
    observer = watching
    return ScriptedParser(observer, 4, act)

batch.make_parser = make_parser
cli.main()
"""
    for quiet in ([], ["-q"]):
        command = [sys.executable, "-c", code, str(Path(__file__).parent)]
        command += ["parse", str(pdf(tmp_path / "a.pdf")), *quiet]
        done = subprocess.run(command, capture_output=True, text=True, env=child_environment(), timeout=180)
        assert done.returncode == 143, done.stderr
        assert "went on\n" in done.stderr and "went on for long" not in done.stderr
        assert "docspec: interrupted" in done.stderr and "Traceback" not in done.stderr


def test_an_interrupt_that_an_import_turns_into_another_error_is_one_line() -> None:
    """Python 3.11 raises ``RuntimeError`` where a class's ``__set_name__`` is interrupted."""
    code = """
import os, signal
from docspec.cli import main

def command():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    except KeyboardInterrupt as error:
        raise RuntimeError("__set_name__") from error

main(command)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=child_environment())
    assert (done.returncode, done.stderr) == (143, "docspec: interrupted\n")


def test_an_interrupt_at_any_moment_of_the_start_is_one_line(tmp_path: Path) -> None:
    """From the entry point on; before it (some milliseconds) the interpreter itself answers."""
    begun = "honest = exits.stop_on_signals\nexits.stop_on_signals = lambda: (honest(), print(flush=True))"
    code = f"{INTERRUPTIBLE}\nfrom docspec.cli import main\nfrom docspec.console import exits\n{begun}\nmain()"
    source = pdf(tmp_path / "a.pdf")
    for delay in (0.005, 0.02, 0.05, 0.1, 0.2, 0.4):
        process = subprocess.Popen(
            [sys.executable, "-c", code, "parse", str(source), "-o", str(tmp_path / "o.md")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=child_environment(),
        )
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        errors = process.stderr.read().decode()
        process.wait(timeout=180)
        assert "Traceback" not in errors, (delay, errors)
        assert process.returncode in (130, 1, -2), (delay, errors)  # -2: when all was done
    assert not (tmp_path / "o.md").exists()


@pytest.mark.parametrize("args", [["--help"], ["parse", "a.pdf"]])
def test_a_full_disk_behind_standard_output_is_one_line(tmp_path: Path, args: list[str]) -> None:
    if not os.path.exists("/dev/full"):  # noqa: PTH110
        pytest.skip("no /dev/full here")
    pdf(tmp_path / "a.pdf")
    with Path("/dev/full").open("wb") as full:
        main, *words = forked(args)
        done = run_forked(words, main, stdout=full, text=True, env=child_environment(), cwd=tmp_path)
    errors = [line for line in done.stderr.splitlines() if line.startswith("docspec: error")]
    assert (done.returncode, len(errors)) == (1, 1), done.stderr
    assert "standard output" in errors[0] and "No space left" in errors[0]
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


def test_closed_standard_streams_are_neither_a_crash_nor_a_silent_loss(tmp_path: Path) -> None:
    pdf(tmp_path / "a.pdf")

    def shell(redirections: str, *args: str) -> subprocess.CompletedProcess[bytes]:
        command = child(["parse", "-q", "a.pdf", *args], pages=1)
        script = " ".join(f"'{word}'" for word in command) + " " + redirections
        return subprocess.run(["sh", "-c", script], capture_output=True, env=child_environment(), cwd=tmp_path)

    closed = shell(">&-")
    assert closed.returncode == 1 and b"standard output: cannot be written" in closed.stderr
    nothing = shell("<&-", "-", "-o", "out/")
    assert nothing.returncode == 3 and b"stdin: nothing to read" in nothing.stderr
    assert shell("2>&-").stdout == b"## Page 1\n\nText of page 1.\n"
    assert shell("<&- >&- 2>&-", "-o", "o.md").returncode == 0
    assert (tmp_path / "o.md").read_text().startswith("## Page 1\n")
