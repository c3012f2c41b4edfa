"""Every input gets a place of its own, and impossible places are refused before any work."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePath

import pytest

from docspec.core import OutputError, UsageError
from docspec.reporting.collisions import check
from docspec.reporting.destinations import Destination, distinct_names, infer_format, plan


@dataclass(frozen=True)
class File:
    path: Path | None
    relative: PurePath


def file(path: str, relative: str | None = None) -> File:
    return File(Path(path), PurePath(relative or Path(path).name))


def names(*files: File) -> list[str]:
    return [name.as_posix() for name in distinct_names(files, ".md")]


def test_a_folders_tree_is_kept() -> None:
    assert names(file("in/a.pdf", "a.pdf"), file("in/b/a.pdf", "b/a.pdf")) == ["a.md", "b/a.md"]


def test_files_that_differ_in_kind_or_folder_stay_apart() -> None:
    assert names(file("a/x.pdf"), file("a/x.png"), file("b/x.pdf")) == ["a/x.md", "x.png.md", "b/x.md"]
    assert names(file("a/x.pdf"), file("a/x.png")) == ["x.pdf.md", "x.png.md"]


def test_names_differ_even_where_case_does_not_count() -> None:
    assert len({name.casefold() for name in names(file("a/X.pdf"), file("a/x.pdf"))}) == 2


def test_what_is_still_equal_is_numbered() -> None:
    stdin = File(None, PurePath("stdin"))
    assert names(stdin, stdin) == ["stdin.md", "stdin-2.md"]


def test_dots_in_names_are_not_suffixes() -> None:
    assert names(file("v1.2 notes"), file("r.final.pdf")) == ["v1.2 notes.md", "r.final.md"]


@pytest.mark.parametrize(
    ("output", "asked", "expected"),
    [
        (None, None, "md"),
        ("a.json", None, "json"),
        ("a.HTML", None, "html"),
        ("a.json", "md", "md"),
        ("d/", None, "md"),
    ],
)
def test_format_follows_the_request_then_the_suffix(output: str | None, asked: str | None, expected: str) -> None:
    assert infer_format(output, asked) == expected  # type: ignore[arg-type]


def test_one_input_goes_to_standard_output_or_the_named_file(tmp_path: Path) -> None:
    one = [file("a.pdf")]
    assert plan(one, None, "md") == [Destination(None, None)]
    assert plan(one, "-", "md", "pics") == [Destination(None, Path("pics"))]
    out = tmp_path / "o.md"
    assert plan(one, str(out), "md") == [Destination(out, tmp_path / "o.figures")]
    assert plan(one, str(out), "md", "none") == [Destination(out, None)]
    assert plan(one, str(out), "html") == [Destination(out, None)]
    assert plan(one, str(out), "html", others=["chunks", "md"]) == [Destination(out, tmp_path / "o.figures")]


def test_a_folder_takes_one_or_many_inputs(tmp_path: Path) -> None:
    assert plan([file("a.pdf")], str(tmp_path), "md")[0].path == tmp_path / "a.md"
    assert plan([file("a.pdf")], f"{tmp_path}/new/", "json")[0].path == tmp_path / "new" / "a.json"
    places = plan([file("a.pdf"), file("b.pdf")], str(tmp_path / "new"), "md", str(tmp_path / "f"))
    assert [place.figures for place in places] == [tmp_path / "f" / "a", tmp_path / "f" / "b"]


def test_a_folder_given_as_input_makes_a_folder_of_one(tmp_path: Path) -> None:
    assert plan([file("in/a.pdf")], str(tmp_path / "o"), "md", into_folder=True)[0].path == tmp_path / "o" / "a.md"


def test_several_inputs_need_a_place(tmp_path: Path) -> None:
    two = [file("a.pdf"), file("b.pdf")]
    with pytest.raises(UsageError, match="-o FOLDER"):
        plan(two, None, "md")
    (tmp_path / "file.md").touch()
    with pytest.raises(UsageError, match="is a file"):
        plan(two, str(tmp_path / "file.md"), "md")
    with pytest.raises(UsageError, match="need a folder"):
        plan(two, str(tmp_path / "new.md"), "md")
    assert plan(two, f"{tmp_path}/new.md/", "md")[0].path == tmp_path / "new.md" / "a.md"
    with pytest.raises(UsageError, match="HTML"):
        plan(two, "-", "html")
    assert len(plan(two, "-", "json")) == 2


def refuse(tmp_path: Path, path: Path, message: str, inputs: list[File] | None = None) -> None:
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError if inputs else OutputError, match=message):
        check([Destination(path, None)], inputs or [])
    assert sorted(tmp_path.rglob("*")) == before


def test_an_output_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.md").mkdir()
    refuse(tmp_path, tmp_path / "x.md", "is a folder")


def test_an_output_that_is_the_input_is_refused_through_links_too(tmp_path: Path) -> None:
    source = tmp_path / "x.pdf"
    source.touch()
    (tmp_path / "link.md").symlink_to(source)
    refuse(tmp_path, source, "is an input", [file(str(source))])
    refuse(tmp_path, tmp_path / "link.md", "is an input", [file(str(source))])


def test_a_read_only_output_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.touch(0o444)
    refuse(tmp_path, path, "read-only")


def test_a_folder_that_takes_no_files_is_refused(tmp_path: Path) -> None:
    blocked = Path("/proc/x.md")
    if not Path("/proc/self").exists():
        pytest.skip("needs a folder that not even the superuser can write to")
    refuse(tmp_path, blocked, "cannot be written")
    (tmp_path / "plain").touch()
    refuse(tmp_path, tmp_path / "plain" / "x.md", "plain is a file, not a folder")
    refuse(tmp_path, tmp_path / "plain" / "deeper" / "x.md", "plain.* is a file, not a folder")


def test_the_report_is_checked_like_an_output(tmp_path: Path) -> None:
    out = tmp_path / "x.md"
    with pytest.raises(OutputError, match="is a folder"):
        check([], [], tmp_path)
    with pytest.raises(UsageError, match="both"):
        check([Destination(out, None)], [], out)


def test_a_good_plan_leaves_nothing_behind(tmp_path: Path) -> None:
    check([Destination(tmp_path / "x.md", tmp_path / "f")], [], tmp_path / "r.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("folder", ["x.figures", "pictures"])
def test_no_picture_replaces_an_input(tmp_path: Path, folder: str) -> None:
    place = Destination(tmp_path / "x.md", tmp_path / folder)
    picture = tmp_path / folder / "page-1-1.png"
    with pytest.raises(UsageError, match="a picture could replace"):
        check([place], [file(str(picture))])
    check([place], [file(str(picture.with_name("mine.png")))])


def test_many_places_are_not_compared_two_by_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus of thousands with a view for each document is checked in a moment."""
    asked: list[str] = []
    realpath = os.path.realpath
    monkeypatch.setattr(os.path, "realpath", lambda path, **more: asked.append(str(path)) or realpath(path, **more))
    places = [Destination(tmp_path / f"{number}.md", None) for number in range(50)]
    check(places, [], more=[tmp_path / f"{number}.html" for number in range(50)])
    assert len(asked) < 500
    with pytest.raises(UsageError, match="named for two outputs"):
        check(places, [], more=[tmp_path / "7.md"])
