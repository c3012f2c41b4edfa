"""Folders, patterns and lists become the same documents in the same order, each with a place of its own."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from docspec.core import InputError, UsageError
from docspec.corpus.job import CorpusOptions
from docspec.corpus.listing import list_documents, names_in
from docspec.corpus.records import Shard
from docspec.reporting.destinations import distinct_names


@pytest.fixture
def scans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("b/x.pdf", "a/x.pdf", "x.pdf", "x.png", "a/page10.png", "a/page2.png", "a/.hidden.pdf", "A.pdf"):
        path = Path("scans", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"%PDF-1.7")
    return Path("scans")


def listed(*inputs: str, **options: object) -> list[str]:
    found = list_documents(inputs, CorpusOptions(**options))  # type: ignore[arg-type]
    return [str(name) for name in distinct_names(found.sources, ".md")]


def test_a_tree_is_kept_and_nothing_collides(scans: Path) -> None:
    assert listed("scans") == [*("A.md", "x.pdf.md", "x.png.md"), *("a/page2.md", "a/page10.md", "a/x.md", "b/x.md")]


def test_the_order_is_not_that_of_the_folder(scans: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (scans / "a.PDF").write_bytes(b"%PDF")
    expected = listed("scans")
    iterdir = Path.iterdir
    monkeypatch.setattr(Path, "iterdir", lambda path: sorted(iterdir(path), reverse=True))
    assert listed("scans") == expected


def test_a_pattern_is_a_narrower_folder(scans: Path) -> None:
    assert listed("scans/*/*.pdf") == ["a/x.md", "b/x.md"]
    assert listed("scans/**/page*.png") == ["a/page2.md", "a/page10.md"]
    assert listed("scans/[ab]") == ["a/page2.md", "a/page10.md", "a/x.md", "b/x.md"]
    nothing = list_documents(["scans/*.tiff"], CorpusOptions())
    assert [str(each.error) for each in nothing.unreadable] == [
        "scans/*.tiff: no PDF, PNG, JPEG, TIFF, WebP, BMP or GIF file fits this pattern"
    ]
    (scans / "odd[1].pdf").write_bytes(b"%PDF")
    assert listed("scans/odd[1].pdf") == ["odd[1].md"], "a file of that name is no pattern"


def test_patterns_take_documents_in_and_leave_them_out(scans: Path) -> None:
    assert listed("scans", include=["*.png"]) == ["x.md", "a/page2.md", "a/page10.md"]
    assert listed("scans", include=["a/*"], exclude=["*10*"]) == ["a/page2.md", "a/x.md"]
    assert listed("scans/x.pdf", "scans/x.png", exclude=["x.png"]) == ["x.md"]
    left_out = list_documents(["scans"], CorpusOptions(exclude=["*.png"])).skipped
    assert sum(each.reason == "left out by --include or --exclude" for each in left_out) == 3


def test_a_list_keeps_the_paths_that_it_names_whatever_else_it_names(scans: Path, tmp_path: Path) -> None:
    above = os.fsencode(tmp_path.name) + b"/scans/A.pdf\n"
    Path("list").write_bytes(b"scans/b/x.pdf\n\n./scans/a/x.pdf\r\n../" + above)
    assert listed(from_file="list") == ["scans/b/x.md", "scans/a/x.md", f"{tmp_path.name}/scans/A.md"]
    Path("zeros").write_bytes(f"{scans.absolute()}/x.pdf".encode() + b"\0scans/x.png\0")
    assert listed("scans/b", from_file="zeros") == ["x.md", f"{str(scans.absolute())[1:]}/x.md", "scans/x.md"]


def test_a_list_comes_on_standard_input(scans: Path) -> None:
    options = CorpusOptions(from_file="-")
    found = list_documents([], options, lambda: b"scans/x.pdf\nscans/gone.pdf\n")
    assert [source.name for source in found.sources] == ["scans/x.pdf"]
    assert [(each.name, str(each.relative)) for each in found.unreadable] == [("scans/gone.pdf", "scans/gone.pdf")]
    with pytest.raises(UsageError, match="both"):
        list_documents(["-"], options)
    with pytest.raises(UsageError, match="no input given"):
        list_documents([], CorpusOptions())


def test_a_list_that_cannot_be_read_or_is_empty_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone: the list cannot be read"):
        names_in(str(tmp_path / "gone"), bytes)
    with pytest.raises(InputError, match="standard input: the list is empty"):
        names_in("-", lambda: b"\n \n")


def test_every_document_is_of_one_shard_and_stays_there() -> None:
    places = [f"folder/{number}.md" for number in range(1000)]
    shards = [[p for p in places if Shard(index, 7).holds(p)] for index in range(1, 8)]
    assert sorted(itertools.chain(*shards)) == sorted(places)
    assert all(80 < len(shard) < 210 for shard in shards)
    assert Shard.parsed("2/7") == Shard(2, 7) and Shard(2, 7).holds(shards[1][0])
