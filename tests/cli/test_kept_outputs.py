"""What stands in an output folder: nothing is overwritten by another input, content and not endings decide what is
read, and outputs whose input is gone are told and can be removed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image
from scripted_parser import pdf

from docspec.documents.images import ImageDocument
from docspec.documents.inputs import expand_inputs


def written(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in folder.glob("*.md")}


def named(path: Path, words: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pdf(path).write_text(f"%PDF {words}")
    return path


@pytest.mark.parametrize("given", [("a/doc.pdf", "b/doc.pdf"), ("a/", "b/")], ids=["files", "folders"])
def test_a_document_of_another_input_is_kept(tmp_path: Path, run_cli: Any, given: tuple[str, str]) -> None:
    for folder in "ab":
        named(tmp_path / folder / "doc.pdf", folder)
    first = run_cli("parse", given[0], "-o", "out/")
    before = written(tmp_path / "out")
    assert first.code == 0 and list(before) == ["doc.md"]
    second = run_cli("parse", given[1], "-o", "out/")
    assert second.code == 0 and "a/doc.pdf and is kept" in second.err and "out/doc-2.md" in second.err
    again = run_cli("parse", given[1], "-o", "out/")  # goes to the file of its own
    assert again.code == 0 and "is kept" not in again.err
    after = written(tmp_path / "out")
    assert sorted(after) == ["doc-2.md", "doc.md"] and after["doc.md"] == before["doc.md"]
    assert run_cli("parse", given[0], "-o", "out/").code == 0 and sorted(written(tmp_path / "out")) == sorted(after)


def test_a_document_whose_input_was_moved_is_written_where_it_was(tmp_path: Path, run_cli: Any) -> None:
    before = named(tmp_path / "a" / "doc.pdf", "a")
    assert run_cli("parse", before, "-o", "out/").code == 0
    (tmp_path / "b").mkdir()
    moved = before.rename(tmp_path / "b" / "doc.pdf")
    assert run_cli("parse", moved, "-o", "out/").code == 0
    assert list(written(tmp_path / "out")) == ["doc.md"]


def test_content_decides_in_a_folder_too(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        document.new_page()
        data = document.tobytes()
    for name in ("a.jpg", "b.dat", "c"):
        (tmp_path / name).write_bytes(data)
    image = Image.new("RGB", (40, 30), "white")
    for name, kind in (("d.pdf", "PNG"), ("e.bmp", "BMP"), ("f.gif", "GIF")):
        image.save(tmp_path / name, kind)
    (tmp_path / "g.txt").write_text("About %PDF-1.7 files.")
    (tmp_path / "h.docx").write_bytes(b"PK\x03\x04")
    (tmp_path / "i.nef").write_bytes(b"MM\0*raw photograph")
    (tmp_path / "j.pdf").write_bytes(b"no PDF")
    found = expand_inputs([tmp_path])
    kinds = {Path(source.name).name: source.kind for source in found.sources}
    assert [name for name, kind in kinds.items() if kind == "pdf"] == ["a.jpg", "b.dat", "c", "j.pdf"]
    assert [name for name, kind in kinds.items() if kind == "image"] == ["d.pdf", "e.bmp", "f.gif"]
    assert [skipped.path.name for skipped in found.skipped] == ["g.txt", "h.docx", "i.nef"]
    for source in found.sources:
        if source.kind == "image":
            assert ImageDocument(source).page_count == 1


def test_what_is_skipped_is_in_the_report_with_its_reason(tmp_path: Path, run_cli: Any) -> None:
    named(tmp_path / "in" / "a.pdf", "a")
    (tmp_path / "in" / "b.docx").write_bytes(b"PK")
    assert run_cli("parse", "in/", "-o", "out/", "--report", "report.json").code == 0
    [skipped] = json.loads((tmp_path / "report.json").read_text("utf-8"))["skipped"]
    assert skipped["input"].endswith("b.docx") and skipped["reason"].startswith("not a PDF")


def test_outputs_whose_input_is_gone_are_told_and_removed(tmp_path: Path, run_cli: Any) -> None:
    inputs = [named(tmp_path / "in" / f"{name}.pdf", name) for name in "abc"]
    assert run_cli("parse", "in/", "-o", "out/").code == 0
    (tmp_path / "out" / "b.md").write_text("changed by hand")
    for path in inputs[:2]:
        path.unlink()
    told = run_cli("status", "out")
    assert "inputs that are gone, of 2 documents" in told.out and "a.pdf" in told.out
    assert len(json.loads(run_cli("status", "out", "--json").out)["inputs_gone"]) == 2
    assert set(written(tmp_path / "out")) == {"a.md", "b.md", "c.md"}
    pruned = run_cli("status", "out", "--prune")
    assert pruned.code == 0 and "gone" in pruned.err and "inputs that are gone" not in pruned.out
    assert set(written(tmp_path / "out")) == {"b.md", "c.md"}, "what somebody changed is kept"
