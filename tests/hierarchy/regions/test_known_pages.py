"""Pages whose words are all known come out as if the model had been there, and it is not even imported."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docspec import ParseOptions, Parser, verifier
from docspec.core import ModelError, PageResult, PageTimings
from docspec.hierarchy.regions import known_pages

SAMPLES = Path(__file__).parents[3] / "samples"
OPTIONS = ParseOptions(device="cpu", dtype="float32")


def bare(page: PageResult) -> PageResult:
    """``page`` without what it took (seconds, and steps, which go by them) and without its picture."""
    quality = page.quality and replace(page.quality, margin=None)  # its last digits go by the shape of steps
    return replace(page, quality=quality, timings=PageTimings(), image=None, stage2=None)


def read(path: Path, options: ParseOptions = OPTIONS) -> tuple[list[PageResult], bool]:
    """The pages of a document, and whether the model was loaded for them."""
    with Parser(options) as parser:
        return [bare(page) for page in parser.pages(path)], parser.is_loaded


@pytest.mark.parametrize("name", ["book", "magazine", "notes"])
def test_the_result_is_that_of_a_parser_which_has_loaded_the_model(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    late, was_loaded = read(SAMPLES / f"{name}.pdf")
    monkeypatch.setattr(ParseOptions, "loads_late", property(lambda self: False))
    early, is_loaded = read(SAMPLES / f"{name}.pdf")
    assert late == early and (was_loaded, is_loaded) == (False, True)
    assert all(block.words == "text layer" for page in late for block in page.blocks if block.text)


@pytest.fixture
def printed_and_blank(tmp_path: Path) -> Path:
    """A printed page and a blank one."""
    with pymupdf.open() as document:
        page = document.new_page(width=300, height=200)
        page.insert_textbox((30, 30, 270, 180), "Some words that stand in the text layer. " * 5, fontsize=11)
        document.new_page(width=300, height=200)
        document.save(tmp_path / "two.pdf")
    return tmp_path / "two.pdf"


def test_the_model_is_loaded_at_the_first_page_that_needs_it(
    printed_and_blank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages, was_loaded = read(printed_and_blank)
    assert [page.status for page in pages] == ["ok", "blank"] and not was_loaded
    unknown = replace(OPTIONS, drafter="none")
    assert not read(printed_and_blank, replace(unknown, pages="2"))[1]
    late, was_loaded = read(printed_and_blank, unknown)
    assert was_loaded, "nothing is known of the print on the first page"
    monkeypatch.setattr(ParseOptions, "loads_late", property(lambda self: False))
    assert late == read(printed_and_blank, unknown)[0]


def test_processes_that_verify_start_at_the_first_page_that_needs_one(
    printed_and_blank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts: list[tuple[str, ...]] = []

    def start(options: ParseOptions, places: tuple[str, ...], begun: object) -> None:
        starts.append(places)
        raise ModelError("no process here")

    monkeypatch.setattr(verifier, "start_devices", start)
    with Parser(OPTIONS, devices=("cpu",)) as parser:
        pages = list(parser.pages(printed_and_blank))
        assert [page.status for page in pages] == ["ok", "blank"] and "stand in the text layer" in pages[0].text
        assert not parser.is_loaded and not starts
        honest = known_pages.result_without_model
        monkeypatch.setattr(
            known_pages, "result_without_model", lambda one, card: None if one.page.number == 1 else honest(one, card)
        )
        with pytest.raises(ModelError, match="no process here"):
            list(parser.pages(printed_and_blank))
    assert starts == [("cpu",)]


@pytest.mark.parametrize("asked", [{"words": "model"}, {"baseline": True}, {"provenance": True}, {"read": "page"}])
def test_what_only_a_model_tells_loads_it_first(asked: dict[str, Any]) -> None:
    assert OPTIONS.loads_late and not replace(OPTIONS, **asked).loads_late


def test_the_command_line_imports_no_torch_for_such_a_document(tmp_path: Path) -> None:
    out, report = tmp_path / "notes.md", tmp_path / "report.json"
    words = ["parse", str(SAMPLES / "notes.pdf"), "-o", str(out), "-q", "--report", str(report)]
    script = (
        "import sys; from docspec.cli.app import run\n"
        f"code = run({words!r})\n"
        "print(code, [name for name in ('torch', 'transformers') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert ran.stdout == "0 []\n", ran.stderr
    made = json.loads(report.read_text())
    assert made["target"] is None and made["load_seconds"] == 0 and "steps" not in made
    assert out.read_text().strip()


def test_no_process_of_the_bare_command_imports_what_only_other_pages_need(tmp_path: Path) -> None:
    """Children inherit the switch that lists imports. A page of sound words needs no model, recogniser or server."""
    command = [sys.executable, "-X", "importtime", "-m", "docspec", "parse", str(SAMPLES / "notes.pdf"), "-q"]
    ran = subprocess.run([*command, "-o", str(tmp_path / "notes.md")], capture_output=True, text=True, timeout=300)
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in ran.stderr.splitlines() if "|" in line}
    assert ran.returncode == 0 and {"docspec", "pymupdf", "onnxruntime"} <= imported
    assert not imported & {"torch", "transformers", "scipy", "rapidocr", "httpx2", "markdown_it"}
