"""Weights in 8 or 4 bits: still the model's own output, token for token; where they cannot be had, a line says so."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from docspec import Parser
from docspec.core import ModelError, ParseOptions
from docspec.core.choices import Quantize
from docspec.targets.estimate import estimate
from docspec.targets.registry import BUNDLED, load_target

SAMPLE = Path(__file__).parents[2] / "samples" / "notes.pdf"
MISSING = find_spec("bitsandbytes") is None or find_spec("accelerate") is None


@pytest.mark.skipif(not MISSING, reason="bitsandbytes and accelerate are installed")
def test_what_is_not_installed_is_named() -> None:
    with pytest.raises(ModelError, match="pip install bitsandbytes accelerate"):
        load_target(ParseOptions(model="mini", device="cpu", quantize="int8"))


def test_fewer_bits_are_reckoned_with() -> None:
    full, eight, four = (
        estimate(str(BUNDLED), "float32", 1, quantize=quantize).weights for quantize in ("none", "int8", "nf4")
    )
    assert four < eight < full / 1.5


@pytest.mark.skipif(MISSING, reason="needs bitsandbytes and accelerate")
@pytest.mark.parametrize("quantize", ["int8", "nf4"])
def test_trees_write_what_single_tokens_write(quantize: Quantize) -> None:
    def read(drafter: str, stages: str) -> tuple[str, int, int]:
        options = ParseOptions(
            model="mini", device="cpu", quantize=quantize, read="page", max_tokens=60, drafter=drafter, stages=stages
        )
        with Parser(options) as parser:
            [page] = parser.parse(SAMPLE).pages
            held = sum(parameter.nbytes for parameter in parser.loaded.target.model.parameters())
            assert abs(held - estimate(str(BUNDLED), "float32", 1, quantize=quantize).weights) < 0.15 * held
        assert page.stage2 is not None
        return page.text, page.stage2.tokens, page.stage2.steps

    plain, drafted = read("none", "none"), read("text-layer", "page")
    assert plain[:2] == drafted[:2] and drafted[2] < plain[2] / 3
