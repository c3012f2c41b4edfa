"""What dead runs left is cleared away, what living ones hold is not; names that no file can have are shortened."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import pytest

from docspec.core import OutputError
from docspec.reporting import staging
from docspec.reporting.collisions import check
from docspec.reporting.destinations import distinct_names, plan
from docspec.reporting.staging import Staged, clear
from docspec.reporting.writer import AtomicFile, write_whole

HOLD = """
import sys
from pathlib import Path
from docspec.reporting.staging import Staged
staged = Staged(Path(sys.argv[1]))
(staged.folder() / "page-1-1.png").touch()
print(flush=True)
sys.stdin.read()
"""


@dataclass(frozen=True)
class Input:
    path: Path | None
    relative: PurePath


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_only_what_dead_runs_left_is_cleared_away(tmp_path: Path) -> None:
    processes = [
        subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()
    (tmp_path / ".else.part").touch()
    mine = Staged(tmp_path)
    before = names_in(tmp_path)
    clear(tmp_path)
    assert names_in(tmp_path) == before and len(before) == 6
    processes[0].kill()
    processes[0].wait()
    out = tmp_path / "out.md"
    check(plan([Input(tmp_path / "a.pdf", PurePath("a.pdf"))], str(out), "md"), [])
    assert len(names_in(tmp_path)) == 4 and mine.path.exists()
    processes[1].communicate(b"", timeout=180)  # it ends in peace, and still leaves its own
    mine.discard()
    clear(tmp_path)
    assert names_in(tmp_path) == [".else.part"]


def test_a_file_cleared_away_before_it_was_locked_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = fcntl.flock
    times = []

    def first_lost(handle: int, how: int) -> None:
        lock(handle, how)
        times.append(handle)
        if len(times) == 1:
            for path in tmp_path.iterdir():
                path.unlink()

    monkeypatch.setattr(fcntl, "flock", first_lost)
    write_whole(tmp_path / "out.md", "text")
    assert (len(times), names_in(tmp_path)) == (2, ["out.md"])


def test_without_locks_and_posix_calls_files_are_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, where ``fcntl``, ``os.fchmod`` and others do not exist."""
    monkeypatch.setattr(staging, "fcntl", None)
    for name in ("fchmod", "chown", "getuid", "sched_getaffinity", "fork"):
        monkeypatch.delattr(f"os.{name}", raising=False)
    write_whole(tmp_path / "out.md", "text")
    staged = Staged(tmp_path)
    staged.folder()
    staged.discard()
    assert names_in(tmp_path) == ["out.md"]
    assert (tmp_path / "out.md").read_text() == "text"


@pytest.mark.parametrize("length", [200, 251, 255])
def test_long_names_are_shortened_and_stay_apart(tmp_path: Path, length: int, make_page: Callable[..., Any]) -> None:
    stems = ["x" * (length - 5) + end for end in ("a", "b")] + ["é" * ((length - 5) // 2)]
    inputs = [Input(None, PurePath(f"{stem}.pdf")) for stem in stems]
    names = distinct_names(inputs, ".html")
    assert len({name.name for name in names}) == 3
    for name in names:
        write_whole(tmp_path / name, "text")
        (tmp_path / f"{name.stem}.figures").mkdir()
    assert all(name.stem.startswith(stem[:50]) for name, stem in zip(names, stems, strict=True))


def test_control_characters_and_foreign_bytes_in_names(tmp_path: Path) -> None:
    odd = b"caf\xe9 1.pdf".decode("utf-8", "surrogateescape")
    names = distinct_names(
        [Input(None, PurePath(name)) for name in ("a\x1b[31m\nb/c\td.pdf", odd, "A.pdf", "a.PDF")], ".md"
    )
    assert str(names[0]) == "a_[31m_b/c_d.md"
    assert len({str(name).casefold() for name in names}) == 4
    write_whole(tmp_path / names[1], "text")
    assert (tmp_path / names[1]).read_text() == "text"


@pytest.mark.parametrize("name", ["x" * 300 + ".md", "x" * 300 + "/out.md", "y/" * 3000 + "out.md"])
def test_an_output_that_no_file_system_takes_is_one_error(tmp_path: Path, name: str) -> None:
    source = Input(tmp_path / "a.pdf", PurePath("a.pdf"))
    with pytest.raises(OutputError, match="File name too long"):
        check(plan([source], str(tmp_path / name), "md"), [source])
    with pytest.raises(OutputError, match="cannot be written"):
        AtomicFile(tmp_path / name)


def test_a_pipe_named_as_a_file_is_written_to(tmp_path: Path) -> None:
    script = "import sys, pathlib; from docspec.reporting.writer import write_whole\n"
    script += "write_whole(pathlib.Path(sys.argv[1]), 'text')"
    done = subprocess.run([sys.executable, "-c", script, "/dev/fd/1"], capture_output=True, text=True, timeout=180)
    assert (done.stdout, done.stderr) == ("text", "")
