"""Manifests, results, names and keys that somebody else has written: nothing is removed, replaced or run for them."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from docspec.core.paths import file_hash
from docspec.corpus.records import DocumentRecord
from docspec.corpus.resume import now
from docspec.reporting.tables import csv_of

MANIFEST = "docspec.manifest.jsonl"
VALUES = {"input": "/in", "status": "ok", "options": "o", "model": "m"}


def inputs(folder: Path, names: list[str]) -> Path:
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_bytes(b"%PDF-1.7 scripted " + name.encode())
    return folder


def record(document: str, finished: str) -> DocumentRecord:
    return DocumentRecord(document=document, finished=finished, **VALUES)  # type: ignore[arg-type]


RUN = {"record": "run", "command": ["docspec"], "listed": 1, "shard": None, "model_name": "m", "options": "o"}
RUN |= {"model": "m", "version": None, "started": "1"}


@pytest.mark.parametrize(
    "line",
    [
        json.dumps(record("x.md", "1").as_line() | change)
        for change in (
            {"status": "oj"},
            {"failure": "bad luck"},
            {"document": 7},
            {"document": "x\0.md"},
            {"input": "in\0.pdf"},
            {"pages": -1},
            {"pages": 10**400},
            {"attempts": 2**64},
            {"pages": "many"},
            {"seconds": 1e400},
            {"seconds": True},
            {"files": {"path": "x"}},
            {"files": [{"path": 1, "sha256": ""}]},
            {"failed_pages": [{"page": 1}]},
        )
    ]
    + [
        json.dumps(RUN | change)
        for change in (
            {"shard": "1/99999999"},
            {"shard": "9/1"},
            {"shard": 4},
            {"command": "rm -r"},
            {"listed": -1},
            {"listed": 10**400},
            {"listed": "all"},
        )
    ]
    + [
        json.dumps({"record": "listed", "document": ["a"], "input": "b"}),
        json.dumps({"record": "gone", "document": {}, "input": "b"}),
        json.dumps({"record": ["run"]}),
        "[" * 100_000,
        '{"record":' * 100_000,
    ],
    ids=range(26),
)
def test_an_implausible_line_counts_for_nothing_and_ends_no_run(tmp_path: Path, line: str, run_cli: Any) -> None:
    source = inputs(tmp_path / "in", ["a.pdf"])
    out = tmp_path / "out"
    out.mkdir()
    (out / MANIFEST).write_text(line + "\n")
    ran = run_cli("parse", source, "-o", out)
    assert ran.code == 0 and "unexpected" not in ran.err
    assert "1 line of the manifest is no record and counts for nothing" in ran.err
    status = run_cli("status", out)
    assert status.code == 0 and "1 line of the manifest is no record" in status.out + status.err
    assert json.loads(run_cli("status", out, "--json").out)["unread_lines"] == 1


@pytest.mark.parametrize("name", ["../victim.txt", "{root}/victim.txt", "link/victim.txt", "a/../../victim.txt"])
def test_a_manifest_removes_no_file_outside_its_folder(tmp_path: Path, run_cli: Any, name: str) -> None:
    source, out = inputs(tmp_path / "in", ["a.pdf"]), tmp_path / "out"
    assert run_cli("parse", source, "-o", out).code == 0
    (tmp_path / "victim.txt").write_text("mine")
    (out / "stale.txt").write_text("mine")
    (out / "link").symlink_to(tmp_path)
    sha256 = file_hash(tmp_path / "victim.txt")
    [line] = [line for line in map(json.loads, (out / MANIFEST).open()) if line["record"] == "document"]
    named = [{"path": path.format(root=tmp_path), "sha256": sha256} for path in (name, "stale.txt")]
    with (out / MANIFEST).open("a") as file:
        file.write(json.dumps({**line, "files": [*line["files"], *named], "finished": now()}) + "\n")
    assert run_cli("parse", source, "-o", out, "--force").code == 0
    assert not (out / "stale.txt").exists(), "what is in the folder is removed"
    assert (tmp_path / "victim.txt").read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipes_and_devices_are_no_manifest_and_are_not_hashed(tmp_path: Path, run_cli: Any) -> None:
    source, out = inputs(tmp_path / "in", ["a.pdf"]), tmp_path / "out"
    (source / "zero.pdf").symlink_to("/dev/zero")
    os.mkfifo(source / "pipe.pdf")
    ran = run_cli("parse", source, "-o", out)
    assert ran.code == 0 and "2 files skipped" in ran.err
    ran = run_cli("parse", source / "a.pdf", source / "zero.pdf", "-o", tmp_path / "named")
    assert ran.code == 3 and "zero.pdf: is a device, not a file" in ran.err
    os.mkfifo(out / "docspec.manifest.1-of-2.jsonl")
    assert run_cli("parse", source, "-o", out).code == 0 and run_cli("status", out).code == 0
    ran = run_cli("parse", source, "-o", out, "--shard", "1/2")
    assert ran.code == 1 and "is no regular file" in ran.err


@pytest.mark.parametrize("name", ["paper.txt", "notes", "paper.md.bak", "out.json", "x.HTML"])
@pytest.mark.parametrize("format", ["md", "json"])
def test_the_named_file_is_written_and_no_other(tmp_path: Path, run_cli: Any, name: str, format: str) -> None:
    source = inputs(tmp_path / "in", ["a.pdf"]) / "a.pdf"
    out = tmp_path / "out"
    out.mkdir()
    ran = run_cli("parse", source, "-o", out / name, "--format", format, "--figures", "none")
    assert ran.code == 0 and [path.name for path in out.iterdir()] == [name]
    assert (out / name).read_text().startswith("{") == (format == "json")


def test_a_device_or_a_read_only_file_is_not_replaced_under_another_name(tmp_path: Path, run_cli: Any) -> None:
    source = inputs(tmp_path / "in", ["a.pdf"]) / "a.pdf"
    (tmp_path / "notes.md").write_text("mine")
    (tmp_path / "notes.md").chmod(0o444)
    assert run_cli("parse", source, "-o", tmp_path / "notes", "--figures", "none").code == 0
    assert (tmp_path / "notes.md").read_text() == "mine" and (tmp_path / "notes").is_file()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_nothing_is_written_beside_a_device_or_a_pipe(tmp_path: Path, run_cli: Any) -> None:
    """The pages have pictures, which would go to a folder beside their document."""
    source = inputs(tmp_path / "in", ["a.pdf"]) / "a.pdf"
    assert run_cli("parse", source, "-o", "/dev/null", "--format", "json").code == 0
    assert not [*Path("/dev").glob("null?*")]
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        ran = run_cli("parse", source, "-o", tmp_path / "pipe", "--format", "md", "--format", "json")
        assert ran.code == 2 and "several formats need a file" in ran.err
        assert run_cli("parse", source, "-o", tmp_path / "pipe").code == 0
        assert b"Page 1" in os.read(reader, 1000)
    finally:
        os.close(reader)
    assert {path.name for path in tmp_path.iterdir()} == {"in", "pipe"}


def test_other_formats_stand_beside_the_named_file(tmp_path: Path, run_cli: Any) -> None:
    source = inputs(tmp_path / "in", ["a.pdf"]) / "a.pdf"
    words = ("--format", "md", "--format", "json", "--figures", "none")
    assert run_cli("parse", source, "-o", tmp_path / "out" / "x.md", *words).code == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"x.md", "x.json"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--log-file", "in/a.pdf"], "is an input"),
        (["--log-file", "./in/../in/b.pdf"], "is an input"),
        (["--report", "in/a.pdf"], "is an input"),
        (["--report", "out/docspec.manifest.jsonl"], "report and is manifest|manifest and is report"),
        (["--log-file", "out/docspec.manifest.jsonl"], "log file"),
        (["--log-file", "one", "--report", "one"], "log file"),
        (["--log-file", "out/a.md"], "an output"),
        (["--report", "out/a.json", "--format", "md", "--format", "json"], "an output"),
        (["--report", "out/a.figures/page-1-1.png"], "picture or table"),
        (["--log-file", "list", "--from-file", "list"], "read by this run"),
        (["--report", "my.toml", "--config", "my.toml"], "read by this run"),
        (["--log-file", "in/a.pdf", "--pages", "0"], ""),
    ],
)
def test_what_a_run_writes_for_itself_replaces_nothing(
    tmp_path: Path, run_cli: Any, words: list[str], said: str
) -> None:
    inputs(tmp_path / "in", ["a.pdf", "b.pdf"])
    (tmp_path / "list").write_text("in/a.pdf\n")
    (tmp_path / "my.toml").write_text("")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    ran = run_cli("parse", "in", "-o", "out", *words)
    assert ran.code == 2 and re.search(said, ran.err), ran.err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    "figure", ["/etc/passwd", "../secret.png", "..%2Fsecret.png", "link/secret.png", "text.png", "pipe.png"]
)
def test_a_result_embeds_pictures_of_its_own_folder_only(tmp_path: Path, run_cli: Any, figure: str) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(b"\x89PNG\r\n\x1a\nsecret")
    (folder / "own.png").write_bytes(b"\x89PNG\r\n\x1a\nown")
    (folder / "text.png").write_text("text")
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe.png")
    (folder / "link").symlink_to(tmp_path)
    for name, link in (("own", "own.png"), ("other", figure)):
        block = {"category": "Picture", "text": "", "bbox": None, "bbox_from": "none", "page": 1, "figure": link}
        page = {"page": 1, "status": "ok", "width": 9, "height": 9, "blocks": [block]}
        result = {"schema": "docspec.document/2", "source": "x", "sha256": "", "pages": [page]}
        (folder / f"{name}.json").write_text(json.dumps(result))
    ran = run_cli("convert", folder / "other.json", folder / "own.json", "-o", tmp_path / "out/", "--format", "html")
    assert ran.code == 3 and len(ran.error_lines) == 1 and "picture" in ran.err
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["own.html"]
    assert "data:image/png;base64," in (tmp_path / "out" / "own.html").read_text()


PAGE = {"page": 1, "status": "ok", "width": 9, "height": 9, "blocks": []}
BLOCK = {"category": "Text", "text": "a", "bbox": None, "bbox_from": "none"}
DOCUMENT = {"schema": "docspec.document/2", "source": "x", "sha256": "", "pages": []}


@pytest.mark.parametrize(
    "wrong",
    [
        b"",
        b"[",
        b"[" * 100_000,
        b"\xff\xfe{",
        b"null",
        json.dumps({**DOCUMENT, "schema": ["docspec.document/2"]}),
        json.dumps({**DOCUMENT, "pages": 3}),
        json.dumps({**DOCUMENT, "pages": {"a": 1}}),
        json.dumps({**DOCUMENT, "pages": [[1, 2]]}),
        json.dumps({**DOCUMENT, "source": None}),
        json.dumps({**DOCUMENT, "pages": [{**PAGE, "page": "one"}]}),
        json.dumps({**DOCUMENT, "pages": [{**PAGE, "page": 0}]}),
        json.dumps({**DOCUMENT, "pages": [{**PAGE, "width": 1e400}]}),
        json.dumps({**DOCUMENT, "pages": [{**PAGE, "width": 10**400}]}),
        json.dumps({**DOCUMENT, "pages": [{**PAGE, "blocks": [{**BLOCK, "points": float("nan")}]}]}),
        json.dumps({**DOCUMENT, "pages": [PAGE, PAGE]}),
        json.dumps({**DOCUMENT, "sha256": "none"}),
        json.dumps({**DOCUMENT, "pages": [{**PAGE, "blocks": [1]}]}),
        json.dumps({**DOCUMENT, "pages": [{**PAGE, "blocks": [{**BLOCK, "text": 5}]}]}),
        json.dumps({**DOCUMENT, "pages": [{**PAGE, "blocks": [{**BLOCK, "category": "Odd"}]}]}),
        json.dumps({**DOCUMENT, "pages": [{**PAGE, "blocks": [{**BLOCK, "bbox": [1, 2]}]}]}),
        json.dumps({**DOCUMENT, "pages": [{**PAGE, "blocks": [{**BLOCK, "bbox": ["a", 2, 3, 4]}]}]}),
        json.dumps({**DOCUMENT, "pages": [{**PAGE, "blocks": [{**BLOCK, "figure": 7}]}]}),
        json.dumps({**DOCUMENT, "pages": [{**PAGE, "cut": {"reason": "x"}}]}),
        json.dumps({**DOCUMENT, "pages": [{**PAGE, "provenance": {"drafted": 1}}]}),
        json.dumps(
            {
                **DOCUMENT,
                "pages": [
                    {
                        **PAGE,
                        "blocks": [{**BLOCK, "spans": [{"start": 5, "end": 2, "mark": "model"}]}],
                        "provenance": {"drafted": True, "steps": [], "origins": {}, "left_out": []},
                    }
                ],
            }
        ),
    ],
    ids=range(26),
)
def test_a_result_that_is_none_costs_a_line_and_itself(tmp_path: Path, run_cli: Any, wrong: Any) -> None:
    for name in ("a", "c"):
        page = {**PAGE, "blocks": [{**BLOCK, "text": name}]}
        (tmp_path / f"{name}.json").write_text(json.dumps({**DOCUMENT, "pages": [page]}))
    (tmp_path / "b.json").write_bytes(wrong if isinstance(wrong, bytes) else wrong.encode())
    ran = run_cli("convert", "a.json", "b.json", "c.json", "-o", "out/")
    assert ran.code == 3 and ran.err.count("\n") == 1 and "b.json: " in ran.err and "unexpected" not in ran.err
    assert {path.name for path in Path("out").iterdir()} == {"a.md", "c.md"}


@pytest.mark.parametrize(
    "cell",
    ["-2+3+cmd|' /C calc'!A0", "+1-1+HYPERLINK(A1)", "=1", "@SUM(A1)", "-A1", "+cmd|x", "\t=1", "\n=1", "＝1", "-1+1"],
)
def test_no_cell_is_run_by_a_spreadsheet(cell: str) -> None:
    [[written]] = csv.reader(io.StringIO(csv_of([[cell]]), newline=""))
    assert written == f"'{cell}"


@pytest.mark.parametrize("cell", ["-5", "+1,843.50", "-0.21 (0.05)", "-3.2e-5", "-5 °C", "-12 %", "-", "-0.5**", "5-3"])
def test_numbers_keep_their_signs(cell: str) -> None:
    assert next(csv.reader(io.StringIO(csv_of([[cell]])))) == [cell]


def test_keys_that_lead_out_of_their_bucket_are_left_out(tmp_path: Path) -> None:
    from docspec.documents import Skipped, remote

    class Keys:
        def find(self, path: str, detail: bool) -> dict[str, Any]:
            return {f"b/a/{name}": {"type": "file"} for name in ("x.pdf", "b/../../x.pdf", "b/../y.pdf", "c/z.pdf")}

        def unstrip_protocol(self, name: str) -> str:
            return f"s3://{name}"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remote, "file_system", lambda url: (Keys(), "b/a"))
        found = list(remote.listed("s3://b/a/"))
    assert [each.name for each in found if not isinstance(each, Skipped)] == ["s3://b/a/x.pdf", "s3://b/a/c/z.pdf"]
    assert sum(isinstance(each, Skipped) and "leads out" in each.reason for each in found) == 2
