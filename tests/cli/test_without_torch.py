"""The base installation, which has no torch: what README says of it holds, and no missing model ends a run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest

ROOT = Path(__file__).parents[2]
WITHOUT = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "torchvision", "transformers", "tokenizers", "safetensors"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
if __name__ == "__main__":
    from docspec.cli import main
    main()
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    script = folder / "without.py"
    script.write_text(WITHOUT)
    paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": paths, "COLUMNS": "200"}
    command = [sys.executable, str(script), *words]
    return subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )


def pdf(path: Path, words: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    with pymupdf.open() as document:
        page = document.new_page(width=240, height=160)
        if words:
            page.insert_text((20, 40), words, fontsize=10)
        document.save(path)
    return path


def test_a_page_that_needs_a_model_fails_alone(tmp_path: Path) -> None:
    """Without a drafter nothing is known of a page but that it is blank."""
    for name in ("a", "c"):
        pdf(tmp_path / "in" / f"{name}.pdf", "")
    pdf(tmp_path / "in" / "b.pdf", "Words of the page.")
    ran = run(tmp_path, "parse", "in/", "-o", "out/", "--drafter", "none", "--report", "report.json")
    assert ran.returncode == 3, ran.stderr
    assert {"a.md", "c.md"} <= {path.name for path in (tmp_path / "out").iterdir()}
    documents = json.loads((tmp_path / "report.json").read_text("utf-8"))["documents"]
    failed = [page for one in documents for page in one["pages"] if page["status"] == "failed"]
    assert [page["failure"] for page in failed] == ["no_model"] and "docspec-vlm[local]" in failed[0]["error"]


def test_a_page_is_viewed_without_a_model(tmp_path: Path) -> None:
    pdf(tmp_path / "in" / "a.pdf", "Words of the page.")
    ran = run(tmp_path, "parse", "in/a.pdf", "-o", "a.md", "--view", "a.html")
    assert ran.returncode == 0, ran.stderr
    shown = re.sub("</?span[^>]*>", "", (tmp_path / "a.html").read_text("utf-8"))
    assert "Words of the page." in shown


@pytest.mark.parametrize(("words", "code"), [([], 0), (["--model", "mini"], 0), (["--model", "rednote-hilab/x"], 1)])
def test_doctor_says_what_is_read_without_torch(tmp_path: Path, words: list[str], code: int) -> None:
    ran = run(tmp_path, "doctor", *words)
    assert ran.returncode == code, ran.stdout
    assert ("docspec can read pages here: words of files, recognised lines" in ran.stdout) == (code == 0)
