"""The package of docs/extending.md, installed: each of its plug-ins works by its name."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest

from tests.plugged import write_metadata

DOCS = Path(__file__).parents[1] / "docs" / "extending.md"


ODD = """
from docspec_example import ParrotEngine

class Odd(ParrotEngine):
    report = "a word of its own, which means nothing to docspec"

class Unwilling:
    def __init__(self, options, tell):
        raise RuntimeError("no licence")
"""
"""Engines that nobody should write."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for ``PYTHONPATH`` with the package and its metadata, as an installer leaves them."""
    page, home = DOCS.read_text(), tmp_path_factory.mktemp("site")
    [project], [module] = (re.findall(r"```toml\n(.*?)```", page, re.S), re.findall(r"```python\n(.*?)```", page, re.S))
    (home / "docspec_example.py").write_text(module)
    (home / "docspec_odd.py").write_text(ODD)
    odd = {"odd": "docspec_odd:Odd", "unwilling": "docspec_odd:Unwilling"}
    write_metadata(project, home, {"docspec.formats": {"broken": "nowhere:X"}, "docspec.engines": odd})
    with pymupdf.open() as document:
        document.new_page(width=300, height=200).insert_text((30, 60), "Low tide at noon")
        document.save(home / "page.pdf")
    return home


def run(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(home), str(DOCS.parents[1])])
    return subprocess.run(
        [sys.executable, *words],
        cwd=home,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_drafter_and_a_format_are_choices_like_docspecs_own(installed: Path) -> None:
    ran = run(installed, "-m", "docspec", "parse", "page.pdf", "-o", "out.words", "--drafter", "shouting")
    assert ran.returncode == 0, ran.stderr
    assert (installed / "out.words").read_text() == "page.pdf\nLOW\nTIDE\nAT\nNOON\n"


def test_a_drafter_from_scratch_drafts_a_page_that_is_read_whole(installed: Path) -> None:
    (installed / "page.txt").write_text("Low tide at noon")
    ways = ("--drafter", "sidecar", "--words", "model", "--read", "page", "--report", "report.json")
    ran = run(installed, "-m", "docspec", "parse", "page.pdf", "-o", "out.md", *ways)
    assert ran.returncode == 0, ran.stderr
    [document] = json.loads((installed / "report.json").read_text())["documents"]
    assert document["pages"][0]["drafter"] == "sidecar" and document["pages"][0]["stage2"]["drafted"] > 0


def test_an_engine_reads_pages_like_docspecs_own(installed: Path) -> None:
    """It answers with the first draft: the text layer's words, as the model would spell them."""
    for read in ("page", "regions"):
        ways = ("--engine", "parrot", "--model", "rednote-hilab/dots.ocr", "--read", read, "--words", "model")
        ran = run(installed, "-m", "docspec", "parse", "page.pdf", "-o", "parrot.md", *ways, "--report", "report.json")
        assert ran.returncode == 0, ran.stderr
        assert (installed / "parrot.md").read_text().strip() == "Low tide at noon"
        assert "parrot 1.0" in (installed / "report.json").read_text()


def test_an_engine_may_have_names_of_its_own_and_one_that_fails_is_named(installed: Path) -> None:
    ways = ("--model", "rednote-hilab/dots.ocr", "--words", "model")
    ran = run(installed, "-m", "docspec", "parse", "page.pdf", "-o", "odd.md", "--engine", "odd", *ways)
    assert ran.returncode == 0 and (installed / "odd.md").read_text().strip() == "Low tide at noon", ran.stderr
    ran = run(installed, "-m", "docspec", "parse", "page.pdf", "-o", "none.md", "--engine", "unwilling", *ways)
    assert ran.returncode == 1 and "--engine unwilling: RuntimeError: no licence" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_doctor_lists_plug_ins_and_names_one_that_cannot_be_imported(installed: Path) -> None:
    found = json.loads(run(installed, "-m", "docspec", "doctor", "--json").stdout)["findings"]
    states = {one["name"]: one["state"] for one in found if one["area"] == "plug-in"}
    assert states["shouting"] == states["echo"] == "ok" and states["broken"] == "optional"


def test_a_dialect_a_family_and_a_proposer_are_found_by_name(installed: Path) -> None:
    code = """
from docspec import ParseOptions
from docspec.dialects import make_dialect
from docspec.proposing.registry import make_proposer
from docspec.targets.families import families

assert make_dialect("bracketed").parse("[a b]", 9, 9)[0].text == "a b"
assert families()["acme_reader"].checkpoints[0].name == "acme/reader"
assert "echo" in make_proposer("cursor+echo").seconds
assert ParseOptions(dialect="bracketed").dialect == "bracketed"
"""
    ran = run(installed, "-c", code)
    assert ran.returncode == 0, ran.stderr


def test_a_plug_in_that_cannot_be_imported_is_named_and_ends_only_runs_that_ask_for_it(installed: Path) -> None:
    ran = run(installed, "-m", "docspec", "parse", "page.pdf", "-o", "-", "--format", "broken")
    assert ran.returncode == 2 and "Traceback" not in ran.stderr
    assert "broken of docspec-example (nowhere:X) cannot be loaded: ModuleNotFoundError" in ran.stderr


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        (("--proposer", "cursor+model:mini-draft"), "--proposer model:mini-draft"),
        (("--set", "skip-verification=uniform:2"), ": skip-verification"),
    ],
)
def test_a_method_that_is_not_installed_says_what_to_install(
    installed: Path, asked: tuple[str, ...], what: str
) -> None:
    ran = run(installed, "-m", "docspec", "parse", "page.pdf", "-o", "-", "--words", "model", *asked)
    assert ran.returncode == 2 and len(ran.stderr.splitlines()) == 1, ran.stderr
    assert f"{what} needs docspec-methods, which is not installed: pip install ./methods" in ran.stderr
