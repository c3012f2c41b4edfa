"""The package's front door is cheap to open and has the documented names behind it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, metadata, packages_distributions
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import docspec

ROOT = Path(__file__).parents[1]


def test_importing_docspec_imports_nothing_heavy() -> None:
    code = "import sys, docspec; from docspec import ParseOptions, Parser, parse; ParseOptions(); "
    code += "print([name for name in ('torch', 'transformers', 'pymupdf', 'PIL', 'typer') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.parametrize("name", docspec.__all__)
def test_every_promised_name_is_there(name: str) -> None:
    assert getattr(docspec, name) is not None
    assert name in dir(docspec)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Parse'"):
        _ = docspec.Parse  # type: ignore[attr-defined]


def imported(folder: Path, by_name: bool = False) -> dict[str, set[str]]:
    """The packages that are imported anywhere in ``folder``, and by which files; ``by_name``: also by
    ``import_module``."""
    found: dict[str, set[str]] = {}
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names = [node.module]
            if by_name and isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
                names = [each.value for each in node.args if isinstance(each, ast.Constant)]
            for name in names:
                found.setdefault(name.partition(".")[0], set()).add(path.name)
    return {name: files for name, files in found.items() if name not in {"docspec", *sys.stdlib_module_names}}


HOSTS = {"vllm", "conversion", "convert_hf_to_gguf", "opentelemetry"}
"""Docspec is loaded by them, or loads them from a source beside it (llama.cpp's converter), or uses them where who
starts it has configured them: nothing to be declared."""
ELSEWHERE = {"llama_cpp": {"llama-cpp-python"}}
"""What is declared and lies in an environment of its own while tests run."""
OPENCV = {"opencv-contrib-python", "opencv-python", "opencv-python-headless"}


def test_what_is_imported_is_declared_and_what_is_declared_is_used() -> None:
    root = Path(docspec.__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed, extras = project["dependencies"], project["optional-dependencies"]
    declared = {canonical(each) for each in [*needed, *chain(*extras.values())]}
    providers = {name: {canonical(each) for each in found} for name, found in packages_distributions().items()}
    providers |= ELSEWHERE
    undeclared = {
        name: files
        for name, files in imported(root / "docspec").items()
        if name not in HOSTS
        and not (providers.get(name, {canonical(name)}) | (OPENCV if name == "cv2" else set())) & declared
    }
    assert undeclared == {}
    used = set(chain(*(providers.get(name, {canonical(name)}) for name in imported(root / "docspec", True)))) | OPENCV
    assert {canonical(each) for each in needed} - used == set()


def canonical(requirement: str) -> str:
    """The name of a requirement, as indexes spell it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!~; ]", requirement)[0]).lower()


def test_pinned_versions_go_with_every_python_that_docspec_goes_with() -> None:
    """Or a marker lets older ones have another version: Debian 12 has 3.11.2."""
    oldest, checked = "3.11.0", 0
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines():
        if line.startswith(("#", "-")) or not line:
            continue
        pinned = Requirement(line)
        if pinned.marker is not None and not pinned.marker.evaluate({"python_full_version": oldest}):
            continue
        try:
            needed = metadata(pinned.name)
        except PackageNotFoundError:
            continue
        if pinned.specifier.contains(needed["Version"]):
            assert SpecifierSet(needed["Requires-Python"] or "").contains(oldest), line
            checked += 1
    assert checked > 20
