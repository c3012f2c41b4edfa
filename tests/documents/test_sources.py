"""Inputs as people name them: files, folders, standard input, and names that lead nowhere."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from docspec.core import Failure, InputError
from docspec.corpus.listing import names_in
from docspec.documents import expand_inputs, open_document, remote
from docspec.documents.sources import sniff_kind, source_from_path

MakePdf = Callable[..., Path]


def test_a_folder_gives_its_files_in_natural_order_with_their_place_in_the_tree(
    tmp_path: Path, make_pdf: MakePdf
) -> None:
    for name in ("in/page10.pdf", "in/page2.pdf", "in/sub/a.pdf", "in/.hidden.pdf", "in/.git/b.pdf"):
        make_pdf(name=name)
    (tmp_path / "in/notes.txt").write_text("no")
    (tmp_path / "in/Scan.JPG").write_bytes(b"\xff\xd8\xff")
    result = expand_inputs([tmp_path / "in"])
    assert [s.relative.as_posix() for s in result.sources] == ["page2.pdf", "page10.pdf", "Scan.JPG", "sub/a.pdf"]
    assert {(s.path.name, s.reason.split()[0]) for s in result.skipped} == {
        (".hidden.pdf", "hidden"),
        ("notes.txt", "not"),
    }
    assert result.errors == ()


def test_a_file_named_twice_is_read_once(make_pdf: MakePdf) -> None:
    path = make_pdf()
    result = expand_inputs([path, path.parent, str(path)])
    assert [s.path for s in result.sources] == [path]
    assert [s.reason for s in result.skipped] == ["named twice", "named twice"]


def test_one_bad_name_costs_only_itself(tmp_path: Path, make_pdf: MakePdf) -> None:
    good = make_pdf()
    text = tmp_path / "notes.txt"
    text.write_text("hello")
    result = expand_inputs([tmp_path / "gone.pdf", good, text])
    assert [s.path for s in result.sources] == [good]
    assert ["no such file" in str(e) or "not a PDF, PNG" in str(e) for e in result.errors] == [True, True]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [("a.pdf", b"", "empty"), ("a.docx", b"PK\x03\x04", "not a PDF, PNG"), ("a\0b.pdf", None, "cannot be read")],
)
def test_unreadable_files_are_input_errors_of_one_line(
    tmp_path: Path, name: str, content: bytes | None, says: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=says) as caught:
        source_from_path(path)
    assert "\n" not in str(caught.value)


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    result = expand_inputs([tmp_path])
    assert "no PDF" in str(result.errors[0])
    with pytest.raises(InputError, match="no PDF"):
        result.raise_if_nothing()


def test_standard_input_is_recognised_by_its_bytes(make_pdf: MakePdf) -> None:
    data = make_pdf(3).read_bytes()
    result = expand_inputs(["-"], read_stdin=lambda: data)
    assert (result.sources[0].name, result.sources[0].kind) == ("stdin", "pdf")
    with open_document(result.sources[0]) as document:
        assert document.page_count == 3
    assert "not a PDF" in str(expand_inputs(["-"], read_stdin=lambda: b"plain text").errors[0])
    assert "nothing to read" in str(expand_inputs(["-"], read_stdin=lambda: b"").errors[0])


def test_content_decides_the_kind_and_not_the_name(tmp_path: Path) -> None:
    path = tmp_path / "really_a_picture.pdf"
    Image.new("RGB", (80, 90)).save(path, format="PNG")
    assert source_from_path(path).kind == "image"


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP"])
def test_every_supported_image_kind_is_recognised(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "image"
    Image.new("RGB", (8, 8)).save(path, format=kind)
    assert sniff_kind(path.read_bytes()[:1024]) == "image"


def test_a_link_to_a_parent_folder_does_not_loop(tmp_path: Path, make_pdf: MakePdf) -> None:
    make_pdf(name="in/a.pdf")
    (tmp_path / "in/loop").symlink_to(tmp_path / "in", target_is_directory=True)
    assert len(expand_inputs([tmp_path / "in"]).sources) == 1


def test_what_cannot_be_read_in_a_folder_is_an_error_and_costs_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.pdf", "b.pdf", "locked/c.pdf", "sub/d.pdf"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"%PDF-1.7")
    (tmp_path / "gone.pdf").symlink_to("nowhere.pdf")
    honest = Path.iterdir

    def closed(self: Path) -> Any:
        if self.name == "locked":
            raise PermissionError(13, "Permission denied")
        return honest(self)

    monkeypatch.setattr(Path, "iterdir", closed)  # a superuser may read anything
    monkeypatch.setattr(os, "access", lambda path, mode: path.name not in ("b.pdf", "gone.pdf"))
    found = expand_inputs([tmp_path, "x" * 300 + ".pdf"])
    assert [source.relative.as_posix() for source in found.sources] == ["a.pdf", "sub/d.pdf"]
    assert [str(error).rpartition("/")[2][:24] for error in found.errors[:3]] == [
        "b.pdf: cannot be read (c",
        "gone.pdf: cannot be read",
        "locked: cannot be read (",
    ]
    assert "File name too long" in str(found.errors[3])


def test_folders_may_be_nested_as_deep_as_the_system_allows(tmp_path: Path, make_pdf: MakePdf) -> None:
    source = make_pdf(name="x.pdf").read_bytes()
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        for depth in range(1500):
            Path("d").mkdir()
            os.chdir("d")
            if depth == 1200:
                Path("deep.pdf").write_bytes(source)
    finally:
        os.chdir(before)
    try:
        found = expand_inputs([tmp_path / "d"])
        assert [each.relative.name for each in found.sources] == ["deep.pdf"]
    finally:
        subprocess.run(["rm", "-rf", str(tmp_path / "d")], check=True)  # Python's own way is a recursion


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_read_like_standard_input(tmp_path: Path, make_pdf: MakePdf) -> None:
    data = make_pdf(name="x.pdf").read_bytes()
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as writer:
        writer.submit((tmp_path / "pipe").write_bytes, data)
        source = source_from_path(tmp_path / "pipe")
    assert (source.kind, source.data, source.path) == ("pdf", data, None)


@pytest.mark.parametrize("kind", ["gone", "a folder", "a pipe"])
def test_an_input_that_has_gone_since_it_was_listed_is_not_called_damaged(
    tmp_path: Path, make_pdf: MakePdf, kind: str
) -> None:
    for path in (make_pdf(name="x.pdf"), tmp_path / "x.png"):
        if path.suffix == ".png":
            Image.new("RGB", (40, 40), "white").save(path)
        source = source_from_path(path)
        path.unlink()
        if kind == "a folder":
            path.mkdir()
        elif kind == "a pipe" and hasattr(os, "mkfifo"):
            os.mkfifo(path)
        with pytest.raises(InputError, match=r"cannot be read any more") as raised:
            open_document(source)
        assert raised.value.failure is Failure.UNREADABLE


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="open files have no names here")
@pytest.mark.parametrize("by_link", [False, True])
def test_what_this_process_has_open_is_read_here(tmp_path: Path, make_pdf: MakePdf, by_link: bool) -> None:
    """In the child that opens documents the same name is another file: its own standard input, say."""
    path = make_pdf(name="x.pdf")
    with path.open("rb") as file:
        name = Path(f"/dev/fd/{file.fileno()}")
        if by_link:
            (tmp_path / "link").symlink_to(name)
            name = tmp_path / "link"
        source = source_from_path(name)
    assert (source.name, source.data, source.path) == (str(name), path.read_bytes(), None)


def test_a_file_system_that_nothing_knows_costs_its_own_input(tmp_path: Path, make_pdf: MakePdf) -> None:
    path = make_pdf(name="x.pdf")
    found = expand_inputs(["odd-system://bucket/a.pdf", path], find=remote.listed)
    assert [each.name for each in found.sources] == [str(path)]
    assert [each.name for each in found.unreadable] == ["odd-system://bucket/a.pdf"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-bom"])
def test_a_list_may_begin_with_a_byte_order_mark(tmp_path: Path, encoding: str) -> None:
    text = "a.pdf\nÄ b.pdf\n"
    data = b"\xff\xfe" + text.encode("utf-16-le") if encoding == "utf-16-le-bom" else text.encode(encoding)
    (tmp_path / "list").write_bytes(data)
    assert names_in(str(tmp_path / "list"), bytes) == ["a.pdf", "Ä b.pdf"]
