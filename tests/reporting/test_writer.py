"""Documents are written page by page and appear whole or not at all."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from docspec.core import Block, Category, OutputError
from docspec.reporting.figures import FigureFiles
from docspec.reporting.markdown import MarkdownRenderer
from docspec.reporting.renderer import Layout
from docspec.reporting.writer import AtomicFile, DocumentWriter, StreamSink, write_whole

TEXT = Block(Category.TEXT, "A sentence.")


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def writer(path: Path) -> DocumentWriter:
    figures = FigureFiles(path.parent / "figures", path.parent)
    return DocumentWriter(AtomicFile(path), MarkdownRenderer(Layout()), figures, source="a.pdf")


def test_document_and_figures_appear_together(tmp_path: Path, make_page: Any, make_picture: Any) -> None:
    path = tmp_path / "new" / "out.md"
    with writer(path) as document:
        document.add(make_page(1, TEXT, make_picture()))
        assert not path.exists()
    assert path.read_text() == "A sentence.\n\n![page-1-1](figures/page-1-1.png)\n"
    assert names_in(path.parent) == ["figures", "out.md"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, SystemExit, MemoryError])
def test_any_way_out_but_success_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, make_page: Any, make_picture: Any, error: type[BaseException]
) -> None:
    path = tmp_path / "out.md"
    path.write_text("old")
    with pytest.raises(error), writer(path) as document:
        document.add(make_page(1, TEXT, make_picture()))
        raise error
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["out.md"]


def test_failing_figures_keep_the_document_away(tmp_path: Path, make_page: Any, make_picture: Any) -> None:
    (tmp_path / "figures").write_text("in the way")
    with pytest.raises(OutputError), writer(tmp_path / "out.md") as document:
        document.add(make_page(1, make_picture()))
    assert names_in(tmp_path) == ["figures"]


def test_pages_reach_the_file_as_they_come(tmp_path: Path, make_page: Any) -> None:
    file = AtomicFile(tmp_path / "out.md")
    file.write("x" * 100_000)
    (temporary,) = tmp_path.iterdir()
    assert temporary.name.startswith(".") and temporary.stat().st_size > 50_000
    file.discard()
    assert list(tmp_path.iterdir()) == []


def test_stream_gets_each_page_at_once(make_page: Any) -> None:
    stream = io.BytesIO()
    with DocumentWriter(StreamSink(stream), MarkdownRenderer(Layout())) as document:
        document.add(make_page(1, TEXT))
        assert stream.getvalue() == b"A sentence.\n"
        document.add(make_page(2, TEXT))
    assert stream.getvalue() == b"A sentence.\n\nA sentence.\n"


def test_new_file_has_the_users_permissions_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    umask = os.umask(0o027)
    try:
        write_whole(tmp_path / "new.json", "{}")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "new.json").stat().st_mode) == 0o640
    (tmp_path / "new.json").chmod(0o600)
    write_whole(tmp_path / "new.json", "[]")
    assert stat.S_IMODE((tmp_path / "new.json").stat().st_mode) == 0o600


def test_a_link_is_followed_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link.md").symlink_to(tmp_path / "real" / "out.md")
    write_whole(tmp_path / "link.md", "text")
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "real" / "out.md").read_text() == "text"


def test_a_device_is_written_to_directly() -> None:
    write_whole(Path("/dev/null"), "text")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_full_disk_is_an_output_error_that_names_the_file() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with pytest.raises(OutputError, match="/dev/full: cannot be written"):
        write_whole(Path("/dev/full"), "text")


def test_text_that_utf8_cannot_hold_is_written_with_replacements(tmp_path: Path) -> None:
    write_whole(tmp_path / "out.md", "name \udc80")
    assert (tmp_path / "out.md").read_bytes() == "name \ufffd".encode()
