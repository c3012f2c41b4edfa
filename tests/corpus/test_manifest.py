"""Every line follows the schema; of several manifests and lines about a document the latest counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from folder_runs import inputs, lines, parse
from schema_check import load_schema, problems

from docspec.core import OutputError, ParseOptions
from docspec.corpus import identity
from docspec.corpus.manifest import FolderLock, Manifest, read_history
from docspec.corpus.records import DocumentRecord, Shard, recorded_command, retry_command
from docspec.corpus.writing import OutputChoice
from docspec.reporting.renderer import Layout


def record(document: str, finished: str, **more: Any) -> DocumentRecord:
    values = {"input": "/in", "status": "ok", "options": "o", "model": "m"}
    return DocumentRecord(document=document, finished=finished, **{**values, **more})


def test_lines_follow_the_schema_and_come_back(tmp_path: Path) -> None:
    source = inputs(tmp_path / "in", ["a.pdf", "broken.pdf", "lost.pdf"])
    assert parse(source, tmp_path / "out").returncode == 3
    (source / "broken.pdf").unlink()
    parse(source, tmp_path / "out")
    schema = load_schema("manifest")
    found = lines(tmp_path / "out")
    assert [problem for line in found for problem in problems(line, schema)] == []
    assert {line["record"] for line in found} == {"run", "listed", "document", "gone"}
    for line in found:
        if line["record"] == "document":
            assert json.loads(json.dumps(DocumentRecord.from_line(line).as_line())) == line
    assert problems({**found[0], "record": "document"}, schema), "the schema can say no"


def test_the_latest_line_counts_across_manifests(tmp_path: Path) -> None:
    one, two = Manifest(tmp_path, Shard(1, 2)), Manifest(tmp_path, Shard(2, 2))
    two.append([record("a.md", "2").as_line()])
    one.append([{"record": "listed", "document": "a.md", "input": "/in"}])
    one.append([record("a.md", "1", status="failed").as_line()])
    history = read_history(tmp_path)
    assert history.records["a.md"].status == "ok" and not history.listed


def test_lines_that_are_none_count_for_nothing(tmp_path: Path) -> None:
    good = json.dumps(record("a.md", "1").as_line())
    odd = ['{"record": "document"}', "[1]", "null", "{", '{"record": "new"}', '{"record": "document", "files": 3}']
    (tmp_path / "docspec.manifest.jsonl").write_text("\n".join([*odd, good, good[:-9]]))
    history = read_history(tmp_path)
    assert list(history.records) == ["a.md"] and history.unread == 5, "a torn last line and other kinds are no fault"
    manifest = Manifest(tmp_path)
    manifest.append([record("b.md", "1").as_line()])
    manifest.close()
    assert list(read_history(tmp_path).records) == ["a.md", "b.md"]


def test_an_empty_manifest_leaves_nothing(tmp_path: Path) -> None:
    Manifest(tmp_path / "out").close()
    assert list((tmp_path / "out").iterdir()) == []


def test_a_run_holds_its_folder_and_shards_their_files(tmp_path: Path) -> None:
    whole = Manifest(tmp_path)
    for shard in (None, Shard(1, 2)):
        with pytest.raises(OutputError, match="another run is writing here"):
            Manifest(tmp_path, shard)
    whole.close()
    one, two = Manifest(tmp_path, Shard(1, 2)), Manifest(tmp_path, Shard(2, 2))
    for shard in (None, Shard(1, 2)):
        with pytest.raises(OutputError, match="another run is writing here"):
            Manifest(tmp_path, shard)
    one.close()
    two.close()
    Manifest(tmp_path).close()


def test_where_nothing_can_be_locked_runs_go_on_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(handle: int, how: int) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr("fcntl.flock", no_locks)
    FolderLock(tmp_path, tmp_path / "m", shared=False).release()


def test_a_manifest_that_cannot_be_written_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot be written"):
        Manifest(tmp_path / "file" / "out")


def test_the_request_has_a_hash_of_what_outputs_depend_on() -> None:
    writing = OutputChoice("md", Layout())
    plain = identity.options_hash(ParseOptions(), writing)
    same = ParseOptions(password="x", offline=True, device="cpu", pages_in_flight=4, model="mini")
    assert identity.options_hash(same, writing) == plain
    assert {plain} != {
        identity.options_hash(ParseOptions(dpi=100), writing),
        identity.options_hash(ParseOptions(), OutputChoice("json", Layout())),
        identity.options_hash(ParseOptions(), OutputChoice("md", Layout(raw=True))),
    }
    known = set(ParseOptions.__dataclass_fields__) | {"page_timeout", "document_timeout"}
    assert known >= identity.WITHOUT_EFFECT


def test_the_hash_of_a_model_is_of_its_files(tmp_path: Path) -> None:
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(bytes(2 * identity.WHOLE))
    (tmp_path / "config.json").write_text("{}")
    before = identity.model_hash(tmp_path)
    (tmp_path / "README.md").write_text("words")
    assert identity.model_hash(tmp_path) == before
    for place in (0, identity.WHOLE, 2 * identity.WHOLE - 1):
        changed = bytearray(2 * identity.WHOLE)
        changed[place : place + identity.WHOLE // 32] = b"x" * min(identity.WHOLE // 32, len(changed) - place)
        weights.write_bytes(changed)
        assert identity.model_hash(tmp_path) != before


def test_the_command_is_kept_without_the_password() -> None:
    words = ["parse", "a b", "--password", "secret", "--password=secret", "--force", "-o", "out"]
    assert "secret" not in " ".join(recorded_command(words))
    called = recorded_command(words)
    assert retry_command(called) == "docspec parse 'a b' --password ... --password=... -o out --retry-failed"
