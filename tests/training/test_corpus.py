"""Where training texts come from, and that no test's text depends on what is installed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from training import corpus, fonts

ROOT = Path(__file__).parents[2]
READERS = (corpus.paragraphs, corpus.words, corpus.dictionaries)
WRITTEN = "A sentence of another package, with braces {}, and with enough letters to be a paragraph of its own."

DRAWS = """
import sys
touched = []
sys.addaudithook(lambda event, args: touched.append(str(args[0]))
                 if event in ("open", "os.listdir", "os.scandir") and str(args[0]).startswith(FOLDERS) else None)
{start}
from training.lines import KINDS, make_lines
from training import corpus
corpus.paragraphs(), corpus.paragraphs(abroad=True), corpus.words(), corpus.dictionaries()
for seed, kind in enumerate(KINDS):
    make_lines(640, 96, seed, kind=kind)
print(*sorted(set(touched)), sep="\\n")
"""


@pytest.fixture
def other_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A machine with other packages than this one."""
    (tmp_path / "perl" / "5" / "pod").mkdir(parents=True)
    (tmp_path / "perl" / "5" / "pod" / "a.pod").write_text(f"=pod\n\n{WRITTEN}\n")
    (tmp_path / "dict").mkdir()
    (tmp_path / "dict" / "words").write_text("zyzzyva\n")
    monkeypatch.setattr(corpus, "SHARE", tmp_path)
    for reader in READERS:
        reader.cache_clear()
    yield tmp_path
    for reader in READERS:
        reader.cache_clear()


def test_texts_and_words_are_those_of_installed_packages(other_packages: Path) -> None:
    assert WRITTEN in corpus.paragraphs() + corpus.paragraphs(evaluation=True)
    assert "zyzzyva" in corpus.words()


def test_tests_draw_on_no_package() -> None:
    assert not corpus.paragraphs() and not corpus.dictionaries() and not fonts.ROOTS
    assert set(corpus.words()) == set(corpus.FEW_WORDS.split())


def drawn_from(start: str) -> list[str]:
    """The files and folders below those of Debian packages that a process opens while it makes lines."""
    folders = ("/usr/share/", "/usr/local/share/")
    code = DRAWS.replace("FOLDERS", repr(folders)).replace("{start}", start)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    return done.stdout.split()


def test_no_file_of_a_package_is_opened() -> None:
    assert drawn_from("import tests.conftest") == []


def test_a_folder_of_a_package_would_be_noticed() -> None:
    assert "/usr/share/" in drawn_from("import os; os.listdir('/usr/share/')")
