"""The loaders of ``integrations/`` within the frameworks that they are for.

``DOCSPEC_FRAMEWORKS_PYTHON`` names the Python of an environment that ``integrations/make_frameworks_env.sh`` made."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pymupdf
import pytest

from tests.made_report import make_report

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "langchain": ROOT / "integrations/langchain",
    "llama_index": ROOT / "integrations/llama-index",
    "haystack": ROOT / "integrations/haystack/src",
}
PYTHON = os.environ.get("DOCSPEC_FRAMEWORKS_PYTHON")


@pytest.mark.skipif(PYTHON is None, reason="DOCSPEC_FRAMEWORKS_PYTHON names no Python that has the frameworks")
@pytest.mark.parametrize("framework", PACKAGES)
def test_a_framework_gets_chunks_and_pages(framework: str, tmp_path: Path) -> None:
    report = make_report(tmp_path / "report.pdf")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nno more than this")
    ran = subprocess.run(
        [str(PYTHON), str(Path(__file__).with_name("load.py")), framework, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(PACKAGES[framework])])},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    found = json.loads(ran.stdout.splitlines()[-1])
    first, table, last = found["documents"]
    assert first["text"].startswith("The harbour is dry for two hours")
    assert "| 1 March | 0.4 | 4.9 |" in table["text"]
    expected = {"source": str(report), "page": 2, "section": "Tides at Low Harbour > Entering at night"}
    assert {name: last["metadata"][name] for name in expected} == expected
    assert (last["metadata"]["grade"], last["metadata"]["words_missing"]) == ("A", 0)
    assert len(json.loads(last["metadata"]["bbox"])) == 4
    assert found["again"] == found["documents"]
    assert [page["text"].splitlines()[0] for page in found["pages"]] == [
        "# Tides at Low Harbour",
        "## Entering at night",
    ]
    assert (found["broken"], found["wrong"]) == ("InputError", "UsageError")


PAGE = ROOT / "docs/retrieval.md"
RECIPES = re.findall(r"^## (\w+)\n\n```python\n(.*?)```\n\n```text\n(.*?)```", PAGE.read_text("utf-8"), re.S | re.M)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the recipes read: ``report.pdf``, a picture of its first page, and both of them in ``reports``."""
    make_report(tmp_path / "report.pdf")
    with pymupdf.open(tmp_path / "report.pdf") as document:
        document[0].get_pixmap(dpi=150).save(tmp_path / "scan.png")
    (tmp_path / "reports").mkdir()
    for name in ("report.pdf", "scan.png"):
        shutil.copy(tmp_path / name, tmp_path / "reports")
    return tmp_path


@pytest.mark.skipif(PYTHON is None, reason="DOCSPEC_FRAMEWORKS_PYTHON names no Python that has the frameworks")
@pytest.mark.parametrize(("framework", "code", "shown"), RECIPES, ids=[name for name, *_ in RECIPES])
def test_a_recipe_prints_what_the_page_shows(framework: str, code: str, shown: str, folder: Path) -> None:
    ran = subprocess.run(
        [str(PYTHON), "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [ROOT, *PACKAGES.values()]))},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert ran.stdout.split() == shown.split(), framework


def test_every_recipe_of_the_page_is_run() -> None:
    assert [name for name, *_ in RECIPES] == ["LangChain", "LlamaIndex", "Haystack"]
    assert PAGE.read_text("utf-8").count("```python\n") == len(RECIPES)
