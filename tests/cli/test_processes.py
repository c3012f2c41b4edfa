"""Real processes: pipes that close, signals that interrupt, help that answers at once, terminals that are
narrow.
"""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from scripted_parser import HALT, child, child_environment, forked, pdf, run_child

from docspec.corpus.journal import journal_path
from tests.forked import ForkedRun

ROOT = Path(__file__).parents[2]

MODULES = 700
"""At most so many modules are loaded to show a help text: Python's own, typer, rich, pydantic and ours."""

HEAVY = ("torch", "transformers", "pymupdf", "numpy", "PIL", "paddleocr", "rapidocr", "onnxruntime", "huggingface_hub")


def everything_below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.parametrize("args", [["--help"], ["parse", "--help"], ["doctor", "--help"], ["--version"]])
def test_help_imports_nothing_heavy_and_little_altogether(args: list[str]) -> None:
    """Modules are counted, not seconds: seconds depend on the machine and on what else it does."""
    code = (
        "import sys, docspec.cli.app as app\n"
        f"code = app.run({args!r})\n"
        f"heavy = [name for name in {HEAVY!r} if name in sys.modules]\n"
        f"sys.exit(code or ' '.join(heavy) or (len(sys.modules) if len(sys.modules) > {MODULES} else 0))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=child_environment(), timeout=180)
    assert (done.returncode, done.stderr) == (0, b"")


def test_module_and_entry_point_are_the_same_program() -> None:
    done = subprocess.run([sys.executable, "-m", "docspec", "--version"], capture_output=True, env=child_environment())
    assert done.returncode == 0 and done.stdout.startswith(b"docspec ")


def test_no_arguments_show_help_and_are_wrong_usage() -> None:
    done = subprocess.run([sys.executable, "-m", "docspec"], capture_output=True, env=child_environment())
    assert done.returncode == 2 and b"parse" in done.stdout and done.stderr == b""


def test_files_in_the_working_folder_are_no_modules_of_children(tmp_path: Path) -> None:
    """A folder of documents may hold programs, of others too."""
    work = tmp_path / "work"
    work.mkdir()
    for name in ("pickle", "queue", "numpy", "torch", "docspec", "PIL", "pymupdf"):
        (work / f"{name}.py").write_text("open('ran', 'a').close()\nraise SystemExit(name)\n")
    command = [Path(sys.executable).with_name("docspec"), "parse", str(ROOT / "samples/notes.pdf"), "-o", "-"]
    for more in ([], ["--words", "model", "--devices", "cpu"]):
        done = subprocess.run([*command, *more], cwd=work, capture_output=True, env=child_environment(), timeout=180)
        assert (done.returncode, (work / "ran").exists()) == (0, False), done.stderr


def test_what_libraries_print_never_reaches_the_document(tmp_path: Path) -> None:
    done = run_child(["parse", str(pdf(tmp_path / "a.pdf"))], pages=1)
    assert done.stdout == b"## Page 1\n\nText of page 1.\n"
    assert b"a library talks" in done.stderr


def test_a_pipe_closed_early_ends_quietly_like_other_tools(tmp_path: Path) -> None:
    process = ForkedRun(
        forked(["parse", "-q", str(pdf(tmp_path / "a.pdf"))], pages=50, page_seconds=0.05),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=child_environment(),
    )
    assert process.stdout is not None and process.stderr is not None
    assert process.stdout.readline() == b"## Page 1\n"
    process.stdout.close()
    errors = process.stderr.read().replace(b"a library talks on standard output\n", b"")
    assert (process.wait(timeout=180), errors) == (141, b"")


def test_help_into_a_closed_pipe_ends_quietly() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "docspec", "parse", "--help"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, env=child_environment(), timeout=180)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_an_interrupt_leaves_whole_files_only(tmp_path: Path, number: signal.Signals, code: int) -> None:
    for name in ("a.pdf", "b.pdf", "c.pdf"):
        pdf(tmp_path / "in" / name)
    out = tmp_path / "out"
    process = subprocess.Popen(
        child(["parse", str(tmp_path / "in"), "-o", str(out), "-v"], pages=4),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=child_environment(**{HALT: "b.pdf page 3"}),
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # a background job's children ignore SIGINT
    )
    assert process.stderr is not None
    seen = ""
    while "b.pdf page 2" not in seen:
        line = process.stderr.readline()
        assert line, seen
        seen += line
    assert any(path.suffix == ".part" for path in out.iterdir()), "b.pdf should be half written now"
    process.send_signal(number)
    rest = process.stderr.read()
    assert process.wait(timeout=180) == code
    figures = ["a.figures", *(f"a.figures/page-{n}-1.png" for n in range(1, 5))]
    journal = journal_path(out, "b.md").name
    assert everything_below(out) == [journal, *figures, "a.md", "docspec.manifest.jsonl"]
    assert (out / "a.md").read_text().count("Text of page") == 4
    # The line of page 2 is printed just before the page is written.
    assert re.search(r"docspec: interrupted: 1 of 3 inputs complete; (1 page|2 pages) of .*b.pdf ", rest)
    assert "Traceback" not in seen + rest


def on_a_terminal(command: list[str], columns: int, code: int = 0, **environment: str) -> str:
    """What the command writes to a terminal of that width (control sequences included)."""
    ours, theirs = pty.openpty()
    process = ForkedRun(
        command,
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=child_environment(COLUMNS=str(columns), LINES="24", TERM="xterm-256color", **environment),
    )
    os.close(theirs)
    written = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([ours], [], [], 0.2)[0]:
            try:
                data = os.read(ours, 65536)
            except OSError:
                break
            if not data:
                break
            written += data
    os.close(ours)
    assert process.wait(timeout=180) == code
    return written.decode()


CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.mark.parametrize("columns", [40, 100])
def test_the_bar_fits_its_terminal(tmp_path: Path, columns: int) -> None:
    source = pdf(tmp_path / "a-rather-long-name-of-a-report-from-1998-final.pdf")
    written = on_a_terminal(forked(["parse", str(source)], pages=3, page_seconds=0.3), columns)
    lines = [line.rstrip() for line in re.split(r"[\r\n]+", CONTROL.sub("", written))]
    bars = [line for line in lines if "/3" in line]
    assert bars and all(len(line) <= columns for line in lines if "library" not in line)
    assert any("stage 2" in line and "5.6" in line and "2/3" in line for line in bars)
    assert all("al.pdf" in line for line in bars), "the end of the name tells files apart"
    assert ("━" in written) == (columns == 100)
    assert "3 pages: 3 read" in lines
    assert "page 1: " not in written, "no line per page on a terminal"


def test_a_file_name_steers_no_terminal(tmp_path: Path) -> None:
    name = b"a\x1b]0;owned\x07[bold]\x1b[35m\xe9.pdf".decode("utf-8", "surrogateescape")
    for source, args, pages in (
        (pdf(tmp_path / name), ["-v"], 1),
        (tmp_path / f"broken{name}", [], 0),
        (tmp_path / f"missing{name}", ["--report", str(tmp_path / "r.json")], 0),
    ):
        if source.name.startswith("broken"):
            pdf(source)
        command = forked(["parse", str(source), "-o", str(tmp_path / "o.md"), *args], pages=1, page_seconds=0.2)
        written = on_a_terminal(command, 100, code=0 if pages else 1)
        assert "\x1b]0;owned" not in written and "\x07" not in written and "\x1b[35m" not in written
        assert "[bold]" in written
    assert "owned" in (tmp_path / "r.json").read_text()


def test_no_color_is_respected_on_a_terminal(tmp_path: Path) -> None:
    command = forked(["parse", str(pdf(tmp_path / "a.pdf"))], pages=1, page_seconds=0.2)
    coloured = re.compile(r"\x1b\[[0-9;]*3[0-9][0-9;]*m")
    assert coloured.search(on_a_terminal(command, 80))
    assert not coloured.search(on_a_terminal(command, 80, NO_COLOR="1"))


def test_a_process_ends_at_once_after_what_was_registered_for_its_end() -> None:
    """The last collections took a second between the last line and the prompt, and had bindings complain."""
    script = (
        "import atexit, sys, docspec.cli, docspec.cli.app as app\n"
        "class Late:\n    def __del__(self): print('collected')\n"
        "late = Late(); late.self = late\n"
        "atexit.register(print, 'registered')\n"
        "app.run = lambda: print('run', end='; ') or 3\n"
        "docspec.cli.main()"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout, ran.stderr) == (3, "run; registered\n", "")


@pytest.mark.parametrize("columns", [40, 120])
def test_of_many_documents_the_terminal_shows_how_far_the_run_is(tmp_path: Path, columns: int) -> None:
    for name in ("a", "b", "broken"):
        pdf(tmp_path / "in" / f"{name}.pdf")
    command = forked(["parse", str(tmp_path / "in"), "-o", str(tmp_path / "out")], pages=2, page_seconds=0.3)
    written = on_a_terminal(command, columns, code=3)
    lines = [line.rstrip() for line in re.split(r"[\r\n]+", CONTROL.sub("", written))]
    how_far = [line for line in lines if re.search(r"1 of 3 documents; 2 pages|1/3, ", line)]
    assert how_far and all(len(line) <= columns for line in how_far)
    assert any("broken.pdf: not a readable PDF" in line for line in lines)
    assert "docspec: 3 of 3 documents, 1 failed; 4 pages" in written


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_before_a_command_has_taken_it_up_is_told_with_its_own_code(number: signal.Signals) -> None:
    """As while what a command needs is imported: nothing but Typer is there to catch it."""
    code = f"""
import docspec.cli.app as app, os
from docspec.cli import main
app.app.command("stopped")(lambda: os.kill(os.getpid(), {int(number)}))
main(lambda: app.run(["stopped"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # nohup and background jobs ignore some
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (128 + number, "docspec: interrupted\n")


@pytest.mark.parametrize("loaded", ["torch/__init__.py", "other/__init__.py"])
def test_a_signal_while_torch_is_imported_waits_until_it_is(tmp_path: Path, loaded: str) -> None:
    """torch's C++ calls Python while it is imported, and aborts where that raises; any other import is broken off."""
    module = tmp_path / loaded
    module.parent.mkdir()
    module.write_text("import signal\nsignal.raise_signal(signal.SIGTERM)\nprint('loaded', flush=True)\n")
    code = f"""
import sys, time
sys.path.insert(0, {str(tmp_path)!r})
from docspec.console import exits
exits.stop_on_signals()
try:
    import {module.parent.name}
    time.sleep(60)
except exits.Interrupted as interrupt:
    print(interrupt.exit_code)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50, check=False)
    assert done.stdout.split() == (["loaded", "143"] if module.parent.name == "torch" else ["143"]), done.stderr
