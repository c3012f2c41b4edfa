"""What is published: an sdist and a wheel that can be checked, installed by itself, and read a page with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.made_report import make_report

ROOT = Path(__file__).parents[1]


def run(*words: str | Path, folder: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Runs a program that has to end with ``code``, without this repository on its path."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(list(map(str, words)), cwd=folder, env=env, capture_output=True, text=True, timeout=900)
    assert done.returncode == code, done.stdout[-2000:] + done.stderr[-2000:]
    return done


def make_environment(home: Path) -> tuple[Path, list[str | Path]]:
    """Makes an environment; where its programs are, and how packages come into it."""
    venv.create(home, with_pip=True)
    programs = home / ("Scripts" if os.name == "nt" else "bin")
    return programs, [programs / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both, made of what git has (and what is being changed); the wheel is made from the sdist."""
    source, made = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    run(sys.executable, "-m", "build", "--outdir", made, source, folder=source)
    return made


@pytest.fixture(scope="module")
def wheel(distributions: Path) -> Path:
    [found] = distributions.glob("*.whl")
    return found


def test_the_index_takes_both(distributions: Path) -> None:
    run(sys.executable, "-m", "twine", "check", "--strict", *distributions.iterdir(), folder=distributions)
    [sdist] = distributions.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "docspec/py.typed"} <= names


def test_the_wheel_has_the_package_and_its_data_and_nothing_beside_it(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    own = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docspec").rglob("*.py")}
    assert own <= names
    assert {name.partition("/")[0] for name in names} == {"docspec", f"{'-'.join(wheel.name.split('-')[:2])}.dist-info"}
    data = {"docspec/py.typed", "docspec/reader/mini/model.safetensors", "docspec/reporting/document.schema.json"}
    assert data <= names


def test_the_installed_wheel_reads_a_page(wheel: Path, tmp_path: Path) -> None:
    """In an environment with docspec's base alone: no torch, nothing of this repository."""
    home = tmp_path / "venv"
    programs, pip = make_environment(home)
    run(*pip, "-c", ROOT / "constraints.txt", wheel, folder=tmp_path)
    make_report(tmp_path / "report.pdf")
    run(programs / "docspec", "parse", "report.pdf", "-o", "report.md", "--offline", folder=tmp_path)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert text.startswith("# Tides at Low Harbour\n") and "| 1 March | 0.4 | 4.9 |" in text
    code = "import docspec, sys; print(docspec.__file__, 'torch' in sys.modules)"
    where, torch = run(programs / "python", "-c", code, folder=tmp_path).stdout.split()
    assert Path(where).is_relative_to(home) and torch == "False"


def test_the_methods_of_papers_are_found_where_they_are_installed(wheel: Path, tmp_path: Path) -> None:
    programs, pip = make_environment(tmp_path / "venv")
    beside(programs, tmp_path)
    run(*pip, "--no-deps", wheel, folder=tmp_path)
    make_report(tmp_path / "report.pdf")
    parse: list[str | Path] = [programs / "docspec", "parse", "report.pdf", "-o", "report.md", "--offline"]
    parse += ["--words", "model", "--proposer", "model:mini-draft", "--max-tokens", "8"]
    assert "needs docspec-methods" in run(*parse, folder=tmp_path, code=2).stderr
    source = shutil.copytree(ROOT / "methods", tmp_path / "source", ignore=shutil.ignore_patterns("*.egg-info"))
    run(*pip, "--no-deps", source, folder=tmp_path)
    run(*parse, folder=tmp_path)
    run(programs / "python", "-m", "docspec_methods.teaching", "--help", folder=tmp_path)


def beside(programs: Path, folder: Path) -> None:
    """What docspec needs and is in this environment is found in that of ``programs``, too."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(run(programs / "python", "-c", code, folder=folder).stdout.strip())
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))


@pytest.mark.parametrize("later", ["ours", "theirs"])
def test_the_other_project_of_that_name_is_told_whichever_came_first(wheel: Path, tmp_path: Path, later: str) -> None:
    """Both write ``docspec/__init__.py``. If ours is the later one it works, and ``doctor`` says what is wrong. If not,
    the command ``docspec`` is theirs, and ours by its other name says why nothing works."""
    programs, pip = make_environment(tmp_path / "venv")
    beside(programs, tmp_path)
    ours, theirs = ["--no-deps", wheel], ["docspec"]
    for one in [theirs, ours] if later == "ours" else [ours, theirs]:
        run(*pip, *one, folder=tmp_path)
    make_report(tmp_path / "report.pdf")
    parse = [programs / "docspec-vlm", "parse", "report.pdf", "-o", "report.md", "--offline"]
    if later == "ours":
        run(*parse, folder=tmp_path)
        said = run(programs / "docspec", "doctor", folder=tmp_path, code=1).stdout
    else:
        said = run(*parse, folder=tmp_path, code=1).stderr
        assert len(said.splitlines()) == 1 and not (tmp_path / "report.md").exists()
    words = " ".join(said.split())
    assert "the package docspec is another project" in words and "pip uninstall docspec" in words
