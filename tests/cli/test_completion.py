"""What a shell is told when a word is completed."""

from __future__ import annotations

import os

import pytest

from docspec.console.parameters import completing
from tests.forked import run_forked


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("parse a.pdf --model rednote", ["rednote-hilab/dots.ocr", "rednote-hilab/dots.mocr"]),
        ("parse a.pdf --format do", ["dots", "docling"]),
        ("parse a.pdf --profile ", ["exact", "fast", "lossy"]),
        ("config sh", ["show"]),
    ],
)
def test_names_are_completed(words: str, names: list[str]) -> None:
    variables = {"_DOCSPEC_COMPLETE": "complete_bash", "COMP_WORDS": f"docspec {words}"}
    variables["COMP_CWORD"] = str(len(f"docspec {words}".split(" ")) - 1)
    ran = run_forked([], text=True, env=os.environ | variables)
    assert (ran.returncode, ran.stdout.split()) == (0, names), ran


def test_proposers_and_families_are_known_by_their_beginning() -> None:
    proposers, families = completing("align"), completing("family")
    assert proposers is not None and families is not None and completing("dpi") is None
    assert "cursor" in proposers("CURS") and "lookup" in proposers("look")
    assert "qwen3_vl" in families("qwen3")
