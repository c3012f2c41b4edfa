"""docspec's own scoring after the end-to-end protocol of OmniDocBench v1.5, for runs without the publisher's checkout.

Definitions are the publisher's (its README and ``dataset/end2end_dataset.py``, ``utils/data_preprocess.py``,
``metrics/cal_metric.py``): text keeps letters, digits and Han characters, inline formulas turned to Unicode first;
edits of a page over the sum of the longer texts of its matches; TEDS and formulas meaned within a page; every measure
meaned over the pages that have it; overall = ((1 - text) * 100 + TEDS + CDM) / 3. How blocks are paired is our own
(:mod:`benchmarks.matching`), and CDM (rendered LaTeX compared as an image) is not computed: figures come close to
the publisher's but are not them (docs/suites.md says how close). ``--scorer`` runs the publisher's own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from rapidfuzz.distance import Levenshtein

from benchmarks.extras import require
from benchmarks.matching import match_blocks
from benchmarks.page_score import order_distance, table_scores, text_distance
from docspec.core import Category
from docspec.dialects.markdown_blocks import parse_blocks

CDM_REMARK = (
    "formulas by normalised edit distance, not by CDM: docspec does not render LaTeX (--scorer DIR runs the "
    "publisher's scorer, which does where its tools are installed)"
)
IGNORED_WITHIN = 0.25
"""Largest normalised edit distance at which written text stands for an ignored block."""

_INLINE = re.compile(r"\$(.*?)\$|\\\((.*?)\\\)")
_FORMULA_NOISE = re.compile(
    r"\\tag\{.*?\}|\\hspace\{.*?\}|\\begin\{.*?\}|\\end\{.*?\}|\\arraycolsep.*?\}|"
    r"\\(?:mathbf|mathrm|mathnormal|mathit|mathbb|mathcal|mathscr|mathfrak|mathsf|mathtt|textbf|text|boldmath|"
    r"boldsymbol|operatorname|bm|symbfit|mathbfcal|symbf|scriptscriptstyle|notag|setlength|coloneqq|space|thickspace|"
    r"thinspace|medspace|nobreakspace|negmedspace|quad|qquad|enspace|left|right|displaystyle)|\$\$|\s"
)


@dataclass(frozen=True, slots=True)
class TruthBlock:
    """An evaluated or ignored block: ``kind`` is ``text``, ``formula``, ``table`` or ``ignored``; ``text`` is plain
    with inline LaTeX, LaTeX, or HTML."""

    kind: str
    text: str
    order: float


@dataclass(frozen=True, slots=True)
class PageFigures:
    """One page: distances (0 is right) and similarities (1 is right), ``None`` where the truth has no such thing."""

    text: float | None
    formula: float | None
    order: float | None
    teds: float | None
    teds_structure: float | None


def average(pages: Sequence[PageFigures], figure: str) -> float | None:
    """Mean over the pages that have ``figure``."""
    values = [value for page in pages if (value := getattr(page, figure)) is not None]
    return fmean(values) if values else None


def score_page(truth: Sequence[TruthBlock], output: str) -> PageFigures:
    """One page's figures."""
    tables = [block.text for block in truth if block.kind == "table"]
    written = [block for block in parse_blocks(output) if block.category is not Category.PICTURE]
    similar = table_scores([b.text for b in written if b.category is Category.TABLE], tables)
    own = [_written(block.category, block.text) for block in written if block.category is not Category.TABLE]
    lines = _unignored([line for line in own if line[1]], [norm_text(b.text) for b in truth if b.kind == "ignored"])
    text = [norm for block in truth if block.kind == "text" and (norm := norm_text(block.text))]
    formulas = [norm for block in truth if block.kind == "formula" and (norm := norm_formula(block.text))]
    texts = [line for kind, line in lines if kind == "text"]
    text_matches = match_blocks(text, texts) if text else []
    return PageFigures(
        text=text_distance(text_matches, text, texts) if text else None,
        formula=_distance_of_truth(formulas, [line for kind, line in lines if kind == "formula"]),
        order=order_distance(text_matches) if text else None,
        teds=fmean(one for one, _ in similar) if similar else None,
        teds_structure=fmean(one for _, one in similar) if similar else None,
    )


def norm_text(text: str) -> str:
    """Letters and digits of ``text``, inline formulas that hold ``\\``, ``^`` or ``_`` turned to Unicode first."""

    def to_unicode(match: re.Match[str]) -> str:
        content = match.group(1) if match.group(1) is not None else match.group(2)
        clean = re.sub(r"\\([\\_&%^])", "", content)
        if not any(sign in clean for sign in "\\^_"):
            return match.group()
        latex = require("pylatexenc.latex2text", "scoring OmniDocBench", "suites").LatexNodes2Text()
        return str(latex.latex_to_text(clean + " " * clean.endswith("\\"))).strip()

    return re.sub(r"[^\w\u4e00-\u9fff]", "", re.sub(r"\\[tn]|/[tn]", "", _INLINE.sub(to_unicode, text)))


def norm_formula(latex: str) -> str:
    """LaTeX without its delimiters, fonts, spaces and environments, in lower case."""
    bare = latex.strip().strip("$").strip("\n")
    inner = re.search(r"\\\[(.+?)(?<!\\)\\\]", bare)
    return _FORMULA_NOISE.sub("", inner.group(1) if inner else bare).strip(".").lower()


def _written(category: Category, text: str) -> tuple[str, str]:
    if category is Category.FORMULA:
        return "formula", norm_formula(" ".join(text.split("\n")))
    return "text", norm_text(text)


def _unignored(lines: list[tuple[str, str]], ignored: Sequence[str]) -> list[tuple[str, str]]:
    """``lines`` without those that stand for an ignored block."""
    return [
        (kind, line)
        for kind, line in lines
        if not any(one and Levenshtein.normalized_distance(one, line) < IGNORED_WITHIN for one in ignored)
    ]


def _distance_of_truth(truth: Sequence[str], output: Sequence[str]) -> float | None:
    """As :func:`text_distance`, over the matches that hold something of the truth: invented formulas cost nothing."""
    if not truth:
        return None
    return text_distance([match for match in match_blocks(truth, output) if match.truth], truth, output)
