"""Runs of users without a home, and where names of files are not UTF-8."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest

ROOT = Path(__file__).parents[2]
NAMELESS = """
import pwd, sys
def nobody(uid):
    raise KeyError(uid)
pwd.getpwuid = nobody
from docspec.cli import main
main()
"""


def pdf(path: Path) -> Path:
    with pymupdf.open() as document:
        document.new_page(width=240, height=160).insert_text((20, 40), "Words of the page.", fontsize=10)
        document.save(path)
    return path


def run(code: str, *words: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        env={**kept, "PYTHONPATH": paths, **environment},
        cwd=cwd,
        capture_output=True,
        timeout=300,
        check=False,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="homes are found otherwise there")
@pytest.mark.parametrize("words", [["config", "show"], ["doctor"], ["parse", "a.pdf", "-o", "out/"]], ids=" ".join)
def test_a_user_without_name_and_home_does_without_configuration_and_cache(tmp_path: Path, words: list[str]) -> None:
    pdf(tmp_path / "a.pdf")
    ran = run(NAMELESS, *words, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr.decode()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pdf", *(["out"] if words[0] == "parse" else [])]


@pytest.mark.skipif(sys.platform != "linux", reason="names are UTF-8 or Unicode elsewhere")
def test_names_are_bytes_where_the_file_system_is_not_utf_8(tmp_path: Path) -> None:
    """The same files and records as elsewhere; a run under another encoding goes on there."""
    folder = tmp_path / "Größe"
    folder.mkdir()
    pdf(folder / "Straße.pdf")
    Path(os.fsdecode(os.fsencode(folder) + b"/latin-\xe9.pdf")).write_bytes((folder / "Straße.pdf").read_bytes())
    ascii_names = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "HOME": str(tmp_path)}
    command = ["parse", "Größe", "-o", "Ausgäbe/", "--view", "Änsicht", "--log-file", "ö.log", "--report", "ä.json"]
    main = "from docspec.cli import main; main()"
    ran = run(main, *command, cwd=tmp_path, **ascii_names)
    assert ran.returncode == 0, ran.stderr.decode()
    names = sorted(os.fsencode(path.name) for path in (tmp_path / "Ausgäbe").iterdir())
    assert names == ["Straße.md".encode(), b"docspec.manifest.jsonl", b"latin-\xe9.md"]
    assert (tmp_path / "Änsicht" / "Straße.html").is_file() and (tmp_path / "ö.log").is_file()
    documents = json.loads((tmp_path / "ä.json").read_text("utf-8"))["documents"]
    assert len(documents) == 2 and not any("error" in one for one in documents)
    again = run(main, *command, "-v", cwd=tmp_path, LC_ALL="C.UTF-8", HOME=str(tmp_path))
    assert again.returncode == 0 and b"2 done before, 0 to be read" in again.stderr, again.stderr.decode()
