"""``--engine llama``: pages read with llama.cpp have the words of docspec's own engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from docspec import ParseOptions, Parser
from docspec.core import ModelError, UsageError
from docspec.generation.choice import served_identity

SAMPLE = Path(__file__).parents[3] / "samples" / "notes.pdf"
OWN = ParseOptions(model="mini", device="cpu", dtype="float32", drafter="text-layer", words="model", pages="1")


@pytest.mark.words_missing("the bundled reader reads")
def test_a_page_has_the_words_of_docspecs_own_engine(reader_gguf: Path, python: Path) -> None:
    options = replace(OWN, engine="llama", model=str(reader_gguf), engine_python=python)
    with Parser(OWN) as own, Parser(options) as llama:
        wanted, found = own.parse(SAMPLE), llama.parse(SAMPLE)
    assert found.to_markdown() == wanted.to_markdown() and len(wanted.to_markdown()) > 200
    [page] = found.pages
    assert page.status == "ok" and page.stage2 is not None
    assert page.stage2.steps < page.stage2.tokens / 2


@pytest.mark.words_missing("the bundled reader reads")
def test_drafts_change_nothing_in_float32_and_the_command_says_so(
    reader_gguf: Path, python: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from docspec.cli.app import run

    asked = ["--engine", "llama", "--model", str(reader_gguf), "--engine-python", str(python), "--pages", "1"]
    assert run(["bench", "fidelity", str(SAMPLE), *asked]) == 0
    said = capfd.readouterr().err
    assert "are the same with drafts" in said and " 0 of 0 " not in said


def test_what_is_no_gguf_file_is_refused_in_a_line(tmp_path: Path) -> None:
    options = replace(OWN, engine="llama", model=str(tmp_path))
    with pytest.raises(ModelError, match="GGUF"), Parser(options) as parser:
        parser.parse(SAMPLE)
    with pytest.raises(UsageError, match="engine-args"):
        replace(options, engine_args="--threads 4")


def test_results_of_another_file_are_not_resumed() -> None:
    one = served_identity(replace(OWN, engine="llama", model="a.gguf"))
    assert one != served_identity(replace(OWN, engine="llama", model="b.gguf"))
    assert one != served_identity(replace(OWN, engine="llama", model="a.gguf", mmproj=Path("mmproj-b.gguf")))
