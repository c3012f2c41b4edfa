"""Fits the weights of evidence for formulas by logistic regression on made pages of manuals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pymupdf
from scipy.optimize import minimize

from benchmarks.formulas.borrowed import BLUE, make_page
from benchmarks.formulas.timing import TEXT_FLAGS
from benchmarks.formulas.typesetting import BASE
from docspec.mathematics.evidence import WEIGHTS, evidence
from docspec.mathematics.finding import find_formulas
from docspec.mathematics.glyphs import bars_of, glyphs_of

USUAL, RIDGE = 2.0, 0.002
"""What each piece of evidence weighs until pages say something else, and how much the square of the difference counts
beside the mean loss."""

LOST = 2.0
"""How much more a formula that is lost costs than text that is taken for one."""

STEP = 0.25
"""Weights are rounded to multiples of it."""


def runs_of(pages: int, seed: int) -> Iterator[tuple[dict[str, float], bool, str]]:
    """The evidence of each run of glyphs on made pages, whether it is a formula, and its signs."""
    for number in range(pages):
        with pymupdf.open(stream=make_page(1000 * seed + number, BASE[number % len(BASE)])) as pdf:
            blocks = pdf[0].get_text("rawdict", flags=TEXT_FLAGS)["blocks"]
            spans = [span for block in blocks for line in block.get("lines", ()) for span in line["spans"]]
            blue = {id(char) for span in spans if span["color"] == BLUE for char in span["chars"]}
            for formula in find_formulas(glyphs_of(pdf[0], blocks), bars_of(pdf[0])[0]):
                glyphs = [one for part in (formula, *formula.rest) for one in part.glyphs]
                own = sum(id(one.char) in blue for one in glyphs)
                signs = "".join(one.symbol.sign for one in glyphs)
                yield evidence(formula), own > 0.5 * len(glyphs), signs


def fitted(runs: Sequence[tuple[dict[str, float], bool, str]]) -> dict[str, float]:
    """The weights with which the sum of evidence best tells formulas from text. What speaks for text in
    :data:`WEIGHTS` does so in these."""
    counts = np.array([[float(one[name]) for name in WEIGHTS] for one, _, _ in runs])
    signs = np.array([1.0 if is_formula else -1.0 for _, is_formula, _ in runs])
    costs = np.where(signs > 0, LOST, 1.0) / len(runs)

    usual = USUAL * np.sign(list(WEIGHTS.values()))

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        sums = signs * (counts @ weights)
        slopes = -signs * costs / (1 + np.exp(np.clip(sums, -50, 50)))
        off = weights - usual
        return float(costs @ np.logaddexp(0, -sums) + RIDGE * off @ off), counts.T @ slopes + 2 * RIDGE * off

    sides = [(0.0, None) if side > 0 else (None, 0.0) for side in usual]
    best = minimize(loss, usual, jac=True, bounds=sides, method="L-BFGS-B").x
    return {name: round(float(weight) / STEP) * STEP for name, weight in zip(WEIGHTS, best, strict=True)}


def errors(runs: Sequence[tuple[dict[str, float], bool, str]], weights: dict[str, float]) -> tuple[int, int]:
    """How many formulas are lost with ``weights``, and how much text is taken for a formula."""
    told = [(sum(weights[name] * count for name, count in one.items()) > 0, own) for one, own, _ in runs]
    return sum(own and not says for says, own in told), sum(says and not own for says, own in told)
