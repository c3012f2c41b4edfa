"""``docspec parse`` writes what was asked for, goes on after failures, and says what failed in one line
each.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scripted_parser import ScriptedParser, page, pdf

from docspec.core import DrafterError, Event, InputError, ModelError, OutputError, UsageError
from docspec.documents.sources import source_from_path

MANIFEST = "docspec.manifest.jsonl"


def tree(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_one_input_goes_to_standard_output_and_all_else_to_standard_error(tmp_path: Path, run_cli: Any) -> None:
    result = run_cli("parse", pdf(tmp_path / "a.pdf"))
    assert result.code == 0
    assert result.out == "## Page 1\n\nText of page 1.\n\n## Page 2\n\nText of page 2.\n"
    assert "page 1: 41 tokens" in result.err and "2 pages: 2 read" in result.err
    assert tree(tmp_path) == ["a.pdf"]
    assert result.parsers[0].closed


def test_raw_writes_the_answer_itself(tmp_path: Path, run_cli: Any) -> None:
    result = run_cli("parse", pdf(tmp_path / "a.pdf"), "--set", "raw=true", "--figures", "none")
    assert (result.code, result.out) == (0, "unused\n\nunused\n")


def test_output_file_report_and_figures(tmp_path: Path, run_cli: Any) -> None:
    result = run_cli("parse", pdf(tmp_path / "a.pdf"), "-o", "o/out.md", "--report", "o/r.json")
    assert (result.code, result.out) == (0, "")
    assert tree(tmp_path / "o") == ["out.figures/page-1-1.png", "out.figures/page-2-1.png", "out.md", "r.json"]
    assert "![page-2-1](out.figures/page-2-1.png)" in (tmp_path / "o" / "out.md").read_text()
    report = json.loads((tmp_path / "o" / "r.json").read_text())
    assert report["simulated"] is True
    assert report["documents"][0]["output"] == "o/out.md"
    assert report["documents"][0]["sha256"] == source_from_path(tmp_path / "a.pdf").sha256()
    assert report["versions"]["docspec"] and report["wall_seconds"] >= report["load_seconds"] >= 0


@pytest.mark.parametrize(("name", "beginning"), [("o.json", "{"), ("o.html", "<!doctype html>"), ("o.md", "## ")])
def test_format_follows_the_suffix(tmp_path: Path, run_cli: Any, name: str, beginning: str) -> None:
    assert run_cli("parse", pdf(tmp_path / "a.pdf"), "-o", name).code == 0
    assert (tmp_path / name).read_text().startswith(beginning)


def test_html_embeds_its_pictures_and_none_leaves_them_out(tmp_path: Path, run_cli: Any) -> None:
    source = pdf(tmp_path / "a.pdf")
    run_cli("parse", source, "-o", "o.html")
    run_cli("parse", source, "-o", "n.html", "--figures", "none")
    run_cli("parse", source, "-o", "n.md", "--figures", "none")
    assert "data:image/png;base64," in (tmp_path / "o.html").read_text()
    assert "<img" not in (tmp_path / "n.html").read_text()
    assert "![" not in (tmp_path / "n.md").read_text()
    assert tree(tmp_path) == ["a.pdf", "n.html", "n.md", "o.html"]


def test_a_folders_tree_is_kept_and_nothing_collides(tmp_path: Path, run_cli: Any) -> None:
    for name in ("in/x.pdf", "in/b/x.pdf", "in/b/x.png"):
        pdf(tmp_path / name)
    assert run_cli("parse", "in", "-o", "out", "--figures", "none").code == 0
    assert tree(tmp_path / "out") == ["b/x.pdf.md", "b/x.png.md", MANIFEST, "x.md"]


def test_one_bad_input_costs_only_itself(tmp_path: Path, run_cli: Any) -> None:
    good, broken = pdf(tmp_path / "good.pdf"), pdf(tmp_path / "broken.pdf")
    result = run_cli("parse", "missing.pdf", broken, good, "-o", "out", "--report", "r.json", "--figures", "none")
    assert result.code == 3
    assert tree(tmp_path / "out") == [MANIFEST, "good.md"]
    assert result.error_lines == [
        "docspec: error: missing.pdf: no such file; check the path",
        f"docspec: error: {broken}: not a readable PDF; repair it or convert it again",
    ]
    assert "1 of 3 inputs written" in result.err
    statuses = {entry["source"]: entry["status"] for entry in json.loads(Path("r.json").read_text())["documents"]}
    assert statuses == {"missing.pdf": "failed", str(broken): "failed", str(good): "ok"}


def test_nothing_readable_is_fatal(run_cli: Any) -> None:
    result = run_cli("parse", "missing.pdf")
    assert (result.code, result.out) == (1, "")
    assert result.err == "docspec: error: missing.pdf: no such file; check the path\n"
    assert result.parsers == []


def test_an_empty_folder_is_said_even_without_an_output(tmp_path: Path, run_cli: Any) -> None:
    (tmp_path / "in").mkdir()
    result = run_cli("parse", "in")
    assert result.code == 1 and len(result.error_lines) == 1 and "in" in result.err


def test_pages_beyond_the_document_are_said_before_a_model_is_loaded(tmp_path: Path, run_cli: Any) -> None:
    def make(options: Any, observer: Any, devices: Any) -> Any:
        class Parser(ScriptedParser):
            def __getattribute__(self, name: str) -> Any:
                assert name != "target_info", "the model was asked for"
                return super().__getattribute__(name)

        return Parser(observer)

    result = run_cli("parse", pdf(tmp_path / "a.pdf"), "--pages", "7-12", make=make)
    assert result.code in (1, 2) and len(result.error_lines) == 1 and "2 pages" in result.err


def test_a_failed_page_is_code_3_and_stays_visible_in_the_document(tmp_path: Path, run_cli: Any) -> None:
    def act(name: str, number: int) -> Any:
        failed = {"status": "failed", "error": f"{name}, page 1: out of memory", "blocks": (), "text": ""}
        return page(name, number, **failed) if number == 1 else None

    source = pdf(tmp_path / "a.pdf")
    result = run_cli("parse", source, "-o", "o.md", act=act)
    assert result.code == 3
    assert result.error_lines == [f"docspec: error: {source}, page 1: out of memory"]
    assert "page 1 could not be read" in Path("o.md").read_text() and "Text of page 2" in Path("o.md").read_text()


def test_the_traceback_of_a_failed_page_is_kept(tmp_path: Path, run_cli: Any) -> None:
    trace = "Traceback:\n" + "".join(f"  line {number}\x1b\n" for number in range(40)) + "ValueError: odd\n"

    def act(name: str, number: int) -> Any:
        return page(name, number, status="failed", error="ValueError: odd", trace=trace, blocks=())

    args = ["parse", pdf(tmp_path / "a.pdf"), "-o", "o.md", "--report", "r.json"]
    assert "line 39" not in run_cli(*args, act=act, pages=1).err
    shown = run_cli(*args, "-vv", act=act, pages=1).err
    assert "  line 0" in shown and shown.count("ValueError: odd\n") >= 2 and "\x1b" not in shown
    kept = json.loads(Path("r.json").read_text())["documents"][0]["pages"][0]["trace"]
    assert (len(kept), kept[-1]) == (12, "ValueError: odd")


def test_a_damaged_page_keeps_its_text_is_said_and_is_code_3(tmp_path: Path, run_cli: Any) -> None:
    def act(name: str, number: int) -> Any:
        damaged = Event("damaged_page", "damaged in the file (zlib error)")
        return page(name, number, events=(damaged,)) if number == 2 else None

    result = run_cli("parse", pdf(tmp_path / "a.pdf"), "-o", "o.md", "--figures", "none", act=act)
    assert result.code == 3 and "Text of page 2." in Path("o.md").read_text()
    assert [line for line in result.error_lines if "a.pdf, page 2: damaged in the file (zlib error)" in line]


def test_an_unforeseen_fault_fails_one_input_without_a_traceback(tmp_path: Path, run_cli: Any) -> None:
    def act(name: str, number: int) -> None:
        if name.endswith("a.pdf"):
            raise ValueError("two\nlines")

    inputs = [pdf(tmp_path / "a.pdf"), pdf(tmp_path / "b.pdf")]
    result = run_cli("parse", *inputs, "-o", "out", "--figures", "none", act=act)
    assert result.code == 3 and tree(tmp_path / "out") == ["b.md", MANIFEST]
    assert len(result.error_lines) == 1 and "ValueError: two lines" in result.error_lines[0]
    assert "Traceback" not in result.err
    assert "Traceback" in run_cli("parse", *inputs, "-o", "out", "-vv", "--force", act=act).err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ModelError("no such model"), 1),
        (DrafterError("no models"), 1),
        (UsageError("--device foo: unknown"), 2),
        (OutputError("full"), 1),
    ],
)
def test_fatal_errors_are_one_line_and_the_right_code(
    tmp_path: Path, run_cli: Any, error: Exception, code: int
) -> None:
    def act(name: str, number: int) -> None:
        raise error

    result = run_cli("parse", pdf(tmp_path / "a.pdf"), "-o", "o.md", act=act)
    assert result.code == code
    assert result.err == f"docspec: error: {error}\n"
    assert tree(tmp_path) == ["a.pdf"]


def test_wrong_usage_that_is_met_late_is_said_once(tmp_path: Path, run_cli: Any) -> None:
    def act(name: str, number: int) -> None:
        raise UsageError("--device foo: unknown")

    inputs = [pdf(tmp_path / "a.pdf"), pdf(tmp_path / "b.pdf")]
    result = run_cli("parse", *inputs, "-o", "out", act=act)
    assert (result.code, result.err) == (2, "docspec: error: --device foo: unknown\n")


def test_a_model_that_fails_late_keeps_what_is_complete(tmp_path: Path, run_cli: Any) -> None:
    def act(name: str, number: int) -> None:
        if name.endswith("b.pdf"):
            raise ModelError("the device is gone")

    inputs = [pdf(tmp_path / "a.pdf"), pdf(tmp_path / "b.pdf")]
    result = run_cli("parse", *inputs, "-o", "out", "--figures", "none", "--report", "r.json", act=act)
    assert result.code == 1 and tree(tmp_path / "out") == ["a.md", MANIFEST]
    assert json.loads(Path("r.json").read_text())["totals"]["pages"] == 2


def test_bad_outputs_are_refused_before_a_parser_is_made(tmp_path: Path, run_cli: Any) -> None:
    source = pdf(tmp_path / "a.pdf")
    (tmp_path / "folder.md").mkdir()
    read_only = tmp_path / "ro.md"
    read_only.touch(0o444)
    for output, code in ((source, 2), ("folder.md", 1), (read_only, 1), (source / "x.md", 1)):
        result = run_cli("parse", source, "-o", output)
        assert (result.code, len(result.error_lines), result.parsers) == (code, 1, [])
    assert run_cli("parse", source, source.parent, "-o", source).code == 2
    assert run_cli("parse", source, tmp_path / "b.pdf", "folder.md").code == 2
    assert source.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    "args",
    [
        ["--set", "tau=0"],
        ["--pages", "3-x"],
        ["--set", "tau=1.5"],
        ["--dpi", "abc"],
        ["--set", "stages=three"],
        ["--drafter", "saved"],
        ["--pages-in-flight", "2", "--baseline"],
        ["--no-such-option"],
        [""],
        ["-o", ""],
        ["--report", "-"],
        ["--config", "missing.toml"],
    ],
)
def test_wrong_usage_is_one_line_and_code_2(tmp_path: Path, run_cli: Any, args: list[str]) -> None:
    result = run_cli("parse", pdf(tmp_path / "a.pdf"), *args)
    assert result.code == 2
    assert result.err.startswith("docspec: error: ") and result.err.count("\n") == 1
    assert result.parsers == []


def test_quiet_prints_errors_only_and_verbose_tells_events(tmp_path: Path, run_cli: Any) -> None:
    def act(name: str, number: int) -> Any:
        return page(name, number, events=(Event("loop_stopped", "cut at the draft's length"),))

    source = pdf(tmp_path / "a.pdf")
    assert run_cli("parse", source, "-q", act=act).err == ""
    assert "loop_stopped" not in run_cli("parse", source, act=act).err
    assert "loop_stopped: cut at the draft's length" in run_cli("parse", source, "-v", act=act).err
    assert run_cli("parse", "-q", "missing.pdf").err.count("\n") == 1


def test_several_inputs_on_standard_output_follow_each_other(tmp_path: Path, run_cli: Any) -> None:
    inputs = [pdf(tmp_path / "a.pdf"), pdf(tmp_path / "b.pdf")]
    result = run_cli("parse", *inputs, "-o", "-", "--format", "json", pages=1)
    decoder, text, names = json.JSONDecoder(), result.out, []
    while text:
        value, end = decoder.raw_decode(text)
        names.append(Path(value["source"]).name)
        text = text[end:].lstrip()
    assert names == ["a.pdf", "b.pdf"]


def test_options_reach_the_parser(tmp_path: Path, run_cli: Any) -> None:
    args = "--pages 1-2 --dpi 150 --password x --device cpu --dtype float32 --set attention=eager --drafter none"
    args += " --set stages=page --proposer cursor --set window=4"
    args += " --set tau=0.75 --set max-tree=16 --max-tokens 99 --baseline"
    options = run_cli("parse", pdf(tmp_path / "a.pdf"), *args.split()).options[0]
    assert (options.pages, options.dpi, options.password) == ("1-2", 150.0, "x")
    assert (options.device, options.dtype, options.attention, options.drafter) == ("cpu", "float32", "eager", "none")
    assert (options.stages, options.align, options.window, options.tau) == ("page", "cursor", 4, 0.75)
    assert (options.max_tree, options.max_tokens, options.baseline, options.model) == (16, 99, True, "auto")


def test_defaults_are_those_of_the_api(tmp_path: Path, run_cli: Any) -> None:
    from docspec.core import ParseOptions

    assert run_cli("parse", pdf(tmp_path / "a.pdf")).options[0] == ParseOptions()


def test_standard_input_is_read(tmp_path: Path, run_cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"%PDF-1.7 scripted")))
    result = run_cli("parse", "-", "-o", "out/")
    assert result.code == 0 and result.parsers[0].opened == ["stdin"]
    assert "out/stdin.md" in tree(tmp_path)


def test_input_error_of_a_late_page_removes_the_document(tmp_path: Path, run_cli: Any) -> None:
    def act(name: str, number: int) -> None:
        if number == 2:
            raise InputError(f"{name}: the file changed while it was read")

    result = run_cli("parse", pdf(tmp_path / "a.pdf"), "-o", "o.md", act=act)
    assert result.code == 1 and tree(tmp_path) == ["a.pdf"]


def test_a_run_needs_nothing_that_only_posix_has(tmp_path: Path, run_cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows: no such names, no locks, no way from one drive to another."""
    import os
    import shutil
    import signal
    import sys

    from docspec.console import exits
    from docspec.reporting import staging
    from tests.test_portable import POSIX_ONLY

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for module in (os, signal):
        for name in POSIX_ONLY[module.__name__] - {"register_at_fork"}:
            monkeypatch.delattr(module, name, raising=False)

    def no_way(path: object, start: object) -> str:
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    monkeypatch.setattr(staging, "fcntl", None)
    monkeypatch.setattr(shutil, "_use_fd_functions", False)  # else it takes the flags of POSIX for granted
    monkeypatch.setattr(os.path, "relpath", no_way)
    try:
        exits.stop_on_signals()
        result = run_cli("parse", pdf(tmp_path / "a.pdf"), "-o", "o.md", "--report", "r.json")
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert (result.code, result.error_lines) == (0, [])
    assert (tmp_path / "o.figures").as_uri() in Path("o.md").read_text()
    assert json.loads(Path("r.json").read_text())["exit_code"] == 0
